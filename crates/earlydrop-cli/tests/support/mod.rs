//! Runs the command as a user does: as a process, in a temporary folder.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod pages;

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A user with a temporary folder, in which the command runs.
pub(crate) struct User {
    folder: TempDir,
}

impl User {
    pub(crate) fn new() -> User {
        User {
            folder: TempDir::new().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn writes(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("earlydrop"));
        command.current_dir(self.folder.path()).args(arguments);
        command.env_remove("CLICOLOR_FORCE").env("COLUMNS", "100");
        command
    }

    pub(crate) fn runs(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }

    /// Runs the command with this text on standard input.
    pub(crate) fn pipes(&self, input: &str, arguments: &[&str]) -> Ran {
        let mut command = self.command(arguments);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(input.as_bytes()).unwrap();
        drop(pipe);
        Ran::of(child.wait_with_output().unwrap())
    }

    /// Runs lines as a shell does, in which `earlydrop` is this command.
    pub(crate) fn types(&self, lines: &str) -> Ran {
        let binary = assert_cmd::cargo::cargo_bin!("earlydrop");
        let folder = binary.parent().unwrap().to_path_buf();
        let path = env::var_os("PATH").unwrap_or_default();
        let paths = [folder].into_iter().chain(env::split_paths(&path));
        let mut shell = Command::new("sh");
        shell.args(["-c", lines]).current_dir(self.folder.path());
        shell.env("PATH", env::join_paths(paths).unwrap());
        shell.env_remove("CLICOLOR_FORCE").env("COLUMNS", "100");
        Ran::of(shell.output().unwrap())
    }
}

/// The exit code and the output of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Ran {
        Ran {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Checks that the command succeeded and printed nothing on standard error.
    pub(crate) fn well(self) -> Ran {
        assert_eq!(
            (self.code, self.err.as_str()),
            (Some(0), ""),
            "{}",
            self.out
        );
        self
    }

    /// The path that the command printed after "report: ".
    pub(crate) fn report(&self, user: &User) -> PathBuf {
        let line = self
            .out
            .lines()
            .find_map(|line| line.strip_prefix("report: "));
        user.path(line.expect("a report"))
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap()
    }
}

/// Prints that a test of real packets is skipped; fails where namespaces are required.
pub(crate) fn skipped(test: &str, why: &str) {
    let needed = env::var_os("EARLYDROP_NEEDS_NAMESPACES").is_some();
    assert!(!needed, "{test}: {why}");
    println!("skipped: {test}: {why}");
}

/// A scenario with a few short runs: two schemes, two points, two seeds.
pub(crate) const SMALL: &str = "\
title = \"Small\"
duration = \"3 s\"
warm_up = \"1 s\"
seeds = 2
schemes = [\"red:min=5,max=15\", \"codel\"]

[network]
rate = \"3 Mbps\"
rtt = \"20 ms\"
buffer = \"50 packets\"

[flows.bulk]
count = 4
tcp = \"reno\"

[sweep]
\"network.rtt\" = [\"20 ms\", \"60 ms\"]
";

/// The database of a run's folder.
pub(crate) fn database(folder: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(folder.join("results.sqlite")).unwrap()
}

/// The numbers of a query with one column.
pub(crate) fn numbers(database: &rusqlite::Connection, select: &str) -> Vec<f64> {
    let mut statement = database.prepare(select).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}
