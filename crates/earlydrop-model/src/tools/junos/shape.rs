//! The points of a drop profile as a drop curve.

use crate::tools::token::Token;
use crate::tools::{Class, ParseError, Shape, WithOrigin};

use super::statements::Profile;

/// The token without its "%".
fn percent_text<'a>(token: &Token<'a>) -> Token<'a> {
    token.part(0, token.text.trim_end_matches('%').len())
}

/// The points of a profile in percent; an error unless both coordinates increase.
fn points(profile: &Profile) -> Result<Vec<(f64, f64)>, ParseError> {
    let (fills, drops) = (profile.fills.len(), profile.drops.len());
    if fills + drops == 0 {
        let message = format!("the profile {} has no fill levels", profile.name);
        return Err(profile
            .at
            .error(message, "give fill-level and drop-probability"));
    }
    if fills != drops {
        let message = format!("{fills} fill levels, {drops} drop probabilities");
        let help = "give the same number of both";
        return Err(profile.at.error(message, help));
    }
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (fill, drop) in profile.fills.iter().zip(&profile.drops) {
        let at = percent_text(fill).number("fill-level", 0.0, 100.0)?;
        let p = percent_text(drop).number("drop-probability", 0.0, 100.0)?;
        let (before, least) = points.last().copied().unwrap_or((-1.0, 0.0));
        if at <= before || p < least {
            let message = format!("({at}, {p}) does not follow ({before}, {least})");
            let nearest = (before + 1.0).min(100.0);
            let help = format!("values must increase; nearest: fill-level {nearest}");
            return Err(fill.error(message, help));
        }
        points.push((at, p));
    }
    Ok(points)
}

/// Converts a profile to a class in bytes, for a buffer of `whole` bytes.
pub(super) fn class(profile: &Profile, whole: f64) -> Result<Class, ParseError> {
    let points = points(profile)?;
    let (shape, min, max, max_p) = match profile.interpolated {
        true => interpolated(&points),
        false => segmented(&points),
    };
    let length = |percent: f64| percent / 100.0 * whole;
    let shape = match shape {
        Shape::Points { points, stepped } => Shape::Points {
            points: points
                .iter()
                .map(|(fill, drop)| (length(*fill), drop / 100.0))
                .collect(),
            stepped,
        },
        other => other,
    };
    // The value with the span of the token that gives it, if one does.
    let known = |tokens: &[Token], percent: f64, value: f64| {
        let says = |token: &&Token| percent_text(token).text.parse() == Ok(percent);
        let given = tokens.iter().find(says);
        let given = given.map(|token| (value, token.span()));
        WithOrigin::given_or(given, value, "implied by the ends of the profile")
    };
    Ok(Class {
        name: profile.name.to_string(),
        min: known(&profile.fills, min, length(min)),
        max: known(&profile.fills, max, length(max)),
        max_p: known(&profile.drops, max_p, max_p / 100.0),
        shape: WithOrigin::implied(shape, "from the points of the profile"),
    })
}

/// Shape, min, max and max_p in percent. Three points are RED if the last one is 100% right after
/// the second, and gentle RED if it is 100% at twice the level of the second.
fn interpolated(points: &[(f64, f64)]) -> (Shape, f64, f64, f64) {
    let mut all = points.to_vec();
    if all.first().is_none_or(|(fill, _)| *fill > 0.0) {
        all.insert(0, (0.0, 0.0));
    }
    if all.last().is_none_or(|(fill, _)| *fill < 100.0) {
        all.push((100.0, 100.0));
    }
    let zeros = all.iter().take_while(|(_, drop)| *drop == 0.0).count();
    let rising = &all[zeros.max(1) - 1..];
    if let [(min, start), (max, p), rest @ ..] = rising
        && *start == 0.0
        && *p > 0.0
        && *p < 100.0
        && let Some((end, whole)) = rest.first()
        && *whole >= 100.0
    {
        if *end <= max + 1.0 {
            return (Shape::Straight, *min, *max, *p);
        }
        if *end == 2.0 * max {
            return (Shape::Gentle, *min, *max, *p);
        }
    }
    as_points(all, false)
}

/// Shape, min, max and max_p of a segmented profile, in percent.
fn segmented(points: &[(f64, f64)]) -> (Shape, f64, f64, f64) {
    let mut all = points.to_vec();
    if all.first().is_none_or(|(fill, _)| *fill > 0.0) {
        all.insert(0, (0.0, 0.0));
    }
    as_points(all, true)
}

/// Shape, min, max and max_p of any points, in percent. min is where the probability leaves 0, max
/// where it reaches 100 or the points end, and max_p the largest probability below 100.
fn as_points(points: Vec<(f64, f64)>, stepped: bool) -> (Shape, f64, f64, f64) {
    let zeros = points.iter().take_while(|(_, drop)| *drop == 0.0).count();
    let first = if stepped { zeros } else { zeros.max(1) - 1 };
    let min = points.get(first).map_or(100.0, |(fill, _)| *fill);
    let all = points.iter().find(|(_, drop)| *drop >= 100.0);
    let max = all.map_or(100.0, |(fill, _)| *fill);
    let below = points.iter().filter(|(_, drop)| *drop < 100.0);
    let top = below.map(|(_, drop)| *drop).fold(0.0, f64::max);
    let max_p = if top > 0.0 { top } else { 100.0 };
    (Shape::Points { points, stepped }, min.min(max), max, max_p)
}
