//! Data files of flent (<https://flent.org>), one for each run whose samples are stored.
//!
//! flent measures real hosts. Its plots, its tables and `flent-gui` read these files, so that a
//! simulated run can be put beside a measured one. The format is that of flent's page "Data
//! format", version 4: one JSON document, compressed by gzip, with `metadata`, the times
//! `x_values`, a list per series in `results`, and values with their own times in `raw_values`.
//!
//! | flent's series | here |
//! |---|---|
//! | `TCP upload::GROUP`, `UDP upload::GROUP` \[Mbit/s\] | departures of the group from the watched queue |
//! | `TCP upload sum`, `TCP upload avg` \[Mbit/s\] | the sum and the mean over TCP's groups |
//! | `Ping (ms) ICMP` | RTT + queue · L / R: base round-trip time, packets in the queue, mean packet, rate |
//! | `qdisc_stats_bottleneck` \[packets\] | queue, drops and marks of the watched link |

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::types::Value;
use serde_json::{Map, Value as Json, json};

use super::super::Store;
use super::ExportError;
use super::tidy::Keys;
use crate::files::Signature;
use crate::plan::Plan;
use crate::version::version;

mod gzip;

/// The version of flent's format.
const VERSION: u32 = 4;

/// flent's test that measures what these runs have: uploads, and the delay of pings.
const TEST: &str = "tcp_nup";

/// flent's name for the statistics of the bottleneck's queue.
const QDISC: &str = "qdisc_stats_bottleneck";

/// A data file of flent.
#[derive(Clone, Debug)]
pub struct FlentFile {
    /// Its name, as flent makes them: test, time and title, then `.flent.gz`.
    pub name: String,
    /// Its content.
    pub document: Json,
}

impl FlentFile {
    /// The file's bytes: the document as JSON, compressed by gzip.
    pub fn to_bytes(&self) -> Vec<u8> {
        let text = serde_json::to_string(&self.document).unwrap_or_default();
        gzip::compress(text.as_bytes())
    }
}

/// What the gzip header of a file made here says.
pub(super) fn signature() -> Signature {
    Signature::beginning_with(gzip::HEADER)
}

/// The data files of the runs of `plan` whose samples `store` has. They say that the runs began
/// at `begun`: a simulation has no date of its own.
pub fn flent_files(
    plan: &Plan,
    store: &Store,
    begun: SystemTime,
) -> Result<Vec<FlentFile>, ExportError> {
    let keys = Keys::of(store)?;
    let begun = begun.duration_since(UNIX_EPOCH).unwrap_or_default();
    let runs = runs(store)?;
    if runs.is_empty() {
        return Err(ExportError::NotSampled {
            what: "a data file of flent needs samples over time",
            field: "measure.series = \"all\"",
        });
    }
    let files = runs.into_iter().map(|(cell, run)| {
        let keys_of_run = keys.of_run(cell);
        let point = match keys_of_run.get(2).map(|(_, value)| value) {
            Some(Value::Integer(point)) => usize::try_from(*point).unwrap_or_default(),
            _ => 0,
        };
        run.into_file(plan, &Facts::of(plan, point), &title(&keys_of_run), begun)
    });
    files.collect()
}

/// The samples of one run's watched link.
#[derive(Default)]
struct Sampled {
    link: String,
    /// The time from one sample to the next, in seconds; the first is at time zero.
    interval: f64,
    /// By the names of the table `series`.
    series: BTreeMap<String, Vec<Option<f64>>>,
}

/// The samples of each run's watched link, by cell.
fn runs(store: &Store) -> Result<BTreeMap<i64, Sampled>, ExportError> {
    let select = "SELECT series.cell, source, name, interval, list FROM series
         JOIN queues ON queues.cell = series.cell AND queues.link = series.source
         WHERE queues.watched = 1 ORDER BY series.cell, name";
    let rows: Vec<(i64, String, String, f64, String)> = store.rows(select, |row| {
        Ok((
            row.get(0)?,
            row.get(1)?,
            row.get(2)?,
            row.get(3)?,
            row.get(4)?,
        ))
    })?;
    let mut runs: BTreeMap<i64, Sampled> = BTreeMap::new();
    for (cell, link, name, interval, list) in rows {
        let run = runs.entry(cell).or_default();
        run.link = link;
        // Groups may be sampled at another interval than the queue, whose times count.
        if name == "queue" {
            run.interval = interval;
        }
        let values = serde_json::from_str(&list).unwrap_or_default();
        run.series.insert(name, values);
    }
    Ok(runs)
}

