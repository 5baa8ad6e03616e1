//! What `configure --paste` writes, over 200 random links and every tool: `explain` reads the same
//! queue back, and Linux's `tc` takes it.
//!
//! `EARLYDROP_SEED` draws other links. With `--nocapture` a table says how near each tool comes.

use earlydrop::registry::{Length, LinkFacts};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_model::configure::{Goal, Question, propose};
use earlydrop_model::explain::{Fit, Outlook, fit};
use earlydrop_model::tools::{
    Class, Configuration, Context, TOOLS, Tool, differences, of_spec, read_in, translate,
};
use earlydrop_model::{Control, Load, Tcp};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const LINKS: usize = 200;

/// A link with its flows, and the queue that the model recommends for it.
pub(super) struct Case {
    pub(super) load: Load,
    pub(super) red: Configuration,
}

fn seed() -> u32 {
    let given = std::env::var("EARLYDROP_SEED").ok();
    given.and_then(|seed| seed.parse().ok()).unwrap_or(7)
}

/// Loads from 1 Mbps to 100 Gbps, 1 to 300 ms and 1 to 1000 flows, each with the model's thresholds for
/// a delay of 0.5 to 50 ms.
pub(super) fn cases() -> Vec<Case> {
    let numbers = (
        6.0..11.0_f64,
        0.0..2.48_f64,
        0.0..3.0_f64,
        -3.3..-1.3_f64,
        prop::sample::select(vec!["red", "red", "red", "gred", "nlred", "ared"]),
        prop::sample::select(vec![Control::Reno, Control::Cubic]),
        any::<bool>(),
    );
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&seed().to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let ten = |power: f64| 10_f64.powf(power);
    let mut draw = || {
        let (rate, rtt, flows, delay, scheme, control, ecn) =
            numbers.new_tree(&mut runner).unwrap().current();
        let load = Load {
            rate: BitsPerSec(ten(rate) as u64),
            packet: Bytes(1500),
            rtt: Nanos::from_secs_f64(1e-3 * ten(rtt)),
            flows: ten(flows).round(),
            tcp: Tcp {
                control,
                ecn,
                ..Tcp::default()
            },
        };
        let question = Question {
            load,
            scheme: scheme.parse().unwrap(),
            buffer: None,
            goal: Goal::Usual,
            method: None,
            open_loop: None,
        };
        let queue = (ten(delay) * load.service()).max(10.0);
        let (spec, _) = propose(&question, queue).unwrap();
        Case {
            load,
            red: of_spec(&spec, &load.link()).unwrap(),
        }
    };
    (0..LINKS).map(|_| draw()).collect()
}

impl Case {
    fn link(&self) -> LinkFacts {
        self.load.link()
    }

    fn buffer(&self) -> Length {
        self.red.limit.value.expect("a buffer")
    }

    /// What `explain --buffer` reads from a text that is not said to be of any tool.
    fn explained(&self, text: &str) -> Configuration {
        let context = Context {
            buffer: Some(self.buffer()),
            ..Context::default()
        };
        read_in(text, None, &self.link(), &context)
            .unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    fn says(&self, tool: &Tool, fit: &Fit) -> String {
        let seed = seed();
        let Load {
            rate, rtt, flows, ..
        } = self.load;
        let text = &fit.translation.text;
        format!(
            "seed {seed}: {} at {rate}, {rtt}, {flows} flows\n{text}",
            tool.name
        )
    }
}

/// The factor between two delays, at least 1.
fn apart(given: &Outlook, other: &Outlook) -> f64 {
    let seconds = |outlook: &Outlook| outlook.prediction.delay.as_secs_f64().max(1e-9);
    let ratio = seconds(other) / seconds(given);
    ratio.max(1.0 / ratio)
}

/// What a tool's texts came to.
#[derive(Default)]
struct Tally {
    /// The factors between the delay that was given and the one of the text.
    apart: Vec<f64>,
    /// How many are stable as given and not as pasted.
    unsettled: usize,
    /// How many the tool warns of.
    loud: usize,
}

impl Tally {
    fn at(&self, share: f64) -> f64 {
        let mut all = self.apart.clone();
        all.sort_by(f64::total_cmp);
        all[(share * (all.len() - 1) as f64) as usize]
    }

    fn print(&self, tool: &Tool) {
        println!(
            "{}: delay off by {:.3} at the median, {:.3} at 90%, {:.3} at most; {} of {LINKS} no \
             longer stable, {} with a warning",
            tool.name,
            self.at(0.5),
            self.at(0.9),
            self.at(1.0),
            self.unsettled,
            self.loud,
        );
    }
}

/// What is pasted is read as it was meant, within the buffer, and what the tool then does is predicted.
fn is_explained_as_meant(case: &Case, tool: &'static Tool, fit: &Fit) {
    let says = case.says(tool, fit);
    let read = case.explained(&fit.translation.text);
    assert_eq!(read.tool.name, tool.name, "{says}");
    let lost = differences(&fit.translation.configuration, &read, &case.link());
    assert!(lost.is_empty(), "{lost:?}\n{says}");
    assert_eq!(Outlook::of(&read, &case.load).ok(), fit.fitted, "{says}");
    let buffer = read.limit_in_unit(&case.link()).unwrap();
    let is_within = |class: &Class| class.max.value <= buffer * (1.0 + 1e-9);
    assert!(read.classes.iter().all(is_within), "{says}");
    let again = translate(&read, tool, &case.link()).unwrap();
    let moved = differences(&read, &case.explained(&again.text), &case.link());
    assert!(moved.is_empty(), "{moved:?}\n{says}");
}

/// Values that are rounded one by one are never nearer in delay, unless they lose packets or stability,
/// or the tool warns of them.
fn is_nearer_than_rounded(case: &Case, tool: &'static Tool, fit: &Fit) {
    let rounded = translate(&case.red, tool, &case.link()).unwrap();
    let rounded = Outlook::of(&case.explained(&rounded.text), &case.load).unwrap();
    let (given, fitted) = (fit.given.unwrap(), fit.fitted.unwrap());
    let is_worse = rounded.prediction.loss > fitted.prediction.loss + 1e-4
        || rounded.prediction.utilisation < fitted.prediction.utilisation - 1e-4
        || !rounded.is_stable() && fitted.is_stable()
        || rounded.stability.map(|one| one.gain_margin)
            < fitted.stability.map(|one| one.gain_margin);
    let (before, after) = (apart(&given, &rounded), apart(&given, &fitted));
    let says = case.says(tool, fit);
    assert!(
        is_worse || after <= before.max(1.02) + 1e-6,
        "{before} {after}: {says}"
    );
}

#[test]
fn what_is_pasted_is_what_is_explained() {
    let cases = cases();
    for tool in TOOLS {
        let mut tally = Tally::default();
        for case in &cases {
            let fit = fit(&case.red, tool, &case.load);
            let fit = fit.unwrap_or_else(|error| panic!("seed {}: {}: {error}", seed(), tool.name));
            is_explained_as_meant(case, tool, &fit);
            is_nearer_than_rounded(case, tool, &fit);
            let (given, fitted) = (fit.given.unwrap(), fit.fitted.unwrap());
            tally.apart.push(apart(&given, &fitted));
            tally.unsettled += usize::from(given.is_stable() && !fitted.is_stable());
            tally.loud += usize::from(fit.warning.is_some());
        }
        tally.print(tool);
        assert!(tally.at(0.5) < 1.03, "{}: {}", tool.name, tally.at(0.5));
    }
}
