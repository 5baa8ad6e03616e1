//! The sentences at the top of a report: one answer for each question, from means over seeds.
//!
//! A scheme *ties* with the best as in the tables: its difference, paired by seed, is not significant
//! after a correction for the number of schemes.

use earlydrop_lab::number;
use earlydrop_lab::statistics::{Mean, Standing, paired, standings};

use crate::run_report::data::{Answer, Data, Metric};
use crate::words::listed;

/// The utilisation of a full link. Where no scheme reaches it, a link is full within
/// [`NEARLY`] of the highest utilisation.
const FULL: f64 = 0.99;
/// The share of the highest utilisation that counts as a full link where none reaches [`FULL`].
const NEARLY: f64 = 0.99;
/// The number of tied schemes that a sentence names.
const NAMED_TIES: usize = 3;

/// The answers that the data gives, in the order of the page.
pub fn answers(data: &Data) -> Vec<Answer> {
    if data.summary.is_empty() {
        return Vec::new();
    }
    let questions: &[(&'static str, Question)] = match data.schemes.len() {
        0 | 1 => &[("In short", in_short)],
        _ => &[
            ("Least queueing delay with a full link", least_delay),
            ("Least loss", least_loss),
            ("Fairest", fairest),
            ("What drop-tail costs", cost_of_drop_tail),
        ],
    };
    let answers = questions.iter().map(|(question, of)| {
        let at: Vec<Option<PointAnswer>> = (0..data.points.len())
            .map(|point| of(&Comparison { data, point }))
            .collect();
        Answer {
            question,
            overall: overall(data, &at),
            at: at.into_iter().map(|one| one.map(|one| one.text)).collect(),
        }
    });
    answers
        .filter(|answer| answer.at.iter().any(Option::is_some))
        .collect()
}

/// Answers a question at one point; `None` where it was not measured.
type Question = fn(&Comparison<'_>) -> Option<PointAnswer>;

/// An answer at one point.
struct PointAnswer {
    text: String,
    /// The schemes that are the best or tie with it, best first; empty where the question has no
    /// best scheme.
    best: Vec<usize>,
}

/// The schemes at one point.
struct Comparison<'a> {
    data: &'a Data,
    point: usize,
}

/// The best of some schemes by a metric, and those that tie with it.
struct Ranking {
    /// Best first.
    best: Vec<usize>,
    /// Whether every scheme ties.
    is_tie_of_all: bool,
}

impl Comparison<'_> {
    fn label(&self, scheme: usize) -> &str {
        &self.data.schemes[scheme].label
    }

    fn metric(&self, name: &str) -> Option<(usize, &Metric)> {
        let metrics = self.data.metrics.iter().enumerate();
        metrics.clone().find(|(_, metric)| metric.name == name)
    }

    /// The values of a scheme's runs, by seed.
    fn runs(&self, scheme: usize, metric: usize) -> Vec<(u64, f64)> {
        let cells = self.data.cells.iter();
        let own = cells.filter(|cell| cell.scheme == scheme && cell.point == self.point);
        let mut runs: Vec<(u64, f64)> = own
            .filter_map(|cell| Some((cell.seed, cell.values[metric]?)))
            .collect();
        runs.sort_by_key(|(seed, _)| *seed);
        runs
    }

    fn mean(&self, scheme: usize, metric: usize) -> Option<Mean> {
        let values: Vec<f64> = self.runs(scheme, metric).iter().map(|run| run.1).collect();
        Mean::of(&values)
    }

    /// The mean of one scheme's values minus another's, paired by seed.
    fn difference(&self, one: usize, other: usize, metric: usize) -> Option<Mean> {
        let others = self.runs(other, metric);
        let pairs: (Vec<f64>, Vec<f64>) = self
            .runs(one, metric)
            .iter()
            .filter_map(|(seed, value)| {
                let at = others.binary_search_by_key(seed, |(seed, _)| *seed).ok()?;
                Some((*value, others[at].1))
            })
            .unzip();
        paired(&pairs.0, &pairs.1)
    }

    /// Ranks `schemes` by a metric, the smallest value first unless `more_is_better`.
    fn rank(&self, schemes: &[usize], metric: usize, more_is_better: bool) -> Option<Ranking> {
        let sign = if more_is_better { -1.0 } else { 1.0 };
        let values_of = |scheme: &usize| -> Vec<f64> {
            let runs = self.runs(*scheme, metric);
            runs.into_iter().map(|(_, value)| value).collect()
        };
        let values: Vec<Vec<f64>> = schemes.iter().map(values_of).collect();
        let slices: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
        let standings = standings(&slices, !more_is_better);
        let mut means: Vec<(usize, f64)> = values
            .iter()
            .enumerate()
            .filter_map(|(index, values)| Some((index, sign * Mean::of(values)?.mean)))
            .collect();
        means.sort_by(|one, other| one.1.total_cmp(&other.1));
        let least = means.first()?.1;
        let measured = means.len();
        let is_best = |(index, mean): &(usize, f64)| match standings[*index] {
            Some(standing) => standing != Standing::Worse,
            // Nothing was tested: with a single seed, or where all values are equal.
            None => *mean == least,
        };
        let best = means.into_iter().filter(is_best);
        let best: Vec<usize> = best.map(|(index, _)| schemes[index]).collect();
        Some(Ranking {
            is_tie_of_all: best.len() == measured && measured > 1,
            best,
        })
    }

    /// "rared, 11.2 ± 0.3 ms".
    fn named(&self, scheme: usize, metric: (usize, &Metric)) -> String {
        let mean = self.mean(scheme, metric.0);
        let value = mean.map_or("not measured".to_string(), |mean| value(&mean, metric.1));
        format!("{}, {value}", self.label(scheme))
    }

    /// ". Not significantly different: pie (11.5 ± 0.4 ms) and 2 others"; empty without ties.
    fn ties(&self, ties: &[usize], metric: (usize, &Metric)) -> String {
        if ties.is_empty() {
            return String::new();
        }
        let named = ties.iter().take(NAMED_TIES).map(|scheme| {
            let mean = self.mean(*scheme, metric.0);
            let value = mean.map_or(String::new(), |mean| value(&mean, metric.1));
            format!("{} ({value})", self.label(*scheme))
        });
        let more = ties.len().saturating_sub(NAMED_TIES);
        let more = (more > 0).then(|| format!("{more} more"));
        let names: Vec<String> = named.chain(more).collect();
        format!(". Not significantly different: {}", listed(&names, "and"))
    }

    /// The best of `schemes`, with the ties.
    fn best_of(
        &self,
        schemes: &[usize],
        metric: (usize, &Metric),
        more_is_better: bool,
    ) -> Option<PointAnswer> {
        let Ranking {
            best,
            is_tie_of_all,
        } = self.rank(schemes, metric.0, more_is_better)?;
        let (first, last) = (*best.first()?, *best.last()?);
        let has_intervals = self.mean(first, metric.0)?.half.is_some();
        let text = match (is_tie_of_all && has_intervals, has_intervals) {
            (true, _) if self.mean(first, metric.0) == self.mean(last, metric.0) => format!(
                "no difference: {} everywhere",
                value(&self.mean(first, metric.0)?, metric.1)
            ),
            (true, _) => format!(
                "no significant difference: {} to {}",
                self.named(first, metric).replacen(", ", " ", 1),
                self.named(last, metric).replacen(", ", " ", 1)
            ),
            (false, true) => self.named(first, metric) + &self.ties(&best[1..], metric),
            (false, false) => format!(
                "{} in a single run each: the difference may be chance",
                self.named(first, metric)
            ),
        };
        Some(PointAnswer { text, best })
    }

    /// Every scheme with results at this point.
    fn schemes(&self) -> Vec<usize> {
        let rows = self.data.summary.iter();
        let here = rows.filter(|row| row.point == self.point);
        here.map(|row| row.scheme).collect()
    }

    /// The schemes that fill the link, and the least utilisation that counts as full.
    fn full(&self) -> Option<(Vec<usize>, f64)> {
        let (utilisation, _) = self.metric("utilisation")?;
        let busy = |scheme: &usize| self.mean(*scheme, utilisation).map(|mean| mean.mean);
        let schemes = self.schemes();
        let highest = schemes.iter().filter_map(busy).fold(0.0, f64::max);
        let least = FULL.min(NEARLY * highest);
        let is_full = |scheme: &usize| busy(scheme).is_some_and(|share| share >= least);
        Some((schemes.into_iter().filter(is_full).collect(), least))
    }
}

