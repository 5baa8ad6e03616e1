use super::*;
use earlydrop::registry::{Extent, LinkFacts, SCHEMES, Spec};
use earlydrop::units::BitsPerSec;

/// The settings of a scheme at 10 Mbps, where 50 ms are 62.5 packets of 1,000 bytes.
fn settings(spec: &str) -> Settings {
    let link = LinkFacts::at(BitsPerSec::from_mbps(10));
    spec.parse::<Spec>().unwrap().settings(&link).unwrap()
}

pub(in crate::tune) fn of(spec: &str, over: &[&str]) -> Result<Vec<SearchDimension>, SpaceError> {
    let over: Result<Vec<SearchParameter>, SpaceError> =
        over.iter().map(|text| text.parse()).collect();
    let settings = settings(spec);
    let at = OnPath {
        settings: &settings,
        rtt: 0.05,
    };
    Ok(spaces(&[vec![at]], &over?)?.remove(0))
}

fn names(space: &[SearchDimension]) -> Vec<&str> {
    space
        .iter()
        .map(|dimension| dimension.parameter.name)
        .collect()
}

#[test]
fn numeric_parameters_are_searched_between_the_bounds_of_their_meaning() {
    let red = of("red:limit=60", &[]).unwrap();
    let described: Vec<String> = red.iter().map(SearchDimension::describe).collect();
    // 62.5 packets of the path and 60 of the buffer are a window of 122.5.
    assert_eq!(
        described,
        [
            "min 1 packets to 60 packets (log): one packet to the buffer",
            "max_p 0.0001 to 1 (log): what one flow needs to all packets",
            "weight 0.00016 to 1 (log): an average of 100 round trips to none",
        ]
    );
    let codel = of("codel:limit=100", &[]).unwrap();
    let bounds: Vec<String> = codel.iter().map(SearchDimension::bounds).collect();
    assert_eq!(names(&codel), ["target", "interval"]);
    assert_eq!(bounds, ["800 us to 80 ms", "800 us to 5 s"]);
    assert!(of("droptail", &[]).unwrap().is_empty());
    let is_searched = names(&of("sfred:max=40", &[]).unwrap()).contains(&"max");
    assert!(is_searched, "a given parameter is searched, too");
}

#[test]
fn an_error_of_a_round_trip_bounds_gains_in_time_and_in_packets() {
    let of_alpha = |space: &[SearchDimension], name: &str| {
        let alpha = space.iter().find(|one| one.parameter.name == name).unwrap();
        (alpha.low, alpha.high)
    };
    let pie = of_alpha(&of("pie", &[]).unwrap(), "alpha");
    assert_eq!(pie, (0.002, 20.0));
    let pi = of_alpha(&of("pi", &[]).unwrap(), "a");
    assert_eq!(pi, (1.6e-6, 0.016));
}

#[test]
fn a_value_beyond_the_bounds_moves_them_and_an_automatic_one_has_them_on_request() {
    let red = of("red:min=0.5", &["min", "max"]).unwrap();
    assert_eq!(red[0].bounds(), "0.5 packets to 1000 packets");
    assert_eq!(red[1].bounds(), "1 packets to 1000 packets");
    let bytes = of("red:min=10 kB", &["min"]).unwrap();
    assert_eq!(bytes[0].bounds(), "1000 bytes to 1000000 bytes");
}

#[test]
fn bounds_hold_at_every_point_of_a_sweep() {
    let settings = settings("codel:limit=100");
    let at = |rtt| OnPath {
        settings: &settings,
        rtt,
    };
    let space = spaces(&[vec![at(0.2), at(0.02)]], &[]).unwrap().remove(0);
    assert_eq!(space[1].bounds(), "800 us to 20 s");
}

