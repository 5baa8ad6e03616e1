//! Schemes other than RED as lines of tc: `tc qdisc add dev eth0 root fq_codel limit 84`.
//!
//! A line sets what differs from the kernel's defaults, the preset `as=linux`. What it cannot set is
//! found by reading it back.

use earlydrop::registry::{ConfigError, Length, LinkFacts, Settings, Spec, Value};

use super::disciplines::{DISCIPLINES, Discipline, Is, QdiscOption};
use super::qdisc::scheme_of_qdisc;

/// A scheme as a line of tc.
#[derive(Clone, Debug, PartialEq)]
pub struct QdiscText {
    /// The line, for the device eth0.
    pub line: String,
    /// The scheme that simulates the line as Linux runs it.
    pub runs: String,
    /// What Linux does otherwise.
    pub otherwise: Vec<Otherwise>,
}

/// A parameter that a line of tc cannot give the value it has here.
#[derive(Clone, Debug, PartialEq)]
pub struct Otherwise {
    /// The parameter's name.
    pub parameter: &'static str,
    /// Its value here.
    pub here: String,
    /// Its value in Linux.
    pub linux: String,
}

/// The line of tc for a scheme; `None` where Linux has no discipline that is it. RED is written by
/// its tool, [`translate`](super::translate).
pub fn qdisc_of_scheme(spec: &Spec, link: &LinkFacts) -> Result<Option<QdiscText>, ConfigError> {
    let own = spec.settings(link)?;
    let Some(discipline) = discipline(spec, &own) else {
        return Ok(None);
    };
    let usual = discipline.scheme.parse::<Spec>()?.settings(link)?;
    let mut line = format!("tc qdisc add dev eth0 root {}", discipline.kind);
    for (parameter, value) in own.iter() {
        let is_needed = match (discipline.kind, parameter.name) {
            // CAKE shapes to what it is told, and not at all otherwise.
            ("cake", "bandwidth") => !own.flag("unlimited"),
            // Linux takes what is left out from the device.
            ("pfifo" | "bfifo", "limit") => true,
            _ => *value != *usual.value(parameter.name),
        };
        if !is_needed {
            continue;
        }
        let options = discipline.options.iter().copied().flatten();
        let written = options
            .filter_map(|option| written(option, parameter.name, value, &own))
            .next();
        if let Some(written) = written {
            line += &format!(" {written}");
        }
    }
    let Ok(runs) = scheme_of_qdisc(&line) else {
        return Ok(None);
    };
    let otherwise = differences(&own, &runs.parse::<Spec>()?.settings(link)?);
    Ok(Some(QdiscText {
        line,
        runs,
        otherwise,
    }))
}

fn discipline(spec: &Spec, own: &Settings) -> Option<&'static Discipline> {
    let name = spec.descriptor().name;
    let kind = match name {
        // A buffer in packets or in bytes.
        "droptail" => match own.value("limit") {
            Value::Length(Length::Packets(_)) => "pfifo",
            _ => "bfifo",
        },
        // The RED of each flow has options whose defaults depend on each other.
        "sfq" | "choke" => return None,
        _ => "",
    };
    DISCIPLINES.iter().find(|one| match kind {
        "" => one.scheme.split(':').next() == Some(name),
        kind => one.kind == kind,
    })
}

/// An option with the value that a parameter has; `None` where it sets another.
fn written(option: &QdiscOption, name: &str, value: &Value, own: &Settings) -> Option<String> {
    let word = option.word;
    let for_this = |parameter: &str| parameter == name;
    let text = match (&option.is, value) {
        (Is::Flag(setting), value) => {
            return (*setting == format!("{name}={value}")).then(|| word.to_string());
        }
        (Is::Number(parameter, scale), Value::Number(number)) if for_this(parameter) => {
            // The kernel's units are whole: PIE's gains are sixteenths.
            match *scale == 1.0 {
                true => number.to_string(),
                false => (number * scale).round().to_string(),
            }
        }
        (Is::Percent(parameter), Value::Number(share)) if for_this(parameter) => {
            (100.0 * share).to_string()
        }
        (Is::Packets(parameter) | Is::Overhead(parameter), Value::Number(number))
            if for_this(parameter) =>
        {
            number.to_string()
        }
        (Is::Packets(parameter), Value::Length(_)) if for_this(parameter) => {
            own.packets(name).max(1.0).floor().to_string()
        }
        (Is::Size(parameter), Value::Length(_)) if for_this(parameter) => {
            own.bytes(name).floor().to_string()
        }
        (Is::Size(parameter), Value::Bytes(size)) if for_this(parameter) => size.0.to_string(),
        (Is::Rate(parameter), Value::Rate(rate)) if for_this(parameter) => {
            format!("{}bit", rate.0)
        }
        (Is::Rate(parameter), Value::Auto) if for_this(parameter) => {
            format!("{}bit", own.link().rate.0)
        }
        (Is::Time(parameter), Value::Time(time)) if for_this(parameter) => microseconds(time.0),
        (Is::RoundTrip, Value::Time(time)) if name == "interval" => microseconds(time.0),
        (Is::Millis(parameter), Value::Time(time)) if for_this(parameter) => {
            (time.0 / 1_000_000).max(1).to_string()
        }
        (Is::Seconds(parameter), Value::Time(time)) if for_this(parameter) => {
            (time.0 / 1_000_000_000).to_string()
        }
        _ => return None,
    };
    Some(format!("{word} {text}"))
}

