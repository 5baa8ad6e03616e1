//! Measurement of a queue: occupancy, sojourn times, utilisation, loss events, time series.

use std::collections::HashSet;

use earlydrop::counters::Counters;
use earlydrop::packet::Packet as _;
use earlydrop::queue::QueueDiscipline;
use earlydrop::units::Nanos;

use super::{Groups, HalfOfQueue, Measure, QueueResult, Recorder, Timing, TrafficByGroup};
use crate::fine_time::FineTime;
use crate::link::QueuedLink;
use crate::network::LinkId;
use crate::packet::Packet;

/// A queue and its link as a [`QueueMeter`] sees them.
pub trait MeasuredQueue {
    /// Updates a scheme's probes to `now`.
    fn poll(&mut self, now: Nanos);
    /// Bytes waiting.
    fn bytes(&self) -> u64;
    /// The queue's counters since time zero.
    fn counters(&self) -> Counters;
    /// Calls `show` with each of the scheme's probes.
    fn probes(&self, show: &mut dyn FnMut(&'static str, f64));
    /// What the link has sent by `at`, and could have. All packets whose transmission begins
    /// before `at` have left the queue; their transmission times add up to `begun`.
    fn work(&self, at: Nanos, begun: FineTime) -> Work;
}

impl<P: earlydrop::packet::Packet> MeasuredQueue for QueuedLink<P> {
    fn poll(&mut self, now: Nanos) {
        QueueDiscipline::poll(self.queue_mut(), now);
    }

    fn bytes(&self) -> u64 {
        self.queue().bytes()
    }

    fn counters(&self) -> Counters {
        self.queue().counters().plus(self.refused())
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        self.queue().probes(show);
    }

    fn work(&self, at: Nanos, begun: FineTime) -> Work {
        match self.opportunities() {
            None => Work::of_transmitter(at, begun, self.transmitter().free_at.fractions()),
            Some(opportunities) => {
                let begun = self.queue().counters().departed.bytes;
                Work {
                    done: opportunities.work_of(begun) - opportunities.used_from(at),
                    possible: opportunities.possible_before(at),
                }
            }
        }
    }
}

/// What a link has sent since time zero, and what it could have sent: in units of time, or in
/// those of the trace that the link follows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    done: i128,
    possible: i128,
}

impl Work {
    /// The work by `at` of a transmitter that has begun transmissions of `begun` altogether and is
    /// done with the last of them at `free_at`, in 2^-32 ns.
    pub(crate) fn of_transmitter(at: Nanos, begun: FineTime, free_at: i128) -> Work {
        let possible = FineTime::from(at).fractions();
        let rest = free_at - possible;
        // A transmitter that is done less than a nanosecond before `at` may continue there. It
        // counts as sending until `at`, so that no transmission extends back over it.
        let rest = if rest > -FineTime::from(Nanos(1)).fractions() {
            rest
        } else {
            0
        };
        Work {
            done: begun.fractions() - rest,
            possible,
        }
    }

    /// The share of what was possible since `before` that was done.
    fn share_since(&self, before: &Work) -> f64 {
        let done = self.done - before.done;
        ratio(done as f64, (self.possible - before.possible) as f64)
    }
}

/// What a queue and its link have done since time zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueProgress {
    work: Work,
    sojourn: u128,
    sojourns: u64,
    counters: Counters,
}

impl QueueProgress {
    /// The link's utilisation since `before`.
    pub(crate) fn utilisation_since(&self, before: &QueueProgress) -> f64 {
        self.work.share_since(&before.work)
    }

    /// The mean sojourn time of the packets whose transmission began since `before`.
    pub(crate) fn mean_sojourn_since(&self, before: &QueueProgress) -> Option<Nanos> {
        let packets = self.sojourns - before.sojourns;
        (packets > 0).then(|| Nanos(((self.sojourn - before.sojourn) / u128::from(packets)) as u64))
    }

    /// What was counted since `before`.
    pub(crate) fn counters_since(&self, before: &QueueProgress) -> Counters {
        self.counters.since(&before.counters)
    }
}

/// A queue's time series: one row an interval, from time zero on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Time between rows.
    pub interval: Nanos,
    /// Packets waiting.
    pub packets: Vec<u32>,
    /// Bytes waiting.
    pub bytes: Vec<u64>,
    /// Packets dropped since time zero.
    pub dropped: Vec<u64>,
    /// Packets marked since time zero.
    pub marked: Vec<u64>,
    /// The scheme's probes by name, in the order it lists them.
    pub probes: Vec<(&'static str, Vec<f64>)>,
}

