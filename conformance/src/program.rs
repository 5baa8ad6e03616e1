//! A queue in another language: a program that answers lines.
//!
//! The program reads lines of JSON from its standard input and answers each with a line:
//! - a vector's header: `{"ready":true}`, or `{"ready":false}` where it has not got the scheme or a
//!   parameter; then the vector is skipped;
//! - a step as in the files, without the reference's answers: `{"t":5,"enqueue":{…},"draws":[…]}`
//!   is answered by `{"fate":"queued"}`, `{"t":9}` by `{"sent":{"id":0}}` or `{}`; with `"lost"`,
//!   `"drawn"` (how many of the random numbers were used; may be left out) and `"state"` where there
//!   is something to say.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::judge::{Call, Queue};
use crate::vector::{Fate, Header, Packet, Sent};

/// The longest answer, in bytes: far more than any queue has to say.
const LONGEST: u64 = 1_000_000;

/// A program that answers lines.
#[derive(Debug)]
pub struct Program {
    child: Child,
    input: ChildStdin,
    /// Its lines, read by a thread that ends with the program.
    lines: Receiver<io::Result<String>>,
    /// How long an answer is waited for.
    patience: Duration,
    state: BTreeMap<String, f64>,
    /// The first thing that went wrong in talking to it.
    problem: Option<String>,
}

#[derive(Serialize)]
struct Question<'a> {
    t: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    enqueue: Option<Packet>,
    #[serde(skip_serializing_if = "<[u32]>::is_empty")]
    draws: &'a [u32],
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    fate: Option<Fate>,
    sent: Option<Sent>,
    #[serde(default)]
    lost: Vec<u32>,
    drawn: Option<usize>,
    #[serde(default)]
    state: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ready {
    ready: bool,
}

impl Program {
    /// Starts a command: the program and its arguments. Each of its answers is waited for so long.
    pub fn start(command: &[String], patience: Duration) -> io::Result<Program> {
        let (name, arguments) = command
            .split_first()
            .ok_or_else(|| io::Error::other("no command was given"))?;
        let mut child = Command::new(name)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(io::Error::other("the program has no standard streams"));
        };
        // The program answers one question at a time.
        let (sender, lines) = sync_channel(1);
        thread::spawn(move || read_lines(output, &sender));
        Ok(Program {
            child,
            input,
            lines,
            patience,
            state: BTreeMap::new(),
            problem: None,
        })
    }

    /// Begins a vector. Returns whether the program has its scheme.
    pub fn begin(&mut self, header: &Header) -> Result<bool, String> {
        self.state.clear();
        let line = serde_json::to_string(header).map_err(|why| why.to_string())?;
        let answer: Ready = self.ask(&line)?;
        Ok(answer.ready)
    }

    fn ask<A: for<'a> Deserialize<'a>>(&mut self, line: &str) -> Result<A, String> {
        let spoken = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        spoken.map_err(|why| format!("the program reads no more: {why}"))?;
        let answer = match self.lines.recv_timeout(self.patience) {
            Ok(Ok(answer)) if answer.len() as u64 == LONGEST => {
                return Err(format!(
                    "an answer is longer than {LONGEST} bytes, to {line}"
                ));
            }
            Ok(Ok(answer)) => answer,
            Ok(Err(why)) => return Err(format!("the program's answer cannot be read: {why}")),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(format!("the program ended before it answered {line}"));
            }
            Err(RecvTimeoutError::Timeout) => {
                let seconds = self.patience.as_secs();
                return Err(format!(
                    "the program has said nothing for {seconds} s, to {line}"
                ));
            }
        };
        serde_json::from_str(&answer)
            .map_err(|why| format!("{} is no answer to {line}: {why}", answer.trim_end()))
    }

    fn answer(&mut self, now: u64, enqueue: Option<Packet>, call: &mut Call<'_>) -> Answer {
        let question = Question {
            t: now,
            enqueue,
            draws: call.draws(),
        };
        let line = serde_json::to_string(&question).unwrap_or_default();
        let mut answer: Answer = match &self.problem {
            Some(_) => Answer::default(),
            None => self.ask(&line).unwrap_or_else(|problem| {
                self.problem = Some(problem);
                Answer::default()
            }),
        };
        call.lost = std::mem::take(&mut answer.lost);
        call.drawn = answer.drawn.unwrap_or(call.draws().len());
        self.state.append(&mut answer.state);
        answer
    }
}

/// Sends each line until the output ends, nobody listens, or a line is too long.
fn read_lines(output: ChildStdout, sender: &SyncSender<io::Result<String>>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = String::new();
        let read = (&mut output).take(LONGEST).read_line(&mut line);
        let ends = !matches!(read, Ok(length) if length > 0 && (length as u64) < LONGEST);
        if matches!(read, Ok(0)) || sender.send(read.map(|_| line)).is_err() || ends {
            return;
        }
    }
}

impl Queue for Program {
    fn enqueue(&mut self, now: u64, packet: Packet, call: &mut Call<'_>) -> Fate {
        let answer = self.answer(now, Some(packet), call);
        answer.fate.unwrap_or_else(|| {
            let problem = format!("no fate of packet {} was answered", packet.id);
            self.problem.get_or_insert(problem);
            Fate::Queued
        })
    }

    fn dequeue(&mut self, now: u64, call: &mut Call<'_>) -> Option<Sent> {
        self.answer(now, None, call).sent
    }

    fn state(&self, name: &str) -> Option<f64> {
        self.state.get(name).copied()
    }

    /// What went wrong in talking to the program.
    fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
