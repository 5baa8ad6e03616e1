//! Every parameter of every scheme: its text, its errors; and that the presets of other tools
//! drop as often as those tools.

use std::collections::HashSet;

use crate::support::{link, plan, presets};
use earlydrop::aqm::{Aqm, Backlog, Slot, Verdict};
use earlydrop::packet::{Ecn, FlowKey, PacketInfo};
use earlydrop::random::Pcg32;
use earlydrop::registry::{
    ConfigError, Descriptor, Kind, LinkFacts, Parameter, Plan, Range, SCHEMES, Spec,
};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

fn every_parameter() -> impl Iterator<Item = (&'static Descriptor, &'static Parameter)> {
    let of = |scheme: &'static Descriptor| scheme.parameters().map(move |one| (scheme, one));
    SCHEMES.iter().copied().flat_map(of)
}

fn planned(text: &str) -> Result<Plan, ConfigError> {
    text.parse::<Spec>()?.plan(&link())
}

fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    !name.is_empty()
        && name
            .chars()
            .all(|letter| fits(letter) || "-_".contains(letter))
}

#[test]
fn every_name_is_unique_and_explained() {
    let mut schemes = HashSet::new();
    for scheme in SCHEMES {
        assert!(
            is_name(scheme.name) && schemes.insert(scheme.name),
            "{}",
            scheme.name
        );
        assert!(!scheme.summary.is_empty() && !scheme.source.is_empty());
        let mut names = HashSet::from(["as"]);
        for parameter in scheme.parameters() {
            let which = format!("{}: {}", scheme.name, parameter.name);
            assert!(
                is_name(parameter.name) && names.insert(parameter.name),
                "{which}"
            );
            assert!(
                !parameter.meaning.is_empty() && !parameter.origin.is_empty(),
                "{which}"
            );
            assert!(!parameter.kind.allowed().is_empty(), "{which}");
            let unit = parameter.kind.unit();
            // phi is the base of an exponential and has no unit.
            assert!(!unit.is_empty() || parameter.name == "phi", "{which}");
            assert!(!scheme.default_of(parameter).1.is_empty(), "{which}");
        }
        let mut probes = HashSet::new();
        for probe in scheme.probes {
            assert!(
                probes.insert(probe.name) && !probe.meaning.is_empty(),
                "{}",
                probe.name
            );
        }
        let mut presets = HashSet::new();
        for preset in scheme.presets {
            assert!(presets.insert(preset.name) && !preset.meaning.is_empty());
            assert!(is_name(preset.name), "{}", preset.name);
        }
        for (name, value, origin) in scheme.defaults {
            assert!(scheme.parameter(name).is_some(), "{}: {name}", scheme.name);
            assert!(!value.is_empty() && !origin.is_empty());
        }
    }
}

#[test]
fn a_parameter_depends_on_an_existing_one() {
    for (scheme, parameter) in every_parameter() {
        let Some((other, values)) = parameter.when else {
            continue;
        };
        let which = format!("{}: {} when {other}", scheme.name, parameter.name);
        let other = scheme.parameter(other).expect(&which);
        for value in values {
            assert!(other.read(scheme.name, value).is_ok(), "{which} = {value}");
        }
    }
}

#[test]
fn every_default_parses_and_values_round_trip() {
    for (scheme, parameter) in every_parameter() {
        let which = format!("{}: {}", scheme.name, parameter.name);
        for default in [parameter.default, scheme.default_of(parameter).0] {
            let value = parameter.read(scheme.name, default).expect(&which);
            let again = parameter
                .read(scheme.name, &value.to_string())
                .expect(&which);
            assert_eq!(value.to_string(), again.to_string(), "{which}");
        }
        // Defaults given explicitly never contradict each other. The exception is DSRED,
        // whose curve takes gamma and refuses max_p.
        if (scheme.name, parameter.name) != ("dsred", "max_p") {
            let spec = Spec::of(scheme).with(parameter.name, scheme.default_of(parameter).0);
            spec.unwrap().plan(&link()).expect(&which);
        }
    }
}

