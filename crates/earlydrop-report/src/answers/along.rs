//! Where the best scheme changes along a sweep.

use earlydrop_lab::plan::Plan;

use super::PointAnswer;
use super::comparison::NAMED_TIES;
use crate::words::first_of;

/// The best schemes over the points of a plan; `None` for a single point, and for a question
/// without a best scheme.
pub(super) fn overall(plan: &Plan, at: &[Option<PointAnswer>]) -> Option<String> {
    let best: Vec<&[usize]> = at
        .iter()
        .map(|one| one.as_ref().map_or(&[][..], |one| &one.best))
        .collect();
    if best.len() < 2 || best.iter().all(|best| best.is_empty()) {
        return None;
    }
    let swept: Vec<usize> = (0..plan.axes.len())
        .filter(|axis| plan.axes[*axis].values.len() > 1)
        .collect();
    let text = match *swept {
        [axis] => along(plan, axis, &best),
        _ => counted(plan, &best),
    };
    Some(match *plan.seeds {
        [_] => format!("{text}; in a single run each, which may be chance"),
        _ => text,
    })
}

/// "red up to network.rtt = 50 ms, then codel": the fewest changes that the ties allow.
fn along(plan: &Plan, axis: usize, best: &[&[usize]]) -> String {
    let mut spans: Vec<(usize, usize, Vec<usize>)> = Vec::new();
    for (point, best) in best.iter().enumerate() {
        if best.is_empty() {
            continue;
        }
        // A point without a best scheme is in no span.
        if let Some((_, last, names)) = spans.last_mut()
            && *last + 1 == point
        {
            let both: Vec<usize> = names.iter().copied().filter(|s| best.contains(s)).collect();
            if !both.is_empty() {
                (*last, *names) = (point, both);
                continue;
            }
        }
        spans.push((point, point, best.to_vec()));
    }
    let field = plan.axes[axis].name();
    let value = |point: usize| plan.axes[axis].text(plan.points[point].coordinates[axis]);
    let texts = spans
        .iter()
        .enumerate()
        .map(|(index, (first, last, schemes))| {
            let names = names(plan, schemes);
            match (first == last, index) {
                _ if last - first + 1 == best.len() => format!("{names} at every {field}"),
                (true, 0) => format!("{names} at {field} = {}", value(*first)),
                (false, 0) => format!("{names} at {field} = {} to {}", value(*first), value(*last)),
                (true, _) => format!("{names} at {}", value(*first)),
                (false, _) => format!("{names} at {} to {}", value(*first), value(*last)),
            }
        });
    let mut text = texts.collect::<Vec<_>>().join("; ");
    let count = |is: &dyn Fn(&[usize]) -> bool| best.iter().filter(|best| is(best)).count();
    let of = best.len();
    let ties = count(&|best| best.len() > 1 && best.len() == plan.labels().len());
    if (1..of).contains(&ties) {
        text += &format!("; no significant difference at {ties} of {of}");
    }
    let unanswered = count(&|best| best.is_empty());
    if unanswered > 0 {
        text += &format!("; no answer at {unanswered} of {of}");
    }
    text
}

/// "red at 9 of 12 points, codel at 5".
fn counted(plan: &Plan, best: &[&[usize]]) -> String {
    let (points, labels) = (best.len(), plan.labels());
    let mut counts: Vec<(usize, usize)> = (0..labels.len())
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
        let label = labels[*scheme];
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

fn names(plan: &Plan, schemes: &[usize]) -> String {
    let labels = plan.labels();
    let names = schemes.iter().map(|scheme| labels[*scheme].to_string());
    first_of(names, NAMED_TIES, "or")
}
