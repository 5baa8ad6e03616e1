//! Records of single packets as tables: CSV and Parquet.

use std::io::{self, Write};

use earlydrop_sim::packet_log::{PacketEvent, PacketLog, PacketRecord};
use rusqlite::types::Value;

use super::columns::{ColumnTable, Values};
use super::export::parquet::{TableWriter, is_own};
use super::tables::{Column, ColumnType};
use crate::escape::{CsvField, CsvWriter};
use crate::files::Signature;

/// The columns before those of the scheme's probes.
const COLUMNS: [(&str, ColumnType, &str); 11] = [
    ("time", ColumnType::Real, "seconds since the start"),
    ("link", ColumnType::Text, "the link behind the queue"),
    (
        "flow",
        ColumnType::Whole,
        "the flow's index in the run, from 0",
    ),
    ("group", ColumnType::Text, "the flow's group"),
    (
        "kind",
        ColumnType::Text,
        "data, ack, syn, datagram or request",
    ),
    (
        "number",
        ColumnType::Whole,
        "the segment's number in its flow; of an ack, the next segment expected",
    ),
    ("size", ColumnType::Whole, "bytes"),
    (
        "event",
        ColumnType::Text,
        "enqueued, dropped, or departed (its transmission begins)",
    ),
    (
        "reason",
        ColumnType::Text,
        "why it was dropped; empty for other events",
    ),
    (
        "marked",
        ColumnType::Whole,
        "1 if it carries a congestion mark (ECN CE); marks set on arrival show at its departure",
    ),
    (
        "queue",
        ColumnType::Whole,
        "packets in the queue afterwards",
    ),
];

/// A format of packet records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketFormat {
    /// Comma-separated values.
    Csv,
    /// Apache Parquet.
    Parquet,
}

impl PacketFormat {
    /// What a file of this format begins with.
    pub fn signature(self) -> Signature {
        match self {
            PacketFormat::Csv => {
                Signature::beginning("time,link,flow,group,kind,number,size,event,")
            }
            PacketFormat::Parquet => Signature::found_by(is_own),
        }
    }
}

/// Writes what happened to each packet at a queue: a row for each event, in order of time, with the
/// scheme's probes after it. `groups` are the groups of the run's flows.
pub fn write_packets(
    log: &PacketLog,
    groups: &[String],
    format: PacketFormat,
    out: impl Write + Send,
) -> io::Result<()> {
    let columns = columns(log);
    let rows = log
        .records()
        .map(|(record, probes)| row(log, groups, record, probes));
    match format {
        PacketFormat::Csv => {
            let mut writer = CsvWriter::new(out);
            writer.line(columns.iter().map(|column| &column.name))?;
            for row in rows {
                writer.line(row.iter().map(|value| match value {
                    Value::Integer(whole) => CsvField::Number(whole.to_string()),
                    Value::Real(real) => CsvField::from(*real),
                    Value::Text(text) => CsvField::from(text),
                    Value::Null | Value::Blob(_) => CsvField::Empty,
                }))?;
            }
            writer.finish()
        }
        PacketFormat::Parquet => {
            let write = || {
                let mut writer = TableWriter::new("packets", &columns, out)?;
                rows.into_iter().try_for_each(|row| writer.row(row))?;
                writer.finish()
            };
            write().map_err(io::Error::other)
        }
    }
}

/// What happened to each packet at a queue as a table: the rows of [`write_packets`].
pub fn packet_table(log: &PacketLog, groups: &[String]) -> ColumnTable {
    let columns = columns(log).into_iter();
    let mut columns: Vec<(Column, Values)> = columns
        .map(|column| {
            let values = Values::empty(column.kind);
            (column, values)
        })
        .collect();
    for (record, probes) in log.records() {
        let values = row(log, groups, record, probes);
        for ((_, column), value) in columns.iter_mut().zip(values) {
            column.push(value);
        }
    }
    ColumnTable { columns }
}

fn columns(log: &PacketLog) -> Vec<Column> {
    let fixed = COLUMNS.iter();
    let fixed = fixed.map(|(name, kind, meaning)| Column::new(name, *kind, meaning));
    let probes = log.probes().iter();
    let probes = probes
        .map(|name| Column::new(name, ColumnType::Real, "the scheme's probe after the event"));
    fixed.chain(probes).collect()
}

fn row(log: &PacketLog, groups: &[String], record: &PacketRecord, probes: &[f64]) -> Vec<Value> {
    let text = |text: &str| Value::Text(text.to_string());
    let whole = |number: u32| Value::Integer(i64::from(number));
    let reason = match record.event {
        PacketEvent::Dropped(reason) => reason.name(),
        _ => "",
    };
    let group = groups
        .get(record.flow.0 as usize)
        .map_or("", String::as_str);
    let fixed = [
        Value::Real(record.at.as_secs_f64()),
        text(log.name()),
        whole(record.flow.0),
        text(group),
        text(record.kind),
        whole(record.number),
        whole(record.size),
        text(record.event.name()),
        text(reason),
        Value::Integer(i64::from(record.is_marked)),
        whole(record.queue),
    ];
    let finite = |value: &f64| match value.is_finite() {
        true => Value::Real(*value),
        false => Value::Null,
    };
    fixed.into_iter().chain(probes.iter().map(finite)).collect()
}
