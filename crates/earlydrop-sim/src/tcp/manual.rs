//! The senders' documentation as Markdown, for pages and command lines (feature `manual`).

use earlydrop::documentation;
use earlydrop::manual::markdown;

use super::CONTROLLERS;

/// A part of a sender with its documentation.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Its name: that of a controller, or of a mechanism that controllers share.
    pub name: &'static str,
    /// What it is, in one line.
    pub meaning: &'static str,
    head: &'static str,
}

impl Part {
    /// Its documentation, as Markdown: reference, equations, readings, how other tools differ, and
    /// what holds it.
    pub fn manual(&self) -> String {
        markdown(self.head)
    }
}

/// The documentation of each controller's file, in the order of [`CONTROLLERS`].
const CONTROLS: [&str; CONTROLLERS.len()] = [
    documentation!("control/reno.rs"),
    documentation!("control/cubic.rs"),
    documentation!("control/dctcp.rs"),
    documentation!("control/prague.rs"),
    documentation!("control/scalable.rs"),
    documentation!("control/bbr.rs"),
    documentation!("control/bbr3.rs"),
    documentation!("control/dcqcn.rs"),
];

/// The presets of a scenario's `tcp.profile`.
const PROFILES: [Part; 4] = [
    Part {
        name: "modern",
        meaning: "senders and receivers of today by the RFCs",
        head: documentation!("profile/modern.rs"),
    },
    Part {
        name: "linux",
        meaning: "`modern` with what differs in Linux 6.1",
        head: documentation!("profile/linux.rs"),
    },
    Part {
        name: "roce",
        meaning: "a network card of RDMA: DCQCN and go-back-N",
        head: documentation!("profile/roce.rs"),
    },
    Part {
        name: "ns2",
        meaning: "ns-2.35's defaults, and those of about the year 2000 (`ns2-old-timers`)",
        head: documentation!("profile/ns2.rs"),
    },
];

/// What controllers share.
const MECHANISMS: [Part; 13] = [
    Part {
        name: "newreno",
        meaning: "loss recovery without SACK: Tahoe, Reno, NewReno (RFC 5681, RFC 6582)",
        head: documentation!("recovery/newreno.rs"),
    },
    Part {
        name: "go-back-n",
        meaning: "everything from a loss on is sent again (RDMA)",
        head: documentation!("recovery/go_back_n.rs"),
    },
    Part {
        name: "sack",
        meaning: "loss recovery by selective acknowledgments (RFC 6675)",
        head: documentation!("recovery/sack.rs"),
    },
    Part {
        name: "rack",
        meaning: "losses detected by time (RFC 8985)",
        head: documentation!("recovery/rack.rs"),
    },
    Part {
        name: "tlp",
        meaning: "tail loss probes (RFC 8985)",
        head: documentation!("recovery/tlp.rs"),
    },
    Part {
        name: "undo",
        meaning: "spurious reductions of cwnd are undone (RFC 3522, RFC 3708; RFC 9438, 4.9)",
        head: documentation!("recovery/undo.rs"),
    },
    Part {
        name: "frto",
        meaning: "spurious timeouts are found and undone (F-RTO, RFC 5682)",
        head: documentation!("recovery/frto.rs"),
    },
    Part {
        name: "prr",
        meaning: "proportional rate reduction (RFC 9937)",
        head: documentation!("recovery/prr.rs"),
    },
    Part {
        name: "hystart",
        meaning: "the end of slow start before a loss (HyStart++, RFC 9406)",
        head: documentation!("control/hystart.rs"),
    },
    Part {
        name: "rto",
        meaning: "how long the retransmission timer runs (RFC 6298)",
        head: documentation!("rto.rs"),
    },
    Part {
        name: "accecn",
        meaning: "feedback that counts marks (AccECN, RFC 9768)",
        head: documentation!("accecn.rs"),
    },
    Part {
        name: "rates",
        meaning: "delivery rates (draft-cheng-iccrg-delivery-rate-estimation)",
        head: documentation!("rate_sample.rs"),
    },
    Part {
        name: "receiver",
        meaning: "delayed and quick acknowledgments, echoes of marks",
        head: documentation!("receiver.rs"),
    },
];

/// The controllers.
pub fn controls() -> impl Iterator<Item = Part> {
    let documented = CONTROLLERS.iter().zip(CONTROLS);
    documented.map(|(controller, head)| Part {
        name: controller.name,
        meaning: controller.meaning,
        head,
    })
}

/// The mechanisms that controllers share.
pub fn mechanisms() -> &'static [Part] {
    &MECHANISMS
}

/// The presets of senders and receivers.
pub fn profiles() -> &'static [Part] {
    &PROFILES
}

/// Every part.
pub fn all() -> impl Iterator<Item = Part> {
    PROFILES.into_iter().chain(controls()).chain(MECHANISMS)
}

/// The part of this name.
pub fn of(name: &str) -> Option<Part> {
    all().find(|part| part.name == name)
}

/// One page about every part, as Markdown.
pub fn page() -> String {
    let mut page = "# Senders\n\n\
        Generated from the documentation of the simulator's files by \
        `cargo run -p earlydrop-sim --features manual --example senders_page > docs/reference/senders.md`. \
        `earlydrop senders NAME` prints one of them; a scenario names a profile in `tcp.profile` and a \
        controller in `tcp.control`.\n"
        .to_string();
    let mut table = |title: &str, parts: &[Part]| {
        page += &format!("\n| {title} | what it does |\n|---|---|\n");
        for Part { name, meaning, .. } in parts {
            page += &format!("| [{name}](#{name}) | {meaning} |\n");
        }
    };
    table("profile", &PROFILES);
    table("controller", &controls().collect::<Vec<Part>>());
    table("shared by all", &MECHANISMS);
    for part in all() {
        page += &format!("\n## {}\n\n", part.name);
        for line in part.manual().lines() {
            page += &match line.strip_prefix("# ") {
                Some(heading) => format!("### {heading}\n"),
                None => format!("{line}\n"),
            };
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_controller_has_its_own_documentation() {
        for (part, controller) in controls().zip(CONTROLLERS) {
            let manual = part.manual();
            assert!(manual.contains("# Equations"), "{}", part.name);
            let links = ["`]", "(crate::", "(super::"];
            assert!(
                !links.iter().any(|link| manual.contains(link)),
                "{}",
                part.name
            );
            let title = manual.lines().next().unwrap_or_default().to_lowercase();
            let name = controller.title.trim_end_matches("v3").to_lowercase();
            assert!(title.contains(&name), "{}: {title}", part.name);
        }
    }

    #[test]
    fn every_part_says_against_what_it_is_validated() {
        for part in all() {
            let manual = part.manual();
            assert!(manual.contains("# Validated against"), "{}", part.name);
        }
    }

    #[test]
    fn names_are_found_and_differ() {
        let names: Vec<&str> = all().map(|part| part.name).collect();
        for name in &names {
            assert_eq!(of(name).unwrap().name, *name);
            assert_eq!(names.iter().filter(|other| *other == name).count(), 1);
        }
        assert!(of("tahoe").is_none());
    }
}
