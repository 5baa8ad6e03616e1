use super::*;
use crate::Gateway;
use earlydrop::units::{BitsPerSec, Bytes};

fn load() -> Load {
    Load {
        rate: BitsPerSec::from_mbps(100),
        rtt: Nanos::from_millis(50),
        flows: 150.0,
        ..Load::default()
    }
}

fn facts<'a>(load: &'a Load, scheme: &'a Spec, buffer: f64) -> Facts<'a> {
    Facts {
        load,
        scheme,
        buffer,
        delay: None,
        open_loop: None,
    }
}

/// The thresholds of a method, and its parameters as text.
fn of(name: &str, load: &Load, buffer: f64) -> (Thresholds, String) {
    let red = "red".parse().unwrap();
    let method = Method::named(name).unwrap();
    let advice = method.advice(&facts(load, &red, buffer)).unwrap();
    (advice.thresholds.unwrap(), advice.spec.to_string())
}

/// A number to one digit, as Chandrayana et al. round their thresholds.
fn one_digit(value: f64) -> f64 {
    let scale = 10_f64.powf(value.log10().floor());
    (value / scale).round() * scale
}

/// E[Q] = 79.54 for 48 flows, printed as 40 and 120, and 592.01 for 150 flows, printed as 300 and
/// 900: min to one digit, and three times that.
#[test]
fn the_paper_prints_its_thresholds_to_one_digit() {
    for (queue, buffer, min, max) in [(79.54, 200.0, 40.0, 120.0), (592.01, 1000.0, 300.0, 900.0)] {
        let (thresholds, notes) = around(queue, buffer);
        assert_eq!(one_digit(thresholds.min), min);
        assert_eq!(3.0 * one_digit(thresholds.min), max);
        assert!((thresholds.max / max - 1.0).abs() < 0.02, "{thresholds:?}");
        assert_eq!(notes, [""; 0]);
    }
}

#[test]
fn morris_gives_the_printed_thresholds_at_one_loss_rate() {
    let first = morris(0.0747, 0.052, 48.0);
    // 60 is three times the rounded 20; formula (3) itself gives 58.7.
    assert_eq!(first.min.round(), 20.0);
    assert!((first.max - 58.7).abs() < 0.05, "{}", first.max);
    let second = morris(0.0747, 0.2, 150.0);
    assert_eq!((second.min.round(), second.max.round()), (136.0, 408.0));
}

/// On 10 Mbps with packets of 1500 bytes, ns-3 sets 5, 15 and 0.0012 (`bench/reference/README.md`);
/// above 16 Mbps, 5 ms is more than ten packets.
#[test]
fn adaptive_red_has_the_thresholds_that_ns_3_sets() {
    let slow = Load {
        rate: BitsPerSec::from_mbps(10),
        ..load()
    };
    for method in ["floyd-2001", "ns2"] {
        let (thresholds, text) = of(method, &slow, 600.0);
        assert_eq!((thresholds.min, thresholds.max), (5.0, 15.0), "{text}");
        assert_eq!(thresholds.weight, 0.0012, "{text}");
        let (thresholds, text) = of(method, &load(), 600.0);
        assert_eq!((thresholds.min, thresholds.max), (21.0, 63.0), "{text}");
    }
    let red = "red".parse().unwrap();
    let asked = Facts {
        delay: Some(Nanos::from_millis(20)),
        ..facts(&slow, &red, 600.0)
    };
    let advice = Method::named("floyd-2001").unwrap().advice(&asked).unwrap();
    let thresholds = advice.thresholds.unwrap();
    assert_eq!((thresholds.min, thresholds.max), (8.3, 25.0));
}

/// The manual's `limit 400000 avpkt 1000`: 33333 and 100000 bytes; their burst is 55, which is the
/// manual's own, and gives its weight.
#[test]
fn linux_has_what_tc_leaves_to_its_defaults() {
    let load = Load {
        rate: BitsPerSec::from_mbps(10),
        packet: Bytes(1000),
        ..load()
    };
    let (thresholds, text) = of("linux", &load, 400.0);
    assert_eq!((thresholds.min, thresholds.max), (33.0, 100.0), "{text}");
    assert_eq!(thresholds.max_p, Some(0.02), "{text}");
    assert_eq!(tc::default_burst(33_333, 100_000, 1000), 55);
    assert_eq!(thresholds.weight, 0.03125, "{text}");
}

#[test]
fn floyd_and_cisco_take_no_notice_of_the_link() {
    let fast = Load {
        rate: BitsPerSec::from_mbps(10_000),
        ..load()
    };
    for (method, chosen) in [
        (
            "floyd-1997",
            "red:min=5,max=15,max_p=0.1,weight=0.002,limit=600",
        ),
        (
            "floyd-2000",
            "gred:min=5,max=15,max_p=0.1,weight=0.002,limit=600",
        ),
        (
            "cisco",
            "red:weight=0.001953125,min=20,max=40,max_p=0.1,limit=600",
        ),
    ] {
        assert_eq!(of(method, &load(), 600.0).1, chosen);
        assert_eq!(of(method, &fast, 600.0).1, chosen);
    }
}

#[test]
fn every_method_gives_a_scheme_that_can_be_built() {
    for scheme in ["red", "nlred", "clred", "gred", "ared", "dsred", "mred"] {
        let scheme: Spec = scheme.parse().unwrap();
        let load = load();
        for advice in every_method(&facts(&load, &scheme, 600.0), 80.0).unwrap() {
            assert!(advice.spec.plan(&load.link()).is_ok(), "{}", advice.spec);
            assert!(Gateway::of(&advice.spec, &load).is_ok());
        }
    }
}

#[test]
fn the_shortest_paths_and_buffers_have_thresholds_too() {
    let tiny = Load {
        rtt: Nanos::from_micros(1),
        ..load()
    };
    let red = "red".parse().unwrap();
    for buffer in [1.0, 50.0] {
        for advice in every_method(&facts(&tiny, &red, buffer), 0.1).unwrap() {
            assert!(advice.spec.plan(&tiny.link()).is_ok(), "{}", advice.spec);
        }
    }
}
