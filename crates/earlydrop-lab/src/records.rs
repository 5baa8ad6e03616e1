//! Records of transfers: one by one, what began in the time measured.

use earlydrop::units::Nanos;
use earlydrop_sim::paths::TransferPaths;
use earlydrop_sim::results::Results;
use earlydrop_sim::traffic::FlowId;
use earlydrop_sim::{results, run::Run};

/// A transfer that began in the time measured.
#[derive(Clone, Debug, PartialEq)]
pub struct TransferOutcome {
    /// The index of its flow.
    pub flow: u32,
    /// Its number in its flow, from 0; of a flow list, its place there.
    pub number: u64,
    /// The group of its flow.
    pub group: String,
    /// When it began, in seconds; a response when it was first requested.
    pub start: f64,
    /// The host that sends.
    pub source: String,
    /// The host that receives.
    pub destination: String,
    /// The nodes between them, as "leaf 0 > spine 1 > leaf 2"; empty where packets are sprayed.
    pub path: String,
    /// Bytes of payload.
    pub size: u64,
    /// The completion time in seconds; of one that did not finish, how long it had gone on.
    pub completion: f64,
    /// The least completion time in an empty network, in seconds; `None` where there is none.
    pub ideal: Option<f64>,
    /// The completion time over the least one.
    pub slowdown: Option<f64>,
    /// Segments retransmitted.
    pub retransmissions: u32,
    /// Retransmission timeouts.
    pub timeouts: u32,
    /// Whether it had ended when nobody waited for it any more.
    pub finished: bool,
}

/// The records of all transfers of a run, by flow and number; none where there are more than
/// `at_most`.
pub(crate) fn of(results: &Results, run: &Run, at_most: usize) -> Vec<TransferOutcome> {
    let (ended, going_on) = (&results.completions, &results.unfinished);
    if ended.len() + going_on.len() > at_most {
        return Vec::new();
    }
    let mut recorder = Recorder {
        results,
        run,
        paths: TransferPaths::new(run),
    };
    let ended = ended.iter().map(|one| Seen {
        flow: one.flow,
        began: one.began,
        bytes: one.bytes.0,
        lasted: one.span().as_secs_f64(),
        ideal: one.ideal.as_secs_f64(),
        slowdown: one.slowdown(),
        record: one.record,
        finished: true,
    });
    let going_on = going_on.iter().map(|one| Seen {
        flow: one.flow,
        began: one.began,
        bytes: one.bytes.0,
        lasted: one.lasted.as_secs_f64(),
        ideal: one.ideal.as_secs_f64(),
        slowdown: one.slowdown(),
        record: one.record,
        finished: false,
    });
    let all = ended.chain(going_on);
    let mut records: Vec<TransferOutcome> = all.map(|seen| recorder.record(&seen)).collect();
    records.sort_by_key(|record| (record.flow, record.number));
    records
}

/// What is known of a transfer, whether it has ended or not.
struct Seen {
    flow: FlowId,
    began: Nanos,
    bytes: u64,
    lasted: f64,
    ideal: f64,
    slowdown: Option<f64>,
    record: results::TransferRecord,
    finished: bool,
}

struct Recorder<'a> {
    results: &'a Results,
    run: &'a Run,
    paths: TransferPaths<'a>,
}

impl Recorder<'_> {
    fn record(&mut self, seen: &Seen) -> TransferOutcome {
        let network = &self.run.network;
        let path = self.paths.of(seen.flow, seen.record.number, seen.began);
        let name = |node| network.name(node).to_string();
        let (source, destination, between) = match path {
            Some(path) => {
                let links = path.links.iter().skip(1);
                let between: Vec<&str> = links
                    .map(|link| network.name(network.ends(*link).0))
                    .collect();
                (name(path.from), name(path.to), between.join(" > "))
            }
            None => Default::default(),
        };
        TransferOutcome {
            flow: seen.flow.0,
            number: seen.record.number,
            group: self.results.flow(seen.flow).group.to_string(),
            start: seen.began.as_secs_f64(),
            source,
            destination,
            path: between,
            size: seen.bytes,
            completion: seen.lasted,
            ideal: (seen.ideal > 0.0).then_some(seen.ideal),
            slowdown: seen.slowdown,
            retransmissions: seen.record.retransmissions,
            timeouts: seen.record.timeouts,
            finished: seen.finished,
        }
    }
}
