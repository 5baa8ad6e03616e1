//! Linux: `tc qdisc ... red`, as a command, as `tc -d qdisc show` prints it, and as
//! `tc -j -d qdisc show` does.
//!
//! Sizes are bytes, "k" is 1024. Facts from iproute2's `tc/q_red.c` and the kernel's
//! `net/sched/sch_red.c` and `include/net/red.h`.

use earlydrop::red::{Idle, Spacing};
use earlydrop::registry::{Length, Link};
use earlydrop::units::{BitsPerSec, Bytes};

use super::scan::{Piece, digits, pieces};
use super::tc::{self, NoWeight};
use super::{
    Adapt, Called, Class, Configuration, Dialect, Knob, Known, Marking, Refusal, Shape, called,
    json,
};

pub(super) static DIALECT: Dialect = Dialect {
    name: "linux",
    title: "Linux, tc red",
    signs: &["qdisc", "avpkt", "\"kind\":\"red\"", "\"kind\": \"red\""],
    spacing: Spacing::Drawn,
    spacings: &[Spacing::Drawn],
    spacing_source: "include/net/red.h: one number drawn for each gap",
    assumed_rate: Some(BitsPerSec::from_mbps(10)),
    knobs: KNOBS,
    lacks: &[
        (Knob::Classes, "red has one curve; gred has several"),
        (
            Knob::Shape,
            "red is a straight line, and drops all from max on",
        ),
        (Knob::Unit, "red measures in bytes"),
        (Knob::BySize, "red does not look at a packet's size"),
        (Knob::Cautious, "red spares nobody above min"),
        (Knob::Idle, "red decays by a table of 256 cells"),
        (
            Knob::Weight,
            "red's weights are powers of two, those that a burst gives",
        ),
        (Knob::Adapt, "adaptive is Floyd's ARED"),
        (Knob::Ecn, "red marks at any probability"),
        (Knob::Limit, "red must be told one, up to 4 GiB"),
        (Knob::Packet, "red must be told one"),
    ],
    read,
    write,
};

const KNOBS: &[Called] = &[
    called(Knob::Min, "min", "bytes", "max/3"),
    called(Knob::Max, "max", "bytes", "3 min, or limit/4"),
    called(Knob::MaxP, "probability", "probability", "0.02"),
    called(Knob::Limit, "limit", "bytes", "must be given"),
    called(
        Knob::Weight,
        "burst",
        "packets, made a weight 2^-n",
        "(2 min + max)/(3 avpkt)",
    ),
    called(Knob::Packet, "avpkt", "bytes", "must be given"),
    called(Knob::Ecn, "ecn, harddrop, nodrop", "words", "off"),
    called(Knob::Adapt, "adaptive", "word", "off"),
    called(Knob::Rate, "bandwidth", "rate", "10Mbit"),
];

