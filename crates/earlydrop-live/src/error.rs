//! What can go wrong.

use std::io;
use std::path::PathBuf;

use earlydrop::registry::ConfigError;

/// Why there is no session, or why it broke off.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// A queue cannot be built.
    #[error("{direction}: {problem}")]
    Queue {
        /// "up" or "down".
        direction: &'static str,
        /// What is wrong with it.
        problem: ConfigError,
    },
    /// The system makes no namespaces for this user.
    #[error(
        "this system makes no network namespace for this user ({problem}); run it as root, or \
         allow user namespaces (kernel.unprivileged_userns_clone, user.max_user_namespaces, \
         kernel.apparmor_restrict_unprivileged_userns)"
    )]
    Namespaces {
        /// What the system said.
        problem: io::Error,
    },
    /// There are no TUN devices.
    #[error("{path}: {problem}; TUN devices are needed (the kernel's module `tun`)")]
    NoTun {
        /// The file that makes them.
        path: &'static str,
        /// What the system said.
        problem: io::Error,
    },
    /// There is no interface of this name.
    #[error("there is no interface {name} here; {}", instead(nearest.as_deref(), known))]
    NoInterface {
        /// What was asked for.
        name: String,
        /// The name that is most like it.
        nearest: Option<String>,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A bridge cannot stand on this interface.
    #[error("{name} {problem}; {help}")]
    Interface {
        /// The interface.
        name: String,
        /// What is the matter with it.
        problem: String,
        /// What would do.
        help: String,
    },
    /// The process may not see the frames of an interface.
    #[error(
        "cannot listen on interfaces ({problem}); the capability CAP_NET_RAW is missing: run it \
         as root (sudo), or give it to the program (setcap cap_net_raw=ep)"
    )]
    NoPacketSocket {
        /// What the system said.
        problem: io::Error,
    },
    /// The kernel refused a setting of the namespaces.
    #[error("cannot set {what} to {value} ({problem}); {allowed}")]
    Setting {
        /// The setting.
        what: &'static str,
        /// The value.
        value: String,
        /// What the system said.
        problem: io::Error,
        /// What it would take.
        allowed: String,
    },
    /// More than one thread runs: a new process could not be started safely.
    #[error("a session must be started while the process has one thread; it has {threads}")]
    Threads {
        /// How many there are.
        threads: usize,
    },
    /// A run asks for something that real hosts cannot do.
    #[error(transparent)]
    Unsupported(Unsupported),
    /// A file cannot be written.
    #[error("{path}: {problem}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        problem: io::Error,
    },
    /// The system refused something that it usually does.
    #[error("{action}: {problem}")]
    System {
        /// What was being done.
        action: &'static str,
        /// What the system said.
        problem: io::Error,
    },
}

/// "did you mean eth0?", or every name that there is.
fn instead(nearest: Option<&str>, known: &[String]) -> String {
    match nearest {
        Some(name) => format!("did you mean {name}?"),
        None => format!("known: {}", known.join(", ")),
    }
}

/// Something that a run asks for and real hosts cannot do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unsupported {
    /// The flow that asks for it, by its number; `None`: the network or a measurement does.
    pub flow: Option<usize>,
    /// What it is, by its name: "live has no Tahoe sender".
    pub message: String,
    /// What to do instead.
    pub help: String,
}

/// Says what was being done when the system refused it.
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
