//! Prepares the runs of Linux's qdiscs for `bench/linux/run.sh`, imports what became of their
//! packets, and compares ours with it.
//!
//! ```text
//! linux_reference prepare FOLDER HZ SEEDS   arrivals and jobs for the kernel
//! linux_reference import FOLDER             FOLDER/run-HZ/out/CASE.SEED into bench/reference/linux
//! linux_reference compare FOLDER            ours with FOLDER/run-HZ/out, nothing is written
//! linux_reference table                     ours next to the kernel's
//! ```

#[path = "../tests/linux/mod.rs"]
mod linux;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use linux::figures::{self, FIGURES, KernelFigure};
use linux::replay::{Fate, Record};
use linux::{Case, KernelRun, Traces, traces};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Seeds of the schemes that draw random numbers, of which fates are kept.
const SEEDS: u64 = 4;

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["prepare", folder, hz, seeds] => prepare(Path::new(folder), hz.parse()?, seeds.parse()?),
        ["import", folder] => import(Path::new(folder)),
        ["compare", folder] => {
            compare(Path::new(folder));
            Ok(())
        }
        ["table"] => table(),
        _ => Err(
            "usage: linux_reference prepare FOLDER HZ SEEDS | import FOLDER | compare FOLDER | table"
                .into(),
        ),
    }
}

fn prepare(folder: &Path, hz: u32, seeds: u64) -> Outcome {
    for part in ["traces", "headers"] {
        fs::create_dir_all(folder.join(part))?;
    }
    let cases: Vec<Case> = linux::cases()
        .into_iter()
        .filter(|case| case.hz == hz)
        .collect();
    for case in &cases {
        let path = folder.join("traces").join(&case.trace);
        fs::write(path, traces::bytes(&traces::trace(&case.trace)))?;
        for seed in 1..=seeds {
            let header = [case.rate.to_le_bytes(), seed.to_le_bytes()].concat();
            fs::write(folder.join(format!("headers/{}.{seed}", case.rate)), header)?;
        }
    }
    let lines: Vec<&str> = cases.iter().map(|case| case.line.as_str()).collect();
    fs::write(folder.join("job"), lines.join("\n") + "\n")?;
    Ok(())
}

/// A kernel run: how long before its start the qdisc's timer was armed, and its packets.
fn kernel_run(folder: &Path, case: &Case, seed: u64) -> Option<(u64, Vec<Record>)> {
    let path = folder.join(format!("run-{}/out/{}.{seed}", case.hz, case.name));
    let bytes = fs::read(path).ok()?;
    let word = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).ok();
    let words: Vec<u64> = bytes.chunks(8).filter_map(word).collect();
    let [_, timer, packets @ ..] = &words[..] else {
        return None;
    };
    let record = |word: &u64| Record {
        // Events come a ns after their time.
        left: (word >> 2) - 1,
        fate: [Fate::Passed, Fate::Marked, Fate::Dropped][(word & 3) as usize % 3],
    };
    // A timer is armed again after each update, a whole number of updates before or after.
    let period = 5 * 16_000_000;
    let armed = timer.wrapping_neg().cast_signed().rem_euclid(period);
    Some((armed.cast_unsigned(), packets.iter().map(record).collect()))
}

fn import(folder: &Path) -> Outcome {
    let mut made = Traces::default();
    let mut runs = format!("{}\n", KernelRun::HEADER);
    let mut sample = format!("{}\n", KernelFigure::HEADER);
    let control = linux::cases().into_iter().next().ok_or("no case")?;
    let trace = made.get(&control.trace);
    let (_, kernel) = kernel_run(folder, &control, 1).ok_or("no run of pfifo")?;
    if kernel != control.replay(1, 0, &trace) {
        return Err("pfifo's packets do not meet their fates: nothing is imported".into());
    }
    fs::create_dir_all(linux::folder().join("fates"))?;
    for case in linux::cases() {
        let trace = made.get(&case.trace);
        let of_case: Vec<_> = (1..=64)
            .map_while(|seed| kernel_run(folder, &case, seed))
            .collect();
        if of_case.is_empty() {
            println!("skipped {}: no run in {}", case.name, folder.display());
        } else if case.is_exact() {
            import_fates(&case, &of_case, &mut runs)?;
        } else {
            let each: Vec<_> = of_case
                .iter()
                .map(|run| figures::figures(&trace, &run.1))
                .collect();
            import_figures(&case, &each, &mut sample)?;
        }
    }
    fs::write(linux::folder().join("runs.csv"), runs)?;
    fs::write(linux::folder().join("figures.csv"), sample)?;
    Ok(())
}

