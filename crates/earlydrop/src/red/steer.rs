//! Steering: thresholds and max_p that are set while the queue is in use.

use super::parameters::{round_slope, slope_of};
use super::variants::red;
use super::{Adaptation, Red, Shape};
use crate::steering::{Setting, SteerError};

impl Red {
    /// Sets thresholds or max_p, as if the scheme had been configured with them. Average, gap and
    /// the state of an adaptation or a policy stay; an adaptation continues from the new max_p.
    pub(super) fn apply(&mut self, setting: &Setting) -> Result<(), SteerError> {
        setting.check()?;
        match *setting {
            Setting::MaxP(max_p) => self.reshape(None, Some(max_p)),
            Setting::Thresholds { min, max } => self.reshape(Some((min, max)), None),
            Setting::Curve { min, max, max_p } => self.reshape(Some((min, max)), Some(max_p)),
            Setting::Probability(_) => None,
        }
        .ok_or(SteerError::not_steerable(setting))
    }

    /// `None` where the curve is given as numbers: it has no law that could move it.
    fn reshape(&mut self, thresholds: Option<(f64, f64)>, max_p: Option<f64>) -> Option<()> {
        let law = self.law?;
        let adapted = self.curve.strength();
        let old = *self.curve.shape();
        let (min, max) = thresholds.unwrap_or((old.min, old.max));
        let shape = Shape {
            min,
            max,
            strength: max_p.map_or(old.strength, |max_p| law.flip(max_p)),
            ..old
        };
        self.curve.reshape(law, shape);
        if self.config.as_linux {
            if law.name == red::CURVE.name {
                round_slope(&mut self.curve);
            }
            self.gap.set_linux_slope(slope_of(&self.curve) as u64);
        }
        // New thresholds alone leave the max_p that an adaptation has reached.
        if max_p.is_none() && !matches!(self.adaptation, Adaptation::None) {
            self.curve.set_strength(adapted);
        }
        self.band = self.average.band_of(&self.curve);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::any::{AnyAqm, AnyQueue, Plan};
    use crate::packet::Ecn;
    use crate::queue::{Outcome, QueueDiscipline};
    use crate::random::Pcg32;
    use crate::registry::{LinkFacts, SCHEMES, Spec};
    use crate::testing::{TestPacket, mbps};
    use crate::units::Nanos;
    use alloc::format;
    use alloc::string::{String, ToString};
    use alloc::vec;
    use alloc::vec::Vec;

    fn plan(spec: &str) -> Plan {
        let spec: Spec = spec.parse().unwrap();
        spec.plan(&LinkFacts::at(mbps(10))).unwrap()
    }

    /// Fates under waves of overload, with `steer` before each packet.
    fn fates(plan: &Plan, mut steer: impl FnMut(u64, &mut AnyQueue<TestPacket>)) -> Vec<Outcome> {
        let mut queue = plan.queue(5);
        let mut random = Pcg32::new(4, 4);
        let mut fates = Vec::new();
        for step in 0..12_000 {
            let now = Nanos::from_micros(700 * step);
            steer(step, &mut queue);
            let ecn = Ecn::from_bits(random.below(4) as u8);
            let (flow, size) = (random.below(9).into(), 100 + random.below(1400));
            fates.push(queue.enqueue(now, TestPacket { flow, size, ecn }));
            let served = if step % 2000 < 1200 { 8 } else { 14 };
            for _ in 0..2 {
                if random.below(20) < served {
                    queue.dequeue(now);
                }
            }
        }
        fates
    }

    /// The plan's scheme of the RED family, if it is one with a law.
    fn red(plan: &Plan) -> Option<&Red> {
        match plan {
            Plan::Single {
                aqm: AnyAqm::Red(red),
                ..
            } => red.law.map(|_| red),
            _ => None,
        }
    }

    /// Every scheme of the family, plain and by each preset.
    fn family() -> Vec<String> {
        let spec_of = |scheme: &&crate::registry::Descriptor| {
            let presets = scheme.presets.iter();
            let by_preset = presets.map(|preset| format!("{}:as={}", scheme.name, preset.name));
            let plain = vec![scheme.name.to_string()];
            plain.into_iter().chain(by_preset).collect::<Vec<_>>()
        };
        let all = SCHEMES.iter().flat_map(spec_of);
        all.filter(|spec| red(&plan(spec)).is_some()).collect()
    }

    #[test]
    fn the_values_it_has_change_no_verdict() {
        let specs = family();
        assert!(specs.len() > 30);
        for spec in specs {
            let plan = plan(&spec);
            let red = red(&plan).unwrap();
            let Shape { min, max, .. } = *red.curve.shape();
            let max_p = red.law.unwrap().flip(red.curve.shape().strength);
            let setting = match red.adaptation {
                Adaptation::None => Setting::Curve { min, max, max_p },
                _ => Setting::Thresholds { min, max },
            };
            let alone = fates(&plan, |_, _| {});
            let steered = fates(&plan, |step, queue| {
                queue
                    .steer(Nanos::from_micros(700 * step), &setting)
                    .unwrap();
            });
            assert!(alone == steered, "{spec}");
        }
    }

    #[test]
    fn other_values_are_those_of_a_scheme_configured_with_them() {
        for options in [
            "",
            ",unit=bytes",
            ",arithmetic=linux,spacing=drawn,entry=free,weight=0.03125",
            ",curve=gentle",
            ",curve=gentle,gentle_slope=initial",
            ",curve=nlred",
            ",curve=clred",
            ",policy=choke",
        ] {
            let (small, large) = match options.contains("bytes") {
                true => ("min=4000 bytes,max=20 kB", "min=9 kB,max=30 kB"),
                false => ("min=4,max=20", "min=9,max=30"),
            };
            let before = plan(&format!("red:limit=60,{small},max_p=0.05{options}"));
            let after = plan(&format!("red:limit=60,{large},max_p=0.31{options}"));
            let Shape { min, max, .. } = *red(&after).unwrap().curve.shape();
            let settings = [
                vec![Setting::Curve {
                    min,
                    max,
                    max_p: 0.31,
                }],
                vec![Setting::MaxP(0.31), Setting::Thresholds { min, max }],
                vec![Setting::Thresholds { min, max }, Setting::MaxP(0.31)],
            ];
            let wanted = fates(&after, |_, _| {});
            assert!(wanted != fates(&before, |_, _| {}), "{options}");
            for settings in settings {
                let steered = fates(&before, |step, queue| {
                    for setting in settings.iter().filter(|_| step == 0) {
                        queue.steer(Nanos::ZERO, setting).unwrap();
                    }
                });
                assert!(steered == wanted, "{options}: {settings:?}");
            }
        }
    }

    #[test]
    fn an_adaptation_continues_from_what_is_set() {
        let max_p = |queue: &AnyQueue<TestPacket>| queue.probe("max_p").unwrap();
        let mut queue: AnyQueue<TestPacket> = plan("ared:adapt=ared").queue(1);
        queue.steer(Nanos::ZERO, &Setting::MaxP(0.3)).unwrap();
        queue.poll(Nanos::ZERO);
        queue.poll(Nanos::from_secs(2));
        let adapted = max_p(&queue);
        assert!(adapted < 0.3, "an empty queue lowers max_p: {adapted}");
        let thresholds = Setting::Thresholds {
            min: 7.0,
            max: 21.0,
        };
        queue.steer(Nanos::from_secs(2), &thresholds).unwrap();
        assert_eq!(max_p(&queue), adapted);
    }

    #[test]
    fn what_cannot_be_set_is_refused_and_changes_nothing() {
        let out_of_order = Setting::Thresholds { min: 9.0, max: 3.0 };
        for (spec, setting, message) in [
            ("red", Setting::Probability(0.1), "allowed: the scheme dial"),
            ("red", out_of_order, "0 <= min < max"),
            ("red:curve=numbers", Setting::MaxP(0.2), "given as numbers"),
            ("codel", Setting::MaxP(0.2), "schemes of the RED family"),
            ("fq-red", Setting::MaxP(0.2), "schemes of the RED family"),
        ] {
            let plan = plan(spec);
            let alone = fates(&plan, |_, _| {});
            let steered = fates(&plan, |step, queue| {
                let error = queue.steer(Nanos::from_micros(700 * step), &setting);
                let error = error.unwrap_err().to_string();
                assert!(error.contains(message), "{error}");
            });
            assert!(alone == steered, "{spec}");
        }
    }
}
