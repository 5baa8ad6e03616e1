//! What a plan takes beside its simulations is in its budget: peaks of the allocator with estimates.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::AtomicBool;

use earlydrop_lab::plan::{Plan, Source, TraceFiles};
use earlydrop_lab::store::{self, Store};
use earlydrop_lab::summary::Summary;
use earlydrop_report::run_report::write_report;
use tempfile::TempDir;

/// The system's allocator, counting the bytes that this thread holds.
struct Counting;

thread_local! {
    static HELD: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.with(Cell::get) + layout.size() as i64;
        HELD.with(|cell| cell.set(held));
        PEAK.with(|peak| peak.set(peak.get().max(held)));
        // SAFETY: the caller's promises are the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        HELD.with(|held| held.set(held.get() - layout.size() as i64));
        // SAFETY: the block came from `alloc` above, so from the system.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The bytes that `work` holds at most, beyond those held before it, with what it returns.
fn peak<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let before = HELD.with(Cell::get);
    PEAK.with(|peak| peak.set(before));
    let done = work();
    ((PEAK.with(Cell::get) - before) as f64, done)
}

fn source(text: &str) -> Source {
    Source::new("s.toml", text, TraceFiles::default()).unwrap()
}

/// A sweep over so many round trips, of runs with 100 flows.
fn sweep(points: usize, seeds: usize) -> String {
    let values: Vec<String> = (0..points)
        .map(|i| format!("\"{} us\"", 10_000 + i))
        .collect();
    format!(
        "seeds = {seeds}\nduration = \"100 ms\"\nschemes = [\"red\"]\nflows.a.count = 100\n\
         sweep.\"network.rtt\" = [{}]\n",
        values.join(", ")
    )
}

/// The peak of making the report of a run, and its plan.
fn report(text: &str) -> (f64, Plan) {
    let folder = TempDir::new().unwrap();
    let source = source(text);
    let plan = source.plan().unwrap();
    let store = Store::create(&folder.path().join("run"), &source, &plan).unwrap();
    store::run(&plan, &store, 1, &AtomicBool::new(false), |_| {}).unwrap();
    let (bytes, _) = peak(|| {
        let summary = Summary::of_store(&plan, &store).unwrap();
        write_report(&plan, &store, &summary).unwrap()
    });
    (bytes, plan)
}

#[test]
fn a_report_is_within_its_estimate() {
    for (points, seeds) in [(1, 1), (20, 1), (100, 1), (100, 4)] {
        let (bytes, plan) = report(&sweep(points, seeds));
        let share = plan.budget().report / bytes;
        println!(
            "{points} points, {seeds} seeds: {:.2} MB, {share:.2}",
            bytes / 1e6
        );
        assert!((1.0..3.0).contains(&share), "{points} points: {share}");
    }
}

/// A file of so many lines, each written by `line`.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|number| line(number) + "\n").collect()
}

#[test]
fn files_are_within_their_estimate() {
    let count = 200_000;
    let network = |field: &str| format!("network.{field} = \"f\"\nflows.a.count = 1\n");
    let with_heading = |heading: &str, line: &dyn Fn(usize) -> String| {
        format!("{heading}\n{}", lines(count, line))
    };
    let rates = with_heading("time,rate", &|n| format!("{n} ms,{} Mbps", 1 + n % 9));
    let delays = with_heading("time,delay", &|n| format!("{n} ms,{} ms", 1 + n % 9));
    let packets = with_heading("time,size,ecn", &|n| {
        format!("{:.6},{},off", n as f64 / 1e4, 100 + n % 900)
    });
    let replay = "flows.a = { kind = \"replay\", packets = \"f\" }\n".to_string();
    for (what, scenario, text) in [
        (
            "opportunities",
            network("trace"),
            lines(count, |n| n.to_string()),
        ),
        ("rates", network("trace"), rates),
        ("delays", network("delay_trace"), delays),
        ("packets", replay, packets),
    ] {
        let scenario = format!("duration = \"1 s\"\nschemes = [\"red\"]\n{scenario}");
        let files = TraceFiles::Memory([("f".to_string(), text)].into());
        let (bytes, plan) = peak(|| Source::new("s.toml", &scenario, files).unwrap().plan());
        let plan = plan.unwrap_or_else(|problems| panic!("{what}: {problems}"));
        let share = plan.budget().files / bytes;
        println!("{what}: {:.2} MB, {share:.2}", bytes / 1e6);
        assert!((0.9..2.0).contains(&share), "{what}: {share}");
    }
}

#[test]
fn long_lists_are_within_their_estimate() {
    let count = 10_000;
    let at = |n: usize| format!("{}us", 10 * n);
    let link: Vec<String> = (0..count)
        .map(|n| format!("{{ at = \"{}\", rate = \"{} Mbps\" }}", at(n), 10 + n % 9))
        .collect();
    let steps: Vec<String> = (0..count)
        .map(|n| format!("{{ at = \"{}\", rate = \"{} Mbps\" }}", at(n), 1 + n % 2))
        .collect();
    for (what, text) in [
        (
            "changes",
            format!(
                "network.changes = [{}]\nflows.a.count = 1\n",
                link.join(", ")
            ),
        ),
        (
            "steps",
            format!(
                "flows.a = {{ kind = \"cbr\", rate = \"1 Mbps\", steps = [{}] }}\n",
                steps.join(", ")
            ),
        ),
    ] {
        let text = format!("duration = \"1 s\"\nschemes = [\"red\"]\n{text}");
        let (bytes, plan) = peak(|| source(&text).plan());
        let plan = plan.unwrap_or_else(|problems| panic!("{what}: {problems}"));
        let budget = plan.budget();
        let share = (budget.document + budget.memory) / bytes;
        println!("{what}: {:.2} MB, {share:.2} {budget:?}", bytes / 1e6);
        assert!((0.9..2.0).contains(&share), "{what}: {share}");
    }
}