/// The scheme, the swept fields and the seed of a run: "red, network_rtt_s=0.02, seed 1".
fn title(keys: &[(String, Value)]) -> String {
    let text = |value: &Value| match value {
        Value::Integer(whole) => whole.to_string(),
        Value::Real(real) => real.to_string(),
        Value::Text(text) => text.clone(),
        Value::Null | Value::Blob(_) => String::new(),
    };
    let at = |index: usize| {
        keys.get(index)
            .map_or(String::new(), |(_, value)| text(value))
    };
    let fields = keys.iter().skip(4);
    let fields: String = fields
        .map(|(name, value)| format!(", {name}={}", text(value)))
        .collect();
    format!("{}{fields}, seed {}", at(1), at(3))
}

/// What the conversion takes from a plan's point.
struct Facts {
    title: String,
    /// The base round-trip time, in seconds.
    rtt: f64,
    /// For each link with the compared scheme, the time that a mean packet takes, in seconds.
    packet_times: Vec<(String, f64)>,
    /// Whether each group sends over TCP.
    is_tcp: BTreeMap<String, bool>,
}

impl Facts {
    fn of(plan: &Plan, point: usize) -> Facts {
        let at = plan.points.get(point).unwrap_or(&plan.points[0]);
        let scenario = &at.scenario;
        let time = |link: &earlydrop::registry::LinkFacts| {
            1.0 / link.rate.packets_per_sec(link.mean_packet)
        };
        let links = scenario.sizes();
        let groups = scenario.groups.iter();
        Facts {
            title: plan.scenario().title.clone(),
            rtt: scenario.path.rtt.as_secs_f64(),
            packet_times: links
                .iter()
                .map(|sizes| (sizes.name.clone(), time(&sizes.link)))
                .collect(),
            is_tcp: groups
                .map(|group| (group.name.to_string(), group.is_tcp()))
                .collect(),
        }
    }

    /// The time that a packet takes on a link, in seconds; equal links are listed once.
    fn packet_time(&self, link: &str) -> f64 {
        let named = self.packet_times.iter().find(|(name, _)| name == link);
        named
            .or(self.packet_times.first())
            .map_or(0.0, |(_, time)| *time)
    }
}

/// Values over time, `None` where nothing was measured.
type Samples = Vec<Option<f64>>;

impl Sampled {
    fn into_file(
        self,
        plan: &Plan,
        facts: &Facts,
        title: &str,
        begun: Duration,
    ) -> Result<FlentFile, ExportError> {
        let count = self.series.get("queue").map_or(0, Vec::len);
        let times: Vec<f64> = (0..count)
            .map(|index| self.interval * index as f64)
            .collect();
        let mut results = self.bandwidths(facts, count)?;
        let of_queue = |name: &str| {
            let values = self.series.get(name);
            fitted(values.map_or(&[][..], Vec::as_slice), count)
        };
        let (queue, drops, marks) = (of_queue("queue"), of_queue("drops"), of_queue("marks"));
        let wait = facts.packet_time(&self.link);
        let ping = |queue: &Option<f64>| queue.map(|queue| 1e3 * (facts.rtt + queue * wait));
        results.push((
            "Ping (ms) ICMP".to_string(),
            queue.iter().map(ping).collect(),
        ));
        let begun_at = begun.as_secs_f64();
        let mut raw: Map<String, Json> = results
            .iter()
            .map(|(name, values)| (name.clone(), raw_values(&times, values, begun_at)))
            .collect();
        let statistics = times.iter().enumerate().map(|(index, time)| {
            json!({
                "t": begun_at + time,
                "backlog_packets": queue[index],
                "delay": queue[index].map(|queue| 1e3 * queue * wait),
                "dropped": drops[index],
                "ecn_mark": marks[index],
            })
        });
        raw.insert(QDISC.to_string(), statistics.collect());
        results.push((QDISC.to_string(), queue));
        results.push((format!("{QDISC}::dropped"), drops));
        results.push((format!("{QDISC}::ecn_mark"), marks));
        let stamp = stamp(begun);
        let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        let plain: String = title
            .chars()
            .map(|letter| if plain(letter) { letter } else { '_' })
            .collect();
        let name = format!("{TEST}-{}.{plain}.flent.gz", stamp.replace(':', ""));
        let mut metadata = self.metadata(&results, count);
        let about = json!({
            "TITLE": title,
            "NOTE": format!(
                "{}. {} by earlydrop {}. Ping (ms) is the base round trip and the time that the \
                 packets in the queue take.",
                facts.title,
                match plan.hosts {
                    crate::plan::Hosts::Simulated => "Simulated",
                    crate::plan::Hosts::Real => "Emulated",
                },
                version()
            ),
            "TIME": format!("{stamp}Z"),
            "T0": format!("{stamp}Z"),
            "DATA_FILENAME": name,
        });
        metadata.extend(about.as_object().cloned().unwrap_or_default());
        let results: Map<String, Json> = results
            .into_iter()
            .map(|(name, values)| (name, json!(values)))
            .collect();
        let document = json!({
            "version": VERSION,
            "metadata": metadata,
            "x_values": times,
            "results": results,
            "raw_values": raw,
        });
        Ok(FlentFile { name, document })
    }

