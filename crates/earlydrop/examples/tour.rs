//! A first look: every registered scheme in front of one overloaded link, as a
//! table and as a page with the drop curves of the RED family.
//!
//! The traffic does not react to drops, so this compares verdicts, not networks.

use std::fmt::Write as _;

use earlydrop::aqm::DropReason;
use earlydrop::packet::{Ecn, FlowKey, Packet};
use earlydrop::queue::{AnyQueue, QueueDiscipline};
use earlydrop::random::Pcg32;
use earlydrop::registry::{ConfigError, Link, SCHEMES, Spec};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

const LINK: Link = Link::at(BitsPerSec::from_mbps(10));
const SECONDS: u64 = 30;
const PAGE: &str = "target/tour.html";
const PICTURE: &str = "target/drop-curves.svg";

/// A packet of a flow, 1,000 bytes.
struct Tagged {
    flow: u64,
    ecn: Ecn,
}

impl Packet for Tagged {
    fn size(&self) -> u32 {
        1000
    }
    fn flow(&self) -> FlowKey {
        FlowKey(self.flow)
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

/// What one scheme did.
struct Row {
    name: &'static str,
    utilisation: f64,
    mean_wait_ms: f64,
    p99_wait_ms: f64,
    dropped: [f64; 4],
    marked: f64,
    fat_flow: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{SECONDS} s of 10 Mbps, offered 130% and 60% in turn, one of 20 flows sending a third"
    );
    println!(
        "{:9} {:>5} {:>8} {:>8} | {:>6} {:>6} {:>6} {:>7} | {:>6} {:>8}",
        "scheme",
        "util",
        "wait ms",
        "p99",
        "early",
        "forced",
        "policy",
        "dequeue",
        "marked",
        "fat flow"
    );
    let mut rows = Vec::new();
    for scheme in SCHEMES {
        let row = drive(scheme.name)?;
        print_row(&row);
        rows.push(row);
    }
    std::fs::create_dir_all("target")?;
    let drawing = drawing()?;
    std::fs::write(PICTURE, &drawing)?;
    std::fs::write(PAGE, page(&rows, &drawing))?;
    println!("drops and marks in % of arrivals; fat flow: its % of what got through");
    println!("drop curves and this table: {PAGE}");
    Ok(())
}

/// The next arrival: its time, and a packet of flow 0 one time in three.
fn next_arrival(now: Nanos, random: &mut Pcg32) -> (Nanos, Tagged) {
    let load = if (now.as_secs_f64() as u64 / 2).is_multiple_of(2) {
        1.3
    } else {
        0.6
    };
    let mean_gap = LINK.rate.transmission_time(Bytes(1000)).as_secs_f64() / load;
    let gap = -mean_gap * (1.0 - random.uniform()).ln();
    let flow = if random.chance(1.0 / 3.0) {
        0
    } else {
        1 + u64::from(random.below(19))
    };
    let ecn = match flow % 4 {
        1 => Ecn::Ect0,
        2 => Ecn::Ect1,
        _ => Ecn::NotCapable,
    };
    (now + Nanos::from_secs_f64(gap), Tagged { flow, ecn })
}

fn drive(name: &'static str) -> Result<Row, ConfigError> {
    let mut queue: AnyQueue<Tagged> = Spec::new(name)?.plan(&LINK)?.queue(1);
    let mut random = Pcg32::new(2026, 1);
    let sending = LINK.rate.transmission_time(Bytes(1000));
    let (end, mut free, mut waits, mut fat) =
        (Nanos::from_secs(SECONDS), Nanos::ZERO, Vec::new(), 0);
    let (mut arrival, mut packet) = next_arrival(Nanos::ZERO, &mut random);
    while arrival < end {
        if free <= arrival && queue.packets() > 0 {
            if let Some(departure) = queue.dequeue_with(free, &mut earlydrop::queue::Discard) {
                waits.push((free - departure.arrived).as_secs_f64() * 1e3);
                fat += u32::from(departure.packet.flow == 0);
                free += sending;
            }
            continue;
        }
        queue.enqueue(arrival, packet);
        free = free.max(if queue.packets() == 1 { arrival } else { free });
        (arrival, packet) = next_arrival(arrival, &mut random);
    }
    Ok(summary(name, &queue, waits, fat, end))
}

fn summary(
    name: &'static str,
    queue: &AnyQueue<Tagged>,
    mut waits: Vec<f64>,
    fat: u32,
    end: Nanos,
) -> Row {
    let counters = queue.counters();
    let share = |packets: u64| 100.0 * packets as f64 / counters.arrived.packets as f64;
    let sent = waits.len().max(1);
    waits.sort_by(f64::total_cmp);
    Row {
        name,
        utilisation: counters.departed.bytes as f64 * 8.0 / LINK.rate.0 as f64 / end.as_secs_f64(),
        mean_wait_ms: waits.iter().sum::<f64>() / sent as f64,
        p99_wait_ms: waits.get(sent * 99 / 100).copied().unwrap_or(0.0),
        dropped: DropReason::ALL.map(|reason| share(counters.dropped_for(reason).packets)),
        marked: share(counters.marked.packets),
        fat_flow: 100.0 * f64::from(fat) / sent as f64,
    }
}

fn print_row(row: &Row) {
    let [early, forced, policy, dequeue] = row.dropped;
    println!(
        "{:9} {:5.3} {:8.1} {:8.1} | {early:6.2} {forced:6.2} {policy:6.2} {dequeue:7.2} | {:6.2} {:8.1}",
        row.name, row.utilisation, row.mean_wait_ms, row.p99_wait_ms, row.marked, row.fat_flow
    );
}

/// The schemes that are a curve and nothing else.
const CURVES: [(&str, &str); 6] = [
    ("red", "#0072b2"),
    ("gred", "#d55e00"),
    ("dsred", "#009e73"),
    ("nlred", "#cc79a7"),
    ("mred", "#e69f00"),
    ("clred", "#56b4e9"),
];

/// A drop curve as an SVG path: averages 0 to 64 over 640, probability over 320.
fn path(name: &str) -> Result<String, ConfigError> {
    let spec = Spec::new(name)?.with("min", "10")?.with("max", "30")?;
    let mut path = String::new();
    if let Some(curve) = spec.plan(&LINK)?.curve() {
        for step in 0..=640 {
            let pb = curve.probability(f64::from(step) / 10.0);
            let command = if step == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{command}{},{:.1}", 60 + step, 340.0 - 320.0 * pb);
        }
    }
    Ok(path)
}

/// The curves as a picture that stands by itself.
fn drawing() -> Result<String, ConfigError> {
    let mut curves = String::new();
    for (index, (name, colour)) in CURVES.into_iter().enumerate() {
        let (path, x) = (path(name)?, 90 + 105 * index);
        let _ = write!(
            curves,
            "<path d='{path}' stroke='{colour}'><title>{name}</title></path>\
             <path d='M{x},404h24' stroke='{colour}'/><text x='{}' y='409'>{name}</text>",
            x + 30
        );
    }
    Ok(include_str!("tour.svg").replace("{curves}", &curves))
}

fn page(rows: &[Row], drawing: &str) -> String {
    let mut table = String::new();
    for row in rows {
        let _ = write!(
            table,
            "<tr><th>{}<td>{:.3}<td>{:.1}<td>{:.1}",
            row.name, row.utilisation, row.mean_wait_ms, row.p99_wait_ms
        );
        for share in row.dropped {
            let _ = write!(table, "<td>{share:.2}");
        }
        let _ = write!(table, "<td>{:.2}<td>{:.1}", row.marked, row.fat_flow);
    }
    include_str!("tour.html")
        .replace("{drawing}", drawing)
        .replace("{rows}", &table)
        .replace("{seconds}", &SECONDS.to_string())
}
