//! The budget of a plan: memory, events and disk, worked out before anything runs.
//!
//! A typing error in a duration or an interval can ask for more memory than a machine has, or
//! for years of computing. So every plan has a [`Budget`], estimated from its runs, and a plan
//! beyond the [`Limits`] of its source is refused with the number and the field that it comes
//! from. A plan that is meant to be so large takes higher limits.

use std::fmt;
use std::str::FromStr;

use earlydrop::registry::nearest;
use earlydrop::units::{Dimension, Quantity};
use earlydrop_sim::cost::Cost;

use crate::document::{Place, Problem};

/// The largest budget of a plan.
///
/// ```
/// use earlydrop_lab::budget::Limits;
/// let limits: Limits = "memory=16GB,events=1e15".parse()?;
/// assert_eq!(limits.memory, 16e9);
/// # Ok::<(), earlydrop_lab::budget::LimitsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Bytes of memory, all threads together.
    pub memory: f64,
    /// Events of the simulator, all cells together: some ten million a second on each core.
    pub events: f64,
    /// Bytes on disk.
    pub disk: f64,
    /// Whether the option `--limits` raises them.
    pub has_option: bool,
}

impl Limits {
    /// No limits, for what has been run already.
    pub const NONE: Limits = Limits {
        memory: f64::INFINITY,
        events: f64::INFINITY,
        disk: f64::INFINITY,
        has_option: true,
    };

    /// Those of a page, whose memory is a browser's, and which has no options. It stops at any time.
    pub const PAGE: Limits = Limits {
        memory: 1e9,
        has_option: false,
        ..Limits::NONE
    };
}

impl Default for Limits {
    /// 4 GB of memory, 1e12 events (a day or two on one core), 20 GB on disk.
    fn default() -> Limits {
        Limits {
            memory: 4e9,
            events: 1e12,
            disk: 20e9,
            has_option: true,
        }
    }
}

/// Why a text gives no limits.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{text}: allowed: memory=8GB, events=1e14 and disk=100GB, separated by commas{hint}")]
pub struct LimitsError {
    /// The part that is wrong.
    pub text: String,
    /// "; did you mean ...?", or nothing.
    pub hint: String,
}

impl FromStr for Limits {
    type Err = LimitsError;

    fn from_str(text: &str) -> Result<Limits, LimitsError> {
        let mut limits = Limits::default();
        for part in text.split(',').map(str::trim) {
            let wrong = |hint: String| LimitsError {
                text: part.to_string(),
                hint,
            };
            let (name, value) = part.split_once('=').ok_or_else(|| wrong(String::new()))?;
            let (limit, unit) = match name.trim() {
                "memory" => (&mut limits.memory, Some(Dimension::Data)),
                "events" => (&mut limits.events, None),
                "disk" => (&mut limits.disk, Some(Dimension::Data)),
                other => {
                    let known = nearest(other, ["memory", "events", "disk"].into_iter());
                    let hint = known.map(|known| format!("; did you mean {known}?"));
                    return Err(wrong(hint.unwrap_or_default()));
                }
            };
            let value = value.parse::<Quantity>().ok().filter(|value| {
                let is_amount = value.amount.is_finite() && value.amount > 0.0;
                is_amount && (value.dimension.is_none() || value.dimension == unit)
            });
            *limit = value.ok_or_else(|| wrong(String::new()))?.amount;
        }
        Ok(limits)
    }
}

/// What the cells of a plan take, estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// Bytes of memory of the largest cell.
    pub memory: f64,
    /// Bytes of memory of the scenarios at all points, which all cells share.
    pub points: f64,
    /// Bytes of memory of the files that the scenario names, while they are read.
    pub files: f64,
    /// Bytes of memory of the document, in all forms that it takes until it is a plan.
    pub document: f64,
    /// Bytes of memory of the results and their report, after the last cell.
    pub report: f64,
    /// Events of all cells.
    pub events: f64,
    /// Bytes on disk of all cells.
    pub disk: f64,
    /// What takes most of the memory.
    pub largest: Part,
}

/// A part of the memory of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// Samples over time.
    #[default]
    Samples,
    /// Captured packets.
    Capture,
    /// Flows.
    Flows,
    /// Packets on their way.
    Flight,
    /// Packets that wait in hosts for their processing time.
    Processing,
    /// Nodes and links.
    Network,
    /// Queues and their schemes.
    Queues,
    /// The scenarios at the points of the sweep.
    Points,
    /// The files that the scenario names.
    Files,
    /// The document.
    Document,
    /// The results and their report.
    Report,
}