#[test]
fn specs_round_trip() {
    let given = [
        "nlred:min=10,max=30",
        "fq-red:inner=pie,inner.target=5 ms",
        "red: max_p = 2%",
    ];
    for text in presets().iter().map(String::as_str).chain(given) {
        let spec: Spec = text.parse().unwrap();
        assert_eq!(spec.to_string().parse::<Spec>().unwrap(), spec, "{text}");
    }
}

#[test]
fn a_wrong_name_lists_the_parameters_of_the_scheme_only() {
    let error = |text: &str| text.parse::<Spec>().unwrap_err().to_string();
    let red = error("red:mim=5");
    let start = "red has no parameter 'mim'; did you mean 'min'? (known: ";
    assert!(red.starts_with(start), "{red}");
    let known: Vec<_> = red[start.len()..].split([',', ' ', ')']).collect();
    assert!(known.contains(&"max_p") && known.contains(&"weight"));
    for other in ["sfred_alpha", "lru_flows", "ared_beta", "feng_alpha"] {
        assert!(!known.contains(&other), "{red}");
    }
    // What belongs to a choice is suggested, and listed where it is the default.
    assert!(error("red:lru_flow=5").contains("did you mean 'lru_flows'?"));
    assert!(error("ared:mim=5").contains("ared_beta"));
}

/// `name` with its last letter twice.
fn mistyped(name: &str) -> String {
    format!("{name}{}", &name[name.len() - 1..])
}

#[test]
fn a_mistyped_name_suggests_the_right_one() {
    for scheme in SCHEMES {
        let error = mistyped(scheme.name).parse::<Spec>().unwrap_err();
        let hint = format!("did you mean '{}'?", scheme.name);
        assert!(error.to_string().ends_with(&hint), "{error}");
    }
    for (scheme, parameter) in every_parameter() {
        let wrong = mistyped(parameter.name);
        let error = Spec::of(scheme).with(&wrong, "1").unwrap_err();
        let hint = format!(
            "has no parameter '{wrong}'; did you mean '{}'?",
            parameter.name
        );
        assert!(error.to_string().contains(&hint), "{error}");
        assert_eq!(error.parameter(), Some(wrong.as_str()));
    }
}

/// The range of a kind that has one.
fn range_of(kind: &Kind) -> Option<Range> {
    match kind {
        Kind::OrAuto(kind) | Kind::OrNever(kind) | Kind::OrPoints(kind) => range_of(kind),
        Kind::Length(range) | Kind::Bytes(range) => Some(*range),
        Kind::Time(range) | Kind::Rate(range) => Some(*range),
        Kind::Number(range, _) | Kind::Count(range, _) => Some(*range),
        Kind::Flag | Kind::Choice(_) | Kind::Text(_) => None,
    }
}

/// Texts that are no number in `range`: no numbers, and numbers just outside.
fn outside(range: Range) -> Vec<String> {
    let words = [
        "NaN", "nan", "inf", "-inf", "1e999", "", "much", "1 parsec", "--1", "0x10",
    ];
    let mut texts: Vec<String> = words.map(String::from).into();
    texts.push(format!("{}", range.low - 1.0));
    if !range.with_low {
        texts.push(format!("{}", range.low));
    }
    if range.high.is_finite() {
        texts.push(format!("{}", range.high + 1.0));
        texts.extend((!range.with_high).then(|| format!("{}", range.high)));
    }
    texts
}

#[test]
fn values_out_of_range_are_refused_with_the_nearest_allowed_one() {
    for (scheme, parameter) in every_parameter() {
        let Some(range) = range_of(&parameter.kind) else {
            continue;
        };
        for text in outside(range) {
            let spec = Spec::of(scheme).with(parameter.name, &text).unwrap();
            let which = format!("{}: {} = {text}", scheme.name, parameter.name);
            let error = spec.plan(&link()).expect_err(&which);
            assert_eq!(error.parameter(), Some(parameter.name), "{which}");
            let message = error.to_string();
            for part in [parameter.name, text.as_str(), &parameter.kind.allowed()] {
                assert!(message.contains(part), "{message}");
            }
            let ConfigError::Invalid { nearest, .. } = error else {
                panic!("{message}");
            };
            if let Some(nearest) = nearest {
                parameter.read(scheme.name, &nearest).expect(&which);
            }
        }
    }
}

