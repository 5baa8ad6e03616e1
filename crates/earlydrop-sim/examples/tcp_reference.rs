//! Linux's own TCP as a reference: `tcp_reference SCRIPT CONTROL SEGMENTS [SECONDS]` plays a script
//! with the simulator's sender, and writes the log that the kernel's device writes.
//! `tcp_reference import FOLDER` stores the logs that `bench/linux/tcp.sh` left in FOLDER.
//!
//! Controls are `reno`, `cubic`, `cubic-hystart`, `dctcp` and `bbr`. Scripts, logs and traces are
//! described in `bench/reference/README.md`.

use std::path::Path;
use std::process::ExitCode;

#[path = "../tests/tcp_linux/mod.rs"]
mod tcp_linux;

use tcp_linux::play::{self, Writes};
use tcp_linux::script::Script;
use tcp_linux::trace::Trace;

const USAGE: &str = "usage: tcp_reference SCRIPT CONTROL SEGMENTS [SECONDS] | import FOLDER";

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Plays a script; returns the log.
fn play(path: &str, control: &str, segments: &str, seconds: u64) -> Result<String, String> {
    let script =
        Script::read(&read(Path::new(path))?).map_err(|error| format!("{path}: {error}"))?;
    let profile = play::profile(control, &script)
        .ok_or_else(|| format!("control '{control}': reno, cubic, cubic-hystart, dctcp or bbr"))?;
    let writes = Writes::read(segments)
        .ok_or_else(|| format!("segments '{segments}': a number, or NUMBER@NS,NUMBER@NS"))?;
    let records = play::play(&script, &profile, &writes, 0..seconds * 1_000_000_000);
    Ok(tcp_linux::log::render(&records))
}

/// Stores the kernel's logs as traces.
fn import(folder: &str) -> Result<String, String> {
    for case in tcp_linux::cases() {
        let log = Path::new(folder).join(&case.name);
        let trace = Trace::of_kernel_log(&read(&log)?);
        let trace = trace.ok_or_else(|| format!("{}: not a log", log.display()))?;
        let path = case.stored();
        std::fs::write(&path, trace.render())
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(String::new())
}

fn run(words: &[&str]) -> Result<String, String> {
    match words {
        ["import", folder] => import(folder),
        [script, control, segments] => play(script, control, segments, 120),
        [script, control, segments, seconds] => {
            let seconds = seconds
                .parse()
                .map_err(|_| format!("seconds '{seconds}'"))?;
            play(script, control, segments, seconds)
        }
        _ => Err(USAGE.to_owned()),
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