/// "11.2 ± 0.3 ms", "0.12 ± 0.01%".
fn value(mean: &Mean, metric: &Metric) -> String {
    number::with_unit(mean.with_interval(metric.scale), metric.unit)
}

fn least_delay(at: &Comparison<'_>) -> Option<PointAnswer> {
    let delay = at.metric("delay_mean").or_else(|| at.metric("delay_p99"))?;
    let utilisation = at.metric("utilisation")?;
    let (full, least) = at.full()?;
    let mut answer = at.best_of(&full, delay, false)?;
    if least < FULL {
        let percent = 100.0 * least;
        answer.text += &format!(
            " (no scheme keeps the link busy for 99% of the time; compared are those above \
             {percent:.1}%)"
        );
    }
    // A scheme with a shorter queue that leaves the link idle is no winner, and no surprise.
    let best = at.mean(*answer.best.first()?, delay.0)?.mean;
    let idle = at.schemes().into_iter().filter(|scheme| {
        let shorter = |mean: Mean| mean.mean < best;
        !full.contains(scheme) && at.mean(*scheme, delay.0).is_some_and(shorter)
    });
    let mut idle: Vec<(usize, f64)> = idle
        .filter_map(|scheme| Some((scheme, at.mean(scheme, delay.0)?.mean)))
        .collect();
    idle.sort_by(|one, other| one.1.total_cmp(&other.1));
    if let Some((scheme, _)) = idle.first() {
        let busy = at.mean(*scheme, utilisation.0)?;
        let others = match idle.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        answer.text += &format!(
            ". Less delay, but an idle link: {} with {} utilisation{others}",
            at.named(*scheme, delay),
            value(&busy, utilisation.1)
        );
    }
    Some(answer)
}

