//! A queue in C, or any language that exports C's functions: a shared library with a table of them.
//!
//! The library exports the variable `earlydrop_conformance`, a [`Table`]. The header
//! `include/earlydrop_conformance.h` is made from this file by cbindgen, and a test compares it; so
//! the documentation of the table is written for callers in C.

use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::rc::Rc;

use crate::judge::{self, Queue};
use crate::vector::{self, Ecn, Fate, Header};

/// The version of the table.
pub const CONFORMANCE_VERSION: u32 = 1;
/// The packet waits.
pub const CONFORMANCE_QUEUED: i32 = 0;
/// The packet waits, with a mark that this call has set.
pub const CONFORMANCE_MARKED: i32 = 1;
/// The packet is dropped.
pub const CONFORMANCE_DROPPED: i32 = 2;

/// A parameter of the scheme, in base units.
#[repr(C)]
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub name: *const c_char,
    /// The value as text: a number, a name, "true" or "false".
    pub text: *const c_char,
    /// The value as a number: 1 and 0 for true and false, NaN for a name.
    pub value: f64,
    /// "s", "bit/s", "bytes", "packets", or empty.
    pub unit: *const c_char,
}

/// What a vector is about. It lives as long as the queue that is made for it.
#[repr(C)]
#[derive(Debug)]
pub struct Vector {
    /// Its name: "codel/entry".
    pub name: *const c_char,
    /// The scheme: "codel".
    pub scheme: *const c_char,
    /// The scheme and its parameters in earlydrop's words: "codel:target=20 ms".
    pub spec: *const c_char,
    /// The rate of the link behind the queue, in bit/s.
    pub link_bps: u64,
    /// The mean size of a packet that the scheme assumes, in bytes.
    pub mean_packet: u64,
    /// The seed of earlydrop's random numbers.
    pub seed: u64,
    /// Every parameter that matters.
    pub parameters: *const Parameter,
    /// How many there are.
    pub parameter_count: usize,
}

/// A packet that arrives.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// Its number, from 0 on in the order of arrival.
    pub id: u32,
    /// Bytes.
    pub size: u32,
    /// Its flow. No two flows share a queue or a bin unless the vector says so.
    pub flow: u32,
    /// Its ECN field: 0 not capable, 1 ECT(1), 2 ECT(0), 3 CE.
    pub ecn: u8,
}

/// A packet that leaves.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// Its number.
    pub id: u32,
    /// Its ECN field as it leaves.
    pub ecn: u8,
}

/// What a queue may do in a call besides its answer.
#[repr(C)]
#[derive(Debug)]
pub struct Call {
    /// The judge's own.
    pub judge: *mut c_void,
    /// The next random number, of 32 bits: over 2^32 it is a number in [0, 1).
    pub draw: unsafe extern "C" fn(call: *mut Call) -> u32,
    /// Says that a packet, other than the one that arrives, is dropped.
    pub lost: unsafe extern "C" fn(call: *mut Call, id: u32),
}

/// The queues of a library, which exports it as the variable earlydrop_conformance.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// CONFORMANCE_VERSION.
    pub version: u32,
    /// The queue draws from a generator of its own, so how often it draws is not compared.
    pub draws_its_own: bool,
    /// An empty queue for a vector; NULL where there is none for the scheme or a parameter: then the
    /// vector is skipped.
    pub create: Option<unsafe extern "C" fn(vector: *const Vector) -> *mut c_void>,
    /// A packet arrives at now, in ns. Returns CONFORMANCE_QUEUED, _MARKED or _DROPPED.
    pub enqueue: Option<
        unsafe extern "C" fn(
            queue: *mut c_void,
            now: u64,
            packet: *const Packet,
            call: *mut Call,
        ) -> i32,
    >,
    /// The link is free: writes the next packet to send; false where nothing waits.
    pub dequeue: Option<
        unsafe extern "C" fn(
            queue: *mut c_void,
            now: u64,
            sent: *mut Sent,
            call: *mut Call,
        ) -> bool,
    >,
    /// A quantity of the scheme; false where the queue does not show it. May be NULL.
    pub state: Option<
        unsafe extern "C" fn(queue: *mut c_void, name: *const c_char, value: *mut f64) -> bool,
    >,
    /// Ends a queue.
    pub destroy: Option<unsafe extern "C" fn(queue: *mut c_void)>,
}

