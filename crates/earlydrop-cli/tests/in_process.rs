//! The command in another program's process.

use earlydrop_cli::run;

const QUICK: [&str; 12] = [
    "earlydrop",
    "compare",
    "--schemes",
    "red",
    "--duration",
    "2s",
    "--seeds",
    "1",
    "--link",
    "1Mbps",
    "--quiet",
    "--out",
];

/// Both install a handler for Ctrl-C, of which a process has one.
#[test]
fn a_process_runs_several_commands() {
    let folder = tempfile::TempDir::new().unwrap();
    for name in ["first", "second"] {
        let out = folder.path().join(name);
        let words = QUICK
            .iter()
            .map(Into::into)
            .chain([out.clone().into_os_string()]);
        assert_eq!(run(words.collect::<Vec<_>>()), 0);
        assert!(out.join("report.html").is_file());
    }
    // A wrong argument ends the command, not the process.
    assert_eq!(run(["earlydrop", "compare", "--seeds", "few"]), 2);
    assert_eq!(run(["earlydrop", "compare", "--no-such-option"]), 2);
    assert_eq!(run(["earlydrop", "--version"]), 0);
}
