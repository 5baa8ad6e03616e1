use super::*;
use crate::Tcp;
use crate::batch::Batch;
use crate::methods::METHODS;
use crate::thresholds::{BALANCE, Thresholds};
use earlydrop::registry::SCHEMES;
use earlydrop::units::{BitsPerSec, Bytes};

fn question(scheme: &str) -> Question {
    Question {
        load: Load {
            rate: BitsPerSec::from_mbps(100),
            rtt: Nanos::from_millis(50),
            flows: 50.0,
            ..Load::default()
        },
        scheme: scheme.parse().unwrap(),
        buffer: None,
        goal: Goal::Delay(Nanos::from_millis(10)),
        method: None,
        open_loop: None,
    }
}

fn known(loss: f64) -> Option<OpenLoopInput> {
    let windows = None;
    Some(OpenLoopInput { loss, windows })
}

#[test]
fn every_scheme_is_configured_or_has_no_model() {
    for scheme in SCHEMES {
        match configure(&question(scheme.name)) {
            Ok(answer) => {
                let chosen = &answer.choices[0];
                assert!(chosen.advice.spec.plan(&answer.load.link()).is_ok());
                assert!(chosen.expected.queue > 0.0, "{}", scheme.name);
            }
            Err(ModelError::NoModel { .. }) => {}
            Err(other) => panic!("{}: {other}", scheme.name),
        }
    }
}

#[test]
fn schemes_with_a_target_meet_the_goal() {
    for scheme in ["red", "gred", "nlred", "ared", "pie", "pi", "pi2"] {
        let answer = configure(&question(scheme)).unwrap();
        let delay = answer.choices[0].expected.delay.as_secs_f64();
        assert!((delay / 0.010 - 1.0).abs() < 0.05, "{scheme}: {delay}");
    }
    let mut full = question("red");
    full.load.flows = 4.0;
    full.goal = Goal::Utilisation(0.99);
    let answer = configure(&full).unwrap();
    assert!(answer.choices[0].expected.utilisation > 0.989);
}

#[test]
fn invalid_questions_are_refused() {
    let mut none = question("red");
    none.goal = Goal::Utilisation(1.0);
    assert!(configure(&none).unwrap_err().to_string().contains("99.9%"));
    none.goal = Goal::Delay(Nanos::ZERO);
    assert!(configure(&none).is_err());
    let mut small = question("red");
    small.buffer = Some(0.0);
    assert!(
        configure(&small)
            .unwrap_err()
            .to_string()
            .contains("1 packets")
    );
    let mut few = question("red");
    few.load.flows = 0.0;
    assert!(configure(&few).is_err());
}

#[test]
fn warns_of_small_buffers_and_of_a_load_near_one() {
    let mut small = question("red");
    small.buffer = Some(60.0);
    small.open_loop = known(0.005);
    let answer = configure(&small).unwrap();
    assert!(
        answer
            .warnings
            .iter()
            .any(|warning| warning.contains("too small"))
    );
    let near = |loss: f64| {
        let mut question = question("red");
        question.open_loop = known(loss);
        let answer = configure(&question).unwrap();
        let rho = answer.open_loop.unwrap().load;
        let warned = answer
            .warnings
            .iter()
            .any(|warning| warning.contains("rho"));
        assert_eq!(warned, (0.9..=1.1).contains(&rho), "{rho}");
        warned
    };
    assert!(
        [0.05, 0.03, 0.025, 0.02, 0.015, 0.01]
            .map(near)
            .contains(&true)
    );
}

/// The first setting of Chandrayana et al., with thresholds given or not.
fn first_setting(scheme: &str) -> Question {
    Question {
        load: Load {
            rate: BitsPerSec::from_mbps(20),
            packet: Bytes(1000),
            rtt: Nanos::from_millis(52),
            flows: 48.0,
            tcp: Tcp::default(),
        },
        buffer: Some(200.0),
        goal: Goal::Usual,
        ..question(scheme)
    }
}

