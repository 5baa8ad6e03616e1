//! The parsers and writers of all tools: valid texts, errors with their spans, and translations.

use earlydrop::registry::{Length, LinkFacts};
use earlydrop::units::{BitsPerSec, Bytes};
use earlydrop_model::Load;
use earlydrop_model::explain::explain;
use earlydrop_model::tools::{
    Adapt, Configuration, Context, Knob, Marking, ParseError, Shape, TOOLS, all_tools, detect,
    differences, find, read, read_in, translate, word_for_word,
};
use proptest::prelude::*;

const LINUX: &str = "tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 avpkt 1000 \
                     burst 55 probability 0.02 ecn";

/// Real-world texts of each tool, with the expected min, max, max_p and weight.
const TEXTS: &[(&str, &str, [f64; 4])] = &[
    ("linux", LINUX, [30_000.0, 90_000.0, 0.02, 0.03125]),
    (
        "linux",
        "qdisc red 8001: root refcnt 2 limit 400000b min 30000b max 90000b ecn ewma 5 \
         probability 0.02 Scell_log 15 \n Sent 0 bytes 0 pkt (dropped 0, overlimits 0)",
        [30_000.0, 90_000.0, 0.02, 0.03125],
    ),
    (
        "linux",
        r#"[{"kind":"red","handle":"8001:","root":true,"refcnt":2,"options":{"limit":400000,
           "min":30000,"max":90000,"ecn":true,"harddrop":false,"adaptive":false,"nodrop":false,
           "ewma":5,"probability":0.02,"Scell_log":15}}]"#,
        [30_000.0, 90_000.0, 0.02, 0.03125],
    ),
    (
        "ns2",
        "Queue/RED set thresh_ 5 ;# packets\nQueue/RED set maxthresh_ 15\n\
         Queue/RED set q_weight_ 0.002\nQueue/RED set queue_in_bytes_ false\n\
         $redq set linterm_ 50\n$ns queue-limit $n1 $n2 100",
        [5.0, 15.0, 0.02, 0.002],
    ),
    (
        "ns3",
        "tch.SetRootQueueDisc (\"ns3::RedQueueDisc\", \"MinTh\", DoubleValue (5),\n\
         \"MaxTh\", DoubleValue (15), \"LInterm\", DoubleValue (50)); // as in the manual",
        [5.0, 15.0, 0.02, 0.002],
    ),
    (
        "ns3",
        "Config::SetDefault(\"ns3::RedQueueDisc::MinTh\", DoubleValue(10));\n\
         Config::SetDefault(\"ns3::RedQueueDisc::MaxTh\", DoubleValue(30));\n\
         Config::SetDefault(\"ns3::RedQueueDisc::MaxSize\", StringValue(\"100p\"));",
        [10.0, 30.0, 0.02, 0.002],
    ),
    (
        "dpdk",
        "tc 0 wred min = 48 40 32\ntc 0 wred max = 64 64 64\n\
         tc 0 wred inv prob = 10 10 10\ntc 0 wred weight = 9 9 9",
        [48.0, 64.0, 0.1, 1.0 / 512.0],
    ),
    (
        "dpdk",
        "struct rte_red_params p = { .min_th = 32, .max_th = 128,\n .maxp_inv = 20,\n .wq_log2 = 9 };",
        [32.0, 128.0, 0.05, 1.0 / 512.0],
    ),
    (
        "cisco",
        "policy-map P\n class class-default\n  queue-limit 200 packets\n  random-detect dscp-based\n\
         \x20 random-detect exponential-weighting-constant 10\n  random-detect dscp af11 32 40 10",
        [32.0, 40.0, 0.1, 1.0 / 1024.0],
    ),
    (
        "junos",
        "drop-profiles { web { interpolate { fill-level [ 20 60 61 ]; drop-probability [ 0 5 100 ]; } } }\n\
         schedulers { s { buffer-size temporal 100k; } }",
        [25_000.0, 75_000.0, 0.05, 1.0],
    ),
    (
        "junos",
        "set class-of-service drop-profiles web interpolate fill-level [ 20 60 61 ]\n\
         set class-of-service drop-profiles web interpolate drop-probability [ 0 5 100 ]",
        [25_000.0, 75_000.0, 0.05, 1.0],
    ),
    (
        "sonic",
        r#"{"WRED_PROFILE": {"AZURE_LOSSLESS": {"wred_green_enable": "true", "ecn": "ecn_all",
           "green_min_threshold": "250000", "green_max_threshold": "1048576",
           "green_drop_probability": "5"}}}"#,
        [250_000.0, 1_048_576.0, 0.05, 1.0],
    ),
    (
        "inet",
        "**.red.wq = 0.01\n**.red.minth = 10 # packets\n**.red.maxth = 30\n**.red.packetCapacity = 50",
        [10.0, 30.0, 0.02, 0.01],
    ),
    ("earlydrop", "red:min=5,max=15", [5.0, 15.0, 0.1, 0.002]),
    (
        "earlydrop",
        "schemes = [\"codel\", \"nlred:min=10,max=30\"]",
        [0.0; 4],
    ),
    (
        "earlydrop",
        "[schemes.mine]\nscheme = \"red\"\nmin = \"5 ms\"\nmax = \"15 ms\"\nweight = \"0.01\"\n",
        [6.25, 18.75, 0.1, 0.01],
    ),
];

