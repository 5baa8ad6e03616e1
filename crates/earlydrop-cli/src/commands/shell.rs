//! `earlydrop shell`: runs a command whose packets cross a bottleneck.

use std::env;
use std::ffi::OsString;

use earlydrop_live::session::{FAR, InvokingUser, NEAR, Privilege, Session, SessionObserver, Tcp};
use earlydrop_live::stats::Sample;

use super::bottleneck::{Arguments, Reporter, user_change};
use crate::failure::Failure;

/// Run a command, or a shell, whose packets cross a bottleneck: real packets, real TCP
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop shell --rate 20Mbps --delay 25ms --queue nlred:min=10,max=30
  earlydrop shell --rate 10Mbps --delay 10ms --queue codel --far 'iperf3 -s' -- iperf3 -c 10.77.0.2
  earlydrop shell --rate 20Mbps --up 'rate=2Mbps queue=fq-codel' -- ping 10.77.0.2
  earlydrop shell --trace lte.trace --delay 20ms --queue pie --ecn --stats lte.jsonl

The command runs at the near end, 10.77.0.1 (fd77::1). Across the bottleneck is only the far end,
10.77.0.2 (fd77::2), where --far starts servers. Both ends are network namespaces that are removed
with the command; the machine's own network is neither changed nor reachable. Root is needed only
where users may not create namespaces.

The exit code is the command's.")]
pub(crate) struct Shell {
    #[command(flatten)]
    common: Arguments,
    /// A line for sh that runs at the far end until the command ends: 'iperf3 -s'
    #[arg(long, value_name = "LINE")]
    far: Option<OsString>,
    /// TCP's congestion control at both ends, by the kernel's name: reno, cubic, bbr
    #[arg(long, value_name = "CONTROL")]
    tcp: Option<String>,
    /// Use ECN at both ends
    #[arg(long)]
    ecn: bool,
    /// Turn off segmentation and checksum offloads, as with --pcap; slower, and at high rates
    /// there are more acknowledgments
    #[arg(long)]
    no_offloads: bool,
    /// The command and its arguments [default: your shell]
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(crate) fn run(arguments: &Shell) -> Result<u8, Failure> {
    let session = Session {
        bottleneck: arguments.common.bottleneck()?,
        tcp: Tcp {
            control: arguments.tcp.clone(),
            ecn: arguments.ecn,
            no_offloads: arguments.no_offloads,
        },
        command: command(&arguments.command),
        far: arguments.far.clone(),
        files: arguments.common.files()?,
    };
    let mut reporter = arguments.common.reporter(&session.bottleneck);
    let ended = session.run(&mut reporter)?;
    reporter.print_summary(&ended.summary);
    Ok(u8::try_from(ended.code).unwrap_or(u8::MAX))
}

/// The command, or the user's shell.
fn command(given: &[OsString]) -> Vec<OsString> {
    match given {
        [] => vec![env::var_os("SHELL").unwrap_or_else(|| "/bin/sh".into())],
        given => given.to_vec(),
    }
}

impl SessionObserver for Reporter {
    fn started(&mut self, right: Privilege, owner: &InvokingUser) {
        let how = match right {
            Privilege::UserNamespace => "without root, in a user namespace".to_string(),
            Privilege::Root => format!("as root{}", user_change(owner)),
        };
        self.notices.info(&format!(
            "near end {}, far end {}; set up {how}",
            NEAR.v4, FAR.v4
        ));
        self.print_directions();
    }

    fn sampled(&mut self, samples: &[Sample; 2]) {
        self.print_sample(samples);
    }

    fn far_ended(&mut self, code: i32) {
        self.notices.info(&format!(
            "the command at the far end has ended with code {code}"
        ));
    }
}
