use super::*;
use earlydrop::registry::SCHEMES;

fn load(ecn: bool) -> Load {
    let mut load = Load::default();
    load.tcp.ecn = ecn;
    load
}

fn gateway(text: &str, load: &Load) -> Gateway {
    Gateway::of(&text.parse().unwrap(), load).unwrap()
}

#[test]
fn every_scheme_signals_more_the_longer_the_queue() {
    for ecn in [false, true] {
        let load = load(ecn);
        for scheme in SCHEMES {
            let Ok(gateway) = Gateway::of(&scheme.name.parse().unwrap(), &load) else {
                continue;
            };
            let mut before = 0.0;
            for step in 0..=1000 {
                let queue = gateway.buffer() * f64::from(step) / 1000.0;
                let signals = gateway.signal_probability(queue, load.flows);
                assert!(
                    (before..=1.0).contains(&signals),
                    "{} at {queue}",
                    scheme.name
                );
                let parted = gateway.split(signals, queue, load.flows);
                assert!((parted.total() - signals).abs() < 1e-12 && parted.loss >= 0.0);
                assert!(ecn || parted.marks == 0.0);
                before = signals;
            }
            assert_eq!(before, 1.0, "{}: a full buffer", scheme.name);
        }
    }
}

#[test]
fn the_signal_rate_of_a_curve_depends_on_its_spacing() {
    let signals = |spacing: &str| {
        let text = format!("red:min=10,max=30,max_p=0.04,spacing={spacing}");
        gateway(&text, &load(false)).signal_probability(20.0, 20.0) / 0.02
    };
    for (spacing, factor) in [
        ("geometric", 1.0),
        ("uniform", 1.96),
        ("pseudocode", 2.0),
        ("drawn", 1.96),
        ("uniform2", 0.99),
        ("wait", 0.67),
    ] {
        assert!((signals(spacing) - factor).abs() < 0.005, "{spacing}");
    }
}

#[test]
fn lengths_are_in_packets_of_the_load() {
    let bytes = gateway(
        "red:unit=bytes,min=15000 bytes,max=45000 bytes,limit=90000 bytes",
        &load(false),
    );
    let packets = gateway("red:min=10,max=30,limit=60", &load(false));
    assert_eq!(bytes.buffer(), packets.buffer());
    for queue in [5.0, 12.0, 20.0, 29.0, 31.0] {
        let off = bytes.signal_probability(queue, 20.0) - packets.signal_probability(queue, 20.0);
        assert!(off.abs() < 1e-12, "{queue}: {off}");
    }
    let each = gateway("fq-red:inner.min=10,inner.max=30", &load(false));
    let off = each.signal_probability(400.0, 20.0) - packets.signal_probability(20.0, 20.0);
    assert!(off.abs() < 1e-12, "{off}");
}

#[test]
fn marks_stop_at_the_limits_of_the_scheme() {
    let load = load(true);
    let at = |text: &str, p: f64, queue: f64| gateway(text, &load).split(p, queue, 20.0);
    let red = "red:min=10,max=30,max_p=0.1,spacing=geometric";
    assert_eq!(at(red, 0.05, 20.0).loss, 0.0);
    let beyond = at(red, 0.4, 30.0);
    assert!((beyond.marks - 0.1).abs() < 1e-6, "{beyond:?}");
    let all = at("red:min=10,max=30,mark_above_max=on", 0.4, 30.0);
    assert_eq!(all.loss, 0.0);
    assert_eq!(at("pie", 0.2, 25.0).marks, 0.0, "above its mark_limit");
    assert_eq!(at("pie", 0.05, 25.0).loss, 0.0);
    assert_eq!(at("red:ecn=off", 0.05, 10.0).marks, 0.0);
}

#[test]
fn schemes_without_a_law_are_refused_by_name() {
    for scheme in ["fred", "blue", "sfb"] {
        let error = Gateway::of(&scheme.parse().unwrap(), &load(false)).unwrap_err();
        assert!(error.to_string().contains(scheme), "{error}");
    }
}
