//! Simulates the grid of `scenarios/live/grid.toml` with the profiles `linux` and `modern`, and prints how
//! far each is from what real hosts did: the table of `docs/explanation/simulated-and-live.md`.
//!
//! ```text
//! cargo run --release -p earlydrop-lab --example live_grid
//! ```
//! What real hosts did is `bench/reference/live-grid.csv`: means of three live runs a setting.

use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use earlydrop_lab::metrics::index_of;
use earlydrop_lab::outcome::Outcome;
use earlydrop_lab::plan::Source;
use earlydrop_lab::run::all_outcomes;

const GRID: &str = include_str!("../../../scenarios/live/grid.toml");
const LIVE: &str = include_str!("../../../bench/reference/live-grid.csv");
const SEEDS: &str = "10";
/// Drops and marks in percent, delay in milliseconds, utilisation in percent.
type Figures = [f64; 3];

/// The means of each setting, in the order of the file: points of the sweep, and schemes of each.
fn simulated(profile: &str) -> Result<Vec<Figures>, Box<dyn Error>> {
    let mut source = Source::new("grid.toml", GRID, PathBuf::new())?;
    source.set("seeds", SEEDS, "seeds");
    source.set_tcp("profile", profile, "profile");
    let plan = source.plan()?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let runs = all_outcomes(&plan, threads, &AtomicBool::new(false))?.unwrap_or_default();
    let value = |run: &Outcome, name| index_of(name).and_then(|index| run.values[index]);
    let mut means = Vec::new();
    for point in 0..plan.points.len() {
        for scheme in 0..plan.labels().len() {
            let own = runs
                .iter()
                .filter(|(cell, _)| (cell.point, cell.scheme) == (point, scheme));
            let own: Vec<Figures> = own
                .map(|(_, run)| {
                    let of = |name| value(run, name).unwrap_or(0.0);
                    [
                        100.0 * (of("queue_loss") + of("marked")),
                        1e3 * of("delay_mean"),
                        100.0 * of("utilisation"),
                    ]
                })
                .collect();
            let mean =
                |which: usize| own.iter().map(|one| one[which]).sum::<f64>() / own.len() as f64;
            means.push([0, 1, 2].map(mean));
        }
    }
    Ok(means)
}

fn live() -> Result<Vec<(String, Figures)>, Box<dyn Error>> {
    let lines = LIVE.lines().skip(1);
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let group = format!("{}, ecn {}", cells[1], cells[2]);
            let number = |which: usize| cells[which].parse::<f64>();
            Ok((group, [number(4)?, number(5)?, number(6)?]))
        })
        .collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    0.5 * (values[half] + values[(values.len() - 1) / 2])
}

fn main() -> Result<(), Box<dyn Error>> {
    let live = live()?;
    println!(
        "| | drops and marks apart | delay apart | utilisation apart, points | drops and marks, the median difference: Reno | Reno, ECN | CUBIC | CUBIC, ECN |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for profile in ["linux", "modern"] {
        let simulated = simulated(profile)?;
        assert_eq!(simulated.len(), live.len(), "settings of the grid");
        let pairs = || simulated.iter().zip(&live);
        let share = |which: usize| {
            pairs()
                .map(move |(own, (group, live))| (group, 100.0 * (own[which] / live[which] - 1.0)))
        };
        let apart = |which| median(share(which).map(|(_, off)| off.abs()).collect());
        let points = median(
            pairs()
                .map(|(own, (_, live))| (own[2] - live[2]).abs())
                .collect(),
        );
        let groups = [
            "reno, ecn off",
            "reno, ecn on",
            "cubic, ecn off",
            "cubic, ecn on",
        ];
        let signed = groups.map(|name| {
            let own = share(0).filter(|(group, _)| *group == name);
            format!("{:+.0}%", median(own.map(|(_, off)| off).collect()))
        });
        println!(
            "| today's `{profile}` | {:.1}% | {:.1}% | {points:.2} | {} |",
            apart(0),
            apart(1),
            signed.join(" | ")
        );
    }
    Ok(())
}
