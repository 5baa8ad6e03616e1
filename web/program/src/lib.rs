//! The simulator for a browser: scenarios in, what happens at a queue out.
//!
//! A C interface without imports, so that a page needs no generated code. Arguments and answers
//! are JSON; what comes by the thousand are rows of 64-bit floating-point numbers.
//!
//! ```text
//! take(length) -> where to write an argument; then
//! open()                          a cell of a scenario -> its handle, or 0; the text describes it
//! advance(handle, until, events)  simulates, and gathers rows -> the time reached, in ns
//! rows_ptr, rows_len(handle, table), clear(handle)      0 packets, 1 samples, 2 cwnd
//! curve(handle), outcome(handle), explain(), schemes(), version() -> the text
//! number_text(value, digits), estimate_text(mean, half), percent_text(share), time_text(seconds)
//!                                 numbers for people -> the text
//! text_ptr(), text_len()          the text of the last call
//! release(handle)
//! ```
//!
//! One thread uses it, as WebAssembly without shared memory has no other.

mod answers;
mod session;

use std::cell::RefCell;

use earlydrop_lab::number;
use session::{Opening, Session};

/// What lies between two calls.
#[derive(Default)]
struct Program {
    argument: Vec<u8>,
    text: String,
    sessions: Vec<Option<Session>>,
}

impl Program {
    /// The session of a handle.
    fn session(&mut self, handle: u32) -> Option<&mut Session> {
        let index = (handle as usize).checked_sub(1)?;
        self.sessions.get_mut(index)?.as_mut()
    }

    /// Takes the session of a handle away.
    fn end(&mut self, handle: u32) -> Option<Session> {
        let index = (handle as usize).checked_sub(1)?;
        self.sessions.get_mut(index)?.take()
    }

    /// Keeps a session and returns its handle.
    fn keep(&mut self, session: Session) -> u32 {
        let free = self.sessions.iter().position(Option::is_none);
        let index = free.unwrap_or(self.sessions.len());
        if index == self.sessions.len() {
            self.sessions.push(None);
        }
        self.sessions[index] = Some(session);
        index as u32 + 1
    }
}

thread_local! {
    static PROGRAM: RefCell<Program> = RefCell::default();
}

fn with<T>(work: impl FnOnce(&mut Program) -> T) -> T {
    PROGRAM.with_borrow_mut(work)
}

/// Makes room for an argument of `length` bytes and returns where it is to be written.
// SAFETY: no other symbol of the module has this name; so for all below.
#[unsafe(no_mangle)]
pub extern "C" fn take(length: usize) -> *mut u8 {
    with(|program| {
        program.argument.clear();
        program.argument.resize(length, 0);
        program.argument.as_mut_ptr()
    })
}

/// Opens the cell that the argument describes (a scenario, a scheme, a seed) and returns its
/// handle; 0 where it cannot be, and the text lists the problems.
#[unsafe(no_mangle)]
pub extern "C" fn open() -> u32 {
    with(|program| {
        let opened = Opening::read(&program.argument).and_then(|opening| opening.open());
        match opened {
            Ok((session, description)) => {
                program.text = description;
                program.keep(session)
            }
            Err(problems) => {
                program.text = problems;
                0
            }
        }
    })
}

/// Simulates up to `until` nanoseconds, but at most so many events, and gathers rows. Returns the
/// time up to which all rows are there.
#[unsafe(no_mangle)]
pub extern "C" fn advance(handle: u32, until: f64, events: u32) -> f64 {
    with(|program| match program.session(handle) {
        Some(session) => session.advance(until, u64::from(events)),
        None => 0.0,
    })
}

/// Where the rows of a table begin: 0 packets, 1 samples, 2 cwnd.
#[unsafe(no_mangle)]
pub extern "C" fn rows_ptr(handle: u32, table: usize) -> *const f64 {
    with(|program| match program.session(handle) {
        Some(session) => session.rows(table).as_ptr(),
        None => std::ptr::null(),
    })
}

/// How many values there are, all rows together.
#[unsafe(no_mangle)]
pub extern "C" fn rows_len(handle: u32, table: usize) -> usize {
    with(|program| {
        let session = program.session(handle);
        session.map_or(0, |session| session.rows(table).len())
    })
}

