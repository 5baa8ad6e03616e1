//! `earlydrop bridge`: a bottleneck between two network interfaces.

use earlydrop_live::bridge::{BridgeObserver, Change, Warning};
use earlydrop_live::session::InvokingUser;
use earlydrop_live::stats::Sample;

use super::bottleneck::{Arguments, Reporter, duration, user_change};
use crate::failure::Failure;

/// Put a bottleneck between two network interfaces: a gateway for a testbed
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  sudo earlydrop bridge --between eth1 eth2 --rate 20Mbps --delay 25ms --queue nlred:min=10,max=30
  sudo earlydrop bridge --between eth1 eth2 --rate 100Mbps --up 'rate=10Mbps queue=codel' --watch
  sudo earlydrop bridge --between eth1 eth2 --trace lte.trace --queue pie --for 60s --stats s.jsonl

Hosts at both sides see each other as if connected by a cable: Ethernet frames cross unchanged,
apart from ECN marks. Up is from the first interface to the second. Both interfaces must be up and
have no address; offloads must be off there and, with veths, at the hosts (a warning names those
that are not). If one goes down, the bridge goes on when it is up again. The bridge ends with Ctrl-C,
after --for, or when an interface vanishes, and leaves no change on the machine.")]
pub(crate) struct Bridge {
    /// The two interfaces
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"], required = true)]
    between: Vec<String>,
    /// Use this interface although it carries the machine's default route; must be given twice
    #[arg(long, value_name = "INTERFACE")]
    even_default_route: Vec<String>,
    /// End after this time: 60s
    #[arg(long = "for", value_name = "TIME")]
    duration: Option<String>,
    #[command(flatten)]
    common: Arguments,
}

pub(crate) fn run(arguments: &Bridge) -> Result<u8, Failure> {
    let [from, to] = &arguments.between[..] else {
        return Err(Failure::Usage("--between takes two interfaces".to_string()));
    };
    let limit = arguments.duration.as_deref();
    let limit = limit.map(|text| duration("for", text)).transpose()?;
    let bridge = earlydrop_live::bridge::Bridge {
        between: [from.clone(), to.clone()],
        bottleneck: arguments.common.bottleneck()?,
        even_default_route: arguments.even_default_route.clone(),
        files: arguments.common.files()?,
        duration: limit,
    };
    let mut reporter = BridgeReporter {
        reporter: arguments.common.reporter(&bridge.bottleneck),
        between: format!("{from} and {to}"),
    };
    let ended = bridge.run(&mut reporter)?;
    reporter.reporter.print_summary(&ended.summary);
    match ended.vanished {
        None => Ok(0),
        Some(interface) => Err(Failure::Runtime(format!(
            "{interface} has vanished, and the bridge has ended"
        ))),
    }
}

/// Reports about a bridge between two interfaces.
struct BridgeReporter {
    reporter: Reporter,
    /// "eth1 and eth2".
    between: String,
}

impl BridgeObserver for BridgeReporter {
    fn started(&mut self, notes: &[Warning], owner: &InvokingUser) {
        let (between, owner) = (&self.between, user_change(owner));
        let notices = self.reporter.notices;
        notices.info(&format!("between {between}{owner}"));
        self.reporter.print_directions();
        for note in notes {
            notices.warn(&note.to_string());
        }
    }

    fn sampled(&mut self, samples: &[Sample; 2]) {
        self.reporter.print_sample(samples);
    }

    fn changed(&mut self, interface: &str, change: Change) {
        let notices = self.reporter.notices;
        match change {
            Change::UpAgain => notices.warn(&format!("{interface} is up again: going on")),
            _ => notices.warn(&format!(
                "{interface} is down: packets for it are lost until it is up again"
            )),
        }
    }
}