#[test]
fn a_wrong_choice_is_refused_with_all_choices() {
    for (scheme, parameter) in every_parameter() {
        let known = match parameter.kind {
            kind if kind.choices().is_some() => kind
                .choices()
                .unwrap()
                .iter()
                .map(|(name, _)| *name)
                .collect(),
            Kind::Flag => vec!["on", "off"],
            _ => continue,
        };
        let error = parameter.read(scheme.name, "neither").unwrap_err();
        for name in known {
            assert!(error.to_string().contains(name), "{error}");
            assert!(parameter.read(scheme.name, name).is_ok());
        }
    }
}

/// Contradictions: the text, the parameter at fault, and what the message must name.
const CONTRADICTIONS: &[(&str, &str, &[&str])] = &[
    (
        "red:min=20,max=10",
        "min",
        &["20", "10", "nearest: max = 60"],
    ),
    ("red:min=10,max=10", "min", &["below max"]),
    (
        "red:max=60,limit=50",
        "max",
        &["60", "limit = 50", "nearest: limit = 60"],
    ),
    ("nlred:min=100 ms,max=50 ms", "min", &["100", "50"]),
    (
        "red:curve=numbers,segments=5: 0 0.001; 300: 1,limit=200",
        "max",
        &["300", "200"],
    ),
    (
        "red:curve=numbers,segments=nonsense",
        "segments",
        &["nonsense"],
    ),
    (
        "red:curve=5:0 15:1.5",
        "curve",
        &["5:0 15:1.5", "nlred", "points", "5:0 15:0.05 30:1"],
    ),
    (
        "red:curve=cubic",
        "curve",
        &["cubic", "nlred", "points", "5:0 15:0.05 30:1"],
    ),
    (
        "red:curve=5:0 15:1,segments=5: 0; 15: 1",
        "segments",
        &["twice"],
    ),
    (
        "red:segments=5: 0; 15: 1,curve=5:0 15:1",
        "segments",
        &["twice"],
    ),
    ("wred:profiles=9/4/0.1", "profiles", &["9", "4"]),
    (
        "wred:profiles=4/90/0.1,limit=50",
        "profiles",
        &["90", "50", "nearest"],
    ),
    ("wred:profiles=4/9/1.5", "profiles", &["4/9/1.5"]),
    ("pi:a=0.1,b=0.2", "b", &["0.2", "0.1", "nearest"]),
    (
        "codel:target=200 ms",
        "target",
        &["200 ms", "100 ms", "nearest"],
    ),
    (
        "pie:target=20 ms,limit=10 ms",
        "target",
        &["20 ms", "10 ms", "nearest"],
    ),
    (
        "step:threshold=60,limit=50",
        "threshold",
        &["60", "50", "nearest"],
    ),
    ("rem:q_ref=60,limit=50", "q_ref", &["60", "50", "nearest"]),
    (
        "sfb:bin_size=60,limit=50",
        "bin_size",
        &["60", "50", "nearest"],
    ),
    (
        "ared:ared_bottom=0.6",
        "ared_bottom",
        &["0.6", "0.5", "nearest"],
    ),
    ("fq-red:inner=dualpi2", "inner", &["dualpi2", "codel"]),
    (
        "sfred:flows=0",
        "flows",
        &["flows = 0", "nearest: flows = 1"],
    ),
    (
        "sfred:limit=0",
        "limit",
        &["limit = 0", "nearest: limit = 1 packets"],
    ),
    (
        "droptail:limit=0.5 bytes",
        "limit",
        &["0.5 bytes", "nearest: limit = 1 bytes"],
    ),
    (
        "droptail:limit=1 ns",
        "limit",
        &["1 ns", "nearest: limit = 1 bytes"],
    ),
    (
        "droptail:limit=5000000",
        "limit",
        &["5000000", "nearest: limit = 4194304 packets"],
    ),
    ("red:as=ns4", "as", &["ns4", "nearest: as = ns2"]),
    ("red:min=5,min=6", "min", &["twice"]),
];

#[test]
fn contradictions_name_parameter_value_and_fix() {
    for (text, parameter, parts) in CONTRADICTIONS {
        let error = planned(text).expect_err(text);
        assert_eq!(error.parameter(), Some(*parameter), "{text}: {error}");
        let message = error.to_string();
        for part in parts.iter().chain([parameter]) {
            assert!(message.contains(part), "{text}: '{message}' lacks '{part}'");
        }
    }
    assert!(
        planned("red:min")
            .unwrap_err()
            .to_string()
            .contains("'min'")
    );
}

