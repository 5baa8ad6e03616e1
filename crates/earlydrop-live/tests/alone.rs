//! A run in a process of its own, as a program starts it: what it needs is gained, used and
//! given back. Where the system makes no namespaces or devices, it says that it is skipped.

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

    use earlydrop::units::{BitsPerSec, Nanos};
    use earlydrop_live::LiveError;
    use earlydrop_live::run::{check, prepare, run};
    use earlydrop_sim::Run;
    use earlydrop_sim::network::{Dumbbell, Link, LinkId};
    use earlydrop_sim::tcp::{Algorithm, Profile};
    use earlydrop_sim::traffic::Flow;

    fn bell() -> (Run, LinkId) {
        let link = Link::new(BitsPerSec::from_mbps(10), Nanos::from_millis(5));
        let link = link.queue("red".parse().expect("a scheme"));
        let mut bell = Dumbbell::new(link.clone(), link);
        let (from, to) = bell.pair(BitsPerSec::from_mbps(100), Nanos::from_millis(1));
        let mut run = Run::new(bell.network, Nanos::from_millis(700));
        let profile = Arc::new(Profile::modern(Algorithm::Reno));
        run.add(Flow::bulk(from, to, &profile));
        (run, bell.bottleneck)
    }

    fn count(folder: &str) -> usize {
        fs::read_dir(folder).expect("it is there").count()
    }

    /// Threads, open files, and the namespace of the network.
    fn held() -> (usize, usize, PathBuf) {
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
        let (wanted, watched) = bell();
        check(&wanted, watched).expect("live can do it");
        let before = held();
        let found = match run(&wanted, watched, &AtomicBool::new(false)) {
            Err(problem @ LiveError::NoTun { .. }) => return println!("skipped: {problem}"),
            found => found.expect("nothing goes wrong").expect("nobody stops it"),
        };
        assert!(found.results.flows[0].goodput > 0.0);
        assert_eq!(held(), before);
        println!("a_run_leaves_nothing_behind: ok");
    }
}
