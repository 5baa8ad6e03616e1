//! What a scenario expects is read, and judged by its runs.

use earlydrop_lab::judge::{Judgement, Verdict, judgements};
use earlydrop_lab::plan::{Plan, Source, TraceFiles};
use earlydrop_lab::rows::Rows;
use earlydrop_lab::run::outcomes;
use earlydrop_lab::statistics::Class;
use earlydrop_lab::summary::Summary;

const SCENARIO: &str = "duration = \"10 s\"\nseeds = 4\nschemes = [\"droptail\", \"codel\"]\n\
    network = { rate = \"5 Mbps\", rtt = \"40 ms\", buffer = \"100 packets\" }\n\
    flows.bulk.count = 4\nflows.call = { kind = \"voice\" }\n\
    sweep.\"network.rtt\" = [\"20 ms\", \"40 ms\"]\n";

fn plan(expectation: &str) -> Result<Plan, String> {
    let says = match expectation.contains("asks") {
        true => "",
        false => "says = \"So.\"\n",
    };
    let text = format!("{SCENARIO}[[expect]]\n{says}{expectation}");
    let source = Source::new("s.toml", &text, TraceFiles::default());
    let plan = source.and_then(|source| source.plan());
    plan.map_err(|problems| problems.to_string())
}

fn judged(expectation: &str) -> Judgement {
    let plan = plan(expectation).unwrap_or_else(|problem| panic!("{problem}"));
    let ended: Vec<_> = outcomes(&plan).collect::<Result<_, _>>().unwrap();
    let summary = Summary::of(&plan, Rows::of_outcomes(&plan, &ended));
    judgements(&plan, &summary).remove(0)
}

#[test]
fn runs_say_whether_an_expectation_holds() {
    let call = "metric = \"end_to_end_p99\"\ngroup = \"call\"\n";
    let holds = judged(&format!("{call}of = [\"codel\"]\ntimes = 0.5"));
    assert_eq!(
        (holds.verdict, holds.shown, holds.comparisons),
        (Verdict::Holds, 2, 2)
    );
    assert_eq!(holds.says, "So.");
    // What holds shows by how much, at its worst.
    let nearest = holds.worst.unwrap();
    let (own, limit) = nearest.split_once(", expected less than ").unwrap();
    assert!(own.starts_with("codel at network.rtt = "), "{nearest}");
    assert!(limit.contains(", 0.5 times droptail's "), "{nearest}");
    assert_eq!(holds.wants, None);
    // A full buffer takes 240 ms.
    let part = judged(&format!("{call}of = [\"droptail\"]\nthan = \"200 ms\""));
    assert_eq!(part.verdict, Verdict::Contradicted, "{part:?}");
    let worst = part.worst.unwrap();
    assert!(worst.starts_with("droptail at network.rtt = "), "{worst}");
    assert!(worst.ends_with("expected less than 200 ms"), "{worst}");
    // Nothing is marked without ECN: exactly what is expected is within 5% of it.
    let none =
        judged("metric = \"marked\"\nis = \"equal\"\nof = [\"codel\"]\nthan = 0\nwithin = 0.05");
    assert_eq!(none.verdict, Verdict::Holds, "{none:?}");
    // One scheme needs no list.
    let one = judged(&format!("{call}of = [\"codel\"]\nthan = \"droptail\""));
    assert_eq!((one.verdict, one.comparisons), (Verdict::Holds, 2));
    // At one point, in whichever unit.
    for rtt in ["40 ms", "0.04s"] {
        let at = format!("at = {{ network.rtt = \"{rtt}\" }}");
        let one = judged(&format!("{call}of = [\"codel\"]\n{at}"));
        assert_eq!((one.verdict, one.comparisons), (Verdict::Holds, 1));
    }
    // The same number is neither less nor more, and equal.
    let full = "metric = \"utilisation\"\n";
    let equal = judged(&format!("{full}is = \"equal\"\nthan = \"100%\""));
    assert_eq!((equal.verdict, equal.comparisons), (Verdict::Holds, 4));
    let more = judged(&format!(
        "{full}of = [\"droptail\"]\nis = \"more\"\nthan = \"100%\""
    ));
    assert_eq!(more.verdict, Verdict::Undecided, "{more:?}");
    // What a call gets of what a transfer gets.
    let ratio = judged("group = \"call\"\nbeside = \"bulk\"\nthan = 0.2");
    assert_eq!(ratio.verdict, Verdict::Holds, "{ratio:?}");
}

#[test]
fn a_question_is_answered_for_each_scheme() {
    let asked = judged("asks = \"Is it short?\"\nmetric = \"delay_p99\"\nthan = \"100 ms\"");
    let answers = asked
        .schemes
        .iter()
        .map(|one| (one.scheme.as_str(), one.verdict));
    let expected = [
        ("droptail", Verdict::Contradicted),
        ("codel", Verdict::Holds),
    ];
    assert!(answers.eq(expected), "{asked:?}");
    // Of all together.
    assert_eq!(
        (asked.verdict, asked.comparisons),
        (Verdict::Contradicted, 4)
    );
}