#[test]
fn a_named_parameter_is_searched_between_its_bounds() {
    let pie = of("pie", &["target=1..40ms", "alpha"]).unwrap();
    assert_eq!(names(&pie), ["target", "alpha"]);
    assert_eq!(pie[0].describe(), "target 1 ms to 40 ms (log)");
    assert_eq!(pie[0].text(0.5), "6.32 ms");
    assert_eq!(
        names(&of("droptail", &["limit=10..500"]).unwrap()),
        ["limit"]
    );
}

#[test]
fn a_parameter_that_cannot_be_searched_is_refused() {
    for (over, help) in [
        ("maxp", "did you mean `max_p`"),
        ("ecn", "no compared scheme has a numeric parameter ecn"),
        ("min=30..10", "the first below the second"),
        ("max_p=0..2", "a probability in (0, 1]"),
        ("min=5", "NAME=LOW..HIGH"),
        ("", "NAME or NAME=LOW..HIGH"),
    ] {
        let error = of("red", &[over]).unwrap_err().to_string();
        assert!(error.contains(help), "{over}: {error}");
    }
}

#[test]
fn bounds_are_numbers_as_people_write_them_and_a_parameter_is_named_once() {
    let wide = of("red", &["min=0.1..1e4"]).unwrap();
    assert_eq!(wide[0].bounds(), "0.1 packets to 10000 packets");
    let twice = of("red", &["min=2..40", "min=2..60"]).unwrap_err();
    assert!(
        twice
            .to_string()
            .starts_with("min is named twice; nearest: ")
    );
}

#[test]
fn a_value_is_near_a_bound_that_the_parameter_can_go_beyond() {
    let red = of("red:limit=60", &[]).unwrap();
    for (dimension, value, near) in [
        (0, "1.1 packets", Some(Bound::Lower)),
        (0, "2 packets", None),
        (0, "58 packets", Some(Bound::Upper)),
        (1, "0.000105", Some(Bound::Lower)),
        (2, "0.99", None), // a weight of more than 1 is not allowed
    ] {
        assert_eq!(red[dimension].near_bound(value), near, "{value}");
    }
    let wider = red[0].argument(Some(Bound::Lower));
    assert_eq!(wider, "min=0.1packets..60packets");
    assert_eq!(
        of("red", &[&wider]).unwrap()[0].bounds(),
        "0.1 packets to 60 packets"
    );
    assert_eq!(red[1].argument(None), "max_p");
    let bounded = of("red", &["max_p=0.01..0.5"]).unwrap();
    assert_eq!(bounded[0].argument(None), "max_p=0.01..0.5");
    assert_eq!(bounded[0].argument(Some(Bound::Upper)), "max_p=0.01..1");
}

#[test]
fn every_scheme_takes_the_values_in_its_search_space() {
    let link = LinkFacts::at(BitsPerSec::from_mbps(10));
    for descriptor in SCHEMES {
        let spec = Spec::new(descriptor.name).unwrap();
        let settings = spec.settings(&link).unwrap();
        for dimension in of(descriptor.name, &[]).unwrap() {
            let here = dimension.coordinate(&settings);
            assert!((0.0..=1.0).contains(&here), "{} {dimension:?}", spec);
            for coordinate in [0.0, here, 1.0] {
                let text = dimension.text(coordinate);
                let with = spec.clone().with(dimension.parameter.name, &text).unwrap();
                assert!(with.settings(&link).is_ok(), "{with}");
            }
        }
    }
}

#[test]
fn every_number_of_every_scheme_has_bounds_where_it_has_a_value() {
    for descriptor in SCHEMES {
        let settings = settings(descriptor.name);
        for (parameter, value) in numbers(&settings) {
            let has_value = amount_of(parameter, value).is_some_and(|(amount, _)| amount > 0.0);
            let is_multiple = parameter.extent() == Extent::Multiple;
            let at = OnPath {
                settings: &settings,
                rtt: 0.05,
            };
            let dimension = by_meaning(&[at], parameter, value);
            let name = (descriptor.name, parameter.name);
            assert!(
                dimension.is_some() || (is_multiple && !has_value),
                "{name:?}"
            );
        }
    }
}