/// What has been told, each with the piece that told it.
#[derive(Default)]
struct Told<'a> {
    limit: Option<(u32, Piece<'a>)>,
    min: Option<(u32, Piece<'a>)>,
    max: Option<(u32, Piece<'a>)>,
    avpkt: Option<(u32, Piece<'a>)>,
    burst: Option<(u32, Piece<'a>)>,
    wlog: Option<(u32, Piece<'a>)>,
    probability: Option<(f64, Piece<'a>)>,
    rate: Option<(BitsPerSec, Piece<'a>)>,
    flags: Vec<(&'a str, Piece<'a>)>,
}

fn read(text: &str, _link: &Link) -> Result<Configuration, Refusal> {
    let told = match text.trim_start().starts_with(['[', '{']) {
        true => told_in_json(text)?,
        false => told_in_words(text)?,
    };
    let (limit, limit_at) = told
        .limit
        .filter(|(limit, _)| *limit > 0)
        .ok_or_else(|| missing(text, "limit", "several times max, as limit 400000"))?;
    let class = class(&told, limit, limit_at)?;
    let (min, max) = (class.min.value as u32, class.max.value as u32);
    let (weight, burst) = weight(text, &told, min, max)?;
    let wlog = -weight.value.log2() as u32;
    if !tc::fits_kernel(max, wlog) {
        let at = told.max.map_or(limit_at, |(_, at)| at);
        let most = (1_u64 << (31 - wlog)) - 1;
        let message = format!("the kernel refuses max {max} with a weight of 2^-{wlog}");
        let help = format!("nearest: max {most}, or a smaller burst: max 2^n must stay below 2^31");
        return Err(at.refuse(message, help));
    }
    let packet = |(avpkt, at): (u32, Piece)| (Some(Bytes(u64::from(avpkt))), at.span());
    let adaptive = told
        .flags
        .iter()
        .find(|(flag, _)| flag.starts_with("adapt"));
    Ok(Configuration {
        classes: vec![class],
        in_bytes: true,
        limit: Known::given(Some(Length::Bytes(f64::from(limit))), limit_at.span()),
        weight,
        mean_packet: Known::or_tool(told.avpkt.map(packet), None, "tc does not show it"),
        idle: Known::tool(Idle::Halving, "include/net/red.h: a table of halvings"),
        ecn: marking(&told),
        adapt: Known::or_tool(
            adaptive.map(|(_, at)| (Adapt::Floyd, at.span())),
            Adapt::No,
            "off unless asked for",
        ),
        rate: Known::or_tool(
            told.rate.map(|(rate, at)| (Some(rate), at.span())),
            None,
            "tc takes 10Mbit, for idle times only",
        ),
        burst,
        ..Configuration::of(&DIALECT)
    })
}

/// Thresholds and probability. tc works out what is not given: max first, then min.
fn class(told: &Told, limit: u32, limit_at: Piece) -> Result<Class, Refusal> {
    let min_given = told.min.filter(|(min, _)| *min > 0);
    let max_given = told.max.filter(|(max, _)| *max > 0);
    let max = max_given.map_or_else(
        || min_given.map_or(limit / 4, |(min, _)| min.saturating_mul(3)),
        |(max, _)| max,
    );
    let min = min_given.map_or(max / 3, |(min, _)| min);
    if min > max {
        let at = max_given.map_or(limit_at, |(_, at)| at);
        let message = format!("min {min} is above max {max}: tc fails to calculate probability");
        return Err(at.refuse(message, format!("nearest: max {}", u64::from(min) * 3)));
    }
    let max_p = told.probability.map(|(p, at)| (p, at.span()));
    let max_p = Known::or_tool(max_p, 0.02, "tc takes 0.02");
    if tc::plog(min, max, max_p.value).is_none() {
        let at = told.probability.map_or(limit_at, |(_, at)| at);
        let least = f64::from(max - min) * (-31_f64).exp2();
        let message = format!(
            "tc fails to calculate a probability of {} between {min} and {max}",
            max_p.value
        );
        let help = match least < 1.0 {
            true => format!("nearest: probability {}", digits(1.01 * least, 3)),
            false => "nearest: a max nearer to min".to_string(),
        };
        return Err(at.refuse(message, help));
    }
    Ok(Class {
        name: String::new(),
        min: known(min_given, min, "tc takes max/3"),
        max: known(max_given, max, "tc takes three times min, or limit/4"),
        max_p,
        shape: Known::tool(Shape::Straight, "tc red has no other"),
    })
}

fn known(given: Option<(u32, Piece)>, value: u32, why: &'static str) -> Known<f64> {
    match given {
        Some((given, at)) => Known::given(f64::from(given), at.span()),
        None => Known::tool(f64::from(value), why),
    }
}

fn missing(text: &str, word: &str, example: &str) -> Refusal {
    Refusal::of_all(
        text,
        format!("tc red must be told {word}"),
        format!("nearest: {example}"),
    )
}

fn marking(told: &Told) -> Known<Marking> {
    let flag = |word: &str| told.flags.iter().find(|(flag, _)| *flag == word);
    let Some((_, ecn)) = flag("ecn") else {
        return Known::tool(Marking::OFF, "off unless asked for");
    };
    let marking = Marking {
        on: true,
        above_max: flag("harddrop").is_none(),
        up_to: 1.0,
        spares_others: flag("nodrop").is_some(),
    };
    Known::given(marking, ecn.span())
}

/// The weight by iproute2's rule, and the burst it is made from; as shown, where that is.
fn weight(
    text: &str,
    told: &Told,
    min: u32,
    max: u32,
) -> Result<(Known<f64>, Option<Known<f64>>), Refusal> {
    if let Some((wlog, at)) = told.wlog {
        return Ok((Known::given((-f64::from(wlog)).exp2(), at.span()), None));
    }
    let avpkt = told
        .avpkt
        .map(|(avpkt, _)| avpkt)
        .filter(|avpkt| *avpkt > 0);
    let avpkt =
        avpkt.ok_or_else(
            || match told.flags.iter().any(|(flag, _)| *flag == "refcnt") {
                true => missing(text, "ewma", "tc -d qdisc show, which prints it"),
                false => missing(text, "avpkt", "avpkt 1000"),
            },
        )?;
    let given = told.burst.filter(|(burst, _)| *burst > 0);
    let burst = given.map_or_else(|| tc::default_burst(min, max, avpkt), |(burst, _)| burst);
    let span = match (given, told.min.or(told.limit)) {
        (Some((_, at)), _) | (None, Some((_, at))) => at.span(),
        _ => 0..text.len(),
    };
    let wlog = tc::wlog(min, burst, avpkt).map_err(|error| {
        let (message, help) = no_weight(error, min, burst, avpkt);
        Refusal {
            span,
            message,
            help,
        }
    })?;
    let burst = f64::from(burst);
    let burst = match given {
        Some((_, at)) => Known::given(burst, at.span()),
        None => Known::tool(burst, "tc takes (2 min + max)/(3 avpkt)"),
    };
    let weight = Known::tool(
        (-f64::from(wlog)).exp2(),
        "by tc's rule from burst, min and avpkt",
    );
    Ok((weight, Some(burst)))
}

/// Why a burst makes no weight, and the nearest that does.
fn no_weight(error: NoWeight, min: u32, burst: u32, avpkt: u32) -> (String, String) {
    match error {
        NoWeight::TooSmall { least } => (
            format!(
                "a burst of {burst} packets of {avpkt} bytes is less than min, {min} bytes: tc \
                 makes no weight of it"
            ),
            format!("nearest: burst {least}"),
        ),
        NoWeight::TooLarge if min < avpkt => (
            format!("no burst gives a weight where min, {min} bytes, is less than avpkt"),
            format!("nearest: min {avpkt}"),
        ),
        NoWeight::TooLarge => (
            format!("no weight is small enough for a burst of {burst} packets"),
            format!("nearest: burst {}", tc::burst_for(31, 31, min, avpkt)),
        ),
    }
}

/// The words of a command, or of what is shown.
fn told_in_words(text: &str) -> Result<Told<'_>, Refusal> {
    let all = pieces(text, &["#"]);
    let all: Vec<Piece> = all.into_iter().filter(|piece| piece.text != "\\").collect();
    let kind = all.iter().position(|piece| piece.text == "red");
    let Some(kind) = kind else {
        let other = all.iter().find(|piece| KINDS.contains(&piece.text));
        let help = "of tc's disciplines, red is read here";
        return Err(match other {
            Some(piece) => piece.refuse(format!("{} is not red", piece.text), help),
            None => Refusal::of_all(text, "there is no \"red\" in this", help),
        });
    };
    let mut told = Told::default();
    let mut rest = all[kind + 1..].iter().copied();
    while let Some(word) = rest.next() {
        let mut value = || {
            let next = rest.next();
            next.ok_or_else(|| word.refuse(format!("{} of what?", word.text), "give it a value"))
        };
        match word.text {
            "limit" => told.limit = Some(size(value()?, "limit")?),
            "min" => told.min = Some(size(value()?, "min")?),
            "max" => told.max = Some(size(value()?, "max")?),
            "avpkt" => told.avpkt = Some(size(value()?, "avpkt")?),
            "burst" => told.burst = Some(burst(value()?)?),
            "ewma" => told.wlog = Some(exponent(value()?)?),
            "probability" => told.probability = Some(probability(value()?)?),
            "bandwidth" => told.rate = Some(rate(value()?)?),
            "dev" | "parent" | "handle" | "refcnt" | "Scell_log" | "Plog" => {
                value()?;
                if word.text == "refcnt" {
                    told.flags.push((word.text, word));
                }
            }
            "ecn" | "harddrop" | "nodrop" | "adaptive" | "adaptative" => {
                told.flags.push((word.text, word))
            }
            "root" => {}
            // What follows is counted, not configured.
            "Sent" => break,
            other if other.ends_with(':') => {}
            other => return Err(unknown(word, other)),
        }
    }
    Ok(told)
}

/// Kinds that may be taken for red.
const KINDS: &[&str] = &[
    "fq_codel",
    "codel",
    "pie",
    "fq_pie",
    "fq",
    "sfq",
    "gred",
    "choke",
    "cake",
    "pfifo",
    "bfifo",
    "pfifo_fast",
    "htb",
    "tbf",
    "dualpi2",
    "noqueue",
    "netem",
];

fn unknown(word: Piece, text: &str) -> Refusal {
    const WORDS: [&str; 12] = [
        "limit",
        "min",
        "max",
        "avpkt",
        "burst",
        "probability",
        "bandwidth",
        "ecn",
        "harddrop",
        "nodrop",
        "adaptive",
        "qevent",
    ];
    let guess = earlydrop::registry::nearest(text, WORDS.into_iter());
    let guess = guess.map_or(String::new(), |guess| format!("did you mean '{guess}'? "));
    let help = format!("{guess}known: {}", WORDS.join(", "));
    word.refuse(format!("tc red knows no \"{text}\""), help)
}

/// What `tc -j qdisc show` prints: the first red in it.
fn told_in_json(text: &str) -> Result<Told<'_>, Refusal> {
    let mut told = Told::default();
    let mut is_red = false;
    for entry in json::entries(text)? {
        let key = entry.path.last().copied().unwrap_or_default();
        if key == "kind" {
            if is_red {
                break;
            }
            is_red = entry.value.text == "red";
        } else if is_red {
            let value = entry.value;
            match key {
                "limit" => told.limit = Some(size(value, key)?),
                "min" => told.min = Some(size(value, key)?),
                "max" => told.max = Some(size(value, key)?),
                "ewma" => told.wlog = Some(exponent(value)?),
                "probability" => told.probability = Some(probability(value)?),
                "refcnt" => told.flags.push(("refcnt", value)),
                "ecn" | "harddrop" | "nodrop" | "adaptive" if value.text == "true" => {
                    told.flags.push((key, value));
                }
                _ => {}
            }
        }
    }
    match is_red {
        true => Ok(told),
        false => Err(Refusal::of_all(text, "no red stands in this", "")),
    }
}

/// A number and the letters after it.
fn split(piece: Piece<'_>) -> (Option<f64>, String) {
    let end = |(_, letter): &(usize, char)| letter.is_ascii_alphabetic();
    let end = piece.text.char_indices().find(end).map(|(index, _)| index);
    let (number, unit) = piece.text.split_at(end.unwrap_or(piece.text.len()));
    let number = number
        .parse::<f64>()
        .ok()
        .filter(|n| n.is_finite() && *n >= 0.0);
    (number, unit.to_ascii_lowercase())
}

/// iproute2's sizes: k is 1024, bits are eighths.
fn size<'a>(piece: Piece<'a>, name: &str) -> Result<(u32, Piece<'a>), Refusal> {
    let (number, unit) = split(piece);
    let scale = match unit.as_str() {
        "" | "b" => Some(1.0),
        "k" | "kb" => Some(1024.0),
        "m" | "mb" => Some(1_048_576.0),
        "g" | "gb" => Some(1_073_741_824.0),
        "kbit" => Some(128.0),
        "mbit" => Some(131_072.0),
        "gbit" => Some(134_217_728.0),
        _ => None,
    };
    let bytes = number.zip(scale).map(|(number, scale)| number * scale);
    match bytes {
        Some(bytes) if bytes <= f64::from(u32::MAX) => Ok((bytes as u32, piece)),
        Some(_) => Err(piece.refuse(
            format!("{name} {} is more than tc takes", piece.text),
            format!("nearest: {name} {}", u32::MAX),
        )),
        None => Err(piece.refuse(
            format!("{name} {} is no size", piece.text),
            "allowed: bytes, or a number with b, k, m, g (1024s), kbit, mbit, gbit",
        )),
    }
}

fn burst(piece: Piece<'_>) -> Result<(u32, Piece<'_>), Refusal> {
    let hexadecimal = piece.text.strip_prefix("0x");
    let number = match hexadecimal {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => piece.text.parse().ok(),
    };
    let number = number.ok_or_else(|| {
        let nearest = piece.text.parse::<f64>().ok().filter(|n| *n >= 1.0);
        let nearest = nearest.map_or(String::new(), |n| format!("; nearest: burst {}", n.round()));
        let message = format!("burst {} is no whole number of packets", piece.text);
        piece.refuse(message, format!("allowed: a whole number{nearest}"))
    })?;
    Ok((number, piece))
}

fn exponent(piece: Piece<'_>) -> Result<(u32, Piece<'_>), Refusal> {
    let number = piece.count("ewma", 1.0, 31.0)?;
    Ok((number as u32, piece))
}

/// tc itself takes more than 1, and "2%" as 2; the kernel then gets what is left of it.
fn probability(piece: Piece<'_>) -> Result<(f64, Piece<'_>), Refusal> {
    if let Some(percent) = piece.text.strip_suffix('%') {
        let number = percent.parse::<f64>().unwrap_or(2.0);
        let message = format!("tc reads probability {} as {number}", piece.text);
        let help = format!("nearest: probability {}", digits(number / 100.0, 6));
        return Err(piece.refuse(message, help));
    }
    Ok((piece.probability("probability")?, piece))
}

fn rate(piece: Piece<'_>) -> Result<(BitsPerSec, Piece<'_>), Refusal> {
    let (number, unit) = split(piece);
    let bits = if unit.ends_with("bps") { 8.0 } else { 1.0 };
    let prefix = unit.trim_end_matches("bps").trim_end_matches("bit");
    let scale = match prefix {
        "" => Some(1.0),
        "k" => Some(1e3),
        "m" => Some(1e6),
        "g" => Some(1e9),
        "t" => Some(1e12),
        "ki" => Some(1024.0),
        "mi" => Some(1_048_576.0),
        "gi" => Some(1_073_741_824.0),
        "ti" => Some(1_099_511_627_776.0),
        _ => None,
    };
    let rate = number
        .zip(scale)
        .map(|(number, scale)| number * scale * bits);
    match rate {
        Some(rate) if (8.0..1e18).contains(&rate) => Ok((BitsPerSec(rate as u64), piece)),
        _ => Err(piece.refuse(
            format!("bandwidth {} is no rate", piece.text),
            "allowed: bits per second, or a number with kbit, mbit, gbit, kbps (bytes)",
        )),
    }
}

fn write(configuration: &Configuration, link: &Link) -> String {
    let Some(class) = configuration.classes.first() else {
        return String::new();
    };
    let all = f64::from(u32::MAX);
    let bytes = |length: f64| configuration.to_bytes(length, link).round().clamp(1.0, all) as u32;
    let packet = configuration.mean_packet.value.unwrap_or(link.mean_packet);
    let (min, max) = (bytes(class.min.value), bytes(class.max.value));
    // A burst gives no weight where min is less than avpkt.
    let avpkt = packet.0.clamp(1, u64::from(min)) as u32;
    let wanted = (-configuration.weight.value.log2())
        .round()
        .clamp(1.0, 31.0) as u32;
    let fits = |n: &u32| tc::fits_kernel(max, *n);
    let most = (1..=31).rev().find(fits).unwrap_or(1);
    let limit = configuration
        .limit_in_unit(link)
        .map_or_else(|| max.saturating_mul(4), |limit| bytes(limit).max(max));
    let burst = tc::burst_for(wanted, most, min, avpkt);
    let marking = configuration.ecn.value;
    let mut text = format!(
        "tc qdisc add dev eth0 root red limit {limit} min {min} max {max} avpkt {avpkt} \
         burst {burst} probability {} bandwidth {}bit",
        digits(class.max_p.value, 4),
        configuration.rate.value.unwrap_or(link.rate).0,
    );
    let words = [
        (configuration.adapt.value != Adapt::No, " adaptive"),
        (marking.on, " ecn"),
        (marking.on && !marking.above_max, " harddrop"),
        (marking.on && marking.spares_others, " nodrop"),
    ];
    for (_, word) in words.iter().filter(|(said, _)| *said) {
        text.push_str(word);
    }
    text
}
