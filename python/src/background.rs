//! Runs work on a background thread: the interpreter is free, and Python's signals are checked.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::python_aqm::error_of_panic;

/// How often Python's signals are checked.
const LOOK: Duration = Duration::from_millis(50);

/// Runs `work` on a background thread, with the interpreter free, and passes its events to
/// `listener` every 50 ms. A signal, or an exception of the listener, stops the work and is returned
/// once finished results are saved; an error of the work becomes the exception that `raise` makes.
pub(crate) fn run_in_background<T: Send, Event: Send, Error: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool, Sender<Event>) -> Result<T, Error> + Send,
    listener: impl FnMut(Python<'_>, Vec<Event>) -> PyResult<()> + Send,
    raise: impl FnOnce(Error) -> PyErr + Send,
) -> PyResult<T> {
    run_in_background_with_questions(py, work, |_| false, listener, raise)
}

/// [`run_in_background`], with questions among the events: for them, `listener` is called at once.
pub(crate) fn run_in_background_with_questions<T: Send, Event: Send, Error: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool, Sender<Event>) -> Result<T, Error> + Send,
    is_question: impl Fn(&Event) -> bool + Send,
    mut listener: impl FnMut(Python<'_>, Vec<Event>) -> PyResult<()> + Send,
    raise: impl FnOnce(Error) -> PyErr + Send,
) -> PyResult<T> {
    let (sender, receiver) = channel();
    py.detach(move || {
        let stop = &AtomicBool::new(false);
        thread::scope(|scope| {
            let worker = scope.spawn(move || work(stop, sender));
            let mut heard = Ok(());
            loop {
                let (events, has_ended) = next_events(&receiver, &is_question);
                if heard.is_ok() {
                    heard = Python::attach(|py| {
                        py.check_signals()?;
                        listener(py, events)
                    });
                }
                stop.store(heard.is_err(), Ordering::Relaxed);
                if has_ended {
                    break;
                }
            }
            let result = worker.join().map_err(error_of_panic);
            heard?;
            result?.map_err(raise)
        })
    })
}

/// The events until the next question or the next look at signals, and whether there will be no
/// more.
fn next_events<Event>(
    receiver: &Receiver<Event>,
    is_question: &impl Fn(&Event) -> bool,
) -> (Vec<Event>, bool) {
    let until = Instant::now() + LOOK;
    let mut events = Vec::new();
    loop {
        match receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(event) => {
                let ends = is_question(&event);
                events.push(event);
                if ends {
                    return (events, false);
                }
            }
            Err(RecvTimeoutError::Timeout) => return (events, false),
            Err(RecvTimeoutError::Disconnected) => return (events, true),
        }
    }
}
