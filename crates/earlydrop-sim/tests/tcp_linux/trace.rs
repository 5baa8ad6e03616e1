//! What is compared of a log: each transmission with its time, and the sender's state from then on.
//! A trace is stored as text, an instant a line:
//!
//! ```text
//! NS [CWND/SSTHRESH/STATE] [SEGMENTS...]
//! *N
//! ```
//! `NS` is the time since the line before. Cwnd, ssthresh (`-`: none yet) and state (0 Open,
//! 1 Disorder, 2 CWR, 3 Recovery, 4 Loss) stand where they change. A transmission is the number of
//! its segment, `+` if it is the number after the highest sent so far, followed by `w` with CWR and
//! by `e` if it is ECN-capable; `+N` is N of those. `*N`: the line before, N more times.

use std::fmt::Write as _;

use earlydrop::packet::Ecn;

use super::play::Record;

/// Bytes of payload in a full segment, with timestamps.
const PAYLOAD: u64 = 1448;
/// What happens within so many ns happens at once: the kernel's clock may advance when it is read.
const AT_ONCE: u64 = 200;

/// A transmission of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transmission {
    pub(crate) at: u64,
    pub(crate) number: u32,
    pub(crate) cwr: bool,
    pub(crate) capable: bool,
}

/// The sender's state from a time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) at: u64,
    pub(crate) cwnd: u32,
    /// `None`: slow start ends at the first congestion.
    pub(crate) ssthresh: Option<u32>,
    /// `tcp_ca_state`.
    pub(crate) state: u8,
}

impl State {
    fn same_as(&self, other: &State) -> bool {
        (self.cwnd, self.ssthresh, self.state) == (other.cwnd, other.ssthresh, other.state)
    }
}

/// Transmissions and states, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trace {
    pub(crate) sent: Vec<Transmission>,
    pub(crate) states: Vec<State>,
}

impl Trace {
    /// The trace of a script that was played here; the simulator has no `tcp_ca_state`.
    pub(crate) fn of(records: &[Record]) -> Trace {
        let mut trace = Trace::default();
        for record in records {
            match record {
                Record::Sent(sent) if sent.ordinal > 0 => trace.sent.push(Transmission {
                    at: sent.at,
                    number: sent.segment.number,
                    cwr: sent.segment.cwr,
                    capable: sent.segment.ecn != Ecn::NotCapable,
                }),
                Record::State(state) => trace.states.push(State {
                    at: state.at,
                    cwnd: state.cwnd as u32,
                    ssthresh: state.ssthresh.is_finite().then_some(state.ssthresh as u32),
                    state: 0,
                }),
                _ => {}
            }
        }
        trace
    }

    /// The trace with times since `origin`.
    pub(crate) fn since(mut self, origin: u64) -> Trace {
        let sent = self.sent.iter_mut().map(|one| &mut one.at);
        let states = self.states.iter_mut().map(|one| &mut one.at);
        sent.chain(states).for_each(|at| *at -= origin);
        self
    }

