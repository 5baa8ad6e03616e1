//! Which schemes serve every group of flows: the answer for who must choose one scheme for all.

use earlydrop_lab::metrics::{self, Felt};
use earlydrop_lab::number;
use earlydrop_lab::scenario::Scenario;
use earlydrop_lab::statistics::Mean;

use super::comparison::{Column, Comparison, NAMED_TIES};
use super::groups::{self, starving};
use super::{PointAnswer, Question};
use crate::words::first_of;

/// A scheme that is within so much of every other one is near the best: less than people notice of
/// any of these metrics.
const NEAR: f64 = 0.05;

/// What is asked where a scenario has several groups that can be served well or badly.
pub(super) fn question(scenario: &Scenario) -> Option<(String, Question<'_>)> {
    let (felt, rivals) = (groups::served(scenario), groups::rivals(scenario));
    (felt.len() + rivals.len() > 1).then(|| {
        let title = format!("Best for every group, or within {:.0}% of it", 100.0 * NEAR);
        let question: Question<'_> = Box::new(move |at| serves_all(at, &felt, &rivals));
        (title, question)
    })
}

/// What one group feels under each scheme.
struct Criterion {
    /// "web completion time, median".
    title: String,
    /// How far each scheme is from the best one, as a share of the best.
    behind: Vec<Behind>,
    /// "0.275 ± 0.011 s", by scheme.
    figures: Vec<String>,
}

/// How far a scheme is from others, as a share of their means; zero and less is ahead.
#[derive(Clone, Copy)]
struct Behind {
    /// From the best one, by the means.
    mean: f64,
    /// From the best one at least: the other end of the interval of their difference; the mean where
    /// no interval is known.
    least: f64,
    /// From any other at most: the end of the 95% intervals of the differences, paired by seed.
    /// Infinite where no interval is known.
    most: f64,
    /// The row of the scheme that it may be so far behind of.
    other: usize,
}

impl Criterion {
    /// What the first metric of a group says; `None` where the best is not known.
    fn of_group(at: &Comparison<'_>, felt: &Felt) -> Option<Criterion> {
        let index = *felt.metrics.first()?;
        let column = at.of_group(&felt.group, index)?;
        let schemes = at.schemes();
        let title = metrics::of_groups().nth(index)?.title;
        Some(Criterion {
            title: format!("{} {title}", felt.group),
            behind: behind(&column, &schemes, |difference, mean| {
                difference / mean.mean.abs()
            })?,
            figures: schemes.iter().map(|scheme| column.text(*scheme)).collect(),
        })
    }

    /// How unequally two groups share, either way.
    fn of_rivals(at: &Comparison<'_>, one: &str, other: &str) -> Option<Criterion> {
        let logarithms = groups::ratios(at, one, other)?;
        let schemes = at.schemes();
        let means = logarithms.means(&schemes)?;
        let unequal = logarithms.magnitudes();
        Some(Criterion {
            title: format!("{one} beside {other}"),
            behind: behind(&unequal, &schemes, |difference, _| difference.exp_m1())?,
            figures: means.iter().map(groups::factor).collect(),
        })
    }

    /// "24% off the best in web completion time, median (0.275 ± 0.011 s; sfred 0.221 ± 0.020 s)".
    fn in_words<'a>(&self, row: usize, label: impl Fn(usize) -> &'a str) -> String {
        let percent = number::to_digits(100.0 * self.behind[row].mean, 2);
        let best = self.behind.iter().position(|behind| behind.mean == 0.0);
        let best = best.map(|best| format!("; {} {}", label(best), self.figures[best]));
        format!(
            "{percent}% off the best in {} ({}{})",
            self.title,
            self.figures[row],
            best.unwrap_or_default()
        )
    }
}

/// How far each of `schemes` is behind the others; `share` makes a share of a difference and of the
/// mean of the better one. `None` where the best is not known: too few have ended under the one that
/// looks best.
fn behind(
    column: &Column,
    schemes: &[usize],
    share: impl Fn(f64, &Mean) -> f64,
) -> Option<Vec<Behind>> {
    let means = column.means(schemes)?;
    let best = means.iter().map(|mean| mean.mean);
    let best = best.reduce(|one, other| column.better(one, other))?;
    let best = means.iter().position(|mean| mean.mean == best)?;
    if means[best].is_lower_bound {
        return None;
    }
    let of_row = |row: usize| {
        if means[row].is_lower_bound {
            return Some(Behind {
                mean: f64::INFINITY,
                least: f64::INFINITY,
                most: f64::INFINITY,
                other: best,
            });
        }
        let others = (0..schemes.len()).filter(|other| *other != row);
        let farthest = others.map(|other| {
            let worse = column.worse_by(schemes[row], schemes[other])?;
            let most = worse
                .half
                .map(|half| share(worse.mean + half, &means[other]));
            Some((most.unwrap_or(f64::INFINITY), other))
        });
        let farthest = farthest.collect::<Option<Vec<_>>>()?.into_iter();
        let (most, other) = farthest.max_by(|one, other| one.0.total_cmp(&other.0))?;
        let mean = share((means[row].mean - means[best].mean).abs(), &means[best]);
        let from_best = column.worse_by(schemes[row], schemes[best])?;
        let least = from_best.mean - from_best.half.unwrap_or(0.0);
        Some(Behind {
            mean,
            least: share(least, &means[best]),
            most,
            other,
        })
    };
    (0..schemes.len()).map(of_row).collect()
}

