//! The tables of `docs/papers/configuration-methods.md`, made from the figures of its links.

use earlydrop_model::number::number;

use super::links::{
    Group, Links, Row, beside_drop_tail, ecn, links, methods, ranges, row, share, windows,
};

/// "87%"; "-" of nothing.
fn percent(is: impl Iterator<Item = bool>) -> String {
    share(is).map_or("-".to_string(), |share| format!("{:.0}%", 100.0 * share))
}

/// The value below which this share of the values is.
fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    let index = (share * last as f64).round() as usize;
    values.get(index).copied().unwrap_or(f64::NAN)
}

/// The alignment of columns of numbers.
const NUMBERS: &str = "|--:";

/// A table with this alignment of all columns but the first.
pub(crate) fn table(
    header: &[&str],
    align: &str,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let columns = align.repeat(header.len() - 1);
    let mut text = line(header.iter().map(ToString::to_string).collect());
    text += &format!("|---{columns}|\n");
    text.extend(rows.into_iter().map(line));
    text
}

fn of_all(links: &Links<'_>) -> String {
    let header = [
        "method",
        "meets the goal",
        "full link",
        "utilisation, 10% of links below",
        "delay, share of drop-tail's",
        "lost",
        "lost, 10% of links above",
        "between min and max",
        "loop oscillates",
        "95% of delays over their mean",
    ];
    let of_method = |method: &str| {
        let pairs = || beside_drop_tail(links, method);
        let own = |of: fn(&Row<'_>) -> f64| pairs().map(|(row, _)| of(row)).collect::<Vec<f64>>();
        let delays = pairs().map(|(row, drop_tail)| row.delay / drop_tail.delay);
        let loops = pairs().filter(|(row, _)| !row.stability.is_empty());
        vec![
            method.to_string(),
            percent(pairs().map(|(row, drop_tail)| row.meets_the_goal(drop_tail))),
            percent(pairs().map(|(row, drop_tail)| row.is_full(drop_tail))),
            format!("{:.1}%", quantile(own(|row| row.utilisation), 0.1)),
            format!("{:.0}%", 100.0 * quantile(delays.collect(), 0.5)),
            format!("{:.2}%", quantile(own(|row| row.lost), 0.5)),
            format!("{:.1}%", quantile(own(|row| row.lost), 0.9)),
            percent(pairs().filter_map(|(row, _)| row.is_between_thresholds())),
            percent(loops.map(|(row, _)| row.stability == "oscillating")),
            format!("{:.1}", quantile(own(|row| row.swing), 0.5)),
        ]
    };
    table(&header, NUMBERS, methods(links).into_iter().map(of_method))
}

/// The share of each group's links on which each method meets the goal.
fn by_group(links: &Links<'_>, groups: &[Group]) -> String {
    let of_group = |method: &str, (_, is_in): &Group| {
        let own = beside_drop_tail(links, method).filter(|(row, _)| is_in(row));
        percent(own.map(|(row, drop_tail)| row.meets_the_goal(drop_tail)))
    };
    let count = |(name, is_in): &Group| {
        let own = beside_drop_tail(links, "droptail").filter(|(row, _)| is_in(row));
        format!("{name} ({})", own.count())
    };
    let names: Vec<String> = groups.iter().map(count).collect();
    let mut header = vec!["method"];
    header.extend(names.iter().map(String::as_str));
    let of_method = |method: &str| {
        let cells = groups.iter().map(|group| of_group(method, group));
        [method.to_string()].into_iter().chain(cells).collect()
    };
    let queues = methods(links)
        .into_iter()
        .filter(|method| *method != "droptail");
    table(&header, NUMBERS, queues.map(of_method))
}

/// Each method's upper threshold over the bandwidth-delay product, the median of each group.
fn upper_thresholds(links: &Links<'_>, groups: &[Group]) -> String {
    let mut header = vec!["method"];
    header.extend(groups.iter().map(|(name, _)| name.as_str()));
    let of_group = |method: &str, (_, is_in): &Group| {
        let rows = links.values().filter_map(|link| row(link, method));
        let own = rows.filter(|row| is_in(row));
        let over = own.filter_map(|row| Some(row.band?.1 / (row.packets_a_flow() * row.flows)));
        number(quantile(over.collect(), 0.5))
    };
    let of_method = |method: &str| {
        let cells = groups.iter().map(|group| of_group(method, group));
        [method.to_string()].into_iter().chain(cells).collect()
    };
    table(&header, NUMBERS, WITH_THRESHOLDS.map(of_method))
}

/// The methods whose thresholds are compared.
const WITH_THRESHOLDS: [&str; 5] = ["configure", "paper", "morris", "floyd-2001", "linux"];

/// What was simulated where the model calls a loop stable, on the edge or oscillating.
fn by_verdict(links: &Links<'_>) -> String {
    let header = [
        "the model's verdict",
        "queues",
        "full link",
        "95% of delays over their mean",
    ];
    let of_verdict = |verdict: &str| {
        let methods = methods(links).into_iter();
        let pairs = methods.flat_map(|method| beside_drop_tail(links, method));
        let own: Vec<_> = pairs.filter(|(row, _)| row.stability == verdict).collect();
        let swings = own.iter().map(|(row, _)| row.swing).collect();
        vec![
            verdict.to_string(),
            own.len().to_string(),
            percent(own.iter().map(|(row, drop_tail)| row.is_full(drop_tail))),
            format!("{:.1}", quantile(swings, 0.5)),
        ]
    };
    table(
        &header,
        NUMBERS,
        ["stable", "on the edge", "oscillating"].map(of_verdict),
    )
}

/// Differences below this share of the larger value, and below these least ones, count as none.
const ALIKE: f64 = 0.05;

/// On how many links a method of choosing is better than another, and worse.
fn pair(links: &Links<'_>, better: &str, than: &str) -> Vec<Vec<String>> {
    type Of = fn(&Row<'_>) -> Option<f64>;
    let measures: [(&str, f64, f64, Of); 5] = [
        ("utilisation", 1.0, 0.5, |row| Some(row.utilisation)),
        ("packets lost or marked", -1.0, 0.1, |row| {
            Some(row.lost + row.marked)
        }),
        ("timeouts", -1.0, 0.1, |row| Some(row.timeouts)),
        ("fairness", 1.0, 0.01, |row| row.fairness),
        ("delay", -1.0, 0.1, |row| Some(row.delay)),
    ];
    let row_of = |(name, sign, least, of): (&str, f64, f64, Of)| {
        let pairs = links.values().filter_map(|link| {
            let [one, other] = [better, than].map(|method| row(link, method).and_then(of));
            one.zip(other)
        });
        let (mut more, mut less, mut all) = (0, 0, 0);
        for (one, other) in pairs {
            let alike = least.max(ALIKE * one.max(other));
            let alike = if sign > 0.0 { least } else { alike };
            more += u32::from(sign * (one - other) > alike);
            less += u32::from(sign * (other - one) > alike);
            all += 1;
        }
        let cells = [more, all - more - less, less].map(|count: u32| count.to_string());
        [vec![name.to_string(), than.to_string()], cells.to_vec()].concat()
    };
    measures.into_iter().map(row_of).collect()
}

/// What holds of methods with a third more flows than they were told of.
fn with_more(links: &Links<'_>, more: &Links<'_>) -> String {
    let header = [
        "method",
        "between min and max",
        "with a third more flows",
        "meets the goal",
        "with a third more flows",
    ];
    let of_method = |method: &str| {
        let told = |links: &Links<'_>| {
            let pairs = || beside_drop_tail(links, method);
            let between = percent(pairs().filter_map(|(row, _)| row.is_between_thresholds()));
            [
                between,
                percent(pairs().map(|(row, tail)| row.meets_the_goal(tail))),
            ]
        };
        let [[between, met], [between_more, met_more]] = [told(links), told(more)];
        vec![method.to_string(), between, between_more, met, met_more]
    };
    let queues = methods(more)
        .into_iter()
        .filter(|method| *method != "droptail");
    table(&header, NUMBERS, queues.map(of_method))
}

/// The tables, each with the heading that it stands below on the page.
pub(crate) fn tables(text: &str) -> Vec<(&'static str, String)> {
    let [links, more] = links(text);
    let pairs = ["morris", "balance", "droptail"];
    let pairs = pairs
        .into_iter()
        .flat_map(|than| pair(&links, "paper", than));
    let pair_header = ["`paper` by", "beside", "better", "alike", "worse"];
    let mut others = ranges(&[10.0, 100.0, 1000.0], " Mbps", |row| row.rate);
    others.extend(ranges(&[10.0, 50.0], " ms", |row| row.rtt));
    others.extend(ecn());
    let groups = windows();
    let by_size = &groups[..groups.len() - 1];
    vec![
        ("## All links", of_all(&links)),
        ("### By the model's verdict", by_verdict(&links)),
        ("### By packets a flow", by_group(&links, &groups)),
        ("### The upper threshold", upper_thresholds(&links, by_size)),
        ("### By rate, round trip and ECN", by_group(&links, &others)),
        (
            "### Beside other methods",
            table(&pair_header, NUMBERS, pairs),
        ),
        ("### With more flows", with_more(&links, &more)),
    ]
}
