//! `earlydrop bridge`: a bottleneck between two interfaces.

use std::process::ExitCode;

use earlydrop_live::bridge::{BridgeObserver, Warning};
use earlydrop_live::session::InvokingUser;
use earlydrop_live::stats::Sample;

use super::bottleneck::{Arguments, Teller, from_here_on, span};
use crate::failure::Failure;

/// Put a bottleneck between two interfaces: a gateway for a testbed
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  sudo earlydrop bridge --between eth1 eth2 --rate 20Mbps --delay 25ms --queue nlred:min=10,max=30
  sudo earlydrop bridge --between eth1 eth2 --rate 100Mbps --up 'rate=10Mbps queue=codel' --watch
  sudo earlydrop bridge --between eth1 eth2 --trace lte.trace --queue pie --for 60s --stats s.jsonl

Hosts at both sides see each other as if by a cable: every Ethernet frame crosses as it came, but
for marks. Up leads from the first interface to the second. Both must be up, have no address, and
their offloads must be off, as must the hosts' where they are veths; it says which are not. It ends
with Ctrl-C or after --for, and changes nothing about the machine that outlives it.")]
pub(crate) struct Bridge {
    /// The two interfaces
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"], required = true)]
    between: Vec<String>,
    /// Take this interface though the machine's default route leads through it; to be said twice
    #[arg(long, value_name = "INTERFACE")]
    even_default_route: Vec<String>,
    /// End by itself after this time: 60s
    #[arg(long = "for", value_name = "TIME")]
    duration: Option<String>,
    #[command(flatten)]
    common: Arguments,
}

pub(crate) fn run(arguments: &Bridge) -> Result<ExitCode, Failure> {
    let [from, to] = &arguments.between[..] else {
        return Err(Failure::Usage("--between takes two interfaces".to_string()));
    };
    let duration = arguments.duration.as_deref();
    let duration = duration.map(|text| span("for", text));
    let bridge = earlydrop_live::bridge::Bridge {
        between: [from.clone(), to.clone()],
        bottleneck: arguments.common.bottleneck()?,
        even_default_route: arguments.even_default_route.clone(),
        files: arguments.common.files(),
        duration: duration.transpose()?,
    };
    let mut told = Told {
        teller: arguments.common.teller(&bridge.bottleneck),
        between: format!("{from} and {to}"),
    };
    let summary = bridge.run(&mut told)?;
    told.teller.ended(&summary);
    Ok(ExitCode::SUCCESS)
}

struct Told {
    teller: Teller,
    between: String,
}

impl BridgeObserver for Told {
    fn started(&mut self, notes: &[Warning], owner: &InvokingUser) {
        let (between, owner) = (&self.between, from_here_on(owner));
        self.teller.say(&format!("between {between}{owner}"));
        self.teller.say_directions();
        for note in notes {
            anstream::eprintln!("earlydrop: {note}");
        }
    }

    fn sampled(&mut self, samples: &[Sample; 2]) {
        self.teller.show(samples);
    }
}
