//! Reading outcomes from the database, for summaries, tables and figures.

use std::collections::BTreeMap;

use earlydrop::aqm::DropReason;
use rusqlite::types::{Type, ValueRef};
use rusqlite::{Error, Row};

use super::tables::LINKS;
use super::{Store, StoreError};
use crate::metrics::{self, LINK_METRICS, LIVE_METRICS, METRICS, SizeBin};
use crate::outcome::Series;
use crate::plan::{Hosts, Plan};
use crate::rows::{CellRow, GroupRow, LinkRow, LiveRow, Rows};
use crate::summary::Summary;

/// The figures of a flow of a cell.
#[derive(Clone, Debug)]
pub struct FlowRow {
    /// The cell's number.
    pub cell: usize,
    /// Its group.
    pub group: String,
    /// Bits on the wire that arrived, per second.
    pub throughput: f64,
    /// Bits of payload that arrived for the first time, per second.
    pub goodput: f64,
    /// The share of its data packets that were lost.
    pub loss: f64,
}

/// The slowdowns of a group's transfers of about one size, in one cell.
#[derive(Clone, Debug)]
pub struct SizeRow {
    /// The scheme's label.
    pub scheme: String,
    /// The point's index.
    pub point: usize,
    /// The group.
    pub group: String,
    /// The largest size, in bytes.
    pub up_to: f64,
    /// How many began.
    pub transfers: u64,
    /// The share up to which the quantiles are known: beyond, they are at least that.
    pub known: f64,
    /// Slowdowns that [`SizeBin::SHARES`] of them do not exceed; `None` without a least time.
    pub slowdown: Vec<Option<f64>>,
}

/// How busy the queue of a link was: the most in any cell.
#[derive(Clone, Debug)]
pub struct QueueRow {
    /// The link that it feeds.
    pub link: String,
    /// Whether it is the watched queue of a cell.
    pub watched: bool,
    /// The share of the time that the link was sending.
    pub utilisation: f64,
    /// Packets marked, or dropped for any reason.
    pub signals: f64,
}

/// The queue of a link under a scheme at a point, over its runs.
#[derive(Clone, Debug)]
pub struct PortRow {
    /// The scheme's label.
    pub scheme: String,
    /// The point's index.
    pub point: usize,
    /// The link that it feeds: "leaf 0 to host 3".
    pub link: String,
    /// The share of the time that the link was sending, the mean number of packets that waited, the
    /// shares of packets marked and dropped, and the seconds that the link was paused, if switches
    /// pause it.
    pub values: [Option<f64>; 5],
}

/// Quantiles for each scheme's label and point: shares of packets, and seconds.
pub type Quantiles = BTreeMap<(String, usize), Vec<(f64, f64)>>;

impl Summary {
    /// The summary of the cells of `plan` that `store` holds.
    pub fn of_store(plan: &Plan, store: &Store) -> Result<Summary, StoreError> {
        Ok(Summary::of(plan, store.all_rows()?))
    }
}

impl Store {
    /// Calls `read` with each row that `select` returns.
    pub(super) fn rows<T>(
        &self,
        select: &str,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        self.sql(|database| {
            let mut statement = database.prepare(select)?;
            let checked = |row: &Row<'_>| read(finite(row)?);
            statement.query_map([], checked)?.collect()
        })
    }

    /// The rows of all completed cells.
    pub fn all_rows(&self) -> Result<Rows, StoreError> {
        Ok(Rows {
            cells: self.cells()?,
            groups: self.groups()?,
            links: self.links()?,
            live: self.live()?,
        })
    }

    /// The metrics of the completed cells, in the order of the plan.
    pub fn cells(&self) -> Result<Vec<CellRow>, StoreError> {
        let columns: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
        let columns = columns.join(", ");
        let select =
            format!("SELECT cell, scheme, point, seed, {columns} FROM cells ORDER BY cell");
        self.rows(&select, |row| {
            Ok(CellRow {
                cell: row.get(0)?,
                scheme: row.get(1)?,
                point: row.get(2)?,
                seed: row.get::<_, i64>(3)? as u64,
                values: values(row, 4, METRICS.len())?,
            })
        })
    }

    /// The metrics of the groups of flows of the completed cells.
    pub fn groups(&self) -> Result<Vec<GroupRow>, StoreError> {
        let columns: Vec<&str> = metrics::of_groups().map(|metric| metric.name).collect();
        let count = columns.len();
        let columns = columns.join(", ");
        let select = format!("SELECT cell, name, flows, {columns} FROM groups ORDER BY cell, name");
        self.rows(&select, |row| {
            Ok(GroupRow {
                cell: row.get(0)?,
                name: row.get(1)?,
                flows: row.get(2)?,
                values: values(row, 3, count)?,
            })
        })
    }

