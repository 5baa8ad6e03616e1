//! Linux's queueing disciplines other than red as schemes: `tc qdisc ... fq_codel`, as a command or
//! as `tc qdisc show` prints it.
//!
//! Options and their units are those of iproute2's `tc/q_codel.c`, `q_fq_codel.c`, `q_pie.c`
//! and `q_fifo.c`; what a line leaves out is the kernel's default, the preset `as=linux`.

use super::ParseError;
use super::ledger::Ledger;
use super::tc_line::{self, Options, QdiscLine};
use super::tc_units::{size, split};
use super::token::Token;

/// A discipline of tc.
struct Discipline {
    kind: &'static str,
    /// The scheme, with its preset.
    scheme: &'static str,
    /// What is set at the root of a device, where a packet that finds nothing queued passes by the
    /// discipline.
    at_root: Option<&'static str>,
    options: &'static [QdiscOption],
}

/// An option of a discipline.
struct QdiscOption {
    word: &'static str,
    is: Is,
}

/// What an option sets.
enum Is {
    /// A parameter to a number, in the kernel's unit divided by this.
    Number(&'static str, f64),
    /// A parameter to a number of packets; tc prints `1000p`.
    Packets(&'static str),
    /// A parameter to a size in bytes.
    Size(&'static str),
    /// A parameter to a time; tc takes a number without a unit for microseconds.
    Time(&'static str),
    /// A setting, by a word without a value.
    Flag(&'static str),
    /// What every Linux does, or what changes no packet's fate.
    Usual,
    /// What no scheme here does.
    Missing(&'static str),
}

const fn option(word: &'static str, is: Is) -> QdiscOption {
    QdiscOption { word, is }
}

static DISCIPLINES: &[Discipline] = &[
    Discipline {
        kind: "codel",
        scheme: "codel:as=linux",
        at_root: None,
        options: CODEL,
    },
    Discipline {
        kind: "fq_codel",
        scheme: "fq-codel:as=linux",
        at_root: Some("bypass=on"),
        options: FQ_CODEL,
    },
    Discipline {
        kind: "pie",
        scheme: "pie:as=linux",
        at_root: None,
        options: PIE,
    },
    Discipline {
        kind: "pfifo",
        scheme: "droptail",
        at_root: None,
        options: &[option("limit", Is::Packets("limit"))],
    },
    Discipline {
        kind: "bfifo",
        scheme: "droptail",
        at_root: None,
        options: &[option("limit", Is::Size("limit"))],
    },
];

const CODEL: &[QdiscOption] = &[
    option("limit", Is::Packets("limit")),
    option("target", Is::Time("target")),
    option("interval", Is::Time("interval")),
    option("ce_threshold", Is::Time("ce_threshold")),
    option("ecn", Is::Flag("ecn=on")),
    option("noecn", Is::Flag("ecn=off")),
];

const FQ_CODEL: &[QdiscOption] = &[
    option("limit", Is::Packets("limit")),
    option("flows", Is::Number("queues", 1.0)),
    option("target", Is::Time("target")),
    option("interval", Is::Time("interval")),
    option("quantum", Is::Size("quantum")),
    option("memory_limit", Is::Size("memory_limit")),
    option("drop_batch", Is::Number("drop_batch", 1.0)),
    option("ce_threshold", Is::Time("ce_threshold")),
    option("ecn", Is::Flag("ecn=on")),
    option("noecn", Is::Flag("ecn=off")),
    option(
        "ce_threshold_selector",
        Is::Missing("marks by DSCP are not simulated"),
    ),
];

const PIE: &[QdiscOption] = &[
    option("limit", Is::Packets("limit")),
    option("target", Is::Time("target")),
    option("tupdate", Is::Time("interval")),
    // tc's alpha and beta are in sixteenths of a hertz.
    option("alpha", Is::Number("alpha", 16.0)),
    option("beta", Is::Number("beta", 16.0)),
    option("ecn", Is::Flag("ecn=on")),
    option("noecn", Is::Flag("ecn=off")),
    option("dq_rate_estimator", Is::Flag("delay=rate")),
    option("no_dq_rate_estimator", Is::Usual),
    option("nobytemode", Is::Usual),
    option(
        "bytemode",
        Is::Missing("probabilities by packet size are not simulated in PIE"),
    ),
];

/// The scheme that simulates a `tc qdisc` line: "fq-codel:as=linux,target=2ms". Not red's line,
/// which [`read`](super::read) reads.
pub fn scheme_of_qdisc(text: &str) -> Result<String, ParseError> {
    let ledger = Ledger::of(text, &["#"]);
    let lines = tc_line::qdiscs(&ledger)?;
    let discipline = |line: &QdiscLine| DISCIPLINES.iter().find(|one| line.kind.is(one.kind));
    let found = lines
        .into_iter()
        .find_map(|line| discipline(&line).map(|one| (line, one)));
    let Some((mut line, discipline)) = found else {
        let kinds: Vec<&str> = DISCIPLINES.iter().map(|one| one.kind).collect();
        let message = "this text has no queueing discipline that is read here";
        let help = format!("known: red, {}", kinds.join(", "));
        return Err(ParseError::of_all(text, message, help));
    };
    let at_root = discipline.at_root.filter(|_| line.is_root);
    let mut settings: Vec<String> = at_root.map(str::to_string).into_iter().collect();
    let mut options = Options::of(&mut line);
    while let Some(word) = options.take() {
        let mut known = discipline.options.iter();
        let known = known.find(|one| one.word == word.text);
        let known = known.ok_or_else(|| unknown(&word, discipline))?;
        settings.extend(setting(&word, known, &mut options)?);
    }
    let colon = if discipline.scheme.contains(':') {
        ","
    } else {
        ":"
    };
    Ok(match settings.is_empty() {
        true => discipline.scheme.to_string(),
        false => format!("{}{colon}{}", discipline.scheme, settings.join(",")),
    })
}

/// The setting of an option, whose value is the next of `rest`.
fn setting(
    word: &Token<'_>,
    option: &QdiscOption,
    rest: &mut Options<'_, '_, '_>,
) -> Result<Option<String>, ParseError> {
    let name = option.word;
    let mut value = || rest.value(word);
    Ok(Some(match &option.is {
        Is::Flag(setting) => (*setting).to_string(),
        Is::Usual => return Ok(None),
        Is::Missing(why) => return Err(word.error(format!("{name}: {why}"), "leave it out")),
        Is::Number(parameter, scale) => {
            let number = value()?.number(name, 0.0, f64::from(u32::MAX))?;
            format!("{parameter}={}", number / scale)
        }
        Is::Packets(parameter) => {
            let given = value()?;
            let digits = given.text.strip_suffix('p').unwrap_or(given.text).len();
            let number = given.part(0, digits);
            let packets = number.count(name, 0.0, f64::from(u32::MAX))?;
            format!("{parameter}={packets}")
        }
        Is::Size(parameter) => format!("{parameter}={}bytes", size(value()?, name)?.0),
        Is::Time(parameter) => format!("{parameter}={}us", microseconds(value()?, name)?),
    }))
}

/// A time as iproute2 reads it, in microseconds.
fn microseconds(given: Token<'_>, name: &str) -> Result<f64, ParseError> {
    let (number, unit) = split(given);
    let scale = match unit.as_str() {
        "" | "us" | "usec" | "usecs" => Some(1.0),
        "ms" | "msec" | "msecs" => Some(1e3),
        "s" | "sec" | "secs" => Some(1e6),
        _ => None,
    };
    let time = number.zip(scale).map(|(number, scale)| number * scale);
    time.ok_or_else(|| {
        given.error(
            format!("{name} {} is not a time", given.text),
            "allowed: a number with s, ms or us; microseconds without",
        )
    })
}

fn unknown(word: &Token<'_>, discipline: &Discipline) -> ParseError {
    let words: Vec<&str> = discipline.options.iter().map(|one| one.word).collect();
    let guess = earlydrop::registry::nearest(word.text, words.iter().copied());
    let guess = guess.map_or(String::new(), |guess| format!("did you mean '{guess}'? "));
    let message = format!(
        "unknown option of tc {}: \"{}\"",
        discipline.kind, word.text
    );
    word.error(message, format!("{guess}known: {}", words.join(", ")))
}

#[cfg(test)]
mod tests {
    use earlydrop::registry::{LinkFacts, Spec};
    use earlydrop::units::BitsPerSec;

    use super::*;

    fn settings(line: &str) -> String {
        let text = scheme_of_qdisc(line).unwrap();
        let spec: Spec = text.parse().unwrap();
        let link = LinkFacts::at(BitsPerSec::from_mbps(10));
        assert!(spec.settings(&link).is_ok(), "{text}");
        text
    }

    #[test]
    fn lines_of_every_discipline_are_schemes() {
        let line = "tc qdisc add dev eth0 root fq_codel limit 2000 flows 512 target 2ms interval \
                    40ms quantum 300 noecn";
        let expected = "fq-codel:as=linux,bypass=on,limit=2000,queues=512,target=2000us,interval=40000us,\
                        quantum=300bytes,ecn=off";
        assert_eq!(settings(line), expected);
        let line = "tc qdisc replace dev eth0 parent 1:10 handle 10: codel target 5000 ecn \
                    ce_threshold 1ms";
        let expected = "codel:as=linux,target=5000us,ecn=on,ce_threshold=1000us";
        assert_eq!(settings(line), expected);
        let line =
            "tc qdisc add dev eth0 root pie limit 200 target 20ms tupdate 30ms alpha 4 beta 8";
        let expected = "pie:as=linux,limit=200,target=20000us,interval=30000us,alpha=0.25,beta=0.5";
        assert_eq!(settings(line), expected);
        assert_eq!(
            settings("tc qdisc add dev e root pfifo limit 50"),
            "droptail:limit=50"
        );
        let line = "tc qdisc add dev e root bfifo limit 30k";
        assert_eq!(settings(line), "droptail:limit=30720bytes");
    }

    #[test]
    fn what_tc_prints_is_read() {
        let shown = "qdisc fq_codel 0: dev eth0 root refcnt 2 limit 10240p flows 1024 quantum 1514 \
                     target 5ms interval 100ms memory_limit 32Mb ecn drop_batch 64\n Sent 0 bytes";
        let expected = "fq-codel:as=linux,bypass=on,limit=10240,queues=1024,quantum=1514bytes,target=5000us,\
                        interval=100000us,memory_limit=33554432bytes,ecn=on,drop_batch=64";
        assert_eq!(settings(shown), expected);
        let shown = "qdisc pie 8001: root refcnt 2 limit 1000p target 15ms tupdate 16ms alpha 2 \
                     beta 20";
        let expected =
            "pie:as=linux,limit=1000,target=15000us,interval=16000us,alpha=0.125,beta=1.25";
        assert_eq!(settings(shown), expected);
    }

    #[test]
    fn what_is_not_read_is_refused_with_its_place() {
        let refused = |line: &str| {
            let error = scheme_of_qdisc(line).unwrap_err();
            format!("{} | {error}", &line[error.span.clone()])
        };
        assert_eq!(
            refused("tc qdisc add dev eth0 root codel tarqet 5ms"),
            "tarqet | unknown option of tc codel: \"tarqet\"; did you mean 'target'? known: limit, \
             target, interval, ce_threshold, ecn, noecn"
        );
        assert_eq!(
            refused("tc qdisc add dev eth0 root codel target 5m"),
            "5m | target 5m is not a time; allowed: a number with s, ms or us; microseconds without"
        );
        assert_eq!(
            refused("tc qdisc add dev eth0 root pie limit"),
            "limit | limit needs a value; give it a value"
        );
        assert!(refused("tc qdisc add dev eth0 root pie bytemode").starts_with("bytemode | "));
        assert!(
            refused("tc qdisc add dev eth0 root cake")
                .ends_with("known: red, codel, fq_codel, pie, pfifo, bfifo")
        );
    }
}
