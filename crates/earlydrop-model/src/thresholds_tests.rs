use super::*;
use earlydrop::units::{BitsPerSec, Nanos};

fn load() -> Load {
    Load {
        rate: BitsPerSec::from_mbps(100),
        rtt: Nanos::from_millis(50),
        flows: 150.0,
        ..Load::default()
    }
}

#[test]
fn thresholds_are_limited_to_the_buffer_with_a_note() {
    let (t, notes) = around(100.0, 120.0);
    assert_eq!((t.min, t.max), (50.0, 120.0));
    assert_eq!(notes.len(), 1);
    let (t, notes) = around(80.0, 120.0);
    assert_eq!((t.min, t.max, notes.len()), (40.0, 120.0, 0));
}

#[test]
fn lengths_are_in_bytes_if_the_scheme_counts_bytes() {
    let red: Spec = "red:unit=bytes,mean_packet=500 bytes,ecn=off"
        .parse()
        .unwrap();
    let advice = balance(&load(), &red, 600.0, 80.0).unwrap();
    let text = advice.spec.to_string();
    assert!(text.contains("min=60000 bytes"), "{text}");
    let gateway = Gateway::of(&advice.spec, &load()).unwrap();
    assert_eq!(gateway.buffer(), 600.0);
    let operating_point = fluid_balance(&load(), &gateway).unwrap();
    assert!(
        (operating_point.queue / 80.0 - 1.0).abs() < 0.02,
        "{operating_point:?}"
    );
}

#[test]
fn the_balance_is_stable_and_at_the_goal() {
    let advice = balance(&load(), &"red".parse().unwrap(), 600.0, 80.0).unwrap();
    let gateway = Gateway::of(&advice.spec, &load()).unwrap();
    let operating_point = fluid_balance(&load(), &gateway).unwrap();
    // The parameters are rounded to three digits.
    assert!(
        (operating_point.queue / 80.0 - 1.0).abs() < 0.02,
        "{operating_point:?}"
    );
    let margins = stability(&load(), &gateway, &operating_point).unwrap();
    assert_eq!(margins.verdict(), Verdict::Stable, "{margins:?}");
}

#[test]
fn the_largest_number_of_flows_gives_the_upper_threshold() {
    let spec = "red:min=40,max=120,max_p=0.3,limit=600".parse().unwrap();
    let gateway = Gateway::of(&spec, &load()).unwrap();
    let flows = flows_at(&load(), &gateway, 120.0);
    let more = Load { flows, ..load() };
    let operating_point = fluid_balance(&more, &gateway).unwrap();
    assert!(
        (operating_point.queue - 120.0).abs() < 0.01,
        "{flows} {operating_point:?}"
    );
    let (few, many) = (
        most_flows(&load(), 600.0, 120.0),
        most_flows(&load(), 600.0, 240.0),
    );
    assert!(few.unwrap().unwrap() < many.unwrap().unwrap());
}