impl Samples {
    fn take(&mut self, packets: u32, queue: &impl MeasuredQueue) {
        self.packets.push(packets);
        self.bytes.push(queue.bytes());
        let counters = queue.counters();
        self.dropped.push(counters.dropped().packets);
        self.marked.push(counters.marked.packets);
        let mut column = 0;
        let probes = &mut self.probes;
        queue.probes(&mut |name, value| {
            if column == probes.len() {
                probes.push((name, Vec::new()));
            }
            probes[column].1.push(value);
            column += 1;
        });
    }

    /// A probe's values over time.
    pub fn probe(&self, name: &str) -> Option<&[f64]> {
        let series = self.probes.iter().find(|(probe, _)| *probe == name);
        series.map(|(_, values)| values.as_slice())
    }
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    WarmUp,
    Measured,
    Over,
}

/// Sums over packets and time.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// Queue length integrated over time, packet nanoseconds. A queue's time may run years ahead on a
    /// slow link, so 64 bits are too few.
    length_time: u128,
    /// Greatest queue length that lasted for any time, packets.
    longest: u32,
    /// Transmission times of the packets whose transmission has begun since time zero.
    begun: FineTime,
    /// Sum of sojourn times since time zero, nanoseconds.
    sojourn: u128,
    /// Packets in that sum.
    sojourns: u64,
}

/// Measures one queue. Its calls come in order of the queue's time, which may run ahead of the
/// simulation's.
#[derive(Clone, Debug)]
pub struct QueueMeter {
    /// Time of the next event that is not a packet: a sample, the end of the warm-up, the end.
    pub(crate) next_tick: Nanos,
    from: Nanos,
    middle: Nanos,
    end: Nanos,
    phase: Phase,
    next_sample: Nanos,
    /// Time up to which `sums` are complete. They continue after the end, so that packets need
    /// not check for it.
    last: Nanos,
    sums: Sums,
    /// `sums` at the end of the run.
    measured: Sums,
    /// Sojourn times and packets in their sum at the end of the warm-up.
    sojourns_before: (u128, u64),
    /// The queue's length integrated over time and the link's work, in the middle of the time
    /// measured and at its end.
    half_way: [Option<(u128, Work)>; 2],
    /// The link's work at the end of the warm-up, and its utilisation since then.
    work_before: Work,
    utilisation: f64,
    sojourn: Option<Box<Recorder>>,
    counted: Counters,
    before: Counters,
    losses: Option<Box<LossEvents>>,
    samples: Option<Box<Samples>>,
    arrivals: Option<Box<TrafficByGroup>>,
    departures: Option<Box<TrafficByGroup>>,
}

impl QueueMeter {
    /// A meter of what `measure` asks for of the queue in front of `link`, in a run that ends at
    /// `end`.
    pub fn new(measure: &Measure, link: LinkId, end: Nanos) -> QueueMeter {
        let is_sampled = measure.sampled.include(link);
        let every = |interval: Option<Nanos>| interval.filter(|_| is_sampled);
        let sojourn = measure.sojourn.as_ref();
        let samples = every(measure.sample_every).map(|interval| {
            Box::new(Samples {
                interval,
                ..Samples::default()
            })
        });
        let by_group = |interval| Box::new(TrafficByGroup::new(interval, end));
        let mut meter = QueueMeter {
            next_tick: Nanos::ZERO,
            from: measure.warm_up,
            middle: Timing::new(measure.warm_up, end).middle,
            end,
            phase: Phase::WarmUp,
            next_sample: if samples.is_some() {
                Nanos::ZERO
            } else {
                Nanos::NEVER
            },
            last: Nanos::ZERO,
            sums: Sums::default(),
            measured: Sums::default(),
            sojourns_before: (0, 0),
            half_way: [None; 2],
            work_before: Work::default(),
            utilisation: 0.0,
            sojourn: sojourn
                .is_some_and(|queues| queues.include(link))
                .then(Box::default),
            counted: Counters::default(),
            before: Counters::default(),
            losses: measure.loss_event.map(|interval| {
                Box::new(LossEvents {
                    interval,
                    ..LossEvents::default()
                })
            }),
            samples,
            arrivals: every(measure.arrivals_every).map(by_group),
            departures: every(measure.departures_every).map(by_group),
        };
        meter.set_next_tick();
        meter
    }

    /// The samples taken so far, if any are.
    pub(crate) fn samples_so_far(&self) -> Option<&Samples> {
        self.samples.as_deref()
    }

    fn set_next_tick(&mut self) {
        let phase_end = match self.phase {
            Phase::WarmUp => self.from,
            Phase::Measured if self.half_way[0].is_none() => self.middle,
            Phase::Measured => self.end,
            Phase::Over => Nanos::NEVER,
        };
        self.next_tick = phase_end.min(self.next_sample);
    }

