//! The statements of `tc`: commands, and what `tc qdisc show` prints.
//!
//! ```text
//! tc qdisc add dev eth0 root fq_codel limit 1000
//! qdisc red 8001: dev eth0 root refcnt 2 limit 400000b min 30000b max 90000b
//!  Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)
//! ```

use super::ParseError;
use super::ledger::{Cursor, Ledger, is_misspelt, unknown};
use super::token::Token;

/// One queueing discipline.
pub(super) struct QdiscLine<'l, 'a> {
    pub(super) kind: Token<'a>,
    /// Its device and parent: "eth0", "eth0 1:10".
    pub(super) name: String,
    pub(super) device: Option<&'a str>,
    /// The class in which it stands, such as 1:10.
    pub(super) parent: Option<&'a str>,
    pub(super) handle: Option<&'a str>,
    pub(super) is_root: bool,
    /// Whether this is output of `tc qdisc show`.
    pub(super) is_shown: bool,
    /// Its options, without device, parent, handle and counters.
    pub(super) options: Vec<Cursor<'l, 'a>>,
}

/// The kinds of queueing disciplines that tc knows.
pub(super) const KINDS: &[&str] = &[
    "red",
    "sfq",
    "gred",
    "choke",
    "sfb",
    "codel",
    "fq_codel",
    "pie",
    "fq_pie",
    "cake",
    "cake_mq",
    "dualpi2",
    "fq",
    "pfifo",
    "bfifo",
    "pfifo_fast",
    "pfifo_head_drop",
    "htb",
    "hfsc",
    "hhf",
    "tbf",
    "prio",
    "drr",
    "qfq",
    "ets",
    "cbs",
    "etf",
    "taprio",
    "mqprio",
    "mq",
    "multiq",
    "netem",
    "noqueue",
    "ingress",
    "clsact",
    "plug",
    "teql0",
    "skbprio",
    "cbq",
    "blackhole",
];

/// Words that any line may have, and whether a value follows.
const AROUND: [(&str, bool); 9] = [
    ("dev", true),
    ("parent", true),
    ("handle", true),
    ("refcnt", true),
    ("root", false),
    ("ingress", false),
    ("clsact", false),
    ("offloaded", false),
    ("\\", false),
];

/// First words of a line of counters.
const COUNTERS: &[&str] = &[
    "Sent",
    "backlog",
    "rate",
    "marked",
    "maxpacket",
    "new_flows_len",
    "prob",
    "pkts_in",
    "count",
    "lastcount",
    "ecn_mark",
    "early",
    "dropped",
    "drop_overlimit",
    "memory",
];

/// The queueing disciplines of a text. Other statements of tc and counters are irrelevant.
pub(super) fn qdiscs<'l, 'a>(ledger: &'l Ledger<'a>) -> Result<Vec<QdiscLine<'l, 'a>>, ParseError> {
    let mut all = Vec::new();
    let mut statement: Vec<Cursor<'l, 'a>> = Vec::new();
    let mut continues = false;
    for line in ledger.lines(";") {
        let head = line.peek().map_or("", |head| head.text);
        let starts = ["tc", "sudo", "qdisc"].contains(&head);
        if starts && !continues {
            all.extend(qdisc(std::mem::take(&mut statement))?);
        }
        continues = line.tokens().last().is_some_and(|last| last.is("\\"));
        match COUNTERS.contains(&head) && statement.iter().any(|line| line.is("qdisc")) {
            true => line.clone().leave_all(),
            false => statement.push(line),
        }
    }
    all.extend(qdisc(statement)?);
    Ok(all)
}