fn link() -> LinkFacts {
    LinkFacts::at(BitsPerSec::from_mbps(10))
}

#[test]
fn texts_of_every_tool_are_detected_and_read() {
    for (tool, text, [min, max, max_p, weight]) in TEXTS {
        assert_eq!(detect(text).unwrap().name, *tool, "{text}");
        if *min == 0.0 {
            let refused = read(text, None, &link()).unwrap_err();
            assert!(refused.message.contains("codel"), "{refused}");
            continue;
        }
        let parsed = read(text, None, &link()).unwrap_or_else(|error| panic!("{text}: {error}"));
        let class = &parsed.classes[0];
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9 * b.abs();
        assert!(near(class.min.value, *min), "{text}: {}", class.min.value);
        assert!(near(class.max.value, *max), "{text}: {}", class.max.value);
        assert!(
            near(class.max_p.value, *max_p),
            "{text}: {}",
            class.max_p.value
        );
        assert!(
            near(parsed.weight.value, *weight),
            "{text}: {}",
            parsed.weight.value
        );
    }
}

#[test]
fn given_values_have_a_span_and_defaults_do_not() {
    let parsed = read(LINUX, None, &link()).unwrap();
    let class = &parsed.classes[0];
    for (known, text) in [
        (&class.min, "30000"),
        (&class.max, "90000"),
        (&class.max_p, "0.02"),
    ] {
        let earlydrop_model::tools::Origin::Given(span) = &known.origin else {
            panic!("{known:?} is given");
        };
        assert_eq!(&LINUX[span.clone()], text);
    }
    assert!(!parsed.weight.is_given(), "the weight is derived");
    let ns3 = read("ns3::RedQueueDisc::MinTh=5", None, &link()).unwrap();
    assert!(ns3.classes[0].min.is_given() && !ns3.classes[0].max.is_given());
}

fn refused(text: &str) -> ParseError {
    read(text, None, &link()).expect_err(text)
}

