//! The drop curve of a scheme as a plot, a sparkline and a sentence.

use earlydrop::red::Curve;
use earlydrop::registry::{ConfigError, Settings, Spec, Value};
use earlydrop_lab::scheme_list::curve_unit;

use super::ConfiguredScheme;
use crate::draw::{Plot, Style, Text, indented, number, sparkline};

/// The largest width of the plot, in columns.
const PLOT_WIDTH: usize = 90;
/// The height of the plot, in rows.
const ROWS: usize = 14;

/// The curve as a sparkline, from 0 to 2.2 times its upper threshold.
pub(super) fn sparkline_of(curve: &Curve, unicode: bool) -> String {
    const WIDTH: u32 = 10;
    let far = 2.2 * curve.shape().max;
    let values: Vec<f64> = (0..WIDTH)
        .map(|column| curve.probability(far * (f64::from(column) + 0.5) / f64::from(WIDTH)))
        .collect();
    sparkline(&values, WIDTH as usize, unicode)
}

/// A plot of the curve, with that of the defaults where it differs, and the sentence below it.
pub(super) fn section(
    configured: &ConfiguredScheme,
    style: &Style,
) -> Result<Vec<Text>, ConfigError> {
    let Some(curve) = configured.plan.curve() else {
        return Ok(Vec::new());
    };
    let end = curve.extent();
    let unit = curve_unit(&configured.settings);
    let spec = configured.spec.to_string();
    let title = format!(
        "Drop curve of {spec} at {}",
        configured.settings.link().rate
    );
    let mut plot = Plot::new((0.0, end), (0.0, 1.0))
        .title(&title)
        .labels(&format!("average queue, {unit}"), "probability")
        .height(ROWS)
        .line(&spec, curve.outline(end, 400));
    let defaults =
        ConfiguredScheme::new(Spec::of(configured.scheme()), &configured.settings.link())?;
    if let Some(usual) = defaults.plan.curve().filter(|_| same_unit(&defaults, unit)) {
        let usual = usual.outline(end, 50);
        if usual != curve.outline(end, 50) {
            plot = plot.points(
                &format!("{} at its defaults", configured.scheme().name),
                usual,
            );
        }
    }
    for (at, name) in thresholds(curve) {
        plot = plot.mark(at, &format!("{name} {}", number(at)));
    }
    let narrowed = Style {
        width: style.width.min(PLOT_WIDTH),
        ..*style
    };
    let mut lines = vec![Text::default()];
    lines.extend(plot.lines(&narrowed));
    lines.push(Text::default());
    let words = Text::from(in_words(curve, &configured.settings));
    lines.extend(indented(2, words.wrapped(style.width.saturating_sub(2))));
    Ok(lines)
}

fn same_unit(defaults: &ConfiguredScheme, wanted: &str) -> bool {
    curve_unit(&defaults.settings) == wanted
}

/// The curve's thresholds with their names.
fn thresholds(curve: &Curve) -> Vec<(f64, &'static str)> {
    let (first, max, last) = (curve.first(), curve.shape().max, curve.last());
    let mut thresholds = vec![(first, "min"), (max, "max"), (last, "all from")];
    // Of equal thresholds the first name is kept.
    thresholds.dedup_by(|later, earlier| later.0 == earlier.0);
    thresholds
}

/// The curve's values at its thresholds and midway, in a sentence.
fn in_words(curve: &Curve, settings: &Settings) -> String {
    let (min, max) = (curve.first(), curve.shape().max);
    let midway = (min + max) / 2.0;
    let at = |average: f64| number(curve.probability(average));
    let mut words = format!(
        "Probability 0 below {}, {} midway at {}, {} just below {}",
        number(min),
        at(midway),
        number(midway),
        at(max.next_down()),
        number(max),
    );
    words += &match curve.last().is_finite() {
        true => format!(
            "; everything from {} {} on.",
            number(curve.last()),
            curve_unit(settings)
        ),
        false => format!(
            "; never everything, {} at {}.",
            at(2.0 * max),
            number(2.0 * max)
        ),
    };
    let adapts = settings
        .iter()
        .find(|(parameter, _)| parameter.name == "adapt");
    if let Some((_, Value::Choice(algorithm))) = adapts
        && *algorithm != "none"
    {
        words += &format!(" These are initial values: adapt={algorithm} moves the curve.");
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use earlydrop::registry::LinkFacts;
    use earlydrop::units::BitsPerSec;

    fn configured(spec: &str) -> ConfiguredScheme {
        let link = LinkFacts::at(BitsPerSec::from_mbps(10));
        ConfiguredScheme::new(spec.parse().unwrap(), &link).unwrap()
    }

    #[test]
    fn samples_follow_the_equation_and_keep_the_jump() {
        let red = configured("red:min=10,max=30,max_p=0.2");
        let points = red.plan.curve().unwrap().outline(40.0, 40);
        for (at, probability) in &points {
            if *at > 10.0 && *at < 30.0 {
                assert!((probability - 0.2 * (at - 10.0) / 20.0).abs() < 1e-8);
            }
        }
        let jump = points
            .iter()
            .position(|point| *point == (30.0, 0.2))
            .unwrap();
        assert_eq!(points[jump + 1], (30.0, 1.0));
        assert_eq!(points.first(), Some(&(0.0, 0.0)));
        assert_eq!(points.last(), Some(&(40.0, 1.0)));
    }

    #[test]
    fn sparklines_distinguish_red_from_gentle() {
        let sparkline = |spec: &str| sparkline_of(configured(spec).plan.curve().unwrap(), false);
        assert_eq!(sparkline("red").matches('#').count(), 5);
        assert!(sparkline("gred").matches('#').count() < 3);
    }

    #[test]
    fn words_give_the_values_at_the_thresholds() {
        let nlred = configured("nlred:max_p=0.1");
        assert_eq!(
            in_words(nlred.plan.curve().unwrap(), &nlred.settings),
            "Probability 0 below 5, 0.0375 midway at 10, 0.15 just below 15; everything \
             from 15 packets on."
        );
        let endless = configured("red:curve=numbers,segments=10: 0 0.01; 20: 0.1");
        let words = in_words(endless.plan.curve().unwrap(), &endless.settings);
        assert!(words.ends_with("never everything, 0.1 at 40."), "{words}");
    }

    #[test]
    fn the_defaults_are_drawn_where_the_settings_differ() {
        let style = Style {
            colour: false,
            unicode: true,
            width: 80,
        };
        let drawn = |spec: &str| -> String {
            let lines = section(&configured(spec), &style).unwrap();
            lines.iter().map(|line| line.paint(&style)).collect()
        };
        assert!(drawn("red:max_p=0.5").contains("red at its defaults"));
        assert!(!drawn("red:weight=0.01").contains("defaults"));
        assert!(drawn("red:unit=bytes").contains("average queue, bytes"));
        assert!(drawn("codel").is_empty());
    }
}