/// A time in microseconds, as tc takes it.
fn microseconds(nanoseconds: u64) -> String {
    format!("{}us", nanoseconds as f64 / 1e3)
}

/// The parameters with an effect whose values are others, as read from the line.
fn differences(own: &Settings, read: &Settings) -> Vec<Otherwise> {
    let other = own.iter().filter(|(parameter, value)| {
        let linux = read.value(parameter.name);
        // A queue's length may be rounded to whole packets or bytes, and auto is the link's rate.
        let is_same = match (value, linux) {
            (Value::Auto, Value::Rate(rate)) => *rate == own.link().rate,
            (Value::Length(_), Value::Length(_)) => {
                (own.packets(parameter.name) - read.packets(parameter.name)).abs() < 1.0
            }
            _ => *value == linux,
        };
        !is_same && own.matters(parameter)
    });
    let otherwise = other.map(|(parameter, value)| Otherwise {
        parameter: parameter.name,
        here: value.to_string(),
        linux: read.value(parameter.name).to_string(),
    });
    otherwise.collect()
}

#[cfg(test)]
mod tests {
    use earlydrop::units::{BitsPerSec, Bytes};

    use super::*;

    fn text(spec: &str) -> QdiscText {
        let link = LinkFacts {
            rate: BitsPerSec::from_mbps(20),
            mean_packet: Bytes(1500),
        };
        let spec: Spec = spec.parse().unwrap();
        qdisc_of_scheme(&spec, &link).unwrap().unwrap()
    }

    fn options(spec: &str) -> String {
        let line = text(spec).line;
        line.strip_prefix("tc qdisc add dev eth0 root ")
            .unwrap()
            .to_string()
    }

    #[test]
    fn what_differs_from_the_kernels_defaults_is_set() {
        for (spec, line) in [
            ("fq-codel:limit=84", "fq_codel limit 84"),
            ("fq-codel:as=linux", "fq_codel"),
            (
                "codel:as=linux,ecn=on,target=500us",
                "codel target 500us ecn",
            ),
            (
                "pie:as=linux,limit=84,target=20ms,alpha=0.25",
                "pie limit 84 target 20000us alpha 4",
            ),
            ("pie:as=linux,alpha=0.1", "pie alpha 2"),
            ("pie:as=linux,alpha=0.2", "pie alpha 3"),
            ("cake", "cake bandwidth 20000000bit"),
            ("cake:as=linux,unlimited=on", "cake unlimited"),
            (
                "cake:interval=40ms,target=2ms,isolation=hosts",
                "cake bandwidth 20000000bit hosts rtt 40000us",
            ),
            ("droptail", "pfifo limit 1000"),
            ("droptail:limit=50", "pfifo limit 50"),
            (
                "cake:overhead=-20",
                "cake bandwidth 20000000bit overhead -20",
            ),
            ("droptail:limit=30 kB", "bfifo limit 30000"),
            ("dualpi2:as=linux,step=500us", "dualpi2 step_thresh 500us"),
        ] {
            assert_eq!(options(spec), line, "{spec}");
        }
    }

    #[test]
    fn what_a_line_cannot_set_is_named() {
        let [one] = &text("cake:as=linux,limit=84").otherwise[..] else {
            panic!("one parameter")
        };
        assert_eq!((one.parameter, &*one.linux), ("limit", "10240 packets"));
        assert_eq!(text("cake:as=linux,bandwidth=50Mbps").otherwise, []);
        // RFC 8033's bursts are not Linux's.
        let pie = text("pie");
        assert!(
            pie.otherwise.iter().all(|one| one.here != one.linux),
            "{pie:?}"
        );
        assert!(!pie.otherwise.is_empty());
    }

    #[test]
    fn what_was_read_from_a_line_is_written_whole() {
        for line in [
            "fq_codel limit 2000 flows 512 target 2ms interval 40ms quantum 300 noecn drop_batch 8",
            "codel target 500 ecn ce_threshold 1ms limit 90",
            "pie limit 200 target 20ms tupdate 30ms alpha 4 beta 8 ecn",
            "fq_pie limit 900 ecn_prob 20 memory_limit 2m",
            "cake bandwidth 9mbit rtt 40ms diffserv4 dual-srchost ack-filter overhead -8 mpu 64 atm",
            "cake unlimited satellite flowblind memlimit 1m",
            "dualpi2 target 10ms tupdate 8ms coupling_factor 3 step_thresh 500us overflow",
            "sfb rehash 60000 db 6000 max 30 target 20 penalty_rate 5",
            "bfifo limit 30k",
        ] {
            let spec = scheme_of_qdisc(&format!("tc qdisc add dev eth0 root {line}")).unwrap();
            let written = text(&spec);
            assert_eq!(written.otherwise, [], "{line}\n{}", written.line);
        }
    }

    /// A line that Linux's defaults give is read as these.
    #[test]
    fn every_discipline_without_options_is_read_as_its_preset() {
        for discipline in DISCIPLINES
            .iter()
            .filter(|one| !["sfq", "choke"].contains(&one.kind))
        {
            let found = text(discipline.scheme);
            // A root's fq_codel lets a packet pass that finds nothing queued.
            let rest = found
                .otherwise
                .iter()
                .filter(|one| one.parameter != "bypass");
            assert_eq!(rest.count(), 0, "{found:?}");
        }
    }
}