/// Text, the part that the error marks, and part of the message.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "tc qdisc add dev e root red limit 9k min 30000 max 20000 avpkt 1000",
        "20000",
        "nearest: max 90000",
    ),
    (
        "tc qdisc add dev e root red limit 400000 min 30000 max 90000 avpkt 1000 burst 5",
        "5",
        "nearest: burst 31",
    ),
    (
        "tc qdisc add dev e root red limit 400000 min 30000 max 90000 avpkt 1000 burst 5.5",
        "5.5",
        "nearest: burst 6",
    ),
    (
        "tc qdisc add dev e root red limit 400000 min 30000 max 90000 avpkt 1000 probability 2%",
        "2%",
        "nearest: probability 0.02",
    ),
    (
        "tc qdisc add dev e root red limit 400000 min 30000 max 90000 avpkt 1000 probability 1.5",
        "1.5",
        "nearest: probability 1",
    ),
    (
        "tc qdisc add dev e root red limit 400000 min 3 max 90000 avpkt 1000 brust 5",
        "brust",
        "did you mean 'burst'?",
    ),
    (
        "tc qdisc add dev e root red limit 60000 min 30000 max 90000 avpkt 1000",
        "90000",
        "nearest: a max of 60000 bytes",
    ),
    (
        "tc qdisc add dev e root red min 30000 max 90000 avpkt 1000",
        "",
        "nearest: several times max",
    ),
    (
        "tc qdisc add dev e root fq_codel",
        "fq_codel",
        "only red is translated; this one is simulated by --schemes fq-codel:as=linux,bypass=on",
    ),
    (
        "tc qdisc add dev e root red limit 400m min 9m max 90m avpkt 1000 burst 30000 probability 0.1",
        "90m",
        "kernel refuses",
    ),
    (
        "Queue/RED set thresh_ 15\nQueue/RED set maxthresh_ 5",
        "5",
        "nearest: max",
    ),
    ("Queue/RED set linterm_ 0.5", "0.5", "nearest: linterm_ 1"),
    ("Queue/RED set tresh_ 5", "tresh_", "did you mean thresh_?"),
    ("Queue/RED set q_weight_ -0.5", "-0.5", "0, -1, -2"),
    (
        "\"ns3::RedQueueDisc\", \"MinThh\", DoubleValue(5)",
        "MinThh",
        "did you mean MinTh?",
    ),
    ("ns3::RedQueueDisc::MaxSize=5q", "5q", "\"25p\""),
    (
        "tc 0 wred min = 64\ntc 0 wred max = 64\ntc 0 wred inv prob = 10\ntc 0 wred weight = 9",
        "64",
        "nearest: max_th 192",
    ),
    (
        "tc 0 wred min = 4\ntc 0 wred max = 64\ntc 0 wred inv prob = 300\ntc 0 wred weight = 9",
        "300",
        "nearest: maxp_inv 255",
    ),
    (
        "tc 0 wred min = 4\ntc 0 wred max = 64\ntc 0 wred inv prob = 3",
        "",
        "wq_log2",
    ),
    (
        "random-detect dscp af11 40 32 10",
        "32",
        "nearest: max-threshold 120",
    ),
    (
        "random-detect exponential-weighting-constant 17",
        "17",
        "nearest: exponential-weighting-constant 16",
    ),
    ("random-detect dscp af11 40", "af11", "min max"),
    (
        "drop-profiles { x { fill-level 50 drop-probability 20; fill-level 40 drop-probability 50; } }",
        "40",
        "must increase",
    ),
    (
        "drop-profiles { x { fill-level 50 drop-probability 120; } }",
        "120",
        "nearest: drop-probability 100",
    ),
    (
        "{\"WRED_PROFILE\": {\"A\": {\"green_min_threshold\": \"9\", \"green_max_threshold\": \"5\"}}}",
        "5",
        "nearest: max 27",
    ),
    (
        "{\"WRED_PROFILE\": {\"A\": {\"green_min_threshold\": \"9\", \"ecn\": \"yes\"}}}",
        "yes",
        "ecn_none",
    ),
    (
        "**.red.minth = 50\n**.red.maxth = 30",
        "30",
        "nearest: maxth 150",
    ),
    ("**.red.minth = 5\n**.red.maxp = 2", "2", "nearest: maxp 1"),
    ("red:min=20,max=15", "min=20", "nearest: max = 60 packets"),
    ("red:mni=20", "mni=20", "did you mean 'min'?"),
    ("red:policy=choke", "policy=choke", "no policy"),
    ("pie", "pie", "earlydrop schemes pie"),
];

#[test]
fn invalid_texts_are_errors_with_a_span() {
    for (text, marked, expected) in REFUSED {
        let error = refused(text);
        let shown = error.to_string();
        assert!(shown.contains(expected), "{text}\n{shown}");
        if !marked.is_empty() {
            assert_eq!(&text[error.span.clone()], *marked, "{text}\n{shown}");
        }
    }
}

