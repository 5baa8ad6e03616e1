//! Checks a run for features that real hosts cannot provide.

use earlydrop_sim::network::LinkId;
use earlydrop_sim::traffic::{Application, Flow, Traffic};
use earlydrop_sim::{Run, RunError};

use super::addresses::AddressPlan;
use super::hosts;
use super::topology::Topology;
use crate::error::Unsupported;

/// Checks a run with results about `watched`; returns its topology and address plan.
pub(crate) fn check_all(
    run: &Run,
    watched: LinkId,
) -> Result<(Topology, AddressPlan), Unsupported> {
    if let Some(first) = unsupported(run, watched).into_iter().next() {
        return Err(first);
    }
    Ok((Topology::new(run, watched)?, AddressPlan::new(&run.flows)?))
}

/// Lists unsupported features: at most one of the network, one of the flows, and so on.
pub(crate) fn unsupported(run: &Run, watched: LinkId) -> Vec<Unsupported> {
    if let Err(problem) = run.start() {
        return vec![invalid_run(&problem)];
    }
    let captures = (!run.measure.captures.is_empty()).then(|| Unsupported {
        flow: None,
        message: "live records no packets of a run".to_string(),
        help: "`earlydrop shell --pcap FILE` writes those of a session".to_string(),
    });
    let unsupported = [
        captures,
        incast(run),
        ack_class(run),
        shared_buffer(run),
        Topology::new(run, watched).err(),
        AddressPlan::new(&run.flows).err(),
        hosts::check(run).err(),
    ];
    unsupported.into_iter().flatten().collect()
}

/// An incast: its rounds would need a client that waits for several connections.
fn incast(run: &Run) -> Option<Unsupported> {
    let is_incast = |flow: &Flow| {
        matches!(
            flow.traffic,
            Traffic::Tcp {
                application: Application::Incast(_),
                ..
            }
        )
    };
    let flow = run.flows.iter().position(is_incast)?;
    Some(Unsupported {
        flow: Some(flow),
        message: "real hosts have no client that waits for several servers (incast)".to_string(),
        help: "nearest: kind = \"requests\", whose clients ask one server each".to_string(),
    })
}

/// Acknowledgments of a class of their own: the kernel's carry that of the connection's packets.
fn ack_class(run: &Run) -> Option<Unsupported> {
    let differs = |flow: &Flow| flow.ack_class.is_some_and(|class| class != flow.class);
    let flow = run.flows.iter().position(differs)?;
    Some(Unsupported {
        flow: Some(flow),
        message: "acknowledgments of real hosts have the class of the connection's packets"
            .to_string(),
        help: format!("nearest: ack_class = {}", run.flows[flow].class),
    })
}

/// A buffer that several queues share: the emulated links have one each.
fn shared_buffer(run: &Run) -> Option<Unsupported> {
    let (node, _) = run.network.shared_buffers().first()?;
    let name = run.network.name(*node);
    Some(Unsupported {
        flow: None,
        message: format!("emulated links share no buffer, as those of {name} do"),
        help: "remove `shared_buffer`; each link has its `buffer`".to_string(),
    })
}

/// A run that the simulator refuses as well.
fn invalid_run(problem: &RunError) -> Unsupported {
    let flow = match problem {
        RunError::NoRoute { flow, .. }
        | RunError::Profile { flow, .. }
        | RunError::Flow { flow, .. } => Some(*flow),
        _ => None,
    };
    Unsupported {
        flow,
        message: problem.to_string(),
        help: "the simulator refuses it, too".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use earlydrop::units::{BitsPerSec, Bytes, Nanos};
    use earlydrop_sim::network::{Dumbbell, Link, SharedBuffer};
    use earlydrop_sim::spread::Spread;
    use earlydrop_sim::tcp::{Algorithm, Profile};
    use earlydrop_sim::traffic::Incast;

    use super::*;

    #[test]
    fn incasts_classes_of_acknowledgments_and_shared_buffers_are_refused_with_the_nearest() {
        let rate = BitsPerSec::from_mbps(10);
        let link = Link::new(rate, Nanos::from_millis(20)).queue("red".parse().unwrap());
        let mut dumbbell = Dumbbell::new(link.clone(), link);
        let (from, to) = dumbbell.pair(rate, Nanos::ZERO);
        let (size, alpha) = (Bytes(100_000), 1.0);
        let buffer = SharedBuffer { size, alpha };
        dumbbell.network.share_buffer(dumbbell.left, buffer);
        let mut run = Run::new(dumbbell.network, Nanos::from_secs(1));
        let application = Application::Incast(Incast {
            client: 0,
            request: Bytes(100),
            response: Spread::constant(Bytes(1000)),
            think: Spread::constant(Nanos::ZERO),
            rounds: None,
        });
        let profile = Arc::new(Profile::modern(Algorithm::Reno));
        run.add(Flow::tcp(from, to, &profile, application).ack_class(6));
        let refused = unsupported(&run, dumbbell.bottleneck);
        assert!(refused[0].help.contains("kind = \"requests\""));
        assert!(refused[1].help.contains("ack_class = 0"));
        assert!(refused[2].message.contains("share no buffer"));
    }
}
