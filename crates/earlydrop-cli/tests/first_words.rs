//! What a new user types first: other spellings, standard input, missing units, the shell.

use crate::support::{SMALL, User};

#[test]
fn spellings_of_linux_are_accepted_wherever_a_scheme_is_named() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    let own = user
        .runs(&[
            "run",
            "small.toml",
            "--schemes",
            "fq-codel,dualpi2",
            "--json",
        ])
        .well()
        .json();
    let linux = user
        .runs(&[
            "run",
            "small.toml",
            "--schemes",
            "fq_codel,DualPI2",
            "--json",
        ])
        .well()
        .json();
    assert_eq!(own["rows"], linux["rows"]);
    for arguments in [
        &["schemes", "FQ_CODEL"][..],
        &["schemes", "lru_red:min=5"],
        &["explain", "RED:min=5,max=15"],
        &[
            "configure",
            "--link",
            "20Mbps",
            "--rtt",
            "50ms",
            "--flows",
            "20",
            "--scheme",
            "PIE",
        ],
        &["check", "small.toml", "--schemes", "pfifo,CoDel"],
    ] {
        user.runs(arguments).well();
    }
    let file = SMALL
        .replace("\"codel\"", "\"fq_codel\"")
        .replace("[network]", "[network]\n");
    user.writes("linux.toml", &file);
    user.runs(&["check", "linux.toml"]).well();
}

#[test]
fn what_was_probably_meant_is_suggested() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    for (arguments, suggestion) in [
        (&["compare", "--rtt", "50"][..], "nearest: rtt = \"50 ms\""),
        (&["compare", "--link", "10"], "nearest: rate = \"10 Mbps\""),
        (
            &["compare", "--duration", "10"],
            "nearest: duration = \"10 s\"",
        ),
        (
            &["configure", "--link", "10", "--rtt", "50", "--flows", "9"],
            "nearest: --link 10Mbps",
        ),
        (
            &[
                "configure",
                "--link",
                "10Mbps",
                "--rtt",
                "50",
                "--flows",
                "9",
            ],
            "nearest: --rtt 50ms",
        ),
        (
            &["check", "small.toml", "--set", "flows.bulk.kind=udp"],
            "requests, incast, cbr, on-off, replay, voice; nearest: kind = \"cbr\"",
        ),
        (
            &["check", "small.toml", "--schemes", "fq_codl"],
            "did you mean 'fq-codel'?",
        ),
        (&["reproduce", "clred.F99"], "claims of clred: clred.F5.a, "),
        (&["reproduce", "nothing"], "(papers: sfred-nlred, "),
        (
            &[
                "queue",
                "--rho",
                "0.5",
                "--buffer",
                "9",
                "--batch",
                "fixed:1000000",
            ],
            "1000000 packets: allowed: at most 10000 packets",
        ),
        (
            &[
                "queue",
                "--rho",
                "0.5",
                "--buffer",
                "9",
                "--batch",
                "1:1,20000:1",
            ],
            "20000 packets: allowed: at most 10000 packets",
        ),
    ] {
        let ran = user.runs(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:?}");
        assert!(ran.err.contains(suggestion), "{suggestion} in\n{}", ran.err);
    }
}

