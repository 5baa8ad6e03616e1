//! The reference figures, as they stand in the repository.

/// The table, with its settings.
const TABLE: &str = include_str!("../../../../bench/reference/ns2.csv");

/// One figure of ns-2's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    /// The case it belongs to.
    pub(crate) case: String,
    /// What was measured.
    pub(crate) metric: String,
    /// The mean over ns-2's seeds.
    pub(crate) value: f64,
    /// Half of that mean's 95% interval, where it was kept.
    pub(crate) interval: Option<f64>,
    /// By how much ours may differ, as a share of the value.
    pub(crate) tolerance: f64,
}

/// All figures, in the order of the file.
pub(crate) fn figures() -> Vec<Figure> {
    let rows = TABLE.lines().skip(1).filter(|row| !row.trim().is_empty());
    rows.map(|row| parse(row).unwrap_or_else(|| panic!("a row that makes no sense: {row}")))
        .collect()
}

/// One row: `case,"settings",metric,value,ci95,tolerance,why`. Only settings are quoted.
fn parse(row: &str) -> Option<Figure> {
    let mut quoted = row.splitn(3, '"');
    let case = quoted.next()?.strip_suffix(',')?.to_string();
    let rest = quoted.nth(1)?.strip_prefix(',')?;
    let columns: Vec<&str> = rest.splitn(5, ',').collect();
    let &[metric, value, interval, tolerance, _] = columns.as_slice() else {
        return None;
    };
    let interval = match interval {
        "" => None,
        number => Some(number.parse().ok()?),
    };
    Some(Figure {
        case,
        metric: metric.to_string(),
        value: value.parse().ok()?,
        interval,
        tolerance: tolerance.parse().ok()?,
    })
}