/// A shared library with a table.
#[derive(Debug)]
pub struct Library {
    table: Table,
    /// Holds the functions of the table in memory.
    _library: libloading::Library,
}

impl Library {
    /// Loads a library, whose constructors run.
    pub fn open(path: &Path) -> Result<Library, String> {
        let shown = path.display();
        // A name without a folder would be looked for in the system's folders.
        let path = path
            .canonicalize()
            .map_err(|why| format!("{shown} cannot be loaded: {why}"))?;
        // SAFETY: the user asks for this library, and so answers for its constructors.
        let library = unsafe { libloading::Library::new(path) };
        let library = library.map_err(|why| format!("{shown} cannot be loaded: {why}"))?;
        // SAFETY: a variable of this name has the type that the header gives it.
        let table = unsafe { library.get::<*const Table>(b"earlydrop_conformance\0") };
        let table =
            table.map_err(|_| format!("{shown} exports no variable earlydrop_conformance"))?;
        // SAFETY: the variable lives as long as the library. Its version, the first field of every
        // version of the table, is read before the rest.
        let version = unsafe { (**table).version };
        if version != CONFORMANCE_VERSION {
            let known = CONFORMANCE_VERSION;
            return Err(format!(
                "{shown} has a table of version {version}; allowed is {known}"
            ));
        }
        // SAFETY: as above, and the version is the one of this type.
        let table = unsafe { **table };
        if table.create.is_none() || table.enqueue.is_none() || table.dequeue.is_none() {
            return Err(format!(
                "{shown}: create, enqueue and dequeue must not be NULL"
            ));
        }
        Ok(Library {
            table,
            _library: library,
        })
    }

    /// A queue for a vector; none where the library has not got its scheme.
    pub fn queue(&self, header: &Header) -> Option<LoadedQueue<'_>> {
        let about = About::of(header);
        // SAFETY: `open` has seen the table's version, and `about` lives as long as the queue.
        let queue = unsafe { self.table.create?(Rc::as_ptr(&about.vector)) };
        let queue = NonNull::new(queue)?;
        Some(LoadedQueue {
            table: &self.table,
            queue,
            problem: None,
            _about: about,
        })
    }
}

/// A header in C's form, with what it points to.
#[derive(Debug)]
struct About {
    /// The library may keep the pointer to it.
    vector: Rc<Vector>,
    _parameters: Vec<Parameter>,
    _texts: Vec<CString>,
}

impl About {
    fn of(header: &Header) -> About {
        let mut texts = Vec::new();
        let mut text = |text: &str| {
            texts.push(CString::new(text).unwrap_or_default());
            // A text stays where it is when the list grows: only the pointer to it moves.
            texts.last().map_or(std::ptr::null(), |text| text.as_ptr())
        };
        let mut parameters = Vec::new();
        for (name, parameter) in &header.parameters {
            let (written, value, unit) = match parameter {
                vector::Parameter::Flag(flag) => (flag.to_string(), f64::from(u8::from(*flag)), ""),
                vector::Parameter::Number(number) => (number.to_string(), *number, ""),
                vector::Parameter::Name(name) => (name.clone(), f64::NAN, ""),
                vector::Parameter::Quantity { value, unit } => {
                    (value.to_string(), *value, unit.as_str())
                }
            };
            parameters.push(Parameter {
                name: text(name),
                text: text(&written),
                value,
                unit: text(unit),
            });
        }
        let vector = Rc::new(Vector {
            name: text(&header.vector),
            scheme: text(&header.scheme),
            spec: text(&header.spec),
            link_bps: header.link_bps,
            mean_packet: header.mean_packet_bytes,
            seed: header.seed,
            parameters: parameters.as_ptr(),
            parameter_count: parameters.len(),
        });
        About {
            vector,
            _parameters: parameters,
            _texts: texts,
        }
    }
}

