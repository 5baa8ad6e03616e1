//! Why something has happened at a watched queue: each drop of a run is explained as a drop.

use earlydrop::units::Nanos;
use earlydrop_lab::plan::{Cell, Plan, Source, TraceFiles};
use earlydrop_lab::watch::{Detail, Watch};
use earlydrop_sim::packet_log::{PacketEvent, PacketRecord};

/// Schemes, with parameters that let each of them drop within seconds.
const SCHEMES: &[&str] = &[
    "droptail:limit=20",
    "red:min=5,max=15,limit=40",
    "red:as=ns3",
    "gred:min=5,max=15,limit=60",
    "dsred:min=5,max=15,limit=60",
    "nlred:min=5,max=15,limit=60",
    "mred:min=5,max=15,limit=60",
    "clred:min=5,max=15,limit=60",
    "ared:limit=60",
    "feng:limit=60",
    "restraint:limit=60",
    "rared:limit=60",
    "sfred:limit=60",
    "lru-red:limit=60",
    "fred:limit=60",
    "choke:min=5,max=15,limit=60",
    "wred:limit=64",
    "rem:limit=40",
    "blue:limit=40",
    "sfb:limit=60",
    "sred:limit=40",
    "pi:limit=60",
    "pie:limit=60",
    "pi2:limit=60",
    "dualpi2:limit=60",
    "codel:limit=60",
    "cobalt:limit=60",
    "fq-codel:limit=30,drop_batch=4",
    "fq-red:limit=60,inner.min=5,inner.max=15",
    "step:limit=60",
    "dial:probability=0.02,limit=60",
];

fn plan() -> Plan {
    let quoted: Vec<String> = SCHEMES.iter().map(|spec| format!("'{spec}'")).collect();
    let text = format!(
        "duration = '6 s'\nwarm_up = '1 s'\nseeds = 1\nschemes = [{}]\n\
         network.rate = '5 Mbps'\nflows.bulk.count = 6\n\
         [flows.stream]\nkind = 'cbr'\nrate = '2 Mbps'\n",
        quoted.join(", ")
    );
    let source = Source::new("why.toml", &text, TraceFiles::default());
    let source = source.unwrap_or_else(|problems| panic!("{problems}"));
    source
        .plan()
        .unwrap_or_else(|problems| panic!("{problems}"))
}

/// Everything that happens at the queue of a cell.
fn records(plan: &Plan, cell: Cell) -> Vec<PacketRecord> {
    let mut watch = Watch::open(plan, cell, Detail::default()).unwrap();
    let mut records = Vec::new();
    while watch.advance(Nanos::from_secs(6), 10_000) < Nanos::from_secs(6) {
        watch.take_packets(|record, _| records.push(*record));
    }
    watch.take_packets(|record, _| records.push(*record));
    records
}

#[test]
fn every_drop_is_explained_as_one() {
    let plan = plan();
    for (scheme, spec) in SCHEMES.iter().enumerate() {
        let cell = Cell {
            seed: 0,
            point: 0,
            scheme,
        };
        let records = records(&plan, cell);
        let is_drop = |at: &usize| matches!(records[*at].event, PacketEvent::Dropped(_));
        let drops: Vec<usize> = (0..records.len()).filter(is_drop).collect();
        assert!(drops.len() >= 20, "{spec} drops {} packets", drops.len());
        let others = (0..records.len()).step_by(records.len() / 4);
        let asked = drops.iter().copied().step_by(drops.len() / 20);
        for number in asked.chain(others) {
            let record = &records[number];
            let why = Watch::explain(&plan, cell, Detail::default(), number as u64).unwrap();
            let why = why.unwrap_or_else(|| panic!("{spec}: nothing about {record:?}"));
            let is_dropped = why.decision.ends_with(": dropped");
            assert_eq!(is_dropped, is_drop(&number), "{spec}: {record:?} {why:#?}");
        }
        let beyond = Watch::explain(&plan, cell, Detail::default(), u64::MAX).unwrap();
        assert_eq!(beyond, None, "{spec}");
    }
}