    /// The rates at which groups leave the queue, in Mbit/s.
    fn bandwidths(
        &self,
        facts: &Facts,
        count: usize,
    ) -> Result<Vec<(String, Samples)>, ExportError> {
        let mut results = Vec::new();
        let mut tcp: Vec<Samples> = Vec::new();
        for (name, values) in &self.series {
            let Some(group) = name.strip_prefix("departures of ") else {
                continue;
            };
            let mega = values.iter().map(|value| value.map(|value| value / 1e6));
            let mega = fitted(&mega.collect::<Samples>(), count);
            let is_tcp = facts.is_tcp.get(group).copied().unwrap_or(true);
            if is_tcp {
                tcp.push(mega.clone());
            }
            let protocol = if is_tcp { "TCP" } else { "UDP" };
            results.push((format!("{protocol} upload::{group}"), mega));
        }
        if results.is_empty() {
            return Err(ExportError::NotSampled {
                what: "flent's bandwidths need samples of the rates at which groups leave the queue",
                field: "measure.departures = true",
            });
        }
        if !tcp.is_empty() {
            let at = |index: usize| tcp.iter().filter_map(|values| values[index]).sum::<f64>();
            let sums: Vec<f64> = (0..count).map(at).collect();
            let groups = tcp.len() as f64;
            let averages = sums.iter().map(|sum| Some(sum / groups)).collect();
            let sums = sums.iter().copied().map(Some).collect();
            results.push(("TCP upload sum".to_string(), sums));
            results.push(("TCP upload avg".to_string(), averages));
        }
        Ok(results)
    }

    /// The metadata but for title and time.
    fn metadata(&self, results: &[(String, Samples)], count: usize) -> Map<String, Json> {
        let length = self.interval * count.saturating_sub(1) as f64;
        let streams = results.iter().map(|(name, _)| name);
        let streams = streams.filter(|name| name.starts_with("TCP") && name.contains("::"));
        let series: Map<String, Json> = results
            .iter()
            .map(|(name, values)| {
                let about = json!({ "UNITS": unit(name), "MEAN_VALUE": mean(values) });
                (name.clone(), about)
            })
            .collect();
        let metadata = json!({
            "NAME": TEST,
            "LENGTH": length.round() as u64,
            "TOTAL_LENGTH": length,
            "STEP_SIZE": if count > 1 { self.interval } else { 1.0 },
            "HOST": "simulated",
            "HOSTS": ["simulated"],
            "LOCAL_HOST": "earlydrop",
            "FLENT_VERSION": format!("earlydrop {}", version()),
            "IP_VERSION": 4,
            "TEST_PARAMETERS": {
                "upload_streams": streams.count().to_string(),
                "qdisc_stats_hosts": "bottleneck",
                "qdisc_stats_interfaces": self.link,
            },
            "SERIES_META": series,
        });
        metadata.as_object().cloned().unwrap_or_default()
    }
}

/// The first `count` values, and gaps where there are fewer.
fn fitted(values: &[Option<f64>], count: usize) -> Samples {
    (0..count)
        .map(|index| values.get(index).copied().flatten())
        .collect()
}

/// Values with their times since the epoch, which flent's box plots and distributions use.
fn raw_values(times: &[f64], values: &[Option<f64>], begun: f64) -> Json {
    let pairs = times.iter().zip(values);
    pairs
        .map(|(time, value)| json!({ "t": begun + time, "val": value }))
        .collect()
}

fn unit(series: &str) -> &'static str {
    match series {
        ping if ping.starts_with("Ping") => "ms",
        queue if queue.starts_with(QDISC) => "packets",
        _ => "Mbits/s",
    }
}

