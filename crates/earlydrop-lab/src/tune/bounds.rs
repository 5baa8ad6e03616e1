//! The bounds of a search: between which values a parameter matters on a link, by what it is a
//! measure of ([`Extent`]).

use earlydrop::registry::{Extent, Kind, Parameter, Range, Settings};

use super::space::Form;

/// The distance to an end of a parameter's range that is not allowed itself, as a share of it.
const INSIDE: f64 = 1e-3;

/// A scheme's settings at a link, and the round-trip time of the path in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnPath<'a> {
    pub(super) settings: &'a Settings,
    pub(super) rtt: f64,
}

impl OnPath<'_> {
    /// The link's rate in packets per second.
    fn service(&self) -> f64 {
        let link = self.settings.link();
        link.rate.packets_per_sec(link.mean_packet)
    }

    /// The least and the largest value of a parameter that matter, in the unit of `form`, and
    /// beyond them the present value; `None` where nothing bounds it.
    pub(super) fn bounds(
        &self,
        parameter: &Parameter,
        form: Form,
        own: Option<f64>,
    ) -> Option<(f64, f64)> {
        let (low, high) = self.extent(parameter, form, own)?;
        let own = own.filter(|own| *own > 0.0);
        let low = own.map_or(low, |own| own.min(low));
        let high = own.map_or(high, |own| own.max(high));
        let (least, largest) = allowed(parameter, form);
        let (low, high) = (low.max(least), high.min(largest));
        (low > 0.0 && low < high && high.is_finite()).then_some((low, high))
    }

    fn extent(&self, parameter: &Parameter, form: Form, own: Option<f64>) -> Option<(f64, f64)> {
        let (service, rtt) = (self.service(), self.rtt);
        let buffer = self.settings.packets("limit");
        Some(match (parameter.extent(), form) {
            (Extent::Queue, Form::Bytes) => {
                let packet = self.settings.link().mean_packet.0 as f64;
                (packet, self.settings.bytes("limit"))
            }
            (Extent::Queue | Extent::Delay, Form::Seconds) => (1.0 / service, buffer / service),
            (Extent::Queue, _) => (1.0, buffer),
            (Extent::Period, _) => (1.0 / service, Extent::ROUND_TRIPS * rtt),
            (Extent::Weight, _) => (1.0 / (Extent::ROUND_TRIPS * rtt * service), 1.0),
            (Extent::Probability, _) => (1.5 / (rtt * service + buffer).powi(2), 1.0),
            (Extent::Gain, _) => {
                let error = match parameter.kind.unit() {
                    "Hz" => rtt,
                    _ => rtt * service,
                };
                (Extent::SMALLEST_STEP / error, 1.0 / error)
            }
            _ => {
                let own = own.filter(|own| own.is_finite())?;
                (own / Extent::MULTIPLE, own * Extent::MULTIPLE)
            }
        })
    }
}

/// The least and the largest value that a parameter takes, in the unit of `form`. An end of the
/// range that is not allowed itself is left by a thousandth.
pub(super) fn allowed(parameter: &Parameter, form: Form) -> (f64, f64) {
    let range = match (&parameter.kind, form) {
        // Ranges of lengths are in packets.
        (Kind::Length(_), Form::Bytes | Form::Seconds) => Range::POSITIVE,
        (kind, _) => range_of(kind),
    };
    let inside = |end: f64, is_allowed, share| if is_allowed { end } else { end * share };
    (
        inside(range.low, range.with_low, 1.0 + INSIDE),
        inside(range.high, range.with_high, 1.0 - INSIDE),
    )
}

/// The range of a kind of numbers.
fn range_of(kind: &Kind) -> Range {
    match kind {
        Kind::Length(range) | Kind::Time(range) => *range,
        Kind::Number(range, _) | Kind::Count(range, _) => *range,
        Kind::OrAuto(kind) | Kind::OrNever(kind) => range_of(kind),
        _ => Range::POSITIVE,
    }
}
