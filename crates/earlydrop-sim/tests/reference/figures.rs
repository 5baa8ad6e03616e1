//! Reference figures, as stored in `bench/reference`.

/// One figure of another simulator.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    /// Its case.
    pub(crate) case: String,
    /// The metric.
    pub(crate) metric: String,
    /// The mean over seeds.
    pub(crate) value: f64,
    /// Half of that mean's 95% interval, where the table has it.
    pub(crate) interval: Option<f64>,
    /// By how much our figure may differ.
    pub(crate) tolerance: Tolerance,
}

/// By how much a figure may differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tolerance {
    /// As a share of the value.
    Relative(f64),
    /// In the metric's unit.
    Absolute(f64),
}

impl Tolerance {
    /// The tolerance of a figure of this value, in its unit.
    pub(crate) fn around(self, value: f64) -> f64 {
        match self {
            Tolerance::Relative(share) => share * value.abs(),
            Tolerance::Absolute(allowed) => allowed,
        }
    }
}

/// All figures of a `table`, in its order.
pub(crate) fn figures(table: &str) -> Vec<Figure> {
    let rows = table.lines().skip(1).filter(|row| !row.trim().is_empty());
    rows.map(|row| parse(row).unwrap_or_else(|| panic!("a malformed row: {row}")))
        .collect()
}

/// One row: `case,"settings",metric,value,ci95,tolerance,why`. Only settings are quoted.
fn parse(row: &str) -> Option<Figure> {
    let mut quoted = row.splitn(3, '"');
    let case = quoted.next()?.strip_suffix(',')?.to_string();
    let rest = quoted.nth(1)?.strip_prefix(',')?;
    let columns: Vec<&str> = rest.splitn(5, ',').collect();
    let &[metric, value, interval, tolerance, why] = columns.as_slice() else {
        return None;
    };
    let interval = match interval {
        "" => None,
        number => Some(number.parse().ok()?),
    };
    let tolerance = tolerance.parse().ok()?;
    Some(Figure {
        case,
        metric: metric.to_string(),
        value: value.parse().ok()?,
        interval,
        tolerance: if why.starts_with("absolute") {
            Tolerance::Absolute(tolerance)
        } else {
            Tolerance::Relative(tolerance)
        },
    })
}