    /// Takes the samples and changes of phase due by `at`; the queue has not changed since the
    /// last packet.
    #[cold]
    fn tick(&mut self, at: Nanos, packets: u32, queue: &mut impl MeasuredQueue) {
        while self.next_tick <= at {
            let tick = self.next_tick;
            self.advance(tick, packets);
            if tick == self.next_sample {
                self.sample(tick, packets, queue);
            }
            if self.phase == Phase::WarmUp && tick >= self.from {
                self.begin(tick, packets, queue);
            }
            if self.phase == Phase::Measured && tick >= self.middle && self.half_way[0].is_none() {
                let work = queue.work(tick, self.sums.begun);
                self.half_way[0] = Some((self.sums.length_time, work));
            }
            if self.phase == Phase::Measured && tick >= self.end {
                self.end(tick, queue);
            }
            self.set_next_tick();
        }
    }

    /// Advances to `at`, the last time at which anything is measured: the run's end, or when it
    /// was stopped.
    pub fn finish(&mut self, at: Nanos, packets: u32, queue: &mut impl MeasuredQueue) {
        self.observe(at, packets, queue);
        if self.phase == Phase::Measured {
            self.end(at, queue);
            self.set_next_tick();
        }
    }

    fn sample(&mut self, at: Nanos, packets: u32, queue: &mut impl MeasuredQueue) {
        // The probes are to be current. This changes no verdict.
        queue.poll(at);
        if let Some(samples) = &mut self.samples {
            samples.take(packets, queue);
            self.next_sample = at + samples.interval;
        }
    }

    fn begin(&mut self, at: Nanos, packets: u32, queue: &impl MeasuredQueue) {
        self.phase = Phase::Measured;
        self.before = queue.counters();
        self.work_before = queue.work(at, self.sums.begun);
        self.sojourns_before = (self.sums.sojourn, self.sums.sojourns);
        self.sums = Sums {
            longest: packets,
            length_time: 0,
            ..self.sums
        };
        if let Some(losses) = &mut self.losses {
            (losses.events, losses.flows_hit) = (0, 0);
        }
        if let Some(sojourn) = &mut self.sojourn {
            sojourn.clear();
        }
    }

    fn end(&mut self, at: Nanos, queue: &impl MeasuredQueue) {
        self.phase = Phase::Over;
        self.counted = queue.counters().since(&self.before);
        let work = queue.work(at, self.sums.begun);
        self.utilisation = work.share_since(&self.work_before);
        self.half_way[1] = Some((self.sums.length_time, work));
        self.measured = self.sums;
        self.measured.sojourn -= self.sojourns_before.0;
        self.measured.sojourns -= self.sojourns_before.1;
        self.next_sample = Nanos::NEVER;
    }

    /// Advances to `at` with `packets` in `queue`, before anything happens then.
    #[inline]
    pub fn observe(&mut self, at: Nanos, packets: u32, queue: &mut impl MeasuredQueue) {
        if at >= self.next_tick {
            self.tick(at, packets, queue);
        }
        self.advance(at, packets);
    }

    /// Fast path of [`QueueMeter::observe`]: advances to `at`, before
    /// [`next_tick`](QueueMeter::next_tick).
    #[inline]
    pub(crate) fn advance(&mut self, at: Nanos, packets: u32) {
        let span = at.since(self.last).0;
        self.sums.length_time += u128::from(packets) * u128::from(span);
        self.last = at;
        // A packet that arrives and leaves at the same time did not wait.
        let waiting = if span > 0 { packets } else { 0 };
        self.sums.longest = self.sums.longest.max(waiting);
    }

    /// Counts a packet that waited for `sojourn` and whose transmission takes `time`.
    #[inline]
    pub fn sent(&mut self, sojourn: Nanos, time: FineTime) {
        self.sums.begun += time;
        self.sums.sojourn += u128::from(sojourn.0);
        self.sums.sojourns += 1;
        if let Some(recorder) = &mut self.sojourn
            && self.phase != Phase::Over
        {
            recorder.record(sojourn);
        }
    }

    /// Counts packets that did not wait, each transmitted in `time`.
    pub(crate) fn sent_unqueued(&mut self, packets: u64, time: FineTime) {
        self.sums.begun += time.times(packets);
        self.sums.sojourns += packets;
        if let Some(recorder) = &mut self.sojourn
            && self.phase != Phase::Over
        {
            recorder.record_zeros(packets);
        }
    }

    /// The time until which packets that do not wait need only be
    /// [counted](QueueMeter::sent_unqueued).
    pub(crate) fn fast_path_until(&self) -> Nanos {
        match (&self.arrivals, &self.departures) {
            (None, None) => self.next_tick,
            _ => Nanos::ZERO,
        }
    }

    /// Counts a packet that arrives at `at`, dropped or not.
    #[inline]
    pub(crate) fn on_arrival(&mut self, groups: &Groups, packet: Packet, at: Nanos) {
        if self.arrivals.is_some() && packet.is_forward() {
            self.on_data_arrival(groups, packet.flow_index(), packet.size(), at);
        }
    }