#[test]
fn a_dash_is_standard_input() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    let of_file = user
        .runs(&["run", "small.toml", "--json", "--quiet"])
        .well()
        .json();
    for command in ["run", "compare"] {
        let ran = user.pipes(
            SMALL,
            &[command, "-", "--json", "--quiet", "--out", command],
        );
        assert_eq!(ran.well().json()["rows"], of_file["rows"], "{command}");
    }
    let checked = user.pipes(SMALL, &["check", "-"]).well();
    assert!(
        checked.out.starts_with("standard input: 2 schemes"),
        "{}",
        checked.out
    );
    user.pipes(SMALL, &["trace", "-", "--list"]).well();
    user.pipes("red:min=5,max=15\n", &["explain", "-"]).well();
    let wrong = SMALL.replace("3 s", "three");
    for command in ["run", "compare", "check", "trace"] {
        let ran = user.pipes(&wrong, &[command, "-"]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.err.contains("standard input, line 2\n"), "{}", ran.err);
    }
    let ran = user.pipes("\n\nred:min=5,max=x\n", &["explain", "-"]);
    assert!(ran.err.contains("standard input, line 3\n"), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn bash_completes_schemes_scenarios_claims_and_tools() {
    use std::process::Command;
    let user = User::new();
    user.writes("small.toml", SMALL);
    user.writes("notes.txt", "");
    let script = user.runs(&["completions", "bash"]).well().out;
    user.writes("earlydrop.bash", &script);
    let binary = assert_cmd::cargo::cargo_bin!("earlydrop");
    for (line, wanted) in [
        ("compare --schemes nl", "nlred"),
        ("compare --schemes=red,nl", "red,nlred"),
        ("compare --schemes red:min=5,nl", "5,nlred"),
        ("run sm", "small.toml"),
        ("run no", ""),
        ("reproduce clred.F5.a.p", "clred.F5.a.printed"),
        ("explain --as cis", "cisco"),
        ("tune small.toml --minimise delay_p99", "delay_p99"),
        ("translate --to linux,dp", "linux,dpdk"),
    ] {
        let typed = format!("{} {line}", binary.display());
        let asked = format!(
            "source ./earlydrop.bash; COMP_LINE='{typed}'; COMP_POINT=${{#COMP_LINE}}; _earlydrop; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let mut bash = Command::new("bash");
        let ran = bash
            .args(["-c", &asked])
            .current_dir(user.path(""))
            .output();
        let Ok(ran) = ran else {
            println!("skipped: there is no bash");
            return;
        };
        let completed = String::from_utf8(ran.stdout).unwrap();
        assert_eq!(completed.trim_end(), wanted, "{line}");
    }
}

/// Checks what a shell completes lines to; skips it where it is not installed.
#[cfg(unix)]
fn completed(shell: &str, arguments: &[&str], script: impl Fn(&str) -> String) {
    use std::process::Command;
    let user = User::new();
    user.writes("small.toml", SMALL);
    user.writes("notes.txt", "");
    user.writes(
        "completions",
        &user.runs(&["completions", shell]).well().out,
    );
    let binary = assert_cmd::cargo::cargo_bin!("earlydrop");
    let paths = [binary.parent().unwrap().to_path_buf()].into_iter();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::join_paths(paths.chain(std::env::split_paths(&path))).unwrap();
    for (line, wanted) in [
        ("compare --schemes nl", "nlred"),
        ("compare --schemes=red,nl", "--schemes=red,nlred"),
        ("run sm", "small.toml"),
        ("reproduce clred.F5.a.p", "clred.F5.a.printed"),
        ("explain --as cis", "cisco"),
        ("explain --a", "--as"),
        ("tune small.toml --minimise delay_p99", "delay_p99"),
        ("translate --to linux,dp", "linux,dpdk"),
    ] {
        let mut command = Command::new(shell);
        let ran = command
            .args(arguments)
            .arg(script(line))
            .current_dir(user.path(""))
            .env("PATH", &paths)
            .env("HOME", user.path(""))
            .output();
        let Ok(ran) = ran else {
            println!("skipped: there is no {shell}");
            return;
        };
        let (out, err) = (
            String::from_utf8_lossy(&ran.stdout),
            String::from_utf8_lossy(&ran.stderr),
        );
        assert_eq!(out.trim_end(), wanted, "{shell}: {line}\n{err}");
    }
}

#[cfg(unix)]
#[test]
fn fish_completes_schemes_scenarios_claims_and_tools() {
    completed("fish", &["--no-config", "-c"], |line| {
        format!("source completions; complete --do-complete 'earlydrop {line}'")
    });
}

/// Without a terminal zsh has no editor, so what it adds is printed instead.
#[cfg(unix)]
#[test]
fn zsh_completes_schemes_scenarios_claims_and_tools() {
    completed("zsh", &["-f", "-c"], |line| {
        format!(
            "compdef() {{ }}; source ./completions; \
             compadd() {{ while [[ $1 != -- ]]; do shift; done; shift; print -l -- $@ }}; \
             _files() {{ print files }}; \
             words=(earlydrop {line}); CURRENT=$#words; _earlydrop"
        )
    });
}
