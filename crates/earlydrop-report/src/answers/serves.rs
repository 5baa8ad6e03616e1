//! Which schemes serve every group of flows: the answer for who must choose one scheme for all.

use earlydrop_lab::metrics::{self, Felt};
use earlydrop_lab::number;
use earlydrop_lab::scenario::Scenario;
use earlydrop_lab::statistics::Mean;

use super::comparison::{Comparison, NAMED_TIES};
use super::groups::{self, starving};
use super::{PointAnswer, Question};
use crate::words::first_of;

/// A mean within so much of the best one counts as near: less than people notice of any of these
/// metrics, and more than most runs' intervals.
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
    /// How far each scheme's mean is from the best one, as a share of the best.
    behind: Vec<f64>,
    /// Whose figures these are: "web".
    whose: String,
    /// "0.275 ± 0.011 s", by scheme.
    figures: Vec<String>,
}

impl Criterion {
    /// What the first metric of a group says; `None` where the best is not known.
    fn of_group(at: &Comparison<'_>, felt: &Felt) -> Option<Criterion> {
        let index = *felt.metrics.first()?;
        let column = at.of_group(&felt.group, index)?;
        let schemes = at.schemes();
        let means = column.means(&schemes)?;
        let best = means.iter().map(|mean| mean.mean);
        let best = best.reduce(|one, other| column.better(one, other))?;
        let behind = |mean: &Mean| match (mean.mean == best, mean.is_lower_bound) {
            (true, false) => Some(0.0),
            // Too few have ended under the one that looks best.
            (true, true) => None,
            (false, true) => Some(f64::INFINITY),
            (false, false) => Some((mean.mean - best).abs() / best.abs()),
        };
        let title = metrics::of_groups().nth(index)?.title;
        Some(Criterion {
            title: format!("{} {title}", felt.group),
            behind: means.iter().map(behind).collect::<Option<Vec<f64>>>()?,
            whose: felt.group.clone(),
            figures: schemes.iter().map(|scheme| column.text(*scheme)).collect(),
        })
    }

    /// How unequally two groups share, either way.
    fn of_rivals(at: &Comparison<'_>, one: &str, other: &str) -> Option<Criterion> {
        let means = groups::ratios(at, one, other)?.means(&at.schemes())?;
        let unequal = |mean: &Mean| mean.mean.abs();
        let least = means.iter().map(unequal).reduce(f64::min)?;
        Some(Criterion {
            title: format!("{one} beside {other}"),
            behind: means
                .iter()
                .map(|mean| (unequal(mean) - least).exp_m1())
                .collect(),
            whose: format!("{one} / {other}"),
            figures: means.iter().map(groups::factor).collect(),
        })
    }

    /// "24% off the best in web completion time, median (0.275 ± 0.011 s; sfred 0.221 ± 0.020 s)".
    fn in_words<'a>(&self, row: usize, label: impl Fn(usize) -> &'a str) -> String {
        let percent = number::to_digits(100.0 * self.behind[row], 2);
        let best = self.behind.iter().position(|behind| *behind == 0.0);
        let best = best.map(|best| format!("; {} {}", label(best), self.figures[best]));
        format!(
            "{percent}% off the best in {} ({}{})",
            self.title,
            self.figures[row],
            best.unwrap_or_default()
        )
    }
}

/// "fq-codel (calls 26.71 ± 0.11 ms, web 0.275 ± 0.011 s, bulk 18.05 ± 0.42 Mbps)".
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
    let starving: Vec<usize> = starving(at).into_iter().map(|(scheme, _)| scheme).collect();
    let schemes = at.schemes();
    // What a scheme is furthest behind in.
    let worst = |row: usize| {
        let all = criteria.iter().map(|one| (one.behind[row], one));
        all.max_by(|one, other| one.0.total_cmp(&other.0))
    };
    let rows = (0..schemes.len()).filter(|row| !starving.contains(&schemes[*row]));
    let mut rows: Vec<(f64, usize)> = rows.filter_map(|row| Some((worst(row)?.0, row))).collect();
    rows.sort_by(|one, other| one.0.total_cmp(&other.0));
    let serving: Vec<usize> = (rows.iter().filter(|(behind, _)| *behind <= NEAR))
        .map(|(_, row)| *row)
        .collect();
    if serving.is_empty() {
        let text = match rows.first() {
            None => "none: under each, somebody starves".to_string(),
            Some((behind, row)) if behind.is_finite() => {
                let label = at.label(schemes[*row]);
                let off = worst(*row)?.1.in_words(*row, |row| at.label(schemes[row]));
                format!("none; {label} is nearest, {off}")
            }
            Some(_) => "none".to_string(),
        };
        let best = Vec::new();
        return Some(PointAnswer { text, best });
    }
    let named = serving.iter().map(|row| {
        let texts = criteria
            .iter()
            .map(|one| format!("{} {}", one.whose, one.figures[*row]));
        let texts: Vec<String> = texts.collect();
        format!("{} ({})", at.label(schemes[*row]), texts.join(", "))
    });
    Some(PointAnswer {
        text: first_of(named, NAMED_TIES, "and"),
        best: serving.iter().map(|row| schemes[*row]).collect(),
    })
}
