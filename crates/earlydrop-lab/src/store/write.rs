//! Saving outcomes in the database.

use rusqlite::{Transaction, params_from_iter, types};

use super::tables::{LINKS, insert};
use super::{Store, StoreError};
use crate::metrics::LIVE_METRICS;
use crate::outcome::{FlowOutcome, Outcome, QueueOutcome};
use crate::plan::{Cell, Plan};
use crate::records::TransferOutcome;
use crate::timing::LiveTiming;

/// The values of a row of a table.
type Row = Vec<types::Value>;

impl Store {
    /// Saves the outcome of a cell in one transaction: completely, or not at all if the
    /// process ends meanwhile.
    pub fn save(&self, plan: &Plan, cell: Cell, outcome: &Outcome) -> Result<(), StoreError> {
        self.sql(|database| {
            let transaction = database.unchecked_transaction()?;
            save_cell(&transaction, plan, cell, outcome)?;
            save_parts(&transaction, plan.number(cell), outcome)?;
            transaction.commit()
        })
    }

    /// Saves the outcome of a cell and takes it back, to see how long that takes.
    pub fn save_and_undo(
        &self,
        plan: &Plan,
        cell: Cell,
        outcome: &Outcome,
    ) -> Result<(), StoreError> {
        self.sql(|database| {
            let transaction = database.unchecked_transaction()?;
            save_cell(&transaction, plan, cell, outcome)?;
            save_parts(&transaction, plan.number(cell), outcome)?;
            transaction.rollback()
        })
    }
}

fn save_cell(
    transaction: &Transaction<'_>,
    plan: &Plan,
    cell: Cell,
    outcome: &Outcome,
) -> rusqlite::Result<()> {
    let scheme = plan.labels()[cell.scheme].to_string();
    let mut row: Row = vec![
        whole(plan.number(cell) as u64),
        scheme.into(),
        whole(cell.point as u64),
        whole(plan.seeds[cell.seed]),
    ];
    row.extend(outcome.values.iter().map(|value| real(*value)));
    transaction.execute(&insert("cells"), params_from_iter(row))?;
    Ok(())
}

/// Saves everything of a cell but its row in `cells`.
fn save_parts(
    transaction: &Transaction<'_>,
    number: usize,
    outcome: &Outcome,
) -> rusqlite::Result<()> {
    let add = |table: &str, rows: Vec<Row>| -> rusqlite::Result<()> {
        let mut statement = transaction.prepare(&insert(table))?;
        for mut row in rows {
            row.insert(0, whole(number as u64));
            statement.execute(params_from_iter(row))?;
        }
        Ok(())
    };
    let flows = outcome.flows.iter().enumerate();
    let flows = flows.map(|(index, flow)| flow_row(index, flow));
    add("groups", group_rows(outcome))?;
    add("flows", flows.collect())?;
    let links = outcome.links.iter().map(|(link, values)| {
        let name = [link.clone().into()].into_iter();
        name.chain(values.iter().map(|value| real(*value)))
            .collect()
    });
    let links: Vec<Row> = links.collect();
    if !links.is_empty() {
        add(LINKS, links)?;
    }
    add("queues", outcome.queues.iter().map(queue_row).collect())?;
    add("sojourn", quantile_rows(&outcome.sojourn))?;
    if let Some(live) = &outcome.live {
        add("live", vec![live_row(live)])?;
        add("lateness", quantile_rows(&live.lateness))?;
    }
    let transfers = outcome.transfers.iter().map(|(group, share, seconds)| {
        vec![group.clone().into(), (*share).into(), (*seconds).into()]
    });
    add("transfers", transfers.collect())?;
    let sizes = outcome.sizes.iter().map(|(group, bin)| {
        let counts = [bin.transfers, bin.unfinished].map(whole);
        let mut row: Row = vec![group.clone().into(), bin.up_to.into()];
        row.extend(counts);
        row.push(bin.known.into());
        row.extend(
            bin.completion
                .iter()
                .chain(&bin.slowdown)
                .map(|value| (*value).into()),
        );
        row
    });
    let sizes: Vec<Row> = sizes.collect();
    if !sizes.is_empty() {
        add("sizes", sizes)?;
    }
    let records: Vec<Row> = outcome.records.iter().map(record_row).collect();
    if !records.is_empty() {
        add("records", records)?;
    }
    add("series", series_rows(outcome))
}

fn record_row(record: &TransferOutcome) -> Row {
    vec![
        whole(record.flow.into()),
        whole(record.number),
        record.group.clone().into(),
        record.start.into(),
        record.source.clone().into(),
        record.destination.clone().into(),
        record.path.clone().into(),
        whole(record.size),
        record.completion.into(),
        real(record.ideal),
        real(record.slowdown),
        whole(record.retransmissions.into()),
        whole(record.timeouts.into()),
        whole(record.finished.into()),
    ]
}

fn group_rows(outcome: &Outcome) -> Vec<Row> {
    let row = |(name, flows, values): &(String, usize, Vec<Option<f64>>)| {
        let mut row = vec![name.clone().into(), whole(*flows as u64)];
        row.extend(values.iter().map(|value| real(*value)));
        row
    };
    outcome.groups.iter().map(row).collect()
}

fn series_rows(outcome: &Outcome) -> Vec<Row> {
    let series = outcome.series.iter().map(|series| {
        let values = series.values.iter();
        let finite = values.map(|value| value.is_finite().then_some(*value));
        let list = serde_json::to_string(&finite.collect::<Vec<_>>()).unwrap_or_default();
        vec![
            series.source.clone().into(),
            series.name.clone().into(),
            series.interval.into(),
            list.into(),
        ]
    });
    series.collect()
}

/// A row for each share and its seconds.
fn quantile_rows(quantiles: &[(f64, f64)]) -> Vec<Row> {
    let row = |(share, seconds): &(f64, f64)| vec![(*share).into(), (*seconds).into()];
    quantiles.iter().map(row).collect()
}

fn live_row(live: &LiveTiming) -> Row {
    let measured = LIVE_METRICS.iter().map(|metric| real(metric.of_live(live)));
    let rule = [live.tolerated.into(), whole(u64::from(live.trustworthy))];
    measured.chain(rule).collect()
}

fn flow_row(index: usize, flow: &FlowOutcome) -> Row {
    vec![
        whole(index as u64),
        flow.group.clone().into(),
        flow.throughput.into(),
        flow.goodput.into(),
        whole(flow.received),
        whole(flow.lost),
        whole(flow.marked),
        whole(flow.timeouts),
        whole(flow.retransmissions),
    ]
}

fn queue_row(queue: &QueueOutcome) -> Row {
    let mut row = vec![
        queue.link.clone().into(),
        whole(u64::from(queue.watched)),
        queue.utilisation.into(),
        queue.mean_packets.into(),
        whole(u64::from(queue.longest)),
        real(queue.mean_sojourn),
        whole(queue.arrived),
        whole(queue.departed),
        whole(queue.marked),
    ];
    row.extend(queue.dropped.iter().map(|dropped| whole(*dropped)));
    let (pauses, paused) = queue.pauses.unzip();
    row.push(real(pauses.map(|pauses| pauses as f64)));
    row.push(real(paused));
    row
}

/// SQLite's integers are signed; no number here is above their maximum.
fn whole(number: u64) -> types::Value {
    types::Value::Integer(number as i64)
}

/// A number that is not finite was not measured.
fn real(value: Option<f64>) -> types::Value {
    match value.filter(|value| value.is_finite()) {
        Some(value) => types::Value::Real(value),
        None => types::Value::Null,
    }
}
