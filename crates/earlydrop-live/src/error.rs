//! Errors of the crate. This module depends on no other, so every module can return
//! [`LiveError`].

use std::io;
use std::path::PathBuf;

use earlydrop::registry::ConfigError;

/// Why a session, a bridge or a run could not start, or stopped early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// The queue of one direction cannot be built from its parameters.
    #[error("{direction}: {problem}")]
    Queue {
        /// Direction of the queue: "up" or "down".
        direction: &'static str,
        /// The parameter that is wrong, and why.
        problem: ConfigError,
    },
    /// The system lets this user create no network namespaces.
    #[error(
        "this system lets this user create no network namespace ({problem}); run it as root, or \
         allow user namespaces (kernel.unprivileged_userns_clone, user.max_user_namespaces, \
         kernel.apparmor_restrict_unprivileged_userns)"
    )]
    Namespaces {
        /// Error of unshare(2).
        problem: io::Error,
    },
    /// TUN devices cannot be created.
    #[error("{path}: {problem}; TUN devices are needed (the kernel's module `tun`)")]
    NoTun {
        /// Device file that was opened.
        path: &'static str,
        /// Error of open(2).
        problem: io::Error,
    },
    /// No interface has this name.
    #[error("there is no interface {name} here; {}", suggestion(nearest.as_deref(), known))]
    NoInterface {
        /// Name that was given.
        name: String,
        /// Most similar name of an existing interface.
        nearest: Option<String>,
        /// Names of all interfaces.
        known: Vec<String>,
    },
    /// A bridge cannot use this interface.
    #[error("{name} {problem}; {help}")]
    Interface {
        /// Name of the interface.
        name: String,
        /// Reason, as the rest of a sentence that begins with the name: "is down".
        problem: String,
        /// Command or change that resolves it.
        help: String,
    },
    /// The process may not open packet sockets.
    #[error(
        "cannot listen on interfaces ({problem}); the capability CAP_NET_RAW is missing: run it \
         as root (sudo), or give it to the program (setcap cap_net_raw=ep)"
    )]
    NoPacketSocket {
        /// Error of socket(2).
        problem: io::Error,
    },
    /// The kernel refused a setting of the namespaces.
    #[error("cannot set {what} to {value} ({problem}); {allowed}")]
    Setting {
        /// Name of the setting: a sysctl below `net.ipv4`.
        what: &'static str,
        /// Value that was refused.
        value: String,
        /// Error of the write.
        problem: io::Error,
        /// Values that are allowed, or the condition for setting it.
        allowed: String,
    },
    /// The process has several threads, so forking is unsafe.
    #[error("a session must be started while the process has one thread; it has {threads}")]
    Threads {
        /// Number of threads.
        threads: usize,
    },
    /// A run asks for something that real hosts cannot do.
    #[error(transparent)]
    Unsupported(Unsupported),
    /// A file cannot be written.
    #[error("{path}: {problem}", path = path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the write.
        problem: io::Error,
    },
    /// A system call failed that usually succeeds.
    #[error("{action}: {problem}")]
    System {
        /// Action that failed: "making a TUN device".
        action: &'static str,
        /// Error of the call.
        problem: io::Error,
    },
}

/// Names the most similar interface, or all of them.
fn suggestion(nearest: Option<&str>, known: &[String]) -> String {
    match nearest {
        Some(name) => format!("did you mean {name}?"),
        None => format!("known: {}", known.join(", ")),
    }
}

/// A feature that a run asks for and that real hosts cannot provide.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct Unsupported {
    /// Index of the flow that asks for it; `None` for the network or a measurement.
    pub flow: Option<usize>,
    /// The missing feature's name: "live has no Tahoe sender".
    pub message: String,
    /// What to set instead.
    pub help: String,
}

/// Adds the action that failed to an error of the system.
pub(crate) trait Context<T> {
    fn context(self, action: &'static str) -> Result<T, LiveError>;
}

impl<T, E: Into<io::Error>> Context<T> for Result<T, E> {
    fn context(self, action: &'static str) -> Result<T, LiveError> {
        self.map_err(|problem| LiveError::System {
            action,
            problem: problem.into(),
        })
    }
}