/// The discipline of one statement, if it is about one.
fn qdisc<'l, 'a>(mut lines: Vec<Cursor<'l, 'a>>) -> Result<Option<QdiscLine<'l, 'a>>, ParseError> {
    let Some(first) = lines.first_mut() else {
        return Ok(None);
    };
    let is_shown = first.is("qdisc");
    first.take_word("sudo");
    if first.take_word("tc").is_some() {
        while first.peek().is_some_and(|flag| flag.text.starts_with('-')) {
            first.take();
        }
        if !first.is("qdisc") {
            if let Some(word) = first
                .peek()
                .filter(|word| is_misspelt(word.text, &["qdisc"]))
            {
                return Err(unknown(&word, &["qdisc"]));
            }
            lines.into_iter().for_each(|mut line| line.leave_all());
            return Ok(None);
        }
    }
    if first.take_word("qdisc").is_some() && !is_shown {
        const ACTIONS: [&str; 8] = [
            "add", "change", "replace", "link", "del", "delete", "show", "list",
        ];
        let Some(action) = first.take_one_of(&ACTIONS) else {
            first.end(&ACTIONS)?;
            return Ok(None);
        };
        if ["del", "delete", "show", "list"].contains(&action.text) {
            lines.into_iter().for_each(|mut line| line.leave_all());
            return Ok(None);
        }
    }
    let mut around = Around::default();
    let mut kind = None;
    let mut options = Vec::new();
    for line in &mut lines {
        if kind.is_none() {
            around.take(line)?;
            let Some(word) = line.peek() else { continue };
            kind = line.take_one_of(KINDS);
            if kind.is_none() {
                let around = AROUND.iter().map(|(name, _)| *name).take(5);
                let known: Vec<&str> = around.chain(KINDS.iter().copied()).collect();
                return Err(unknown(&word, &known));
            }
            if is_shown && line.peek().is_some_and(|next| next.text.ends_with(':')) {
                around.handle = line.take().map(|handle| handle.text);
            }
        }
        // tc prints device and parent behind the kind.
        around.take(line)?;
        options.push(*line);
    }
    let Some(kind) = kind else {
        return Ok(None);
    };
    let parent = around.parent.filter(|_| !around.is_root);
    Ok(Some(QdiscLine {
        kind,
        name: [around.device, parent]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" "),
        device: around.device,
        parent,
        handle: around.handle,
        is_root: around.is_root,
        is_shown: is_shown || around.is_counted,
        options,
    }))
}

/// What stands around the options.
#[derive(Default)]
struct Around<'a> {
    device: Option<&'a str>,
    parent: Option<&'a str>,
    handle: Option<&'a str>,
    is_root: bool,
    /// Whether there is a reference count, which only `tc qdisc show` prints.
    is_counted: bool,
}

impl<'a> Around<'a> {
    fn take(&mut self, line: &mut Cursor<'_, 'a>) -> Result<(), ParseError> {
        while let Some(word) = line.peek() {
            let Some((name, has_value)) = AROUND.iter().find(|(name, _)| word.is(name)) else {
                return Ok(());
            };
            line.take();
            let value = match *has_value {
                true => Some(line.value(&word)?),
                false => None,
            };
            if let (true, Some(value)) = (*name == "refcnt", value) {
                value.count("refcnt", 0.0, f64::MAX)?;
            }
            let value = value.map(|value| value.text);
            match *name {
                "dev" => self.device = value,
                "parent" => self.parent = value,
                "handle" => self.handle = value,
                "root" => self.is_root = true,
                "refcnt" => self.is_counted = true,
                _ => {}
            }
        }
        Ok(())
    }
}

/// The options of a discipline, word by word.
pub(super) struct Options<'q, 'l, 'a> {
    lines: &'q mut [Cursor<'l, 'a>],
}

impl<'q, 'l, 'a> Options<'q, 'l, 'a> {
    pub(super) fn of(qdisc: &'q mut QdiscLine<'l, 'a>) -> Options<'q, 'l, 'a> {
        Options {
            lines: &mut qdisc.options,
        }
    }

    /// The next word. A line's last `\` is none.
    pub(super) fn take(&mut self) -> Option<Token<'a>> {
        let line = self.line()?;
        line.take()
    }

    /// The value of an option.
    pub(super) fn value(&mut self, of: &Token) -> Result<Token<'a>, ParseError> {
        let missing = || of.error(format!("{} needs a value", of.text), "give it a value");
        self.take().ok_or_else(missing)
    }

    fn line(&mut self) -> Option<&mut Cursor<'l, 'a>> {
        for line in self.lines.iter_mut() {
            while line.take_word("\\").is_some() {}
        }
        self.lines.iter_mut().find(|line| line.peek().is_some())
    }
}