#[test]
fn what_is_undecided_says_what_would_tell() {
    let asked = |percent: f64| {
        let at = "at = { network.rtt = \"40 ms\" }";
        judged(&format!(
            "asks = \"Is it?\"\nmetric = \"loss\"\nis = \"equal\"\nthan = \"{percent}%\"\n\
             within = 0.0001\n{at}"
        ))
    };
    // Where it is decided, nothing more would tell.
    let decided = asked(50.0);
    for one in &decided.schemes {
        assert_eq!((one.verdict, &one.wants), (Verdict::Contradicted, &None));
    }
    // A scheme's own mean is within its interval, which is wider than 0.01%.
    let mean = decided.schemes[0].at[0].mean;
    let own = asked(100.0 * mean);
    let undecided = &own.schemes[0];
    assert_eq!(undecided.verdict, Verdict::Undecided, "{undecided:?}");
    let wants = undecided.wants.as_deref().unwrap_or_default();
    assert!(wants.ends_with("would tell"), "{undecided:?}");
}

#[test]
fn one_seed_answers_nothing() {
    let question = "[[expect]]\nasks = \"Short?\"\nmetric = \"delay_p99\"\nthan = \"100 ms\"";
    let text = format!("{SCENARIO}{question}");
    let mut source = Source::new("s.toml", &text, TraceFiles::default()).unwrap();
    source.change("seeds", "1", "--seeds 1");
    let plan = source.plan().unwrap();
    let ended: Vec<_> = outcomes(&plan).collect::<Result<_, _>>().unwrap();
    let summary = Summary::of(&plan, Rows::of_outcomes(&plan, &ended));
    let asked = judgements(&plan, &summary).remove(0);
    for one in &asked.schemes {
        assert_eq!(one.verdict, Verdict::Undecided, "{one:?}");
        assert_eq!(one.wants.as_deref(), Some("more seeds would tell"));
    }
    // No scheme is called the best, either.
    let values = summary
        .rows
        .iter()
        .flat_map(|row| row.values.iter().flatten());
    let decided = [Class::Best, Class::Equal, Class::Behind];
    assert!(
        !values
            .filter_map(|value| value.class)
            .any(|class| decided.contains(&class))
    );
}

#[test]
fn schemes_and_points_that_are_not_run_are_not_judged() {
    let other = judged("metric = \"loss\"\nof = [\"pi\"]");
    assert_eq!(other.verdict, Verdict::Unjudged);
    let why = other.worst.unwrap();
    assert!(why.contains("no scheme is called \"pi\" here"), "{why}");
    let warned = plan("metric = \"loss\"\nof = [\"pi\"]").unwrap().warnings();
    let named = "an expectation is not judged: no scheme is called \"pi\" here";
    assert!(
        warned.iter().any(|one| one.starts_with(named)),
        "{warned:?}"
    );
    let alone = judged("metric = \"loss\"\nof = [\"codel\", \"droptail\"]");
    assert_eq!(alone.verdict, Verdict::Unjudged);
    let why = alone.worst.unwrap();
    assert_eq!(why, "`of` has every scheme here, so there is no other");
    // A scheme that is named twice is compared once.
    let twice = judged("metric = \"loss\"\nof = \"codel\"\nthan = [\"droptail\", \"droptail\"]");
    assert_eq!(twice.comparisons, 2);
    let elsewhere = judged("metric = \"loss\"\nthan = 1\nat = { network.rtt = \"30 ms\" }");
    assert_eq!(elsewhere.verdict, Verdict::Unjudged);
    let swept = judged("metric = \"loss\"\nthan = 1\nat = { network.rate = \"5 Mbps\" }");
    assert!(
        swept
            .worst
            .unwrap()
            .contains("`network.rate` is not swept here")
    );
}

#[test]
fn errors_name_what_is_allowed() {
    for (expectation, words) in [
        ("metric = \"los\"", "did you mean \"loss\"?"),
        (
            "metric = \"queue_mean\"\ngroup = \"bulk\"",
            "no metric of groups is called",
        ),
        (
            "metric = \"loss\"\ngroup = \"bulky\"",
            "did you mean \"bulk\"?",
        ),
        (
            "metric = \"loss\"\nthan = \"5 ms\"",
            "nor an amount in share",
        ),
        ("metric = \"delay_p99\"\nthan = 5", "nor an amount in s"),
        ("beside = \"bulk\"", "`beside` without `group`"),
        (
            "group = \"call\"\nbeside = \"bulk\"\nmetric = \"loss\"",
            "\"goodput\", or no metric",
        ),
        ("", "no metric is called"),
        (
            "asks = \"\"\nmetric = \"loss\"",
            "both or neither of `says` and `asks`",
        ),
        (
            "metric = \"loss\"\nis = \"less\"\nwithin = 0.1",
            "it belongs to is = equal",
        ),
        (
            "metric = \"loss\"\nof = [\"codel\"]\nthan = \"codel\"",
            "\"codel\" is compared with itself",
        ),
        ("metric = \"loss\"\nof = []", "`of` is an empty list"),
        (
            "metric = \"loss\"\nof = [\"codel\"]\nthan = []",
            "`than` is an empty list",
        ),
        ("metric = \"loss\"", "of all schemes, beside none"),
        ("metric = \"loss\"\nthan = \"120%\"", "nearest: \"100%\""),
        ("metric = \"loss\"\nthan = 5", "nearest: \"5%\""),
        ("metric = \"loss\"\nthan = \"-5%\"", "nearest: \"0%\""),
    ] {
        let error = plan(expectation).map(|_| ()).unwrap_err();
        assert!(error.contains(words), "{expectation}: {error}");
    }
}
