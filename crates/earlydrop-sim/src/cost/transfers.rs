//! Transfers of a run: about how many there are at most.

use std::sync::Arc;

use earlydrop::units::Nanos;

use super::flight::{Flight, starts_after};
use crate::run::Run;
use crate::tcp::{Handshake, Profile};
use crate::traffic::{Application, Incast, Ports, Traffic};

/// Arrivals of which some do not begin, since too many are in progress.
#[derive(Clone, Debug, PartialEq)]
pub struct Crowd {
    /// The group of flows that they belong to.
    pub group: Arc<str>,
    /// Arrivals a second.
    pub per_second: f64,
    /// How long each takes at least, within the run.
    pub takes: Nanos,
    /// So many may be in progress.
    pub at_most: u32,
}

impl Crowd {
    /// So many would be in progress on average, at least (Little's law).
    pub fn in_progress(&self) -> f64 {
        self.per_second * self.takes.as_secs_f64()
    }
}

/// The largest crowd, in relation to what is allowed.
pub(super) fn crowd(run: &Run, flight: &Flight) -> Option<Crowd> {
    let lasts = run.lasts();
    let crowds = flight.round_trips.iter().filter_map(|(flow, round_trip)| {
        let flow = &run.flows[*flow];
        let Traffic::Tcp {
            profile,
            application,
        } = &flow.traffic
        else {
            return None;
        };
        let Application::Arrivals { every, at_most, .. } = application else {
            return None;
        };
        Some(Crowd {
            group: flow.group.clone(),
            per_second: 1e9 / (every.mean.0.max(1) as f64),
            takes: least_time(profile, application, *round_trip).min(lasts),
            at_most: *at_most,
        })
    });
    let excess = |crowd: &Crowd| crowd.in_progress() / f64::from(crowd.at_most.max(1));
    let largest = crowds.max_by(|a, b| excess(a).total_cmp(&excess(b)));
    largest.filter(|largest| excess(largest) > 1.0)
}

/// The least time of a transfer: data and its acknowledgment, and before it the handshake of a
/// connection of its own.
fn least_time(profile: &Profile, application: &Application, round_trip: Nanos) -> Nanos {
    let has_its_own =
        is_over_new(application) || matches!(application, Application::Arrivals { .. });
    match profile.handshake {
        Handshake::ThreeWay if has_its_own => Nanos(round_trip.0.saturating_mul(2)),
        _ => round_trip,
    }
}

/// The transfers of all flows, if TCP sends `packets` in all.
pub(super) fn of_all(run: &Run, flight: &Flight, packets: f64) -> f64 {
    of_those(run, flight, packets, |_| true)
}

/// The transfers that follow each other, each over a connection that none had before, if TCP sends
/// `packets` in all.
pub(super) fn over_new_connections(run: &Run, flight: &Flight, packets: f64) -> f64 {
    of_those(run, flight, packets, is_over_new)
}

fn is_over_new(application: &Application) -> bool {
    matches!(application, Application::Web { ports, .. } if *ports == Ports::New)
}

/// Transfers of those applications: as many as round trips and pauses between them allow, and as
/// packets are enough for.
fn of_those(
    run: &Run,
    flight: &Flight,
    packets: f64,
    is_one: impl Fn(&Application) -> bool,
) -> f64 {
    let lasts = run.lasts();
    let (mut in_time, mut fewest) = (0.0, f64::INFINITY);
    for (index, round_trip) in &flight.round_trips {
        let flow = &run.flows[*index];
        let Traffic::Tcp {
            profile,
            application,
        } = &flow.traffic
        else {
            continue;
        };
        let (Some(size), true) = (application.mean_size(), is_one(application)) else {
            continue;
        };
        let segments = size.0 as f64 / f64::from(profile.payload().max(1));
        fewest = fewest.min(segments.max(1.0));
        let takes = least_time(profile, application, *round_trip);
        in_time += match application {
            Application::Bulk | Application::Transfer(_) => 1.0,
            Application::FlowList { transfers, .. } => transfers.len() as f64,
            Application::Arrivals { every, at_most, .. } => {
                let rounds = (lasts.0 / takes.0.max(1) + 1) as f64;
                starts_after(every, Nanos::ZERO, lasts).min(f64::from(*at_most) * rounds)
            }
            Application::Web { pause: between, .. }
            | Application::Pages { pause: between, .. }
            | Application::Requests { think: between, .. }
            | Application::Incast(Incast { think: between, .. }) => {
                starts_after(between, takes, lasts)
            }
        };
    }
    in_time.min(packets / fewest)
}

#[cfg(test)]
mod tests {
    use earlydrop::units::{BitsPerSec, Bytes};

    use super::*;
    use crate::cost::flight;
    use crate::network::{Link, Network};
    use crate::spread::Spread;
    use crate::tcp::Algorithm;
    use crate::traffic::Flow;

    /// A thousand flows of pages of a segment over 10 Mbps, with these pauses.
    fn pages(pause: Nanos) -> Run {
        let mut network = Network::new();
        let (server, client) = (network.node("server"), network.node("client"));
        let link = Link::new(BitsPerSec::from_mbps(10), Nanos::from_millis(10));
        network.duplex(server, client, link.queue("droptail".parse().unwrap()));
        let profile = Arc::new(Profile::modern(Algorithm::Reno));
        let mut run = Run::new(network, Nanos::from_secs(20));
        for _ in 0..1000 {
            let application = Application::Web {
                ports: Ports::New,
                size: Spread::constant(Bytes(1000)),
                pause: Spread::constant(pause),
            };
            run.add(Flow::tcp(server, client, &profile, application));
        }
        run
    }

    #[test]
    fn no_more_arrivals_end_than_may_go_on_at_once() {
        let mut run = pages(Nanos::ZERO);
        run.flows.truncate(1);
        if let Traffic::Tcp { application, .. } = &mut run.flows[0].traffic {
            *application = Application::Arrivals {
                every: Spread::constant(Nanos::from_micros(1)),
                size: Spread::constant(Bytes(100)),
                at_most: 10,
            };
        }
        let results = run.results().unwrap();
        let ended = results.completions.len() as f64;
        let packets = run.cost().packets;
        let flight = flight::estimate(&run, run.tcp_packets_per_second());
        let estimated = of_all(&run, &flight, packets);
        // A million a second for 40 ms each.
        let crowd = crowd(&run, &flight).unwrap();
        assert_eq!((&crowd.group, crowd.at_most), (&run.flows[0].group, 10));
        assert!(
            (39_999.0..41_000.0).contains(&crowd.in_progress()),
            "{crowd:?}"
        );
        assert!(results.flows[0].left_out > 10_000_000);
        // A handshake, a segment, and 40 ms until it is acknowledged.
        assert!(estimated >= ended && ended > 1000.0, "{ended} {estimated}");
        assert!(estimated < 2.5 * ended, "{ended} {estimated}");
    }

    #[test]
    fn transfers_that_end_are_within_the_estimate() {
        // The link allows 16,000, pauses of ten seconds two or three each.
        for (pause, factor) in [(Nanos::from_millis(1), 3.0), (Nanos::from_secs(10), 2.0)] {
            let run = pages(pause);
            let ended = run.results().unwrap().completions.len() as f64;
            let packets = run.cost().packets;
            let flight = flight::estimate(&run, run.tcp_packets_per_second());
            let estimated = of_all(&run, &flight, packets);
            assert!(ended > 1000.0 && estimated >= ended, "{ended} {estimated}");
            assert!(estimated < factor * ended, "{ended} {estimated}");
            assert_eq!(over_new_connections(&run, &flight, packets), estimated);
        }
    }
}