    /// The metrics of the bottlenecks of the completed cells; empty where there is one.
    pub fn links(&self) -> Result<Vec<LinkRow>, StoreError> {
        if !self.has_links()? {
            return Ok(Vec::new());
        }
        let columns: Vec<&str> = LINK_METRICS.iter().map(|metric| metric.name).collect();
        let columns = columns.join(", ");
        let select = format!("SELECT cell, link, {columns} FROM {LINKS} ORDER BY cell, link");
        self.rows(&select, |row| {
            Ok(LinkRow {
                cell: row.get(0)?,
                link: row.get(1)?,
                values: values(row, 2, LINK_METRICS.len())?,
            })
        })
    }

    /// The flows of the cells with this seed at the first `points` of the sweep.
    pub fn flows(&self, seed: u64, points: usize) -> Result<Vec<FlowRow>, StoreError> {
        let select = format!(
            "SELECT cell, name, flows.throughput, flows.goodput, lost, received FROM flows
             JOIN cells USING (cell) WHERE seed = {seed} AND point < {points} ORDER BY cell, flow"
        );
        self.rows(&select, |row| {
            let (lost, received): (f64, f64) = (row.get(4)?, row.get(5)?);
            Ok(FlowRow {
                cell: row.get(0)?,
                group: row.get(1)?,
                throughput: row.get(2)?,
                goodput: row.get(3)?,
                loss: if lost > 0.0 {
                    lost / (lost + received)
                } else {
                    0.0
                },
            })
        })
    }

    /// The queue of each link, over all completed cells, in the order of the links' names.
    pub fn queues(&self) -> Result<Vec<QueueRow>, StoreError> {
        let dropped = DropReason::ALL.map(|reason| format!("dropped_{}", reason.name()));
        let select = format!(
            "SELECT link, max(watched), max(utilisation), max(marked + {}) FROM queues
             GROUP BY link ORDER BY link",
            dropped.join(" + ")
        );
        self.rows(&select, |row| {
            Ok(QueueRow {
                link: row.get(0)?,
                watched: row.get(1)?,
                utilisation: row.get(2)?,
                signals: row.get(3)?,
            })
        })
    }

    /// The queue of each link at the first `points` of the sweep, over the runs of all seeds.
    pub fn ports(&self, points: usize) -> Result<Vec<PortRow>, StoreError> {
        let dropped = DropReason::ALL.map(|reason| format!("dropped_{}", reason.name()));
        let select = format!(
            "SELECT scheme, point, link, avg(queues.utilisation), avg(queues.mean_packets),
             1.0 * sum(queues.marked) / sum(queues.arrived), 1.0 * sum({}) / sum(queues.arrived),
             avg(queues.paused)
             FROM queues JOIN cells USING (cell) WHERE point < {points}
             GROUP BY scheme, point, link ORDER BY point, scheme, link",
            dropped.join(" + ")
        );
        self.rows(&select, |row| {
            let mut values = [None; 5];
            for (index, value) in values.iter_mut().enumerate() {
                *value = row.get(3 + index)?;
            }
            Ok(PortRow {
                scheme: row.get(0)?,
                point: row.get(1)?,
                link: row.get(2)?,
                values,
            })
        })
    }

    /// Quantiles of the time in the watched queue, averaged over the seeds.
    pub fn sojourn(&self) -> Result<Quantiles, StoreError> {
        self.quantiles("sojourn")
    }

    /// Quantiles of the lateness of packets, averaged over the seeds; empty for simulated runs.
    pub fn lateness(&self) -> Result<Quantiles, StoreError> {
        match self.hosts()? {
            Hosts::Simulated => Ok(Quantiles::new()),
            Hosts::Real => self.quantiles("lateness"),
        }
    }

    /// The timing of the completed cells, in the order of the plan; empty for simulated runs.
    pub fn live(&self) -> Result<Vec<LiveRow>, StoreError> {
        if self.hosts()? == Hosts::Simulated {
            return Ok(Vec::new());
        }
        let columns: Vec<&str> = LIVE_METRICS.iter().map(|metric| metric.name).collect();
        let columns = columns.join(", ");
        let select = format!("SELECT cell, trustworthy, {columns} FROM live ORDER BY cell");
        self.rows(&select, |row| {
            Ok(LiveRow {
                cell: row.get(0)?,
                trustworthy: row.get(1)?,
                values: values(row, 2, LIVE_METRICS.len())?,
            })
        })
    }

    /// Slowdowns of transfers by size, of each cell and group: those of a size stand together.
    pub fn sizes(&self) -> Result<Vec<SizeRow>, StoreError> {
        let select = "SELECT scheme, point, name, up_to, sizes.transfers + sizes.unfinished, known,
             sizes.slowdown_p50, sizes.slowdown_p95, sizes.slowdown_p99, sizes.slowdown_p999
             FROM sizes JOIN cells USING (cell) ORDER BY scheme, point, name, up_to, seed";
        self.rows(select, |row| {
            Ok(SizeRow {
                scheme: row.get(0)?,
                point: row.get(1)?,
                group: row.get(2)?,
                up_to: row.get(3)?,
                transfers: row.get(4)?,
                known: row.get(5)?,
                slowdown: values(row, 6, SizeBin::SHARES.len())?,
            })
        })
    }