/// A queue of a library.
#[derive(Debug)]
pub struct LoadedQueue<'a> {
    table: &'a Table,
    queue: NonNull<c_void>,
    problem: Option<String>,
    _about: About,
}

impl LoadedQueue<'_> {
    /// Makes a call of the library, which may draw and drop.
    fn call<T>(&self, judge: &mut judge::Call<'_>, call: impl FnOnce(*mut Call) -> T) -> T {
        let mut c = Call {
            judge: (&raw mut *judge).cast(),
            draw,
            lost,
        };
        let answer = call(&mut c);
        if self.table.draws_its_own {
            judge.drawn = judge.draws().len();
        }
        answer
    }
}

unsafe extern "C" fn draw(call: *mut Call) -> u32 {
    // SAFETY: a library passes on the call that it was given, whose judge is `LoadedQueue::call`'s and
    // lives until that returns.
    unsafe { &mut *(*call).judge.cast::<judge::Call<'_>>() }.next_u32()
}

unsafe extern "C" fn lost(call: *mut Call, id: u32) {
    // SAFETY: as in `draw`.
    unsafe { &mut *(*call).judge.cast::<judge::Call<'_>>() }
        .lost
        .push(id);
}

impl Queue for LoadedQueue<'_> {
    fn enqueue(&mut self, now: u64, packet: vector::Packet, call: &mut judge::Call<'_>) -> Fate {
        let vector::Packet {
            id,
            size,
            flow,
            ecn,
        } = packet;
        let ecn = bits(ecn);
        let packet = Packet {
            id,
            size,
            flow,
            ecn,
        };
        let (queue, enqueue) = (self.queue.as_ptr(), self.table.enqueue);
        let fate = self.call(call, |call| {
            // SAFETY: the queue is the library's own and in use here alone; the rest lives through the
            // call.
            enqueue.map_or(-1, |enqueue| unsafe { enqueue(queue, now, &packet, call) })
        });
        match fate {
            CONFORMANCE_QUEUED => Fate::Queued,
            CONFORMANCE_MARKED => Fate::Marked,
            CONFORMANCE_DROPPED => Fate::Dropped,
            other => {
                let problem =
                    format!("enqueue of packet {id} returned {other}; allowed are 0, 1, 2");
                self.problem.get_or_insert(problem);
                Fate::Queued
            }
        }
    }

    fn dequeue(&mut self, now: u64, call: &mut judge::Call<'_>) -> Option<vector::Sent> {
        let mut sent = Sent {
            id: u32::MAX,
            ecn: 0,
        };
        let (queue, dequeue) = (self.queue.as_ptr(), self.table.dequeue);
        let is_sent = self.call(call, |call| {
            // SAFETY: as in `enqueue`.
            dequeue.is_some_and(|dequeue| unsafe { dequeue(queue, now, &mut sent, call) })
        });
        is_sent.then(|| vector::Sent {
            id: sent.id,
            ecn: [Ecn::Not, Ecn::Ect1, Ecn::Ect0, Ecn::Ce][usize::from(sent.ecn & 3)],
        })
    }

    fn state(&self, name: &str) -> Option<f64> {
        let (name, mut value) = (CString::new(name).ok()?, f64::NAN);
        // SAFETY: as in `enqueue`.
        let is_shown = unsafe { self.table.state?(self.queue.as_ptr(), name.as_ptr(), &mut value) };
        is_shown.then_some(value)
    }

    /// The first answer that was none.
    fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }
}

impl Drop for LoadedQueue<'_> {
    fn drop(&mut self) {
        if let Some(destroy) = self.table.destroy {
            // SAFETY: the queue is the library's own, and this is the last use.
            unsafe { destroy(self.queue.as_ptr()) };
        }
    }
}

/// An ECN field as on the wire.
fn bits(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::Not => 0,
        Ecn::Ect1 => 1,
        Ecn::Ect0 => 2,
        Ecn::Ce => 3,
    }
}