/// Prints, for each run in `folder`, how many packets meet other fates in our queue, how many leave
/// at other times, and the first of the former.
fn compare(folder: &Path) {
    let mut made = Traces::default();
    for case in linux::cases() {
        let trace = made.get(&case.trace);
        for seed in 1..=64 {
            let Some((armed, kernel)) = kernel_run(folder, &case, seed) else {
                break;
            };
            let ours = case.replay(seed, armed, &trace);
            let pairs = || kernel.iter().zip(&ours).enumerate();
            let fates = pairs().filter(|(_, (kernel, ours))| kernel.fate != ours.fate);
            let times = pairs().filter(|(_, (kernel, ours))| kernel.left != ours.left);
            let first = fates.clone().next();
            println!(
                "{} {seed}: {} fates, {} times differ; {first:?}",
                case.name,
                fates.count(),
                times.count()
            );
            let mean = |figures: [f64; 6]| format!("{figures:.3?}");
            let (theirs, own) = (
                figures::figures(&trace, &kernel),
                figures::figures(&trace, &ours),
            );
            println!("  kernel {}\n  ours   {}", mean(theirs), mean(own));
        }
    }
}

/// All fates of the first run, and hashes of each run that differs from it.
fn import_fates(case: &Case, of_case: &[(u64, Vec<Record>)], runs: &mut String) -> Outcome {
    let fates: Vec<Fate> = of_case[0].1.iter().map(|record| record.fate).collect();
    let path = linux::folder().join(format!("fates/{}.txt", case.name));
    fs::write(path, linux::fates_to_text(&fates))?;
    for (seed, (armed, records)) in (1..=SEEDS).zip(of_case) {
        if seed == 1 || *records != of_case[0].1 {
            writeln!(
                runs,
                "{}",
                KernelRun::of(&case.name, seed, *armed, records).line()
            )?;
        }
    }
    Ok(())
}

fn import_figures(case: &Case, each: &[[f64; 6]], sample: &mut String) -> Outcome {
    for (place, figure) in FIGURES.iter().enumerate() {
        let values: Vec<f64> = each.iter().map(|figures| figures[place]).collect();
        let (mean, deviation) = figures::mean_and_deviation(&values);
        let runs = values.len();
        writeln!(
            sample,
            "{},{figure},{runs},{mean:.7},{deviation:.7}",
            case.name
        )?;
    }
    Ok(())
}

fn table() -> Outcome {
    let mut made = Traces::default();
    println!("| case | runs | kernel: dropped, marked | fates that differ |\n|---|--:|---|--:|");
    let runs = linux::kernel_runs();
    let all = figures::kernel_figures();
    for case in linux::cases() {
        let trace = made.get(&case.trace);
        let of_case = || runs.iter().filter(|run| run.case == case.name);
        if let Some(first) = of_case().next() {
            let agrees = |run: &&KernelRun| {
                let ours = case.replay(run.seed, run.armed, &trace);
                KernelRun::of(&case.name, run.seed, run.armed, &ours) == **run
            };
            let met = of_case().filter(agrees).count();
            let fates = linux::fates_of_text(&linux::read(&format!("fates/{}.txt", case.name)));
            let ours = case.replay(first.seed, first.armed, &trace);
            let differ = fates
                .iter()
                .zip(&ours)
                .filter(|(fate, ours)| **fate != ours.fate)
                .count();
            let (number, dropped, marked) = (of_case().count(), first.dropped, first.marked);
            println!(
                "| {} | {met} of {number} | {dropped}, {marked} | {differ} |",
                case.name
            );
        }
        let ours: Vec<_> = (1..=8)
            .map(|seed| figures::figures(&trace, &case.replay(seed, 0, &trace)))
            .collect();
        for kernel in all.iter().filter(|kernel| kernel.case == case.name) {
            let place = FIGURES.iter().position(|figure| *figure == kernel.figure);
            let place = place.ok_or("an unknown figure")?;
            let values: Vec<f64> = ours.iter().map(|figures| figures[place]).collect();
            let (mean, deviation) = figures::mean_and_deviation(&values);
            let KernelFigure {
                figure,
                mean: theirs,
                deviation: spread,
                ..
            } = kernel;
            let z = kernel.z(&values);
            println!(
                "| {} {figure} | {theirs:.3} ({spread:.3}) | {mean:.3} ({deviation:.3}) | z {z:.1} |",
                case.name
            );
        }
    }
    Ok(())
}