impl Part {
    /// What it is, and the fields that decide it.
    fn knob(self) -> &'static str {
        match self {
            Part::Samples => {
                "samples over time: take them less often (`measure.sample`) or of fewer flows \
                 (`measure.windows`)"
            }
            Part::Capture => "captured packets: a shorter `duration`, or no capture",
            Part::Flows => {
                "flows and their connections: fewer of them (`count`, `at_most`), or no \
                 `measure.delays`"
            }
            Part::Flight => {
                "packets on their way: a smaller `rtt`, `rate` or buffer, or fewer flows"
            }
            Part::Processing => {
                "packets in slow hosts: a smaller `overhead` or `rate`, or fewer flows"
            }
            Part::Network => {
                "nodes and links: fewer of them (`ports`; `leaves`, `spines` and `hosts`; `links` of \
                 a graph)"
            }
            Part::Queues => {
                "queues, whose schemes have places for flows: fewer links with a scheme (`ports`, \
                 `leaves`, `hosts`, `host_queue = \"none\"`), fewer `queues` of a scheme, or a \
                 smaller `buffer`"
            }
            Part::Points => "points of the sweep: fewer values, or fewer groups of flows",
            Part::Files => {
                "files that the scenario names: fewer lines in them (`trace`, `delay_trace`, \
                 `packets`, `sizes`, `list`)"
            }
            Part::Document => "the scenario's own lists: fewer entries of `changes` and `steps`",
            Part::Report => {
                "results and their report: fewer points of the sweep, seeds or groups of flows, or \
                 fewer samples (`measure.sample`)"
            }
        }
    }
}

/// Bytes of a stored sample: its text in a list.
const DISK_OF_SAMPLE: f64 = 12.0;
/// Bytes of a cell in the tables, and of each of its flows.
const DISK_OF_CELL: f64 = 4096.0;
const DISK_OF_FLOW: f64 = 100.0;
/// Cells with more flows than this have no rows for them.
const MAX_STORED_FLOWS: u64 = 2000;

/// Bytes of a result of a cell: in the summary's row, and in the page's.
const BYTES_OF_VALUE: f64 = 40.0;
/// Bytes of a mean over seeds: in the summary, and in the page with its text.
const BYTES_OF_MEAN: f64 = 230.0;
/// Bytes of the quantiles of a distribution.
const BYTES_OF_QUANTILES: f64 = 2500.0;
/// Bytes of a flow in the page.
const BYTES_OF_SHOWN_FLOW: f64 = 160.0;
/// Bytes of a sample in the page.
const BYTES_OF_SHOWN_SAMPLE: f64 = 32.0;
/// Bytes of a page without results: its texts, the buffers of its file and of the database.
const BYTES_OF_PAGE: f64 = 1e6;

/// What decides how large a report is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReportSize {
    /// Schemes times points.
    pub(crate) means: usize,
    /// Cells with their single results.
    pub(crate) cells: usize,
    /// Results of each cell, those of groups and links included.
    pub(crate) values: usize,
    /// Cells of which the page shows flows and samples.
    pub(crate) detailed: usize,
    /// Flows of a cell.
    pub(crate) flows: u64,
    /// Samples of a cell.
    pub(crate) samples: f64,
}

impl ReportSize {
    /// Bytes of memory, at most.
    pub(crate) fn bytes(&self) -> f64 {
        let flows = if self.flows > MAX_STORED_FLOWS {
            0
        } else {
            self.flows
        };
        let of_detail = BYTES_OF_SHOWN_FLOW * flows as f64 + BYTES_OF_SHOWN_SAMPLE * self.samples;
        let of_means = BYTES_OF_MEAN * self.values as f64 + BYTES_OF_QUANTILES;
        BYTES_OF_PAGE
            + of_means * self.means as f64
            + BYTES_OF_VALUE * (self.values * self.cells) as f64
            + of_detail * self.detailed as f64
    }
}

impl Budget {
    /// The budget of one cell whose run has this cost; without `series`, nothing is sampled.
    pub fn of_cell(cost: &Cost, flows: u64, series: bool) -> Budget {
        let mut cost = cost.clone();
        if !series {
            (cost.samples, cost.sample_bytes) = (0.0, 0.0);
        }
        let parts = [
            (Part::Samples, cost.sample_bytes),
            (Part::Capture, cost.capture_bytes),
            (Part::Flows, cost.flow_bytes),
            (Part::Flight, cost.flight_bytes),
            (Part::Processing, cost.processing_bytes),
            (Part::Network, cost.network_bytes),
            (Part::Queues, cost.queue_bytes),
        ];
        let largest = parts.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let stored_flows = if flows > MAX_STORED_FLOWS { 0 } else { flows };
        Budget {
            memory: cost.memory(),
            events: cost.events,
            disk: DISK_OF_CELL + DISK_OF_FLOW * stored_flows as f64 + DISK_OF_SAMPLE * cost.samples,
            largest: largest.map_or(Part::Samples, |(part, _)| part),
            ..Budget::default()
        }
    }

    /// Refuses a network of so many bytes of links and of queues, before it is built.
    pub(crate) fn check_network(links: f64, queues: f64, limits: &Limits) -> Result<(), Problem> {
        let cost = Cost {
            network_bytes: links,
            queue_bytes: queues,
            ..Cost::default()
        };
        Budget::of_cell(&cost, 0, false).check(limits)
    }

