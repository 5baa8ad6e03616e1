//! Flows of the traffic generator: what to send, and when. Sizes, pauses and starts come from
//! the same streams of random numbers as in the simulator.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;

use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;
use earlydrop_sim::Run;
use earlydrop_sim::schedule::Schedule;
use earlydrop_sim::spread::Spread;
use earlydrop_sim::streams::{Purpose, of_transfer, stream};
use earlydrop_sim::tcp::SenderCounts;
use earlydrop_sim::traffic::{self, Application, Step, Traffic};

use crate::run::hosts::{DATAGRAM_HEADERS, End, window};

/// A flow and its connections.
#[derive(Debug)]
pub(super) struct Flow {
    /// End where its data starts.
    pub(super) from: End,
    /// Whether it has started and is not stopped.
    pub(super) open: bool,
    pub(super) steps: VecDeque<(Nanos, Step)>,
    pub(super) source: Source,
    /// Time of the flow's timer; earlier entries in the heap are stale.
    pub(super) wake_at: Nanos,
    /// Traffic class of its packets.
    pub(super) traffic_class: i32,
    /// Largest window that its receivers advertise, in bytes.
    pub(super) window_clamp: Option<u32>,
    pub(super) meter: Meter,
}

/// The source of a flow's data.
#[derive(Debug)]
pub(super) enum Source {
    /// Bulk data, over this connection once it exists.
    Bulk(Option<usize>),
    /// Transfers one after the other.
    Session(AppSession),
    /// Transfers at random times.
    Spawner(Spawner),
    /// Datagrams over one pair of sockets.
    Datagrams(Datagrams),
}

#[derive(Debug)]
pub(super) struct Datagrams {
    pub(super) schedule: Schedule,
    pub(super) payload: usize,
    pub(super) sender: Option<OwnedFd>,
}

/// Measurements of a flow.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// Bytes that applications read after the warm-up.
    pub(super) bytes: u64,
    /// Counts of closed connections' senders.
    pub(super) over: SenderCounts,
    /// Counts of all senders at the end of the warm-up.
    pub(super) before: SenderCounts,
    /// Smoothed RTT of the last closed connection.
    pub(super) smoothed_rtt: Nanos,
    /// The connection whose cwnd is sampled, and its last cwnd, in segments.
    pub(super) watched: Option<usize>,
    pub(super) window: f64,
    /// Bytes of datagrams dropped at full socket buffers during the warm-up.
    pub(super) missed: u64,
}

/// State of an application.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum AppState {
    /// Pauses until the next transfer or request; `NEVER` if there is none.
    Pausing(Nanos),
    /// Has been requesting since this time.
    Asking(Nanos),
    /// Has been transferring so many bytes since this time.
    Transferring(Nanos, u64),
}

/// An application of consecutive transfers.
#[derive(Debug)]
pub(super) struct AppSession {
    pub(super) application: Application,
    random: Pcg32,
    pub(super) state: AppState,
    begun: u32,
    /// Payload of a request, in bytes, and the client's connection.
    pub(super) request: u64,
    pub(super) client: Option<usize>,
}

impl AppSession {
    fn new(application: &Application, header: u64, random: Pcg32) -> AppSession {
        let request = match application {
            Application::Requests { request, .. } => request.0.saturating_sub(header).max(1),
            Application::Pages { request, .. } => request.0.max(1),
            _ => 0,
        };
        AppSession {
            application: application.clone(),
            random,
            state: AppState::Pausing(Nanos::NEVER),
            begun: 0,
            request,
            client: None,
        }
    }

    pub(super) fn due(&self) -> Nanos {
        match self.state {
            AppState::Pausing(until) => until,
            _ => Nanos::NEVER,
        }
    }

    /// Starts or resumes.
    fn resume(&mut self, now: Nanos) {
        let over = matches!(self.application, Application::Transfer(_)) && self.begun > 0;
        if matches!(self.state, AppState::Pausing(_)) && !over {
            self.state = AppState::Pausing(now);
        }
    }

    /// Starts the next transfer; returns its size, in bytes.
    pub(super) fn begin(&mut self, now: Nanos) -> u64 {
        let bytes = self.application.draw_size(&mut self.random).0.max(1);
        let since = match self.state {
            AppState::Asking(since) => since,
            _ => now,
        };
        self.begun += 1;
        self.state = AppState::Transferring(since, bytes);
        bytes
    }

    /// Completes the transfer and starts a pause; returns its start and its size.
    pub(super) fn complete(&mut self, now: Nanos) -> Option<(Nanos, u64)> {
        let AppState::Transferring(since, bytes) = self.state else {
            return None;
        };
        let pause = self.application.draw_pause(&mut self.random);
        self.state = AppState::Pausing(pause.map_or(Nanos::NEVER, |pause| now + pause));
        Some((since, bytes))
    }
}

/// Starts transfers at random times, each over a connection of its own.
#[derive(Debug)]
pub(super) struct Spawner {
    application: Application,
    every: Spread<Nanos>,
    at_most: u32,
    next_at: Nanos,
    random: Pcg32,
    /// Seed of the run, and number of the flow.
    origin: (u64, u32),
    /// Starts so far.
    taken: u64,
    pub(super) sessions: Vec<AppSession>,
    pub(super) idle: Vec<u32>,
    pub(super) left_out: u64,
}