/// Every choice shows the thresholds of its own scheme text.
fn assert_shown_is_run(answer: &Recommendation) {
    for choice in &answer.choices {
        let run = Thresholds::of(&choice.advice.spec, &answer.load).unwrap();
        assert_eq!(
            choice.advice.thresholds,
            Some(run),
            "{}",
            choice.advice.spec
        );
    }
}

#[test]
fn given_thresholds_are_the_ones_that_are_judged() {
    let given = "red:min=40,max=120,max_p=0.1,weight=0.002";
    let answer = configure(&first_setting(given)).unwrap();
    assert_shown_is_run(&answer);
    let chosen = &answer.choices[0];
    assert_eq!(chosen.advice.method, GIVEN);
    assert_eq!(chosen.advice.spec.to_string(), format!("{given},limit=200"));
    let t = chosen.advice.thresholds.unwrap();
    assert_eq!(
        (t.min, t.max, t.max_p, t.weight),
        (40.0, 120.0, Some(0.1), 0.002)
    );
    assert_eq!(answer.goal, 80.0, "midway, formula (20)");
    let most = answer.most_flows.unwrap();
    assert_eq!(most, flows_at(&answer.load, &chosen.gateway, 120.0));
    assert!(
        most > 48.0,
        "the average is {} below max",
        chosen.expected.queue
    );
    // Other methods are compared with their own thresholds, and keep max_p and weight.
    let paper = answer.choices.iter().find(|c| c.advice.method == "paper");
    let paper = paper.unwrap().advice.thresholds.unwrap();
    assert_eq!((paper.min, paper.max, paper.weight), (60.0, 180.0, 0.002));
    let mins = answer
        .choices
        .iter()
        .map(|c| c.advice.thresholds.unwrap().min);
    assert!(mins.clone().any(|min| min == 5.0) && mins.clone().any(|min| min == 62.0));
}

/// A round trip of 600 ms: a target longer than CoDel's usual interval would be refused.
#[test]
fn codels_interval_is_as_long_as_the_path() {
    let mut question = first_setting("codel");
    question.load.rtt = Nanos::from_millis(600);
    let spec = configure(&question).unwrap().choices[0].advice.spec.clone();
    assert_eq!(spec.given("interval"), Some("600 ms"));
}

#[test]
fn what_a_preset_sets_is_kept() {
    for (scheme, buffer, chosen) in [
        ("nlred:as=paper", None, "nlred:as=paper"),
        ("nlred:as=paper", Some(200.0), "nlred:as=paper,limit=200"),
        ("nlred:as=paper,max=40", None, "nlred:as=paper,max=40"),
        ("red:as=linux", None, "red:as=linux"),
        ("codel:as=paper", Some(200.0), "codel:as=paper,limit=200"),
        // What it leaves open is chosen: Floyd and Jacobson name no weight and no buffer.
        (
            "red:as=paper,weight=0.002",
            Some(200.0),
            "red:as=paper,weight=0.002,limit=200",
        ),
    ] {
        let mut question = first_setting(scheme);
        question.buffer = buffer;
        let answer = configure(&question).unwrap();
        let spec = answer.choices[0].advice.spec.to_string();
        assert_eq!(spec, chosen, "{scheme}");
    }
    // Automatic thresholds are chosen; max_p is ns-2's.
    let ns2 = configure(&first_setting("red:as=ns2")).unwrap();
    let spec = &ns2.choices[0].advice.spec;
    assert!(spec.given("min").is_some() && spec.given("weight").is_some());
    assert_eq!(spec.given("max_p"), None);
    // Other methods replace the thresholds, and keep the rest.
    let linux = configure(&first_setting("red:as=linux")).unwrap();
    let paper = linux.choices.iter().find(|c| c.advice.method == "paper");
    let spec = &paper.unwrap().advice.spec;
    assert_eq!(spec.given("min"), Some("60000 bytes"));
    assert_eq!((spec.given("max_p"), spec.given("weight")), (None, None));
}