fn least_loss(at: &Comparison<'_>) -> Option<PointAnswer> {
    let loss = at.metric("loss")?;
    let schemes = at.schemes();
    let lost = |scheme: &usize| at.mean(*scheme, loss.0).is_some_and(|mean| mean.mean > 0.0);
    if !schemes.iter().any(lost) {
        let text = "no scheme lost a packet".to_string();
        return Some(PointAnswer {
            text,
            best: schemes,
        });
    }
    at.best_of(&schemes, loss, false)
}

fn fairest(at: &Comparison<'_>) -> Option<PointAnswer> {
    let fairness = at.metric("fairness")?;
    let mut answer = at.best_of(&at.schemes(), fairness, true)?;
    answer.text += " (Jain's index)";
    Some(answer)
}

fn cost_of_drop_tail(at: &Comparison<'_>) -> Option<PointAnswer> {
    let delay = at.metric("delay_mean").or_else(|| at.metric("delay_p99"))?;
    let goodput = at.metric("goodput")?;
    let is_drop_tail = |scheme: &usize| {
        let spec = &at.data.schemes[*scheme].spec;
        spec.split(':').next() == Some("droptail")
    };
    let drop_tail = at.schemes().into_iter().find(is_drop_tail)?;
    let (full, _) = at.full()?;
    let best = at.rank(&full, delay.0, false)?.best;
    let winner = *best.first()?;
    let (own, other) = (at.mean(drop_tail, delay.0)?, at.mean(winner, delay.0)?);
    let label = at.label(drop_tail);
    let mut text = format!("{label} delays packets by {}", value(&own, delay.1));
    if best.contains(&drop_tail) {
        text += ", and no scheme that fills the link is significantly faster";
        return Some(PointAnswer {
            text,
            best: Vec::new(),
        });
    }
    if other.mean > 0.0 {
        let times = own.mean / other.mean;
        let digits = if times < 10.0 { 1 } else { 0 };
        text += &format!(", {times:.digits$} times as long as {}", at.label(winner));
    }
    let more = at.difference(drop_tail, winner, goodput.0)?;
    text += &match more.excludes_zero() {
        true => {
            let direction = if more.mean > 0.0 { "more" } else { "less" };
            let more = Mean {
                mean: more.mean.abs(),
                ..more
            };
            format!(", with {} {direction} goodput", value(&more, goodput.1))
        }
        false => ", without significantly more goodput".to_string(),
    };
    Some(PointAnswer {
        text,
        best: Vec::new(),
    })
}