#[test]
fn texts_of_no_tool_or_several_are_errors() {
    assert!(detect("hello").unwrap_err().help.contains("--as"));
    let both = detect("random-detect\nQueue/RED set thresh_ 5").unwrap_err();
    assert!(both.message.contains("ns2, cisco"), "{both}");
}

#[test]
fn the_same_max_p_signals_2_9_times_as_often_on_linux_as_in_ns3() {
    let linux = find("linux").unwrap();
    let ns3 = read("ns3::RedQueueDisc::LInterm=50 Gentle=false", None, &link()).unwrap();
    let copied = word_for_word(&ns3, linux, &link()).unwrap();
    assert_eq!(copied.configuration.classes[0].max_p.value, 0.02);
    let written = translate(&ns3, linux, &link()).unwrap();
    let ratio = 0.02 / written.configuration.classes[0].max_p.value;
    assert!((2.9..3.0).contains(&ratio), "{ratio}");
    assert!(
        written.notes[0].contains("2.92 times as often"),
        "{:?}",
        written.notes
    );
}

#[test]
fn a_curve_that_ends_at_the_buffer_is_written_again() {
    let text = "red:curve=numbers,segments=10: 0 0.01; 60: 1,limit=60 packets";
    let earlydrop = find("earlydrop").unwrap();
    let parsed = read(text, None, &link()).unwrap();
    assert_eq!(parsed.classes[0].max.value, 60.0);
    let once = translate(&parsed, earlydrop, &link()).unwrap();
    let again = translate(&once.configuration, earlydrop, &link()).unwrap();
    assert_eq!(again.configuration.classes[0].max.value, 60.0);
}

#[test]
fn lost_knobs_are_listed_with_a_reason() {
    let rich = "gred:min=10,max=30,adapt=feng,weight=0.003,by_size=on,ecn=on,mark_limit=0.1";
    let rich = read(rich, None, &link()).unwrap();
    let written = translate(&rich, find("dpdk").unwrap(), &link()).unwrap();
    let lost: Vec<Knob> = written.lost.iter().map(|lost| lost.knob).collect();
    for knob in [
        Knob::Shape,
        Knob::Weight,
        Knob::BySize,
        Knob::Ecn,
        Knob::Adapt,
    ] {
        assert!(lost.contains(&knob), "{knob:?} of {lost:?}");
    }
    assert!(
        written.lost.iter().all(|lost| lost.why != "rounded"),
        "{:?}",
        written.lost
    );
}

fn link_of(mbps: u64, packet: u64) -> LinkFacts {
    LinkFacts {
        rate: BitsPerSec::from_mbps(mbps),
        mean_packet: Bytes(packet),
    }
}

prop_compose! {
    /// Any configuration of RED with one class, as earlydrop's text.
    fn configurations()(
        min in 1.0..200.0_f64,
        ratio in 1.5..5.0_f64,
        room in 2.0..6.0_f64,
        max_p in 0.01..0.9_f64,
        exponent in 1.0..12.0_f64,
        scheme in prop::sample::select(vec!["red", "gred", "nlred"]),
        spacing in prop::sample::select(vec!["uniform", "pseudocode", "uniform2", "wait", "geometric", "drawn"]),
        in_bytes in any::<bool>(),
        ecn in prop::sample::select(vec!["off", "on", "on,mark_above_max=on", "on,mark_limit=0.1"]),
        adapt in prop::sample::select(vec!["none", "ared", "feng"]),
        limited in any::<bool>(),
    ) -> String {
        let (unit, scale) = if in_bytes { ("bytes", 1000.0) } else { ("packets", 1.0) };
        let (min, max) = ((min * scale).round(), (min * ratio * scale).round() + 1.0);
        let limit = if limited { format!(",limit={} {unit}", (max * room).ceil()) } else { String::new() };
        let limit = if max > 1000.0 * scale { format!(",limit={} {unit}", (max * room).ceil()) } else { limit };
        format!(
            "{scheme}:min={min} {unit},max={max} {unit},max_p={max_p},weight={},spacing={spacing},\
             unit={unit},ecn={ecn},adapt={adapt}{limit}",
            (-exponent).exp2(),
        )
    }
}