    /// Packets dropped or marked by the watched queue over packets that arrived, by cell.
    pub fn signals(&self) -> Result<BTreeMap<usize, f64>, StoreError> {
        let dropped = DropReason::ALL.map(|reason| format!("dropped_{}", reason.name()));
        let select = format!(
            "SELECT cell, 1.0 * (marked + {}) / arrived FROM queues
             WHERE watched = 1 AND arrived > 0",
            dropped.join(" + ")
        );
        let rows = self.rows(&select, |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.into_iter().collect())
    }

    fn quantiles(&self, table: &str) -> Result<Quantiles, StoreError> {
        let select = format!(
            "SELECT scheme, point, share, avg(seconds) FROM {table}
             JOIN cells USING (cell) GROUP BY scheme, point, share ORDER BY scheme, point, share"
        );
        let rows = self.rows(&select, |row| {
            let key: (String, usize) = (row.get(0)?, row.get(1)?);
            Ok((key, (row.get(2)?, row.get(3)?)))
        })?;
        let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (key, quantile) in rows {
            all.entry(key).or_default().push(quantile);
        }
        Ok(all)
    }

    /// Quantiles of the completion times of a group's transfers under a scheme at a point:
    /// share and seconds, averaged over the seeds.
    pub fn transfers(
        &self,
        scheme: &str,
        point: usize,
        group: &str,
    ) -> Result<Vec<(f64, f64)>, StoreError> {
        let select = "SELECT share, avg(seconds) FROM transfers JOIN cells USING (cell)
             WHERE scheme = ? AND point = ? AND name = ? GROUP BY share ORDER BY share";
        self.sql(|database| {
            let mut statement = database.prepare(select)?;
            let rows = statement.query_map((scheme, point, group), |row| {
                finite(row)?;
                Ok((row.get(0)?, row.get(1)?))
            })?;
            rows.collect()
        })
    }

    /// A series of a cell, by its name and its source; without `source`, of the watched link.
    pub fn series_of(
        &self,
        cell: usize,
        name: &str,
        source: Option<&str>,
    ) -> Result<Option<Series>, StoreError> {
        let select = "SELECT series.cell, source, name, interval, list FROM series
             WHERE series.cell = ?1 AND name = ?2 AND source = coalesce(?3,
             (SELECT link FROM queues WHERE queues.cell = ?1 AND watched = 1))";
        self.sql(|database| {
            let mut statement = database.prepare(select)?;
            let checked = |row: &Row<'_>| one_series(finite(row)?);
            let mut rows = statement.query_map((cell, name, source), checked)?;
            rows.next().transpose()
        })
        .map(|row| row.map(|(_, series)| series))
    }

    /// The series of this name of the watched link, of every cell that has it.
    pub fn watched_series(&self, name: &str) -> Result<Vec<(usize, Series)>, StoreError> {
        let watched = "SELECT cell, link FROM queues WHERE watched = 1";
        let select = format!(
            "SELECT series.cell, source, name, interval, list FROM series
             JOIN ({watched}) AS watched ON series.cell = watched.cell AND source = link
             WHERE name = '{}' ORDER BY series.cell",
            name.replace('\'', "''")
        );
        self.rows(&select, one_series)
    }

    /// All series of the cells with this seed at the first `points` of the sweep, each with its
    /// cell's number.
    pub fn series(&self, seed: u64, points: usize) -> Result<Vec<(usize, Series)>, StoreError> {
        let select = format!(
            "SELECT cell, source, name, interval, list FROM series JOIN cells USING (cell)
             WHERE seed = {seed} AND point < {points} ORDER BY cell, source, name"
        );
        self.rows(&select, one_series)
    }
}

/// A row without numbers that are not finite: a run has stored none.
pub(super) fn finite<'a, 'row>(row: &'a Row<'row>) -> rusqlite::Result<&'a Row<'row>> {
    let statement: &rusqlite::Statement<'_> = row.as_ref();
    for column in 0..statement.column_count() {
        if let ValueRef::Real(number) = row.get_ref(column)?
            && !number.is_finite()
        {
            let name = statement.column_name(column)?;
            let text = format!("{name} is {number}: no run has stored it");
            return Err(Error::FromSqlConversionFailure(
                column,
                Type::Real,
                text.into(),
            ));
        }
    }
    Ok(row)
}

fn one_series(row: &Row<'_>) -> rusqlite::Result<(usize, Series)> {
    let list: String = row.get(4)?;
    let list: Vec<Option<f64>> = serde_json::from_str(&list).unwrap_or_default();
    let series = Series {
        source: row.get(1)?,
        name: row.get(2)?,
        interval: row.get(3)?,
        values: list.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect(),
    };
    Ok((row.get(0)?, series))
}

fn values(row: &Row<'_>, from: usize, count: usize) -> rusqlite::Result<Vec<Option<f64>>> {
    (from..from + count).map(|column| row.get(column)).collect()
}