/// Forgets the rows.
#[unsafe(no_mangle)]
pub extern "C" fn clear(handle: u32) {
    with(|program| {
        if let Some(session) = program.session(handle) {
            session.clear();
        }
    });
}

/// The drop curve as it is now: average and probability.
#[unsafe(no_mangle)]
pub extern "C" fn curve(handle: u32) {
    answer(|program| program.session(handle).map(|session| session.curve()));
}

/// The metrics of the whole cell; what is left of it is run before. The session ends.
#[unsafe(no_mangle)]
pub extern "C" fn outcome(handle: u32) {
    answer(|program| program.end(handle).map(Session::outcome));
}

/// Why a record of the packets' table came about. The argument is that of [`open`] with a field
/// `record`: the number of the rows before it, from the cell's beginning on. The cell is run again up
/// to there.
///
/// The text is `{rule, source, steps: [{says, symbol, equation, numbers, value, unit}], chance,
/// random, decision, text}`, or lists the problems.
#[unsafe(no_mangle)]
pub extern "C" fn explain() {
    with(|program| program.text = explained(&program.argument));
}

/// The text of [`explain`] for a JSON argument.
fn explained(argument: &[u8]) -> String {
    let read = Opening::read_with_record(argument);
    read.and_then(|(opening, record)| opening.explain(record))
        .unwrap_or_else(|problems| problems)
}

/// All schemes with their parameters, presets and probes.
#[unsafe(no_mangle)]
pub extern "C" fn schemes() {
    answer(|_| Some(answers::schemes()));
}

/// The version of the program.
#[unsafe(no_mangle)]
pub extern "C" fn version() {
    answer(|_| Some(earlydrop_lab::version().to_string()));
}

/// A number for people, with so many significant digits.
#[unsafe(no_mangle)]
pub extern "C" fn number_text(value: f64, digits: usize) {
    answer(|_| Some(number::to_digits(value, digits)));
}

/// A mean with half its interval, not a number without one, for people.
#[unsafe(no_mangle)]
pub extern "C" fn estimate_text(mean: f64, half: f64) {
    answer(|_| Some(number::estimate(mean, Some(half))));
}

/// A share in percent, for people.
#[unsafe(no_mangle)]
pub extern "C" fn percent_text(share: f64) {
    answer(|_| Some(number::percent(share)));
}

/// A time in seconds with its unit, for people.
#[unsafe(no_mangle)]
pub extern "C" fn time_text(seconds: f64) {
    answer(|_| Some(number::time(seconds)));
}

/// Ends a session.
#[unsafe(no_mangle)]
pub extern "C" fn release(handle: u32) {
    with(|program| drop(program.end(handle)));
}

/// Where the text of the last call begins.
#[unsafe(no_mangle)]
pub extern "C" fn text_ptr() -> *const u8 {
    with(|program| program.text.as_ptr())
}

/// The length of the text of the last call, in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn text_len() -> usize {
    with(|program| program.text.len())
}

/// The metrics of the cell that a JSON argument of [`open`] describes; otherwise the problems. For
/// programs in Rust, and for tests.
pub fn outcome_of(argument: &str) -> Result<serde_json::Value, String> {
    let (session, _) = Opening::read(argument.as_bytes())?.open()?;
    let outcome: serde_json::Value =
        serde_json::from_str(&session.outcome()).map_err(|error| error.to_string())?;
    Ok(outcome["metrics"].clone())
}

