//! `earlydrop shell`: a command whose packets cross a bottleneck.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use earlydrop_live::session::{FAR, InvokingUser, NEAR, Privilege, Session, SessionObserver, Tcp};
use earlydrop_live::stats::Sample;

use super::bottleneck::{Arguments, Teller, from_here_on};
use crate::failure::Failure;

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
    common: Arguments,
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
    /// The command and its arguments; without one, your shell
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(crate) fn run(arguments: &Shell) -> Result<ExitCode, Failure> {
    let session = Session {
        bottleneck: arguments.common.bottleneck()?,
        tcp: Tcp {
            control: arguments.tcp.clone(),
            ecn: arguments.ecn,
            no_offloads: arguments.no_offloads,
        },
        command: command(&arguments.command),
        far: arguments.far.clone(),
        files: arguments.common.files(),
    };
    let mut teller = arguments.common.teller(&session.bottleneck);
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

impl SessionObserver for Teller {
    fn started(&mut self, right: Privilege, owner: &InvokingUser) {
        let how = match right {
            Privilege::UserNamespace => "without root, in a user namespace".to_string(),
            Privilege::Root => format!("as root{}", from_here_on(owner)),
        };
        self.say(&format!(
            "you are {}, the far end is {}; set up {how}",
            NEAR.v4, FAR.v4
        ));
        self.say_directions();
    }

    fn sampled(&mut self, samples: &[Sample; 2]) {
        self.show(samples);
    }

    fn far_ended(&mut self, code: i32) {
        self.say(&format!(
            "what ran at the far end has ended, with code {code}"
        ));
    }
}