/// "fq-codel (web completion time, median: 0.275 ± 0.011 s; bulk goodput: 18.05 ± 0.42 Mbps)".
fn serves_all(
    at: &Comparison<'_>,
    felt: &[Felt],
    rivals: &[(String, String)],
) -> Option<PointAnswer> {
    let of_groups = felt.iter().map(|felt| Criterion::of_group(at, felt));
    let of_rivals = rivals
        .iter()
        .map(|(one, other)| Criterion::of_rivals(at, one, other));
    let criteria: Vec<Criterion> = of_groups.chain(of_rivals).collect::<Option<Vec<_>>>()?;
    let schemes = at.schemes();
    let label = |row: usize| at.label(schemes[row]);
    let starving: Vec<usize> = starving(at).into_iter().map(|(scheme, _)| scheme).collect();
    // What a scheme is furthest behind in, by one of the two.
    let worst = |row: usize, by: fn(&Behind) -> f64| {
        let all = criteria.iter().map(|one| (by(&one.behind[row]), one));
        all.max_by(|one, other| one.0.total_cmp(&other.0))
    };
    let by_means = |row: &usize| worst(*row, |behind| behind.mean).map_or(0.0, |(mean, _)| mean);
    let at_most = |row: &usize| worst(*row, |behind| behind.most).map_or(0.0, |(most, _)| most);
    let rows = (0..schemes.len()).filter(|row| !starving.contains(&schemes[*row]));
    let mut rows: Vec<usize> = rows.collect();
    rows.sort_by(|one, other| by_means(one).total_cmp(&by_means(other)));
    let with_figures = |row: usize| {
        let texts = criteria.iter();
        let texts = texts.map(|one| format!("{}: {}", one.title, one.figures[row]));
        format!("{} ({})", label(row), texts.collect::<Vec<_>>().join("; "))
    };
    let is_near = |row: &&usize| by_means(row) <= NEAR;
    let near: Vec<usize> = rows.iter().take_while(is_near).copied().collect();
    let serving = near.iter().filter(|row| at_most(row) <= NEAR);
    let serving: Vec<usize> = serving.copied().collect();
    // That a scheme is no choice is shown where it is behind the best by more than chance.
    let is_shown_behind = |row: &usize| {
        let mut behind = criteria.iter().map(|one| one.behind[*row]);
        behind.any(|behind| behind.mean > NEAR && behind.least > 0.0)
    };
    let text = match (&*serving, &*near, rows.first()) {
        ([], [], None) => "none: under each, somebody starves".to_string(),
        ([], [], Some(_)) if !rows.iter().all(is_shown_behind) => {
            let row = *rows.iter().find(|row| !is_shown_behind(row))?;
            let off = worst(row, |behind| behind.mean)?.1.in_words(row, label);
            format!("undecided: {} is {off}, which may be chance", label(row))
        }
        ([], [], Some(row)) if by_means(row).is_finite() => {
            let off = worst(*row, |behind| behind.mean)?.1.in_words(*row, label);
            format!("none; {} is nearest, {off}", label(*row))
        }
        ([], [], Some(_)) => "none".to_string(),
        ([], [row, ..], _) => {
            let (most, criterion) = worst(*row, |behind| behind.most)?;
            let doubt = match most.is_finite() {
                true => format!(
                    "with these seeds, it may be {}% behind {} in {}",
                    number::to_digits(100.0 * most, 2),
                    label(criterion.behind[*row].other),
                    criterion.title
                ),
                false => "in a single run each, the difference may be chance".to_string(),
            };
            format!("undecided: {} by the means; {doubt}", with_figures(*row))
        }
        (serving, ..) => {
            let named = serving.iter().map(|row| with_figures(*row));
            first_of(named, NAMED_TIES, "and")
        }
    };
    let best = serving.iter().map(|row| schemes[*row]).collect();
    Some(PointAnswer { text, best })
}