/// The main figures of a single scheme.
fn in_short(at: &Comparison<'_>) -> Option<PointAnswer> {
    let scheme = *at.schemes().first()?;
    let names = ["delay_mean", "delay_p99", "utilisation", "loss"];
    let figures = names.iter().filter_map(|name| {
        let (index, metric) = at.metric(name)?;
        let mean = at.mean(scheme, index)?;
        Some(format!("{} {}", metric.title, value(&mean, metric)))
    });
    let figures: Vec<String> = figures.collect();
    (!figures.is_empty()).then(|| PointAnswer {
        text: figures.join("; "),
        best: Vec::new(),
    })
}

/// Where the best scheme changes along a sweep; `None` for a single point, and for a question
/// without a best scheme.
fn overall(data: &Data, at: &[Option<PointAnswer>]) -> Option<String> {
    let best: Vec<&[usize]> = at
        .iter()
        .map(|one| one.as_ref().map_or(&[][..], |one| &one.best))
        .collect();
    if best.len() < 2 || best.iter().all(|best| best.is_empty()) {
        return None;
    }
    let swept: Vec<usize> = (0..data.axes.len())
        .filter(|axis| data.axes[*axis].values.len() > 1)
        .collect();
    Some(match *swept {
        [axis] => along(data, axis, &best),
        _ => counted(data, &best),
    })
}

/// "red up to network.rtt = 50 ms, then codel": the fewest changes that the ties allow.
fn along(data: &Data, axis: usize, best: &[&[usize]]) -> String {
    let mut spans: Vec<(usize, usize, Vec<usize>)> = Vec::new();
    for (point, best) in best.iter().enumerate() {
        if best.is_empty() {
            continue;
        }
        if let Some((_, last, names)) = spans.last_mut() {
            let both: Vec<usize> = names.iter().copied().filter(|s| best.contains(s)).collect();
            if !both.is_empty() {
                (*last, *names) = (point, both);
                continue;
            }
        }
        spans.push((point, point, best.to_vec()));
    }
    let field = &data.axes[axis].title;
    let value = |point: usize| &data.axes[axis].values[data.points[point][axis]];
    let texts = spans
        .iter()
        .enumerate()
        .map(|(index, (first, last, schemes))| {
            let names = names(data, schemes);
            match (first == last, index) {
                _ if spans.len() == 1 => format!("{names} at every {field}"),
                (true, 0) => format!("{names} at {field} = {}", value(*first)),
                (false, 0) => format!("{names} at {field} = {} to {}", value(*first), value(*last)),
                (true, _) => format!("{names} at {}", value(*first)),
                (false, _) => format!("{names} at {} to {}", value(*first), value(*last)),
            }
        });
    texts.collect::<Vec<_>>().join("; ")
}

/// "red at 9 of 12 points, codel at 5".
fn counted(data: &Data, best: &[&[usize]]) -> String {
    let points = best.len();
    let mut counts: Vec<(usize, usize)> = (0..data.schemes.len())
        .map(|scheme| {
            (
                scheme,
                best.iter().filter(|best| best.contains(&scheme)).count(),
            )
        })
        .filter(|(_, count)| *count > 0)
        .collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let named = counts.iter().take(NAMED_TIES).enumerate();
    let texts = named.map(|(index, (scheme, count))| {
        let label = &data.schemes[*scheme].label;
        match index {
            0 => format!("{label} at {count} of {points} points"),
            _ => format!("{label} at {count}"),
        }
    });
    let ties = if counts.iter().map(|(_, count)| count).sum::<usize>() > points {
        " (ties count for each)"
    } else {
        ""
    };
    texts.collect::<Vec<_>>().join(", ") + ties
}

fn names(data: &Data, schemes: &[usize]) -> String {
    let mut names: Vec<String> = schemes
        .iter()
        .take(NAMED_TIES)
        .map(|scheme| data.schemes[*scheme].label.clone())
        .collect();
    if schemes.len() > NAMED_TIES {
        names.push(format!("{} more", schemes.len() - NAMED_TIES));
    }
    listed(&names, "or")
}

#[cfg(test)]
mod tests;
