//! A scheme of one's own compared with RED: a scenario names it, and it runs in memory.

use earlydrop::aqm::{Aqm, Backlog, DropReason, Verdict};
use earlydrop::packet::PacketInfo;
use earlydrop::random::Pcg32;
use earlydrop::registry::{
    Descriptor, Kind, LIMIT, Parameter, Plan as SchemePlan, Range, Registry,
};
use earlydrop::units::Nanos;
use earlydrop_lab::metrics::{METRICS, index_of};
use earlydrop_lab::plan::{Source, TraceFiles};
use earlydrop_lab::rows::Rows;
use earlydrop_lab::run::outcomes;
use earlydrop_lab::summary::Summary;

/// Drops an arrival with probability `gain (queue - min)`, the queue in packets.
#[derive(Clone, Debug)]
struct Ramp {
    min: u32,
    gain: f64,
}

impl Aqm for Ramp {
    fn on_arrival<Q: Backlog>(
        &mut self,
        _now: Nanos,
        _packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Verdict {
        let excess = queue.packets().saturating_sub(self.min);
        match random.chance(self.gain * f64::from(excess)) {
            true => Verdict::Drop(DropReason::Early),
            false => Verdict::Keep,
        }
    }
}

const PARAMETERS: &[Parameter] = &[
    Parameter::new(
        "min",
        "no early drop below",
        Kind::Count(Range::NOT_NEGATIVE, "packets"),
    )
    .with_default("5", "a guess"),
    Parameter::new(
        "gain",
        "drop probability per packet above min",
        Kind::Number(Range::PROBABILITY, "probability"),
    )
    .with_default("0.005", "a guess"),
];

static RAMP: Descriptor = Descriptor::new(
    "ramp",
    "drops in proportion to the queue",
    "this example",
    &[&[LIMIT], PARAMETERS],
    |settings| {
        let (min, gain) = (settings.count("min"), settings.number("gain"));
        Ok(SchemePlan::custom(Ramp { min, gain }, settings.limit()))
    },
);

const SCENARIO: &str = r#"
duration = "10 s"
seeds = 3
schemes = ["red:min=10,max=30", "ramp:min=10", "fq-red:inner=ramp"]
network = { rate = "10 Mbps", rtt = "40 ms", buffer = "60 packets" }
flows.bulk.count = 10
"#;

/// The scenario, which may name the built-in schemes and `ramp`.
fn source() -> Result<Source, Box<dyn std::error::Error>> {
    let source = Source::new("own_scheme.toml", SCENARIO, TraceFiles::default())?;
    Ok(source.with_registry(Registry::built_in().with(&RAMP)))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let plan = source()?.plan()?;
    let outcomes: Vec<_> = outcomes(&plan).collect::<Result<_, _>>()?;
    let summary = Summary::of(&plan, Rows::of_outcomes(&plan, &outcomes));
    for row in &summary.rows {
        print!("{:8}", plan.labels()[row.scheme]);
        for name in ["utilisation", "delay_mean", "loss"] {
            let metric = index_of(name).ok_or(name)?;
            let text =
                row.values[metric].map(|value| value.mean.with_interval(METRICS[metric].scale));
            print!(
                "  {name} {} {}",
                text.unwrap_or_default(),
                METRICS[metric].unit
            );
        }
        println!();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use earlydrop_lab::scenario::schema_of;

    use super::*;

    #[test]
    fn it_runs_with_built_in_schemes_and_controls_the_queue() {
        let plan = source().unwrap().plan().unwrap();
        assert_eq!(plan.labels(), ["red", "ramp", "fq-red"]);
        let outcomes: Vec<_> = outcomes(&plan).map(Result::unwrap).collect();
        for (cell, outcome) in outcomes {
            let value = |name| outcome.value(name).unwrap();
            let label = plan.labels()[cell.scheme];
            assert!(value("utilisation") > 0.8 && value("loss") > 0.0, "{label}");
            assert!(label != "ramp" || value("queue_mean") < 30.0, "{label}");
        }
    }

    #[cfg(feature = "store")]
    #[test]
    fn it_is_stored_opened_again_and_tuned() {
        use std::sync::atomic::AtomicBool;

        use earlydrop_lab::store::{self, Store};
        use earlydrop_lab::tune::{Goal, Method, TuneOptions, tune};

        let mut source = source().unwrap();
        source.set("duration", "2 s", "--duration");
        source.set("seeds", "1", "--seeds");
        let (plan, stop) = (source.plan().unwrap(), AtomicBool::new(false));
        let folder = tempfile::tempdir().unwrap();
        let store = Store::create(folder.path(), &source, &plan).unwrap();
        store::run(&plan, &store, 2, &stop, |_| {}).unwrap();
        let registry = source.registry().clone();
        let again = store.source_with(registry).unwrap().plan().unwrap();
        assert_eq!(Summary::of_store(&again, &store).unwrap().rows.len(), 3);
        let error = store.source().unwrap().plan().unwrap_err().to_string();
        assert!(error.contains("ramp"), "{error}");

        source.set_schemes("ramp:min=10", "--schemes");
        let options = TuneOptions {
            goal: Goal::new("delay_mean", true).unwrap(),
            parameters: vec!["gain=0.001..0.1".parse().unwrap()],
            budget: 15,
            seeds: 1,
            threads: 2,
            method: Method::Evolution,
        };
        let results = tune(&source, &options, &stop, |_| {}).unwrap();
        assert!(results[0].candidates.len() > 5 && results[0].runs >= options.budget);
    }

    #[test]
    fn messages_and_the_schema_know_it() {
        let mut source = source().unwrap();
        source.set_schemes("rampp", "--schemes rampp");
        let error = source.plan().unwrap_err().to_string();
        assert!(error.contains("did you mean 'ramp'?"), "{error}");
        let schema = schema_of(source.registry());
        assert!(schema["$defs"]["scheme-ramp"]["properties"]["gain"].is_object());
    }
}