/// Nothing that was read makes anything else panic.
fn what_can_be_done_with(parsed: &Configuration, text: &str) {
    for tool in TOOLS {
        let _ = translate(parsed, tool, &link());
    }
    let load = Load {
        rate: link().rate,
        packet: link().mean_packet,
        ..Load::default()
    };
    let _ = explain(parsed, text, &load);
}

/// Asserts that two configurations are equal, apart from origins.
fn same(a: &Configuration, b: &Configuration, link: &LinkFacts) -> Result<(), TestCaseError> {
    let parsed = differences(a, b, link);
    prop_assert!(parsed.is_empty(), "{parsed:?}");
    let exact = |c: &Configuration| {
        let classes: Vec<[f64; 3]> = c
            .classes
            .iter()
            .map(|class| [class.min.value, class.max.value, class.max_p.value])
            .collect();
        (
            classes,
            c.in_bytes,
            c.spacing.value,
            c.ecn.value,
            c.adapt.value,
        )
    };
    prop_assert_eq!(exact(a), exact(b));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_a_tool_reads_it_also_writes(text in configurations(), mbps in 1..10_000_u64) {
        let link = link_of(mbps, 1500);
        let wanted = read(&text, None, &link).unwrap();
        for tool in TOOLS {
            let once = translate(&wanted, tool, &link).unwrap();
            prop_assert_eq!(detect(&once.text).unwrap().name, tool.name, "{}", &once.text);
            let again = translate(&once.configuration, tool, &link).unwrap();
            prop_assert!(again.lost.is_empty(), "{} {:?}\n{}\n{}", tool.name, again.lost, once.text, again.text);
            prop_assert!(again.notes.is_empty(), "{} {:?}", tool.name, again.notes);
            same(&once.configuration, &again.configuration, &link)?;
        }
    }

    /// If the translation reports no change of curve, thresholds or max_p, the drop probability is
    /// unchanged at every average.
    #[test]
    fn what_is_not_reported_as_lost_is_unchanged(text in configurations()) {
        let link = link_of(100, 1500);
        let wanted = read(&text, None, &link).unwrap();
        let before = wanted.curve(0, &link).unwrap().unwrap();
        for tool in TOOLS {
            let there = word_for_word(&wanted, tool, &link).unwrap();
            let of_curve = |knob| matches!(knob, Knob::Min | Knob::Max | Knob::MaxP | Knob::Shape);
            if there.lost.iter().any(|lost| of_curve(lost.knob)) {
                continue;
            }
            let after = there.configuration.curve(0, &link).unwrap().unwrap();
            for share in [0.1, 0.5, 0.9] {
                let (min, max) = (before.shape().min, before.shape().max);
                let at = min + share * (max - min);
                let there = match (wanted.in_bytes, there.configuration.in_bytes) {
                    (true, false) => after.probability(at / 1500.0),
                    (false, true) => after.probability(at * 1500.0),
                    _ => after.probability(at),
                };
                let here = before.probability(at);
                // min, max and max_p may each be off by a thousandth.
                let slack = 0.003 * wanted.classes[0].max_p.value * 1.5 * max / (max - min) / 1.5;
                // Linux cuts max_P / (max - min), in 2^-32 a byte, to a whole number
                // (include/net/red.h: red_set_parms).
                let packet = if wanted.in_bytes { 1.0 } else { 1500.0 };
                let cut = (max - min) * packet / 2f64.powi(32);
                let slack = slack + if tool.name == "linux" { cut } else { 0.0 };
                prop_assert!((there - here).abs() <= slack, "{}: {here} {there}", tool.name);
            }
        }
    }

    #[test]
    fn mangled_text_is_read_or_an_error_within_the_text(
        (_, text, _) in prop::sample::select(TEXTS.to_vec()),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), ".{0,4}"), 1..5),
    ) {
        let mut text = text.to_string();
        for (index, more) in cuts {
            let at = text.floor_char_boundary(index.index(text.len() + 1));
            let end = text.ceil_char_boundary((at + 2).min(text.len()));
            text.replace_range(at..end, &more);
        }
        for tool in all_tools() {
            match read(&text, Some(tool), &link()) {
                Ok(parsed) => what_can_be_done_with(&parsed, &text),
                Err(error) => {
                    prop_assert!(text.get(error.span).is_some());
                    prop_assert!(!error.message.is_empty());
                }
            }
        }
        let _ = detect(&text);
    }

    #[test]
    fn any_text_is_read_or_an_error(text in "\\PC{0,60}") {
        for tool in all_tools() {
            let _ = read(&text, Some(tool), &link());
        }
    }
}

