//! Questions about the link as a whole, all traffic together.

use earlydrop_lab::scenario::Scenario;
use earlydrop_lab::statistics::Mean;

use super::comparison::{Column, Comparison};
use super::{PointAnswer, Question};

/// The utilisation of a full link. Where no scheme reaches it, a link is full within
/// [`NEARLY`] of the highest utilisation.
const FULL: f64 = 0.99;
/// The share of the highest utilisation that counts as a full link where none reaches [`FULL`], and
/// of drop-tail's goodput that counts as as much.
const NEARLY: f64 = 0.99;
/// A link that no scheme keeps busy for so much of the time is not full at all: its queue is that of
/// bursts, and says little of a scheme.
const BUSY: f64 = 0.8;

/// What is asked of every link. In a fabric, the watched link is one of many: only what all traffic
/// loses is asked.
pub(super) fn questions(scenario: &Scenario) -> Vec<(String, Question<'static>)> {
    if scenario.network.is_fabric() {
        return vec![("All traffic: least loss".to_string(), Box::new(least_loss))];
    }
    let questions: [(&str, Question<'static>); 3] = [
        (
            "The link: least queueing delay while it is full",
            Box::new(least_delay),
        ),
        ("The link: least loss", Box::new(least_loss)),
        (
            "The link: what drop-tail costs",
            Box::new(cost_of_drop_tail),
        ),
    ];
    questions.map(|(name, of)| (name.to_string(), of)).into()
}

/// The schemes that fill the link, and the least utilisation that counts as full; `None` where no
/// scheme keeps it [`BUSY`].
fn full(at: &Comparison<'_>) -> Option<(Vec<usize>, f64)> {
    let utilisation = at.of_link("utilisation")?;
    let busy = |scheme: &usize| utilisation.mean(*scheme).map(|mean| mean.mean);
    let schemes = at.schemes();
    let highest = schemes.iter().filter_map(busy).fold(0.0, f64::max);
    if highest < BUSY {
        return None;
    }
    let least = if highest >= FULL {
        FULL
    } else {
        NEARLY * highest
    };
    let is_full = |scheme: &usize| busy(scheme).is_some_and(|share| share >= least);
    Some((schemes.into_iter().filter(is_full).collect(), least))
}

/// The mean queueing delay, or what 99% of the packets stay below where the mean is not measured.
fn queueing_delay(at: &Comparison<'_>) -> Option<Column> {
    let mean = at.of_link("delay_mean");
    mean.or_else(|| at.of_link("delay_p99"))
}

fn least_delay(at: &Comparison<'_>) -> Option<PointAnswer> {
    let delay = queueing_delay(at)?;
    let utilisation = at.of_link("utilisation")?;
    let (full, least) = full(at)?;
    let mut answer = match *full {
        [only] if at.schemes().len() > 1 => alone(at, &delay, only, least < FULL)?,
        _ => at.best_of(&full, &delay)?,
    };
    if least < FULL && full.len() > 1 {
        let percent = 100.0 * least;
        answer.text += &format!(
            " (no scheme keeps the link busy for 99% of the time; compared are those above \
             {percent:.1}%)"
        );
    }
    // A scheme with a shorter queue that leaves the link idle is no winner, and no surprise.
    let best = delay.mean(*answer.best.first().or(full.first())?)?.mean;
    let idle = at.schemes().into_iter().filter(|scheme| {
        let shorter = |mean: Mean| mean.mean < best;
        !full.contains(scheme) && delay.mean(*scheme).is_some_and(shorter)
    });
    let mut idle: Vec<(usize, f64)> = idle
        .filter_map(|scheme| Some((scheme, delay.mean(scheme)?.mean)))
        .collect();
    idle.sort_by(|one, other| one.1.total_cmp(&other.1));
    if let Some((scheme, _)) = idle.first() {
        let others = match idle.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        answer.text += &format!(
            ". Less delay, but the link is not full: {} with {} utilisation{others}",
            at.named(*scheme, &delay),
            utilisation.text(*scheme)
        );
    }
    Some(answer)
}

/// "only droptail fills it, with 102 ± 5 ms". What has nothing beside it has not the least delay.
fn alone(at: &Comparison<'_>, delay: &Column, only: usize, is_idle: bool) -> Option<PointAnswer> {
    let (label, waits) = (at.label(only), delay.text(only));
    let text = match is_idle {
        true => {
            let busy = at.of_link("utilisation")?.text(only);
            format!("none fills it; {label} keeps it busiest, for {busy}, with {waits}")
        }
        false => format!("only {label} fills it, with {waits}"),
    };
    let best = Vec::new();
    Some(PointAnswer { text, best })
}

fn least_loss(at: &Comparison<'_>) -> Option<PointAnswer> {
    let loss = at.of_link("loss")?;
    let schemes = at.schemes();
    let lost = |scheme: &usize| loss.mean(*scheme).is_some_and(|mean| mean.mean > 0.0);
    if !schemes.iter().any(lost) {
        let text = "no scheme lost a packet".to_string();
        return Some(PointAnswer {
            text,
            best: schemes,
        });
    }
    at.best_of(&schemes, &loss)
}

fn cost_of_drop_tail(at: &Comparison<'_>) -> Option<PointAnswer> {
    let delay = queueing_delay(at)?;
    let goodput = at.of_link("goodput")?;
    let is_drop_tail = |scheme: &usize| {
        let spec = at.scenario.schemes[*scheme].spec.to_string();
        spec.split(':').next() == Some("droptail")
    };
    let drop_tail = at.schemes().into_iter().find(is_drop_tail)?;
    // An idle link has no queue whose cost could be asked for.
    full(at)?;
    let carried = |scheme: &usize| goodput.mean(*scheme).map_or(0.0, |mean| mean.mean);
    let least = NEARLY * carried(&drop_tail);
    let as_much = at
        .schemes()
        .into_iter()
        .filter(|scheme| carried(scheme) >= least);
    let as_much: Vec<usize> = as_much.collect();
    let best = delay.rank(&as_much)?.best;
    let winner = *best.first()?;
    let (own, other) = (delay.mean(drop_tail)?, delay.mean(winner)?);
    let label = at.label(drop_tail);
    let mut text = format!("{label} delays packets by {}", delay.text_of(&own));
    if best.contains(&drop_tail) {
        text += match as_much.len() {
            1 => ", and no other scheme carries 99% as much",
            _ => ", and no scheme that carries as much is significantly faster",
        };
        let best = Vec::new();
        return Some(PointAnswer { text, best });
    }
    if other.mean > 0.0 {
        let times = own.mean / other.mean;
        let digits = if times < 10.0 { 1 } else { 0 };
        let winner = at.label(winner);
        text += &format!(
            ", {times:.digits$} times as long as {winner}, the fastest of those that carry 99% as \
             much"
        );
    }
    let more = goodput.difference(drop_tail, winner)?;
    text += &match more.excludes_zero() {
        true => {
            let direction = if more.mean > 0.0 { "more" } else { "less" };
            let more = Mean {
                mean: more.mean.abs(),
                ..more
            };
            format!(", with {} {direction} goodput", goodput.text_of(&more))
        }
        false if more.half.is_none() => ", in a single run each".to_string(),
        false => ", without significantly more goodput".to_string(),
    };
    let best = Vec::new();
    Some(PointAnswer { text, best })
}
