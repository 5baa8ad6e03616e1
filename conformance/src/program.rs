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
    output: BufReader<ChildStdout>,
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
    /// Starts a command: the program and its arguments.
    pub fn start(command: &[String]) -> io::Result<Program> {
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
        Ok(Program {
            child,
            input,
            output: BufReader::new(output),
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
        let mut answer = String::new();
        match (&mut self.output).take(LONGEST).read_line(&mut answer) {
            Ok(length) if length as u64 == LONGEST => Err(format!(
                "an answer is longer than {LONGEST} bytes, to {line}"
            )),
            Ok(0) => Err(format!("the program ended before it answered {line}")),
            Ok(_) => serde_json::from_str(&answer)
                .map_err(|why| format!("{} is no answer to {line}: {why}", answer.trim_end())),
            Err(why) => Err(format!("the program's answer cannot be read: {why}")),
        }
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
