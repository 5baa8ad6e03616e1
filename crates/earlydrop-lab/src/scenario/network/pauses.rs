//! Priority flow control at the switches of a fabric: `network.pause` and `network.resume`, and the
//! room that it needs.

use earlydrop::units::Bytes;
use earlydrop_sim::network::{Classes, Node as Host, Pfc, SharedBuffer};

use super::{BuiltNetwork, Path, Topology};
use crate::document::{Entries, Problem};

/// The switch whose ports need the most room for pauses to lose nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PauseRoom {
    /// The links that lead to it.
    pub(crate) links: u64,
    /// The headroom of all of them together, for one class.
    pub(crate) headroom: Bytes,
    pub(crate) limits: Pfc,
    /// The buffer that its ports share, and the share of it that one port may have.
    pub(crate) shared: Option<(SharedBuffer, f64)>,
}

impl PauseRoom {
    /// What waits at most, all of it at one port in the worst case.
    pub(crate) fn needed(&self) -> Bytes {
        self.limits.room(self.links, self.headroom)
    }

    /// The most that one port may have of the shared buffer.
    pub(crate) fn most_shared(&self) -> Option<Bytes> {
        let (buffer, share) = self.shared?;
        Some(Bytes((buffer.size.0 as f64 * share) as u64))
    }

    /// The largest XOFF with which `room` suffices; `None` if headroom alone is more.
    pub(crate) fn largest_xoff(&self, room: Bytes) -> Option<Bytes> {
        let of_class = room.0 / self.limits.counted();
        let left = of_class.checked_sub(self.headroom.0)?;
        Some(Bytes(left / self.links)).filter(|xoff| xoff.0 > 0)
    }
}

/// The value of `pause_classes` with which a pause stops all of a link.
const ALL: &str = "all";

/// When switches pause the links that lead to them, if they do.
pub(super) fn read(network: &Entries, problems: &mut Vec<Problem>) -> Option<Pfc> {
    let xoff = network.size_or_auto("pause");
    let xon = network.size_or_auto("resume");
    let mut wrong = |field, message: &str, help: String| {
        problems.push(Problem::new(
            network.place_of(field),
            message.to_string(),
            help,
        ));
    };
    let Some(xoff) = xoff else {
        let written = ["resume", "pause_classes"];
        if let Some(field) = written.into_iter().find(|field| network.has(field)) {
            let help = format!("nearest: pause = \"100 kB\", or no `{field}`");
            wrong(field, &format!("`{field}` without `pause`"), help);
        }
        return None;
    };
    let xon = xon.unwrap_or(Bytes(xoff.0 / 2));
    if xon > xoff {
        wrong(
            "resume",
            "a link would go on above `pause`",
            format!("nearest: resume = \"{xoff}\""),
        );
    }
    if network.text("host_queue") == "none" {
        let help = "nearest: host_queue = \"nic\"".to_string();
        wrong("pause", "hosts without a queue cannot be paused", help);
    }
    let text = network.text("pause_classes");
    let classes = classes_of(&text);
    if classes.is_none() && text != ALL {
        let message = format!("`pause_classes` = \"{text}\" are no traffic classes");
        let digits = text.chars().filter_map(|c| c.to_digit(10));
        let mut nearest: Vec<String> = digits.map(|digit| digit.min(7).to_string()).collect();
        if nearest.is_empty() {
            nearest.push("3".to_string());
        }
        let help = format!(
            "allowed: numbers from 0 to 7 between spaces, or all; nearest: \"{}\"",
            nearest.join(" ")
        );
        wrong("pause_classes", &message, help);
    }
    Some(Pfc {
        xoff,
        xon: xon.min(xoff),
        classes,
    })
}

/// Classes as numbers between spaces or commas; `None` for none of them, and for other text.
fn classes_of(text: &str) -> Option<Classes> {
    let numbers = text.split([' ', ',']).filter(|number| !number.is_empty());
    let numbers: Result<Vec<u8>, _> = numbers.map(str::parse).collect();
    Classes::new(&numbers.ok().filter(|numbers| !numbers.is_empty())?)
}

impl Topology {
    /// The room that pauses need at the switch where it is the most, with packets of `packet` bytes;
    /// `None` without pauses.
    pub(crate) fn room_for_pauses(&self, packet: Bytes, path: Path) -> Option<PauseRoom> {
        let limits = self.pauses?;
        let share = |buffer: SharedBuffer| match limits.classes {
            // Alone it has alpha B / (1 + alpha) (Choudhury and Hahne 1998, equation 4).
            None => buffer.alpha / (1.0 + buffer.alpha),
            // Room is reserved for classes that are paused.
            Some(_) => 1.0,
        };
        let built = self.under_droptail(packet, path)?;
        let rooms = (0..built.network.nodes() as u32).map(Host);
        let switches = rooms.filter(|node| !built.hosts.contains(node));
        let rooms = switches.map(|switch| {
            let (links, headroom) = built.network.headroom_at(switch, packet);
            PauseRoom {
                links,
                headroom,
                limits,
                shared: self.shared_buffer.map(|buffer| (buffer, share(buffer))),
            }
        });
        rooms.max_by_key(PauseRoom::needed)
    }
}

impl Topology {
    /// The classes that its switches pause, each alone.
    pub(in crate::scenario) fn paused_classes(&self) -> Option<Classes> {
        self.pauses?.classes
    }
}

impl BuiltNetwork {
    /// Lets every switch of a fabric pause the links that lead to it. Network cards tell apart the
    /// classes that are paused.
    pub(super) fn pause(&mut self, limits: Pfc) {
        let links = self.network.links();
        let cards = links.filter(|(.., link)| link.is_nic && limits.classes.is_some());
        for card in cards.map(|(id, ..)| id).collect::<Vec<_>>() {
            self.network.get_mut(card).by_class = true;
        }
        for node in (0..self.network.nodes() as u32).map(Host) {
            if !self.hosts.contains(&node) {
                self.network.pause(node, limits);
            }
        }
    }
}
