use crate::registry::{LinkFacts, Plan, Spec};
use crate::testing::mbps;
use alloc::string::ToString;

#[test]
fn linux_s_limit_is_four_times_an_interval_of_the_rate() {
    let bytes = |spec: &str, rate| {
        let plan = spec
            .parse::<Spec>()
            .unwrap()
            .plan(&LinkFacts::at(mbps(rate)));
        match plan.unwrap() {
            Plan::Cake { params, .. } => params.limit.bytes.0,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(bytes("cake", 10), 4 << 20, "the least");
    assert_eq!(bytes("cake", 100), 5_000_000);
    assert_eq!(bytes("cake:bandwidth=200 Mbps", 10), 10_000_000);
    assert_eq!(bytes("cake", 1000), 10_240 * 1514, "limit packets of mtu");
    assert_eq!(bytes("cake:unlimited=on", 10), 10_240 * 1514);
    assert_eq!(bytes("cake:memory_limit=100 kB", 10), 100_000);
}

#[test]
fn groups_of_hosts_are_whole_numbers() {
    for text in ["0", "1 0", "1.5", "hosts"] {
        let spec: Spec = alloc::format!("cake:sources={text}").parse().unwrap();
        let error = spec.plan(&LinkFacts::at(mbps(10))).unwrap_err().to_string();
        assert!(error.contains("whole numbers of flows"), "{error}");
    }
}