/// Makes a text the answer of a call; none without a session.
fn answer(text: impl FnOnce(&mut Program) -> Option<String>) {
    with(|program| program.text = text(program).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn opening() -> Value {
        let scenario = "duration = '4 s'\nschemes = ['red:min=5,max=15', 'codel:limit=30']\n\
            flows.bulk.count = 6";
        json!({ "scenario": scenario, "scheme": 0, "seed": 2 })
    }

    fn explain(record: Value) -> Value {
        let mut argument = opening();
        argument["record"] = record;
        serde_json::from_str(&explained(argument.to_string().as_bytes())).unwrap()
    }

    #[test]
    fn a_dropped_row_is_explained() {
        let opened = Opening::read(opening().to_string().as_bytes()).and_then(|it| it.open());
        let (mut session, description) = opened.unwrap();
        let description: Value = serde_json::from_str(&description).unwrap();
        let columns = 8 + description["probes"].as_array().unwrap().len();
        session.advance(4e9, u64::MAX);
        let rows: Vec<&[f64]> = session.rows(0).chunks_exact(columns).collect();
        let drops = (0..rows.len()).filter(|row| rows[*row][1] >= 2.0);
        let mut explained = 0;
        for row in drops.step_by(7) {
            let why = explain(json!(row));
            let decision = why["decision"].as_str().unwrap();
            assert!(decision.ends_with(": dropped"), "{why}");
            for step in why["steps"].as_array().unwrap() {
                let fields = ["says", "symbol", "equation", "numbers", "unit"];
                assert!(fields.iter().all(|name| step[name].is_string()), "{step}");
                assert!(step["value"].is_number(), "{step}");
            }
            assert!(why["rule"].is_string() && why["source"].is_string());
            explained += 1;
        }
        assert!(explained > 3);
    }

    #[test]
    fn every_queue_of_a_network_is_named_and_can_be_watched() {
        let scenario = "duration = '4 s'\nschemes = ['red:min=5,max=15']\nflows.along.count = 6\n\
            flows.across = { count = 2, to = 'router 1' }\n\
            network = { shape = 'parking-lot', bottlenecks = 2 }";
        let describe = |link: Value| {
            let argument = json!({ "scenario": scenario, "link": link });
            let opening = Opening::read(argument.to_string().as_bytes()).unwrap();
            let described = opening.open().map(|(_, description)| description);
            let text = described.unwrap_or_else(|problems| problems);
            serde_json::from_str::<Value>(&text).unwrap()
        };
        let first = describe(Value::Null);
        assert_eq!(first["link"]["name"], "router 0 to router 1");
        let expected = json!([
            ["router 0", "router 1", "red", true, { "across": 2, "along": 6 }],
            ["router 1", "router 0", "droptail", false, {}],
            ["router 1", "router 2", "red", true, { "along": 6 }],
            ["router 2", "router 1", "droptail", false, {}],
        ]);
        assert_eq!(first["queues"], expected);
        let second = describe(json!("router 1 to router 2"));
        assert_eq!(second["link"]["name"], "router 1 to router 2");
        let none = describe(json!("router 1 to router 7"));
        let text = none["problems"][0]["text"].as_str().unwrap();
        assert!(
            text.contains("no link with a queue is called \"router 1 to router 7\""),
            "{text}"
        );
    }

    #[test]
    fn sub_queues_have_the_curve_of_their_scheme_at_the_time() {
        let scenario = "duration = '4 s'\nflows.bulk.count = 6\n[schemes.fq]\nscheme = 'fq-red'\n\
            'inner.min' = 4\n'inner.max' = 12\n\
            changes = [{ at = '2 s', 'inner.min' = 8, 'inner.max' = 24 }]\n\
            [schemes.codel]\nscheme = 'fq-codel'\n[schemes.red]\nscheme = 'red'\nmin = 4\nmax = 12";
        let curves = |scheme: usize| {
            let argument = json!({ "scenario": scenario, "scheme": scheme }).to_string();
            let opened = Opening::read(argument.as_bytes()).and_then(|it| it.open());
            let (mut session, _) = opened.unwrap();
            [1e9, 3e9].map(|until| {
                while session.advance(until, u64::MAX) < until {}
                serde_json::from_str::<Value>(&session.curve()).unwrap()["points"].clone()
            })
        };
        let foot = |points: &Value| {
            let points = points.as_array().unwrap();
            let rise = points.iter().find(|point| point[1].as_f64() > Some(0.0));
            rise.unwrap()[0].as_f64().unwrap()
        };
        let [before, after] = curves(0);
        assert!((foot(&before) - 4.0).abs() < 0.3, "{before}");
        assert!((foot(&after) - 8.0).abs() < 0.5, "{after}");
        assert_eq!(curves(1), [Value::Null, Value::Null]);
        assert!((foot(&curves(2)[1]) - 4.0).abs() < 0.3);
    }

    #[test]
    fn what_cannot_be_explained_is_a_problem() {
        for record in [json!(1e15), json!("7"), json!(-1), Value::Null] {
            let problems = explain(record);
            assert!(problems["problems"][0]["text"].is_string(), "{problems}");
        }
        let text = explained(b"{");
        assert!(text.contains("problems"), "{text}");
    }
}
