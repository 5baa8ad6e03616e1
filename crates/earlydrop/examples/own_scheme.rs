//! A scheme of one's own, without a change to this crate: drops an arrival with a
//! probability proportional to the queue above `min`.

use earlydrop::aqm::{Aqm, Backlog, DropReason, Verdict};
use earlydrop::packet::{Ecn, FlowKey, Packet, PacketInfo};
use earlydrop::random::Pcg32;
use earlydrop::registry::{
    ConfigError, Descriptor, Kind, LIMIT, LinkFacts, Parameter, Plan, Range, Registry,
};
use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop::{AnyQueue, QueueDiscipline};

/// `p = gain (queue - min)`, in packets; `gain` is a probability per packet.
#[derive(Clone, Debug)]
struct Ramp {
    min: u32,
    gain: f64,
}

impl Aqm for Ramp {
    fn on_arrival<Q: Backlog>(
        &mut self,
        _now: Nanos,
        _packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Verdict {
        let above_min = queue.packets().saturating_sub(self.min);
        if random.chance(self.gain * f64::from(above_min)) {
            Verdict::Drop(DropReason::Early)
        } else {
            Verdict::Keep
        }
    }
}

const PARAMETERS: &[Parameter] = &[
    Parameter::new(
        "min",
        "no early drop below",
        Kind::Count(Range::NOT_NEGATIVE, "packets"),
    )
    .with_default("5", "a guess"),
    Parameter::new(
        "gain",
        "drop probability per packet above min",
        Kind::Number(Range::PROBABILITY, "probability"),
    )
    .with_default("0.01", "a guess"),
];

/// The scheme as text names it, and the constructor of its plan.
static SCHEME: Descriptor = Descriptor::new(
    "ramp",
    "drops in proportion to the queue",
    "this example",
    &[&[LIMIT], PARAMETERS],
    |settings| {
        let (min, gain) = (settings.count("min"), settings.number("gain"));
        Ok(Plan::custom(Ramp { min, gain }, settings.limit()))
    },
);

struct Segment;

#[rustfmt::skip]
impl Packet for Segment {
    fn size(&self) -> u32 { 1500 }
    fn flow(&self) -> FlowKey { FlowKey(7) }
    fn ecn(&self) -> Ecn { Ecn::NotCapable }
    fn mark(&mut self) {}
}

/// Offers 100 packets to the queue that `text` describes; returns how many it keeps.
fn kept(text: &str) -> Result<usize, ConfigError> {
    let registry = Registry::built_in().with(&SCHEME);
    let plan = registry
        .parse(text)?
        .plan(&LinkFacts::at(BitsPerSec::from_mbps(10)))?;
    let mut queue: AnyQueue<Segment> = plan.queue(1);
    for _ in 0..100 {
        queue.enqueue(Nanos::ZERO, Segment);
    }
    Ok(queue.packets() as usize)
}

fn main() -> Result<(), ConfigError> {
    println!(
        "ramp keeps {} of 100 packets",
        kept("ramp:min=10,gain=0.02")?
    );
    println!("red keeps {}", kept("red:min=10,max=30,weight=1")?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::kept;

    #[test]
    fn a_scheme_of_ones_own_is_built_from_text() {
        let (gentle, steep) = (kept("ramp:gain=0.001"), kept("ramp:gain=0.5"));
        assert!(gentle.unwrap() > 80);
        assert!(steep.unwrap() < 15);
        assert_eq!(kept("fq-red:inner=ramp,inner.gain=0"), Ok(100));
    }

    #[test]
    fn errors_name_the_parameter_and_the_nearest_scheme() {
        let error = kept("ramp:gain=2").unwrap_err();
        assert_eq!(error.parameter(), Some("gain"));
        let error = kept("rampp").unwrap_err().to_string();
        assert!(error.contains("did you mean 'ramp'?"), "{error}");
    }
}