    /// Counts a packet of data of `flow`, of `size` bytes, that arrives at `at`, dropped or not.
    #[inline]
    pub fn on_data_arrival(&mut self, groups: &Groups, flow: u32, size: u32, at: Nanos) {
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.add(groups, flow, at, size);
        }
    }

    /// Counts a packet whose transmission begins at `at`.
    #[inline]
    pub(crate) fn on_departure(&mut self, groups: &Groups, packet: Packet, at: Nanos) {
        if self.departures.is_some() && packet.is_forward() {
            self.on_data_departure(groups, packet.flow_index(), packet.size(), at);
        }
    }

    /// Counts a packet of data of `flow`, of `size` bytes, whose transmission begins at `at`.
    #[inline]
    pub fn on_data_departure(&mut self, groups: &Groups, flow: u32, size: u32, at: Nanos) {
        if let Some(departures) = &mut self.departures {
            departures.add(groups, flow, at, size);
        }
    }

    /// Counts a packet of data of `flow` that is lost at `at`, while the queue is measured.
    #[inline]
    pub fn data_lost(&mut self, flow: u32, at: Nanos) {
        if let Some(losses) = &mut self.losses {
            losses.record(flow, at);
        }
    }

    /// What the link and its queue have done by `at`, up to which it was observed.
    pub(crate) fn progress(&self, at: Nanos, queue: &impl MeasuredQueue) -> QueueProgress {
        QueueProgress {
            work: queue.work(at, self.sums.begun),
            sojourn: self.sums.sojourn,
            sojourns: self.sums.sojourns,
            counters: queue.counters(),
        }
    }

    /// The loss events, where they are counted.
    #[inline]
    pub(crate) fn losses(&mut self) -> Option<&mut LossEvents> {
        self.losses.as_deref_mut()
    }

    /// The queue in the first and in the second half of the time measured.
    fn halves(&self) -> Option<[HalfOfQueue; 2]> {
        let [Some(middle), Some(end)] = self.half_way else {
            return None;
        };
        let begin = (0, self.work_before);
        let half = |before: (u128, Work), after: (u128, Work), span: Nanos| HalfOfQueue {
            utilisation: after.1.share_since(&before.1),
            mean_packets: ratio((after.0 - before.0) as f64, span.0 as f64),
        };
        Some([
            half(begin, middle, self.middle.since(self.from)),
            half(middle, end, self.end.since(self.middle)),
        ])
    }

    /// The result, for the queue before `link`, called `name`: of what was measured until the meter
    /// was [finished](QueueMeter::finish).
    pub fn result(&mut self, link: LinkId, name: &str, groups: &Groups, end: Nanos) -> QueueResult {
        let span = self.end.since(self.from).as_secs_f64();
        let sums = &self.measured;
        let finish = |traffic: Box<TrafficByGroup>| traffic.finish(groups, end);
        QueueResult {
            link,
            name: name.to_string(),
            counters: self.counted.clone(),
            waiting_before: self.before.queued(),
            utilisation: self.utilisation,
            mean_packets: ratio(sums.length_time as f64 * 1e-9, span),
            halves: self.halves(),
            longest: sums.longest,
            mean_sojourn: (sums.sojourns > 0)
                .then(|| Nanos((sums.sojourn as f64 / sums.sojourns as f64) as u64)),
            sojourn: self.sojourn.take().map(|boxed| boxed.finish()),
            flows_per_loss_event: self
                .losses
                .as_ref()
                .map_or(0.0, |losses| losses.flows_per_event()),
            samples: self.samples.take().map(|boxed| *boxed),
            arrivals: self.arrivals.take().map(finish),
            departures: self.departures.take().map(finish),
            shared_buffer: None,
            pauses: None,
        }
    }
}

/// Loss events: intervals with losses, and how many flows each hits.
#[derive(Clone, Debug, Default)]
pub(crate) struct LossEvents {
    interval: Nanos,
    /// Intervals with at least one loss.
    events: u64,
    /// Sum over events of the flows hit.
    flows_hit: u64,
    /// The last such interval, counted from 1, and the flows that it hit: those of all flows that
    /// lose packets at this queue, which are few in a network of many.
    last: u64,
    hit: HashSet<u32>,
}

impl LossEvents {
    /// Counts a loss of `flow` at `at`.
    pub(crate) fn record(&mut self, flow: u32, at: Nanos) {
        let event = at.0 / self.interval.0 + 1;
        if event != self.last {
            self.events += 1;
            self.last = event;
            self.hit.clear();
        }
        self.flows_hit += u64::from(self.hit.insert(flow));
    }

    /// Mean number of flows hit by an event; zero without events.
    fn flows_per_event(&self) -> f64 {
        ratio(self.flows_hit as f64, self.events as f64)
    }
}

/// `part / whole`; zero when `whole` is.
pub(crate) fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