#[test]
fn a_link_of_rate_zero_is_refused_by_every_scheme() {
    let links = [(0, 1000), (8_000_000, 0)];
    for (rate, packet) in links {
        let link = LinkFacts {
            rate: BitsPerSec(rate),
            mean_packet: Bytes(packet),
        };
        for scheme in SCHEMES {
            let error = Spec::of(scheme).plan(&link).expect_err(scheme.name);
            assert_eq!(error.parameter(), Some("link"));
            assert!(error.to_string().contains("above zero"), "{error}");
        }
    }
}

/// A queue of constant length.
struct Constant {
    packets: u32,
    packet: u32,
}

impl Backlog for Constant {
    fn packets(&self) -> u32 {
        self.packets
    }
    fn bytes(&self) -> u64 {
        u64::from(self.packets * self.packet)
    }
    fn head_arrival(&self) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }
    fn draw(&self, _random: &mut Pcg32) -> Option<(Slot, FlowKey)> {
        Some((Slot(0), FlowKey(0)))
    }
}

const ARRIVALS: u32 = 1_000_000;

/// RED's drop rate by `preset` over Pb, at a constant Pb of 0.02.
fn rate_over_pb(preset: &str) -> f64 {
    let text = format!("red:{preset},weight=1,min=5 packets,max=15 packets,max_p=0.1");
    let Plan::Single { mut aqm, .. } = plan(&text) else {
        panic!("{text} is not a single queue");
    };
    let mean = text.parse::<Spec>().unwrap().settings(&link()).unwrap();
    let mean = mean.link().mean_packet.0 as u32;
    let queue = Constant {
        packets: 7,
        packet: mean,
    };
    let info = PacketInfo {
        size: mean,
        flow: FlowKey(1),
        ecn: Ecn::NotCapable,
        class: 0,
        arrived: Nanos::ZERO,
    };
    let mut random = Pcg32::new(20, 1);
    let mut dropped = 0;
    for _ in 0..ARRIVALS {
        match aqm.on_arrival(Nanos::ZERO, &info, &queue, &mut random) {
            Verdict::Drop(_) => dropped += 1,
            _ => aqm.on_accepted(Nanos::ZERO, &info),
        }
    }
    f64::from(dropped) / f64::from(ARRIVALS) / 0.02
}

// A rate's standard error is at most 0.71% (geometric: 20,000 drops, gaps as wide as
// their mean; the others' are narrower, and so are their errors). 3.5% is five of
// them: with any seed a false alarm in two million. The seed is fixed.
#[test]
fn presets_of_red_drop_as_often_as_the_tools_they_name() {
    for (preset, expected) in [
        ("as=ns2,limit=100", 0.67),
        ("as=ns3,limit=100", 0.67),
        ("as=linux,mean_packet=1000 bytes", 1.96),
        ("as=dpdk", 0.99),
        ("spacing=geometric", 1.0),
    ] {
        let rate = rate_over_pb(preset);
        let off = (rate / expected - 1.0).abs();
        assert!(off < 0.035, "{preset}: {rate} for {expected}");
    }
    let ratio = rate_over_pb("as=linux") / rate_over_pb("as=ns3,limit=100");
    assert!((ratio - 2.9).abs() < 0.15, "Linux over ns-3: {ratio}");
}

/// Updates that are due are executed one by one: at 1 ns, an idle second would be a billion.
#[test]
fn updates_are_at_least_a_microsecond_apart() {
    let link = LinkFacts::at(BitsPerSec::from_mbps(10));
    for scheme in [
        "rem:interval",
        "pie:interval",
        "pi2:interval",
        "dualpi2:update",
        "ared:ared_interval",
        "red:adapt=restraint,restraint_slot",
    ] {
        let plan = |time: &str| {
            let spec: Spec = format!("{scheme}={time}").parse().unwrap();
            spec.plan(&link)
                .map(drop)
                .map_err(|error| error.to_string())
        };
        plan("1us").unwrap();
        let refused = plan("1ns").unwrap_err();
        assert!(refused.contains("0.000001 s"), "{refused}");
    }
}