    /// The trace of a kernel's log.
    pub(crate) fn of_kernel_log(text: &str) -> Option<Trace> {
        let mut trace = Trace::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |at: usize| words.get(at)?.parse::<u64>().ok();
            match *words.first()? {
                "S" if number(2)? > 0 => trace.sent.push(Transmission {
                    at: number(1)?,
                    number: 1 + ((number(3)? - 1) / PAYLOAD) as u32,
                    cwr: words.get(5)?.contains('W'),
                    capable: number(6)? > 0,
                }),
                "C" | "T" => {
                    let ssthresh = Some(number(5)? as u32).filter(|&value| value < 0x7fff_ffff);
                    trace.push_state(State {
                        at: number(1)?,
                        cwnd: number(4)? as u32,
                        ssthresh,
                        state: number(6)? as u8,
                    });
                }
                _ => {}
            }
        }
        Some(trace)
    }

    /// Adds a state, if it is another.
    fn push_state(&mut self, state: State) {
        if !self.states.last().is_some_and(|last| last.same_as(&state)) {
            self.states.push(state);
        }
    }

    /// The state at time `at`.
    pub(crate) fn state_at(&self, at: u64) -> Option<&State> {
        let after = self.states.partition_point(|state| state.at <= at);
        self.states.get(after.checked_sub(1)?)
    }

    /// The trace as text.
    pub(crate) fn render(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        let (mut sent, mut states) = (self.sent.iter().peekable(), self.states.iter().peekable());
        let (mut last, mut next_new) = (0, 1);
        loop {
            let due = [sent.peek().map(|s| s.at), states.peek().map(|s| s.at)];
            let Some(at) = due.into_iter().flatten().min() else {
                break;
            };
            let mut line = (at - last).to_string();
            let mut changed = None;
            while let Some(state) = states.next_if(|state| state.at <= at + AT_ONCE) {
                changed = Some(state);
            }
            if let Some(state) = changed {
                let ssthresh = state
                    .ssthresh
                    .map_or("-".to_owned(), |value| value.to_string());
                let _ = write!(line, " {}/{ssthresh}/{}", state.cwnd, state.state);
            }
            let mut run = 0;
            while let Some(one) = sent.next_if(|one| one.at <= at + AT_ONCE) {
                let flags = flags(one);
                let new = one.number == next_new;
                next_new = next_new.max(one.number + 1);
                let follows = sent.peek().is_some_and(|next| {
                    next.at <= at + AT_ONCE && next.number == next_new && self::flags(next) == flags
                });
                run += 1;
                match (new, follows) {
                    (true, true) => continue,
                    (true, false) if run > 1 => line += &format!(" +{run}{flags}"),
                    (true, false) => line += &format!(" +{flags}"),
                    (false, _) => line += &format!(" {}{flags}", one.number),
                }
                run = 0;
            }
            lines.push(line);
            last = at;
        }
        shorten(&lines)
    }

    /// Reads a trace from text.
    pub(crate) fn read(text: &str) -> Option<Trace> {
        let mut reader = Reader {
            trace: Trace::default(),
            now: 0,
            next_new: 1,
        };
        let mut last = "";
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            match line.strip_prefix('*') {
                Some(times) => (0..times.parse().ok()?).try_for_each(|_| reader.take(last))?,
                None => {
                    reader.take(line)?;
                    last = line;
                }
            }
        }
        Some(reader.trace)
    }
}

fn flags(one: &Transmission) -> &'static str {
    match (one.cwr, one.capable) {
        (false, false) => "",
        (true, false) => "w",
        (false, true) => "e",
        (true, true) => "we",
    }
}

/// Joins lines, with a count in place of repetitions.
fn shorten(lines: &[String]) -> String {
    let mut text = String::new();
    for group in lines.chunk_by(|one, other| one == other) {
        let _ = writeln!(text, "{}", group[0]);
        if group.len() > 1 {
            let _ = writeln!(text, "*{}", group.len() - 1);
        }
    }
    text
}

struct Reader {
    trace: Trace,
    now: u64,
    next_new: u32,
}

impl Reader {
    fn take(&mut self, line: &str) -> Option<()> {
        let mut words = line.split(' ');
        self.now += words.next()?.parse::<u64>().ok()?;
        for word in words {
            if word.contains('/') {
                let mut parts = word.split('/');
                self.trace.states.push(State {
                    at: self.now,
                    cwnd: parts.next()?.parse().ok()?,
                    ssthresh: match parts.next()? {
                        "-" => None,
                        value => Some(value.parse().ok()?),
                    },
                    state: parts.next()?.parse().ok()?,
                });
            } else {
                self.take_transmissions(word)?;
            }
        }
        Some(())
    }

    fn take_transmissions(&mut self, word: &str) -> Option<()> {
        let digits = word.trim_end_matches(['w', 'e']);
        let flags = &word[digits.len()..];
        let (first, count) = match digits.strip_prefix('+') {
            Some("") => (self.next_new, 1),
            Some(count) => (self.next_new, count.parse().ok()?),
            None => (digits.parse().ok()?, 1),
        };
        for number in first..first + count {
            self.trace.sent.push(Transmission {
                at: self.now,
                number,
                cwr: flags.contains('w'),
                capable: flags.contains('e'),
            });
            self.next_new = self.next_new.max(number + 1);
        }
        Some(())
    }
}
