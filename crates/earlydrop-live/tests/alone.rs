//! A run in a process of its own, as a program starts it: namespaces, threads and files are
//! created, used and released. Reports that it is skipped if the system has no namespaces or
//! devices.

fn main() {
    #[cfg(target_os = "linux")]
    linux::a_run_leaves_nothing_behind();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::PathBuf;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::thread;
    use std::time::{Duration, Instant};

    use earlydrop::units::{BitsPerSec, Nanos};
    use earlydrop_live::LiveError;
    use earlydrop_live::run::{check, prepare, run};
    use earlydrop_sim::Run;
    use earlydrop_sim::network::{Dumbbell, Link, LinkId};
    use earlydrop_sim::tcp::{Algorithm, Profile};
    use earlydrop_sim::traffic::Flow;

    /// Longer than any machine takes to release a thread.
    const RELEASE: Duration = Duration::from_secs(120);

    fn dumbbell() -> (Run, LinkId) {
        let link = Link::new(BitsPerSec::from_mbps(10), Nanos::from_millis(5));
        let link = link.queue("red".parse().expect("a scheme"));
        let mut dumbbell = Dumbbell::new(link.clone(), link);
        let (from, to) = dumbbell.pair(BitsPerSec::from_mbps(100), Nanos::from_millis(1));
        let mut run = Run::new(dumbbell.network, Nanos::from_millis(700));
        let profile = Arc::new(Profile::modern(Algorithm::Reno));
        run.add(Flow::bulk(from, to, &profile));
        (run, dumbbell.bottleneck)
    }

    fn count(folder: &str) -> usize {
        fs::read_dir(folder).expect("it is there").count()
    }

    /// Waits until the process has the resources that it had before. A joined thread may still be
    /// listed until the kernel has released it.
    fn wait_for_release(before: &(usize, usize, PathBuf)) {
        let began = Instant::now();
        while resources() != *before {
            let now = resources();
            assert!(began.elapsed() < RELEASE, "{now:?} remain of {before:?}");
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Number of threads, number of open files, and the network namespace.
    fn resources() -> (usize, usize, PathBuf) {
        let namespace = fs::read_link("/proc/self/ns/net").expect("it is there");
        (count("/proc/self/task"), count("/proc/self/fd"), namespace)
    }

    pub(super) fn a_run_leaves_nothing_behind() {
        match prepare() {
            Err(problem @ (LiveError::Namespaces { .. } | LiveError::NoTun { .. })) => {
                println!("skipped: {problem}");
                return;
            }
            prepared => drop(prepared.expect("nothing else goes wrong")),
        }
        let (planned, watched) = dumbbell();
        check(&planned, watched).expect("live can do it");
        let before = resources();
        let outcome = match run(&planned, watched, &AtomicBool::new(false)) {
            Err(problem @ LiveError::NoTun { .. }) => return println!("skipped: {problem}"),
            outcome => outcome
                .expect("nothing goes wrong")
                .expect("nobody stops it"),
        };
        assert!(outcome.results.flows[0].goodput > 0.0);
        wait_for_release(&before);
        println!("a_run_leaves_nothing_behind: ok");
    }
}