#[test]
fn flags_and_limits_are_kept() {
    let ecn = read(LINUX, None, &link()).unwrap().ecn.value;
    assert_eq!(
        ecn,
        Marking {
            on: true,
            above_max: true,
            ..Marking::OFF
        }
    );
    let hard = read(&format!("{LINUX} harddrop adaptive"), None, &link()).unwrap();
    assert!(!hard.ecn.value.above_max && hard.adapt.value == Adapt::Floyd);
    assert_eq!(hard.limit.value, Some(Length::Bytes(400_000.0)));
    let nonlinear = read("ns3::RedQueueDisc::NLRED=true", None, &link()).unwrap();
    assert_eq!(nonlinear.classes[0].shape.value, Shape::Nonlinear);
    // A step, as for DCTCP.
    let step = "tc qdisc add dev e root red limit 1m min 30k max 30k avpkt 1500 burst 21";
    let step = read(step, None, &link()).unwrap();
    assert_eq!(step.classes[0].min.value, step.classes[0].max.value);
    assert!(step.curve(0, &link()).unwrap().is_some());
}

/// A curve that ends below 1 has no more pieces than one by numbers may have.
#[test]
fn a_curve_that_never_drops_everything_is_written_again() {
    let link = LinkFacts::at(BitsPerSec::from_mbps(10));
    let tool = TOOLS.iter().find(|tool| tool.name == "earlydrop").unwrap();
    for curve in [
        "12500: 0.01; 37500: 0.64; 38750: 0.64",
        "10: 0 0.01; 20: 0.1 0 0.001; 30: 0.2",
        "1250: 0.64",
        "1250: 0.64; 1250.0000001: 0.7",
    ] {
        let text = format!("red:curve=numbers,segments={curve},unit=bytes,limit=0.1 s,ecn=off");
        let parsed = read(&text, None, &link).unwrap();
        let written = word_for_word(&parsed, tool, &link).unwrap().text;
        let again = read(&written, None, &link).unwrap_or_else(|error| panic!("{error:?}"));
        assert!(word_for_word(&again, tool, &link).is_ok(), "{written}");
    }
}

/// A profile that is named is the one that is read, whichever the scheduler maps to.
#[test]
fn a_profile_of_junos_is_read_where_it_is_asked_for() {
    let text = "class-of-service { drop-profiles {
        one { interpolate { fill-level [ 50 100 ]; drop-probability [ 0 100 ]; } }
        two { fill-level 25 drop-probability 25; fill-level 75 drop-probability 75; } }
        schedulers { s { drop-profile-map loss-priority low protocol any drop-profile one; } } }";
    let of = |profile: Option<&str>| {
        let context = Context {
            profile: profile.map(String::from),
            ..Context::default()
        };
        let read = read_in(text, None, &link(), &context).unwrap();
        (read.objects, read.classes[0].shape.value.clone())
    };
    let (objects, mapped) = of(None);
    assert_eq!(objects, ["s"]);
    let (objects, first) = of(Some("one"));
    assert_eq!(
        (objects, &first),
        (vec!["one".to_string(), "two".to_string()], &mapped)
    );
    assert_ne!(of(Some("two")).1, mapped);
}
