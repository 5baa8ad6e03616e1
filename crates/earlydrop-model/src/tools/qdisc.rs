//! Linux's queueing disciplines other than red as schemes: `tc qdisc ... fq_codel`, as a command or
//! as `tc qdisc show` prints it.
//!
//! Options and their units are those of iproute2's `tc/q_codel.c`, `q_fq_codel.c`, `q_pie.c`
//! and `q_fifo.c`; what a line leaves out is the kernel's default, the preset `as=linux`.

use super::ParseError;
use super::disciplines::{DISCIPLINES, Discipline, Is, QdiscOption};
use super::gred;
use super::ledger::Ledger;
use super::tc;
use super::tc_line::{self, Options, QdiscLine};
use super::tc_units::{rate, size, split};
use super::token::Token;

/// The scheme that simulates a `tc qdisc` line: "fq-codel:as=linux,target=2ms". Not red's line,
/// which [`read`](super::read) reads.
pub fn scheme_of_qdisc(text: &str) -> Result<String, ParseError> {
    let ledger = Ledger::of(text, &["#"]);
    let mut lines = tc_line::qdiscs(&ledger)?;
    if lines.iter().any(|line| line.kind.is("gred")) {
        lines.retain(|line| line.kind.is("gred"));
        let settings = gred::scheme(lines, text)?;
        return Ok(format!("wred:as=linux,{}", settings.join(",")));
    }
    let discipline = |line: &QdiscLine| DISCIPLINES.iter().find(|one| line.kind.is(one.kind));
    let found = lines
        .into_iter()
        .find_map(|line| discipline(&line).map(|one| (line, one)));
    let Some((mut line, discipline)) = found else {
        let kinds: Vec<&str> = DISCIPLINES.iter().map(|one| one.kind).collect();
        let message = "this text has no queueing discipline that is read here";
        let help = format!("known: red, gred, {}", kinds.join(", "));
        return Err(ParseError::of_all(text, message, help));
    };
    let at_root = discipline.at_root.filter(|_| line.is_root);
    let mut settings: Vec<String> = at_root.map(str::to_string).into_iter().collect();
    let mut options = Options::of(&mut line);
    while let Some(word) = options.take() {
        let mut known = discipline.options.iter().copied().flatten();
        let known = known.find(|one| one.word == word.text);
        let known = known.ok_or_else(|| unknown(&word, discipline))?;
        settings.extend(setting(&word, known, &mut options)?);
    }
    let colon = if discipline.scheme.contains(':') {
        ","
    } else {
        ":"
    };
    settings.extend(derived(discipline, text, &settings)?);
    // The presets mark, which these do by a word only.
    if discipline.kind == "choke" && !settings.iter().any(|setting| setting == "ecn=on") {
        settings.push("ecn=off".to_string());
    }
    Ok(match settings.is_empty() {
        true => discipline.scheme.to_string(),
        false => format!("{}{colon}{}", discipline.scheme, settings.join(",")),
    })
}

/// The settings that follow from several options: the RED of each flow of sfq, and the weight.
fn derived(
    discipline: &Discipline,
    text: &str,
    settings: &[String],
) -> Result<Vec<String>, ParseError> {
    let of = |name: &str| {
        let value = settings.iter().find_map(|one| one.strip_prefix(name));
        let number = |value: &str| value.trim_end_matches("bytes").parse::<u32>().ok();
        value.and_then(number)
    };
    let burst = || {
        let mut words = text.split_whitespace();
        words.find(|word| *word == "burst")?;
        words.next()?.parse::<u32>().ok()
    };
    let (prefix, min, max, packet) = match discipline.kind {
        "sfq" if of("inner.limit=").is_some() => {
            let limit = of("inner.limit=").unwrap_or(0);
            let max = of("inner.max=").unwrap_or(limit / 4);
            (
                "inner.",
                of("inner.min=").unwrap_or(max / 3),
                max,
                of("inner.mean_packet=").unwrap_or(1000),
            )
        }
        "choke" if burst().is_some() || of("min=").is_some() => {
            let limit = of("limit=").unwrap_or(1000);
            let max = of("max=").unwrap_or(limit / 4);
            (
                "",
                of("min=").unwrap_or(limit / 12) * 1000,
                max * 1000,
                1000,
            )
        }
        _ => return Ok(Vec::new()),
    };
    let burst = burst().unwrap_or_else(|| tc::default_burst(min, max, packet));
    let wlog = tc::wlog(min, burst, packet).map_err(|_| {
        let message = format!("a burst of {burst} packets gives no weight");
        let help = format!("nearest: burst {}", tc::burst_for(9, 31, min, packet));
        ParseError::of_all(text, message, help)
    })?;
    let weight = format!("{prefix}weight={}", (-f64::from(wlog)).exp2());
    if prefix.is_empty() {
        return Ok(vec![weight]);
    }
    let red = [
        "inner=red",
        "inner.unit=bytes",
        "inner.spacing=drawn",
        "inner.idle=linux",
    ];
    Ok(red
        .into_iter()
        .map(str::to_string)
        .chain([weight])
        .collect())
}

/// Whether a text is about a discipline of tc, and not about red.
pub fn is_other_qdisc(text: &str) -> bool {
    let ledger = Ledger::of(text, &["#"]);
    let lines = tc_line::qdiscs(&ledger).unwrap_or_default();
    text.contains("qdisc") && !lines.is_empty() && !lines.iter().any(|line| line.kind.is("red"))
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
        Is::UsualValue | Is::Burst => {
            value()?;
            return Ok(None);
        }
        Is::Missing(why) => return Err(word.error(format!("{name}: {why}"), "leave it out")),
        Is::Percent(parameter) => {
            let share = value()?.number(name, 0.0, 100.0)? / 100.0;
            format!("{parameter}={share}")
        }
        Is::Rate(parameter) => format!("{parameter}={}bps", rate(value()?)?.0.0),
        Is::Millis(parameter) => format!("{parameter}={}ms", value()?.count(name, 1.0, 1e9)?),
        Is::Seconds(parameter) => format!("{parameter}={}s", value()?.count(name, 0.0, 1e6)?),
        Is::RoundTrip => {
            let rtt = microseconds(value()?, name)?;
            format!("interval={rtt}us,target={}us", (rtt / 20.0).max(1.0))
        }
        Is::Inner(parameter) => format!("inner.{parameter}={}bytes", size(value()?, name)?.0),
        Is::Number(parameter, scale) => {
            let number = value()?.number(name, 0.0, f64::from(u32::MAX))?;
            format!("{parameter}={}", number / scale)
        }
        Is::Overhead(parameter) => {
            format!("{parameter}={}", value()?.number(name, -64.0, 256.0)?)
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
    let words = discipline.options.iter().copied().flatten();
    let words: Vec<&str> = words.map(|one| one.word).collect();
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
        let line = "tc qdisc add dev e root cake bandwidth 48mbit pppoe-ptm";
        assert!(settings(line).ends_with("overhead=30,framing=ptm"));
        let line = "tc qdisc add dev e root cake bandwidth 48mbit docsis";
        assert!(settings(line).ends_with("overhead=18,mpu=64 bytes,framing=none"));
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
            refused("tc qdisc add dev eth0 root hfsc")
                .contains("known: red, gred, codel, fq_codel, pie, fq_pie, cake,")
        );
    }
}