fn mean(values: &[Option<f64>]) -> Option<f64> {
    let known: Vec<f64> = values.iter().copied().flatten().collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}

/// A time since the epoch in UTC, as flent writes it: "2026-01-02T03:04:05.000000".
fn stamp(since_epoch: Duration) -> String {
    let (seconds, micros) = (since_epoch.as_secs(), since_epoch.subsec_micros());
    let (mut days, of_day) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    let is_leap =
        |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let mut month = 0;
    let february = 28 + u64::from(is_leap(year));
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let (hours, minutes, seconds) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let (month, day) = (month + 1, days + 1);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{micros:06}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Source, TraceFiles};

    /// 2 s at 10 Mbps under a short queue, in memory.
    fn run(measure: &str) -> (Plan, Store) {
        let text = format!(
            "duration = \"2 s\"\nseeds = 1\nschemes = [\"red\", \"codel\"]\n\
             network.rate = \"10 Mbps\"\nnetwork.rtt = \"50 ms\"\n\
             [flows.bulk]\ncount = 2\n[flows.calls]\nkind = \"cbr\"\n[measure]\n{measure}\n"
        );
        let source = Source::new("test.toml", &text, TraceFiles::default()).unwrap();
        let plan = source.plan().unwrap();
        let store = Store::in_memory(&source, &plan).unwrap();
        let report = |_: crate::store::Report<'_>| {};
        let stop = std::sync::atomic::AtomicBool::new(false);
        crate::store::run(&plan, &store, 1, &stop, report).unwrap();
        (plan, store)
    }

    #[test]
    fn a_document_has_flents_structure() {
        let (plan, store) = run("departures = true");
        // 2026-01-02 03:04:05 UTC.
        let begun = UNIX_EPOCH + Duration::from_secs(1_767_323_045);
        let files = flent_files(&plan, &store, begun).unwrap();
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let expected = ["red", "codel"]
            .map(|scheme| format!("tcp_nup-2026-01-02T030405.000000.{scheme}__seed_1.flent.gz"));
        assert_eq!(names, expected);
        let document = &files[0].document;
        assert_eq!(document["version"], 4);
        assert_eq!(document["metadata"]["NAME"], "tcp_nup");
        assert_eq!(document["metadata"]["TITLE"], "red, seed 1");
        assert_eq!(document["metadata"]["TIME"], "2026-01-02T03:04:05.000000Z");
        let length = document["x_values"].as_array().unwrap().len();
        let results = document["results"].as_object().unwrap();
        let series: Vec<&str> = results.keys().map(String::as_str).collect();
        let wanted = [
            "TCP upload::bulk",
            "UDP upload::calls",
            "TCP upload sum",
            "TCP upload avg",
            "Ping (ms) ICMP",
            "qdisc_stats_bottleneck",
            "qdisc_stats_bottleneck::dropped",
            "qdisc_stats_bottleneck::ecn_mark",
        ];
        assert_eq!(series, wanted);
        for (name, values) in results {
            assert_eq!(values.as_array().unwrap().len(), length, "{name}");
        }
        // A packet of 1500 bytes takes 1.2 ms at 10 Mbps, on top of 50 ms there and back.
        let at = |name: &str, index: usize| results[name][index].as_f64().unwrap();
        for index in 0..length {
            let queue = at("qdisc_stats_bottleneck", index);
            assert!((at("Ping (ms) ICMP", index) - 50.0 - 1.2 * queue).abs() < 1e-9);
        }
        let raw = &document["raw_values"]["qdisc_stats_bottleneck"][0];
        assert_eq!(raw["t"], 1_767_323_045.0);
        assert!(raw["backlog_packets"].is_number());
    }

    #[test]
    fn a_run_without_samples_says_which_field_takes_them() {
        let error = |measure: &str| {
            let (plan, store) = run(measure);
            flent_files(&plan, &store, UNIX_EPOCH)
                .unwrap_err()
                .to_string()
        };
        assert!(error("").contains("measure.departures = true"));
        assert!(error("series = \"none\"").contains("measure.series = \"all\""));
    }

    #[test]
    fn times_are_in_utc() {
        let stamps = [
            (0, "1970-01-01T00:00:00.000000"),
            (951_782_400, "2000-02-29T00:00:00.000000"),
            (1_767_225_599, "2025-12-31T23:59:59.000000"),
        ];
        for (seconds, expected) in stamps {
            assert_eq!(stamp(Duration::from_secs(seconds)), expected);
        }
    }
}
