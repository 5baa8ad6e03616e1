//! A program's own scheme in a run report, beside a built-in one.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use earlydrop::aqm::{Aqm, Backlog, DropReason, Verdict};
use earlydrop::packet::PacketInfo;
use earlydrop::random::Pcg32;
use earlydrop::registry::{Descriptor, LIMIT, Plan as SchemePlan, Registry};
use earlydrop::units::Nanos;
use earlydrop_lab::plan::Source;
use earlydrop_lab::store::{self, Store};
use earlydrop_lab::summary::Summary;
use earlydrop_report::run_report::write_report;

/// Drops every tenth arrival.
#[derive(Clone, Debug, Default)]
struct EveryTenth {
    arrivals: u32,
}

impl Aqm for EveryTenth {
    fn on_arrival<Q: Backlog>(
        &mut self,
        _now: Nanos,
        _packet: &PacketInfo,
        _queue: &Q,
        _random: &mut Pcg32,
    ) -> Verdict {
        self.arrivals += 1;
        match self.arrivals % 10 {
            0 => Verdict::Drop(DropReason::Early),
            _ => Verdict::Keep,
        }
    }
}

static EVERY_TENTH: Descriptor = Descriptor::new(
    "every-tenth",
    "drops every tenth arrival",
    "this test",
    &[&[LIMIT]],
    |settings| Ok(SchemePlan::custom(EveryTenth::default(), settings.limit())),
);

const SCENARIO: &str = r#"
duration = "3 s"
warm_up = "1 s"
seeds = 1
schemes = ["red:min=5,max=15", "every-tenth"]
network = { rate = "5 Mbps", rtt = "20 ms" }
flows.bulk.count = 4
"#;

#[test]
fn a_report_shows_a_scheme_of_ones_own() {
    let source = Source::new("own.toml", SCENARIO, PathBuf::new()).unwrap();
    let source = source.with_registry(Registry::built_in().with(&EVERY_TENTH));
    let plan = source.plan().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path(), &source, &plan).unwrap();
    store::run(&plan, &store, 1, &AtomicBool::new(false), |_| {}).unwrap();
    let summary = Summary::of_store(&plan, &store).unwrap();
    let page = write_report(&plan, &store, &summary).unwrap();
    let text = fs::read_to_string(page).unwrap();
    for words in [
        "every-tenth",
        "drops every tenth arrival",
        "red:min=5,max=15",
    ] {
        assert!(text.contains(words), "{words}");
    }
}
