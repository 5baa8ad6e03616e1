//! `earlydrop shell`: a command whose packets cross a bottleneck.

mod direction;
mod told;

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use earlydrop_live::LiveError;
use earlydrop_live::plan::Bottleneck;
use earlydrop_live::session::{Session, Tcp};

use crate::failure::Failure;
use direction::Words;
use told::Teller;

/// Run a command, or a shell, whose packets cross a bottleneck: real packets, real TCP
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop shell --rate 20Mbps --delay 25ms --queue nlred:min=10,max=30
  earlydrop shell --rate 10Mbps --delay 10ms --queue codel --far 'iperf3 -s' -- iperf3 -c 10.77.0.2
  earlydrop shell --rate 20Mbps --up 'rate=2Mbps queue=fq-codel' -- ping 10.77.0.2
  earlydrop shell --trace lte.trace --delay 20ms --queue pie --ecn --stats lte.jsonl

The command is at the near end, 10.77.0.1 (fd77::1). Across the bottleneck is the far end,
10.77.0.2 (fd77::2), and nothing else: --far starts servers there. Both ends are network
namespaces that vanish with the command; the machine's own network is not touched, and cannot
be reached. Root is not needed where users may make namespaces.

The exit code is the command's.")]
pub(crate) struct Shell {
    #[command(flatten)]
    both: Both,
    /// What is different from the near end to the far one: "rate=2Mbps queue=codel"
    #[arg(long, value_name = "WORDS", help_heading = "Bottleneck")]
    up: Option<String>,
    /// What is different from the far end to the near one: "delay=5ms loss=1%"
    #[arg(long, value_name = "WORDS", help_heading = "Bottleneck")]
    down: Option<String>,
    /// Seeds what is random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// A line for sh, run at the far end until the command ends: 'iperf3 -s'
    #[arg(long, value_name = "LINE")]
    far: Option<OsString>,
    /// TCP's congestion control at both ends, as the kernel calls it: reno, cubic, bbr
    #[arg(long, value_name = "CONTROL")]
    tcp: Option<String>,
    /// Let TCP use ECN at both ends
    #[arg(long)]
    ecn: bool,
    /// Let the kernel itself cut what TCP sends into packets and work out checksums, as with
    /// --pcap; slower, and at high rates acknowledgments are more
    #[arg(long)]
    no_offloads: bool,
    /// Write queue, average, probability, drops and marks here, ten times a second, as JSON lines
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// Record packets in this pcapng file, as they leave the bottleneck
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,
    /// Show both queues once a second, on standard error
    #[arg(long)]
    watch: bool,
    /// Say nothing but what goes wrong
    #[arg(long, short, conflicts_with = "watch")]
    quiet: bool,
    /// The command and its arguments; without one, your shell
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// What both directions have, unless one says otherwise.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Bottleneck")]
struct Both {
    /// How fast it sends: 20Mbps
    #[arg(long, value_name = "RATE")]
    rate: Option<String>,
    /// How long a packet travels, one way: 25ms; nothing unless given
    #[arg(long, value_name = "TIME")]
    delay: Option<String>,
    /// What waits, and what is dropped or marked: nlred:min=10,max=30; droptail unless given
    #[arg(long, value_name = "SCHEME")]
    queue: Option<String>,
    /// The share of packets lost at random once sent: 0.1%
    #[arg(long, value_name = "SHARE")]
    loss: Option<String>,
    /// A recorded link in Mahimahi's format, in place of a rate
    #[arg(long, value_name = "FILE")]
    trace: Option<String>,
}

impl Both {
    fn words(&self) -> Words {
        let given = [
            ("rate", &self.rate),
            ("delay", &self.delay),
            ("queue", &self.queue),
            ("loss", &self.loss),
            ("trace", &self.trace),
        ];
        Words::of_arguments(given)
    }
}

pub(crate) fn run(arguments: &Shell) -> Result<ExitCode, Failure> {
    let both = arguments.both.words();
    let session = Session {
        bottleneck: Bottleneck {
            up: both.and("--up", arguments.up.as_deref())?.read()?,
            down: both.and("--down", arguments.down.as_deref())?.read()?,
            seed: arguments.seed,
        },
        tcp: Tcp {
            control: arguments.tcp.clone(),
            ecn: arguments.ecn,
            no_offloads: arguments.no_offloads,
        },
        command: command(&arguments.command),
        far: arguments.far.clone(),
        stats: arguments.stats.clone(),
        pcap: arguments.pcap.clone(),
    };
    let mut teller = Teller::new(&session, arguments.quiet, arguments.watch);
    let ended = session.run(&mut teller)?;
    teller.ended(&ended.summary);
    Ok(ExitCode::from(u8::try_from(ended.code).unwrap_or(u8::MAX)))
}

/// The command, or the user's shell.
fn command(given: &[OsString]) -> Vec<OsString> {
    match given {
        [] => vec![env::var_os("SHELL").unwrap_or_else(|| "/bin/sh".into())],
        given => given.to_vec(),
    }
}

impl From<LiveError> for Failure {
    fn from(error: LiveError) -> Failure {
        match error {
            LiveError::Queue { .. } | LiveError::Setting { .. } | LiveError::File { .. } => {
                Failure::Usage(error.to_string())
            }
            _ => Failure::Doing(error.to_string()),
        }
    }
}