impl Spawner {
    /// The session slot of a transfer that starts now, if the limit allows one more.
    pub(super) fn spawn(&mut self) -> Option<u32> {
        let drawn = self.every.draw(&mut self.random).max(Nanos(1));
        // Counted from when it was due, even if the thread is late.
        self.next_at += drawn;
        let (seed, flow) = self.origin;
        let random = of_transfer(seed, flow, self.taken);
        self.taken += 1;
        if let Some(slot) = self.idle.pop() {
            self.sessions[slot as usize].random = random;
            return Some(slot);
        }
        let slot = self.sessions.len();
        if slot >= self.at_most as usize {
            self.left_out += 1;
            return None;
        }
        let session = AppSession::new(&self.application, 0, random);
        self.sessions.push(session);
        Some(slot as u32)
    }
}

impl Flow {
    /// The flow with this number in `run`, not yet started.
    pub(super) fn new(run: &Run, number: u32, from: End) -> Flow {
        let described = &run.flows[number as usize];
        let own = |purpose| stream(run.seed, purpose, u64::from(number));
        let mut steps = described.steps.clone();
        let start = described.start.draw(&mut own(Purpose::Start));
        steps.push((start, Step::Resume));
        steps.sort_by_key(|(at, _)| *at);
        let mut meter = Meter::default();
        let mut window_clamp = None;
        if let Traffic::Tcp { profile, .. } = &described.traffic {
            meter.window = f64::from(profile.initial_window);
            window_clamp = window(profile);
        }
        Flow {
            from,
            open: false,
            steps: steps.into(),
            source: source(run, number, described, own(Purpose::Application)),
            wake_at: Nanos::NEVER,
            traffic_class: class_of(described),
            window_clamp,
            meter,
        }
    }

    /// Applies the next step that is due; returns whether there was one.
    pub(super) fn step(&mut self, now: Nanos) -> bool {
        let Some((at, step)) = self.steps.pop_front_if(|(at, _)| *at <= now) else {
            return false;
        };
        match step {
            Step::Stop => self.open = false,
            Step::Resume => self.open = true,
            Step::Rate(_) => {}
        }
        match (&mut self.source, step) {
            (Source::Datagrams(source), Step::Rate(rate)) => source.schedule.set_rate(rate),
            (Source::Datagrams(source), Step::Resume) => source.schedule.resume(at),
            (Source::Spawner(spawner), Step::Resume) => spawner.next_at = at,
            (Source::Session(session), Step::Resume) => session.resume(at),
            _ => {}
        }
        true
    }

    /// Time of the flow's next action.
    pub(super) fn due(&self) -> Nanos {
        let step = self.steps.front().map_or(Nanos::NEVER, |(at, _)| *at);
        step.min(self.source_due())
    }

    /// Time at which the source next sends or starts something.
    pub(super) fn source_due(&self) -> Nanos {
        if !self.open {
            return Nanos::NEVER;
        }
        match &self.source {
            Source::Bulk(None) => Nanos::ZERO,
            Source::Bulk(Some(_)) => Nanos::NEVER,
            Source::Session(session) => session.due(),
            Source::Spawner(spawner) => spawner.next_at,
            Source::Datagrams(source) => source.schedule.due(),
        }
    }

    /// The session in this slot.
    pub(super) fn session(&mut self, slot: u32) -> Option<&mut AppSession> {
        match &mut self.source {
            Source::Session(session) => Some(session),
            Source::Spawner(spawner) => spawner.sessions.get_mut(slot as usize),
            _ => None,
        }
    }

    /// Whether the flow has a cwnd to sample, as in the simulator.
    pub(super) fn has_window(&self) -> bool {
        matches!(self.source, Source::Bulk(_) | Source::Session(_))
    }
}

fn class_of(flow: &traffic::Flow) -> i32 {
    let ecn = match &flow.traffic {
        Traffic::Datagrams { ecn, .. } => *ecn,
        // The kernel's TCP sets the ECN field itself.
        Traffic::Tcp { .. } => earlydrop::packet::Ecn::NotCapable,
    };
    super::sockets::traffic_class(flow.class, ecn)
}

fn source(run: &Run, number: u32, described: &traffic::Flow, random: Pcg32) -> Source {
    let (profile, application) = match &described.traffic {
        Traffic::Datagrams {
            size,
            rate,
            pattern,
            ..
        } => {
            return Source::Datagrams(Datagrams {
                schedule: Schedule::new(*size, *rate, pattern.clone(), random),
                payload: size.0.saturating_sub(DATAGRAM_HEADERS) as usize,
                sender: None,
            });
        }
        Traffic::Tcp {
            profile,
            application,
        } => (profile, application),
    };
    match application {
        Application::Bulk => Source::Bulk(None),
        Application::Arrivals { every, at_most, .. } => Source::Spawner(Spawner {
            application: application.clone(),
            every: every.clone(),
            at_most: *at_most,
            next_at: Nanos::NEVER,
            random,
            origin: (run.seed, number),
            taken: 0,
            sessions: Vec::new(),
            idle: Vec::new(),
            left_out: 0,
        }),
        _ => {
            let header = u64::from(profile.header_size);
            Source::Session(AppSession::new(application, header, random))
        }
    }
}