#[test]
fn one_given_threshold_implies_the_other() {
    for (scheme, band) in [
        ("red:min=40", (40.0, 120.0)),
        ("red:max=120", (40.0, 120.0)),
    ] {
        let answer = configure(&first_setting(scheme)).unwrap();
        assert_shown_is_run(&answer);
        let chosen = &answer.choices[0];
        let t = chosen.advice.thresholds.unwrap();
        assert_eq!((t.min, t.max), band, "{scheme}");
        // max_p is chosen such that the average is midway.
        assert!(
            (chosen.expected.queue / 80.0 - 1.0).abs() < 0.02,
            "{scheme}"
        );
    }
}

#[test]
fn thresholds_are_shown_as_they_run_for_every_scheme() {
    for scheme in [
        "red:max_p=0.05",
        "red:as=ns2,min=40000 bytes,max=120000 bytes",
        "ared:min=40,max=120",
        "feng:min=20",
        "nlred:max=90,weight=0.01",
        "gred:limit=150",
    ] {
        let mut question = first_setting(scheme);
        question.buffer = None;
        let answer = configure(&question).unwrap();
        assert_shown_is_run(&answer);
        let t = answer.choices[0].advice.thresholds.unwrap();
        assert!(
            t.min > 0.0 && t.max > t.min && t.max <= answer.buffer,
            "{scheme} {t:?}"
        );
        assert_eq!(
            answer.buffer,
            answer.choices[0].gateway.buffer(),
            "{scheme}"
        );
    }
    let kept = configure(&first_setting("red:max_p=0.05")).unwrap();
    let chosen = kept.choices[0].advice.thresholds.unwrap();
    assert_eq!(chosen.max_p, Some(0.05), "a given max_p does not adapt");
}

#[test]
fn a_method_can_be_chosen_by_name() {
    let methods = METHODS.iter().map(|method| method.name);
    for method in [BALANCE].into_iter().chain(methods) {
        let mut question = first_setting("red");
        question.method = Some(method.to_string());
        let answer = configure(&question).unwrap();
        assert_eq!(answer.choices[0].advice.method, method);
        assert_eq!(answer.choices.len(), 1 + METHODS.len());
        assert_shown_is_run(&answer);
    }
    for (scheme, method, said) in [
        ("red", "papr", "allowed: balance, paper, "),
        ("red:min=40,max=120", "paper", "allowed: given, because"),
        ("pie", "paper", "allowed: goal; nearest: goal"),
    ] {
        let mut question = first_setting(scheme);
        question.method = Some(method.to_string());
        let error = configure(&question).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn the_paper_s_inputs_give_its_thresholds() {
    let mut question = first_setting("red");
    question.load.tcp.timeout = Some(Nanos::from_secs_f64(4.046 * 0.052));
    question.method = Some("paper".to_string());
    question.open_loop = Some(OpenLoopInput {
        loss: 0.0572,
        windows: Some(Batch::normal(4.0, 4.0, 8).unwrap()),
    });
    let answer = configure(&question).unwrap();
    let t = answer.choices[0].advice.thresholds.unwrap();
    // 39.8 and 119.3; printed as 40 and 120, which is three times 40.
    assert_eq!((t.min, t.max), (40.0, 119.0));
    assert!((answer.most_flows_by_22.unwrap() - 49.7).abs() < 0.1);
}

#[test]
fn a_limit_of_the_scheme_is_the_buffer() {
    let mut question = first_setting("red:limit=150");
    let error = configure(&question).unwrap_err().to_string();
    assert!(error.contains("nearest: 150 packets"), "{error}");
    question.buffer = None;
    assert_eq!(configure(&question).unwrap().buffer, 150.0);
}