    /// Bytes of memory of what all cells share.
    pub fn shared(&self) -> f64 {
        self.points + self.files + self.document
    }

    /// Bytes of memory at most: of what cells share, and of the largest cell or, once no cell runs,
    /// the report.
    fn total_memory(&self) -> f64 {
        self.shared() + self.memory.max(self.report)
    }

    /// What takes most of the memory.
    fn largest_part(&self) -> Part {
        let parts = [
            (self.largest, self.memory),
            (Part::Points, self.points),
            (Part::Files, self.files),
            (Part::Document, self.document),
            (Part::Report, self.report),
        ];
        let largest = parts.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
        largest.map_or(self.largest, |(part, _)| part)
    }

    /// The number of cells that are within `limits` at a time.
    #[cfg(feature = "threads")]
    pub(crate) fn most_threads(&self, limits: &Limits) -> usize {
        match self.memory > 0.0 {
            true => ((limits.memory - self.shared()) / self.memory) as usize,
            false => usize::MAX,
        }
    }

    /// Adds so many cells like `cell`.
    pub(crate) fn add(&mut self, cell: Budget, count: f64) {
        if count > 0.0 && cell.memory > self.memory {
            (self.memory, self.largest) = (cell.memory, cell.largest);
        }
        self.events += count * cell.events;
        self.disk += count * cell.disk;
    }

    /// The value of `--limits` that a plan with this budget needs: "events=2e13". `None` where the
    /// default limits are enough.
    pub fn needed_limits(&self) -> Option<String> {
        Some(self.beyond(&Limits::default())).filter(|needed| !needed.is_empty())
    }

    /// What allows this budget where it is beyond `limits`: an option with a fifth to spare. It
    /// names what is beyond the default as well, which an option that was given had raised.
    fn option(&self, limits: &Limits) -> String {
        if !limits.has_option {
            return "`earlydrop run` outside the browser, which has more memory".to_string();
        }
        let default = Limits::default();
        let lower = Limits {
            memory: limits.memory.min(default.memory),
            events: limits.events.min(default.events),
            disk: limits.disk.min(default.disk),
            ..default
        };
        format!("--limits {}", self.beyond(&lower))
    }

    fn beyond(&self, limits: &Limits) -> String {
        let size = |bytes: f64| format!("{:.0}GB", (SPARE * bytes / 1e9).ceil());
        let needed = [
            (self.total_memory() > limits.memory)
                .then(|| format!("memory={}", size(self.total_memory()))),
            (self.events > limits.events).then(|| format!("events={}", one_digit(self.events))),
            (self.disk > limits.disk).then(|| format!("disk={}", size(self.disk))),
        ];
        let needed: Vec<String> = needed.into_iter().flatten().collect();
        needed.join(",")
    }

    /// Refuses what is beyond the limits.
    pub fn check(&self, limits: &Limits) -> Result<(), Problem> {
        let refuse =
            |message: String, help: String| Err(Problem::new(&Place::default(), message, help));
        if self.total_memory() > limits.memory {
            let (needed, allowed) = (Size(self.total_memory()), Size(limits.memory));
            let message = format!("a run would take about {needed} of memory, above {allowed}");
            let largest = self.largest_part();
            let help = format!(
                "most of it is {}; nearest: {}",
                largest.knob(),
                self.option(limits),
            );
            return refuse(message, help);
        }
        if self.events > limits.events {
            let (needed, allowed) = (self.events, limits.events);
            let message = format!("about {needed:.1e} events to simulate, above {allowed:.0e}");
            let help = format!(
                "a shorter `duration`, a smaller `rate`, or fewer seeds, schemes or points; \
                 nearest: {}",
                self.option(limits)
            );
            return refuse(message, help);
        }
        if self.disk > limits.disk {
            let (needed, allowed) = (Size(self.disk), Size(limits.disk));
            let message = format!("results would take about {needed} on disk, above {allowed}");
            let help = format!(
                "fewer samples (`measure.sample`, `measure.series`), seeds or points; \
                 nearest: {}",
                self.option(limits)
            );
            return refuse(message, help);
        }
        Ok(())
    }
}

/// A limit in a message is this times what is needed.
const SPARE: f64 = 1.2;

/// "2e13": an amount with a fifth to spare, rounded up to one digit.
fn one_digit(amount: f64) -> String {
    let amount = SPARE * amount;
    let unit = 10_f64.powf(amount.log10().floor());
    format!("{:.0e}", (amount / unit).ceil() * unit)
}

/// A number of bytes: "3.2 GB".
#[derive(Clone, Copy, Debug)]
pub struct Size(pub f64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes @ 1e9.. => write!(f, "{:.1} GB", bytes / 1e9),
            bytes @ 1e6.. => write!(f, "{:.0} MB", bytes / 1e6),
            bytes @ 1e3.. => write!(f, "{:.0} kB", bytes / 1e3),
            bytes => write!(f, "{bytes:.0} bytes"),
        }
    }
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
