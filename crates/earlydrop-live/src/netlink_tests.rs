use super::*;
use nix::libc;
use std::net::Ipv4Addr;

/// Attributes of a body: type and value.
fn attributes(mut body: &[u8]) -> Vec<(u16, Vec<u8>)> {
    let mut parsed = Vec::new();
    while let [a, b, c, d, ..] = *body {
        let length = usize::from(u16::from_ne_bytes([a, b]));
        parsed.push((u16::from_ne_bytes([c, d]), body[4..length].to_vec()));
        body = &body[length.next_multiple_of(4).min(body.len())..];
    }
    parsed
}

const TWELVE: u32 = 12;

#[test]
fn a_route_to_a_prefix_carries_tcp_metrics() {
    let to = Destination::Prefix(Ipv4Addr::new(10, 128, 0, 0).into(), 16);
    let metrics = Metrics {
        control: Some("cubic".into()),
        numbers: vec![(Metric::Mtu, 1000), (Metric::RtoMin, 4)],
    };
    let body = route(TWELVE, to, &metrics);
    // Family, prefix lengths, TOS, table, protocol, scope, type: rtnetlink(7).
    assert_eq!(body[..8], [2, 16, 0, 0, 254, 3, 0, 1]);
    let parsed = attributes(&body[12..]);
    assert_eq!(parsed[0], (ROUTE_TO, vec![10, 128, 0, 0]));
    assert_eq!(parsed[1], (ROUTE_OUT, TWELVE.to_ne_bytes().to_vec()));
    assert_eq!(parsed[2].0, ROUTE_METRICS);
    let number = |value: u32| value.to_ne_bytes().to_vec();
    let expected = [
        (Metric::Mtu as u16, number(1000)),
        (Metric::RtoMin as u16, number(4)),
        (METRIC_LOCKED, number(1 << 13)),
        (METRIC_CONTROL, b"cubic\0".to_vec()),
    ];
    assert_eq!(attributes(&parsed[2].1), expected);
}

#[test]
fn a_local_prefix_is_a_local_route_without_metrics() {
    let to = Destination::Local(Ipv4Addr::new(10, 64, 0, 0).into(), 16);
    let body = route(LOOPBACK_DEVICE, to, &Metrics::default());
    assert_eq!(body[..8], [2, 16, 0, 0, 255, 3, 254, 2]);
    let kinds: Vec<u16> = attributes(&body[12..])
        .iter()
        .map(|(kind, _)| *kind)
        .collect();
    assert_eq!(kinds, [ROUTE_TO, ROUTE_OUT]);
}

const LOOPBACK_DEVICE: u32 = 1;

#[test]
fn a_default_route_has_no_prefix() {
    let body = route(
        TWELVE,
        Destination::Anywhere("fd77::1".parse().unwrap()),
        &Metrics::default(),
    );
    assert_eq!(body[..8], [10, 0, 0, 0, 254, 3, 0, 1]);
    assert_eq!(attributes(&body[12..]).len(), 1);
}

#[test]
fn a_kernels_error_is_reported_whatever_its_number() {
    let error = |number: i32| {
        let mut message = 36_u32.to_ne_bytes().to_vec();
        message.extend(ERROR.to_ne_bytes());
        message.extend([0; 10]);
        message.extend(number.to_ne_bytes());
        message.resize(36, 0);
        add_bodies(&message, &mut Vec::new()).unwrap_err()
    };
    assert_eq!(error(-libc::EPERM).raw_os_error(), Some(libc::EPERM));
    assert_eq!(error(i32::MIN).raw_os_error(), None);
}

#[test]
fn an_answer_that_cannot_be_read_is_an_error() {
    for cut in [1, 8, 19] {
        let mut message = 20_u32.to_ne_bytes().to_vec();
        message.resize(20, 0);
        assert!(
            add_bodies(&message[..cut], &mut Vec::new()).is_err(),
            "{cut} bytes"
        );
    }
}
