//! Hostile names, paths and values: none of them acts on the terminal, on a shell that runs a
//! printed command again, or on a spreadsheet; and every printed command runs.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Ran, SMALL, User};
use assert_cmd::cargo::cargo_bin;

/// Sets a title and the clipboard, clears the screen, moves the cursor and reverses letters.
const HOSTILE: &str = "a\u{1b}]0;pwned\u{7}\u{1b}]52;c;eA==\u{7}\u{1b}[2J\u{9b}2J\u{7f}\u{202e}b\r";

/// One scheme, one point, one seed.
const TINY: &str = "\
title = \"Tiny\"
duration = \"2 s\"
warm_up = \"1 s\"
seeds = 1
schemes = [\"red:min=5,max=15\"]

[network]
rate = \"3 Mbps\"
rtt = \"20 ms\"
buffer = \"50 packets\"

[flows.bulk]
count = 2
";

/// The command with styles on, as in a terminal.
fn in_colour(user: &User, arguments: &[&str]) -> Ran {
    let mut command = user.command(arguments);
    command.env("CLICOLOR_FORCE", "1").env("TERM", "xterm");
    Ran::of(command.output().unwrap())
}

/// Checks that nothing but line ends, tabs and this program's styles is in what was printed.
fn acts_on_no_terminal(what: &str, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(|letter: char| {
        let bidi = ('\u{2028}'..='\u{202e}').contains(&letter)
            || ('\u{2066}'..='\u{2069}').contains(&letter);
        bidi || (letter.is_control() && letter != '\n' && letter != '\t')
    }) {
        let style = rest[at..].strip_prefix("\u{1b}[").and_then(|rest| {
            let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != ';')?;
            rest[end..].strip_prefix('m')
        });
        rest = style.unwrap_or_else(|| panic!("{what}: {:?} in {text:?}", &rest[at..]));
    }
}

#[test]
fn no_text_of_others_acts_on_the_terminal() {
    let user = User::new();
    let folder = format!("{HOSTILE}\nerror: x");
    fs::create_dir(user.path(&folder)).unwrap();
    let at = |name: &str| format!("{folder}/{name}");
    user.writes(&at("tiny.toml"), TINY);
    let broken = TINY.replace("3 Mbps", HOSTILE.trim()).replace('\r', "");
    user.writes(&at("broken.toml"), &format!("{broken}# {HOSTILE}\n"));
    user.writes(&at("red.conf"), &format!("Queue/RED set {HOSTILE} 5\n"));
    let dscp = format!("random-detect dscp {HOSTILE} 32 40 10");
    let set = format!("{HOSTILE}=5");
    let (tiny, out) = (at("tiny.toml"), at("out"));
    let cases: &[&[&str]] = &[
        &["run", &tiny, "--out", &out],
        &["report", &out],
        &["report", &out, "--as", "markdown"],
        &["export", &out, "--to", "csv"],
        &["trace", &tiny, "--out", &at("trace")],
        &["check", &tiny],
        &["run", &at("broken.toml")],
        &["run", &at("missing.toml")],
        &["report", &at("missing")],
        &["run", &tiny, "--set", &set],
        &["run", &tiny, "--schemes", HOSTILE],
        &["run", &tiny, "--link", HOSTILE],
        &["run", &tiny, "--until", HOSTILE],
        &["schemes", HOSTILE],
        &["schemes", "--link", HOSTILE],
        &["explain", &at("red.conf")],
        &["explain", &dscp],
        &["explain", HOSTILE, "--as", HOSTILE],
        &["translate", "--to", HOSTILE, "red"],
        &[
            "configure",
            "--link",
            HOSTILE,
            "--rtt",
            "1ms",
            "--flows",
            "1",
        ],
        &["queue", "--rho", HOSTILE, "--buffer", "5"],
        &["queue", "--rho", "0.5", "--buffer", HOSTILE],
        &["queue", "--rho", "0.5", "--buffer", "5", "--at", HOSTILE],
        &["tune", &tiny, "--minimise", HOSTILE],
        &["reproduce", HOSTILE],
        &[HOSTILE],
        &["run", &tiny, &format!("--{HOSTILE}")],
        &["completions", HOSTILE],
    ];
    for arguments in cases {
        let ran = in_colour(&user, arguments);
        assert!(
            ran.code.is_some_and(|code| code < 3),
            "{arguments:?} {ran:?}"
        );
        acts_on_no_terminal(&format!("{arguments:?} out"), &ran.out);
        acts_on_no_terminal(&format!("{arguments:?} err"), &ran.err);
        let lines = ran.err.lines().filter(|line| line.starts_with("error: x"));
        assert_eq!(lines.count(), 0, "a path is no message: {}", ran.err);
    }
}

#[test]
fn the_parser_shows_what_it_refuses() {
    let user = User::new();
    for arguments in [&["a\u{1b}[2J"][..], &["completions", "a\u{1b}[2J"]] {
        let ran = user.runs(arguments);
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.contains("'a\\u001b[2J'"), "{}", ran.err);
    }
}

#[test]
fn json_keeps_what_a_terminal_must_not_see() {
    let user = User::new();
    let folder = "a\u{1b}[2J\u{202e}\u{9b}b";
    user.writes("tiny.toml", TINY);
    let ran = user
        .runs(&["run", "tiny.toml", "--json", "--out", folder])
        .well();
    acts_on_no_terminal("json", &ran.out);
    assert_eq!(ran.json()["report"], format!("{folder}/report.html"));
}

#[test]
fn names_with_control_characters_are_refused() {
    let user = User::new();
    for (from, to, place, nearest) in [
        (
            "\"Tiny\"",
            "\"T\\u001b[2Jy\"",
            "tiny.toml:1:9",
            "nearest: \"T[2Jy\"",
        ),
        ("\"Tiny\"", "\"T\\ny\"", "tiny.toml:1:9", "nearest: \"Ty\""),
        (
            "flows.bulk",
            "flows.\"b\\u202ek\"",
            "tiny.toml:12:8",
            "nearest: \"bk\"",
        ),
        (
            "[\"red:min=5,max=15\"]",
            "{ \"r\\u009b\" = \"red\" }",
            "tiny.toml:5:13",
            "nearest: \"r\"",
        ),
        (
            "[\"red:min=5,max=15\"]",
            "[{ scheme = \"red\", name = \"\\u0007\" }]",
            "tiny.toml:5:12",
            "printable characters",
        ),
        (
            "count = 2",
            "from = \"l\\u007f\"",
            "tiny.toml:13:8",
            "nearest: \"l\"",
        ),
    ] {
        user.writes("tiny.toml", &TINY.replace(from, to));
        let ran = user.runs(&["check", "tiny.toml"]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        for words in ["has control characters", place, nearest] {
            assert!(ran.err.contains(words), "{words} in {}", ran.err);
        }
    }
    for (from, to, said) in [
        ("flows.bulk", "flows.\" \"", "the name = \" \" is blank"),
        (
            "[\"red:min=5,max=15\"]",
            "{ \"\" = \"red\" }",
            "the name = \"\" is blank",
        ),
        (
            "red:min=5,max=15",
            "red:curve=numbers,segments=1: 0 0; 2: nan",
            "segments = 1: 0 0; 2: nan is not pieces as in",
        ),
    ] {
        user.writes("tiny.toml", &TINY.replace(from, to));
        let ran = user.runs(&["check", "tiny.toml"]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.err.contains(said), "{said} in {}", ran.err);
    }
    // Sentences may have several lines.
    let about = "title = \"Tiny\"\nabout = \"\"\"\none\ntwo\n\"\"\"";
    user.writes("tiny.toml", &TINY.replace("title = \"Tiny\"", about));
    user.runs(&["check", "tiny.toml"]).well();
}

/// Runs a line as a user does who pastes it into a shell.
fn pasted(user: &User, line: &str) -> Ran {
    let program = cargo_bin!("earlydrop");
    let mut path = vec![program.parent().unwrap().to_path_buf()];
    path.extend(env::split_paths(&env::var_os("PATH").unwrap()));
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(line).current_dir(user.path(""));
    shell.env("PATH", env::join_paths(path).unwrap());
    shell.env_remove("CLICOLOR_FORCE").env("COLUMNS", "100");
    Ran::of(shell.output().unwrap())
}

/// The command in the data of a report page.
fn command_of(page: &Path) -> String {
    let page = fs::read_to_string(page).unwrap();
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let command = data["command"].as_str().unwrap().to_string();
    acts_on_no_terminal("a command", &command);
    command
}

/// Names that a shell would take for more than a name.
const PATHS: [&str; 8] = [
    "two words",
    "it's \"quoted\"",
    "o; touch pwned #",
    "$(touch pwned)`touch pwned`",
    "line\nline",
    "-dash",
    "100% \\n *?",
    "\u{1b}]0;x\u{7}\u{202e}",
];

#[test]
fn the_command_of_a_report_runs_it_again() {
    let user = User::new();
    user.writes("tiny.toml", TINY);
    for name in PATHS {
        let out = format!("--out={name}");
        let overridden = [
            "run",
            "tiny.toml",
            "--link",
            "3Mbps",
            "--set",
            "seeds=2",
            &out,
        ];
        let first = user.runs(&overridden).well();
        let command = command_of(&user.path(name).join("report.html"));
        let again = pasted(&user, &command).well();
        let results = |ran: &Ran| {
            let (tables, _) = ran.out.split_once("report: ").unwrap();
            tables.to_string()
        };
        assert_eq!(results(&again), results(&first), "{command}");
        assert!(!user.path("pwned").exists(), "{command}");
    }
}

#[test]
fn the_command_of_a_trace_traces_it_again() {
    let user = User::new();
    fs::create_dir(user.path("in")).unwrap();
    for name in PATHS {
        let file = format!("{name}.toml");
        user.writes(&file, SMALL);
        let scenario = format!("./{file}");
        let set = format!(
            "title={}",
            name.replace(|letter: char| !letter.is_ascii_graphic(), " ")
        );
        let sample = "--sample=50ms";
        let out = format!("--out=in/{name}");
        let traced = [
            "trace",
            &scenario,
            "--link",
            "3Mbps",
            "--schemes",
            "pie,codel",
            "--set",
            &set,
            "--set",
            "network.loss=1%",
            "--cell",
            "1",
            "--seeds",
            "3",
            sample,
            &out,
        ];
        user.runs(&traced).well();
        let folder = user.path("in").join(name);
        let series = fs::read(folder.join("series.csv")).unwrap();
        let page = fs::read(folder.join("report.html")).unwrap();
        let command = command_of(&folder.join("report.html"));
        fs::remove_dir_all(&folder).unwrap();
        pasted(&user, &command).well();
        assert_eq!(
            fs::read(folder.join("series.csv")).unwrap(),
            series,
            "{command}"
        );
        assert!(
            fs::read(folder.join("report.html")).unwrap() == page,
            "{command}"
        );
        assert!(!user.path("pwned").exists(), "{command}");
    }
}

#[test]
fn the_built_in_scenario_is_traced_again() {
    let user = User::new();
    let traced = [
        "trace",
        "--duration",
        "3s",
        "--warm-up",
        "1s",
        "--schemes",
        "red",
        "--tcp",
        "reno",
    ];
    let ran = user.runs(&traced).well();
    let page = ran.out.lines().find(|line| line.ends_with("report.html"));
    let page = user.path(page.unwrap());
    let series = fs::read(page.with_file_name("series.csv")).unwrap();
    let command = command_of(&page);
    assert!(!command.contains("built-in"), "{command}");
    fs::remove_dir_all(page.parent().unwrap()).unwrap();
    pasted(&user, &command).well();
    assert_eq!(fs::read(page.with_file_name("series.csv")).unwrap(), series);
}

#[test]
fn the_command_for_a_scheme_inside_another_runs() {
    let user = User::new();
    for inside in ["min=7", "limit=300 packets"] {
        let ran = user
            .runs(&["schemes", &format!("fq-red:inner.{inside}")])
            .well();
        let more = ran.out.lines().find_map(|line| line.split_once("more: "));
        let (_, command) = more.unwrap();
        let page = pasted(&user, command).well();
        assert!(page.out.contains(&format!("red:{inside}")), "{command}");
    }
}

#[test]
fn the_commands_of_the_papers_pages_run() {
    let user = User::new();
    let (out, pages) = (
        "--out=my results; touch pwned",
        "--pages=my pages' $(touch pwned)",
    );
    let first = user
        .runs(&["reproduce", "clred.F6.a", "-q", out, pages])
        .well();
    let report = fs::read_to_string(first.report(&user)).unwrap();
    let made_by = |page: &str| {
        let (_, command) = page.split_once("Made by <code>").unwrap();
        let (command, _) = command.split_once("</code>").unwrap();
        command
            .replace("&#39;", "'")
            .replace("&quot;", "\"")
            .replace("&amp;", "&")
    };
    let command = made_by(&report);
    let again = pasted(&user, &command).well();
    assert_eq!(
        fs::read_to_string(again.report(&user)).unwrap(),
        report,
        "{command}"
    );

    let page = user.path("my pages' $(touch pwned)").join("clred.md");
    let text = fs::read_to_string(&page).unwrap();
    let (_, command) = text.split_once("Made by `").unwrap();
    let (command, _) = command.split_once('`').unwrap();
    // The results are in another folder than the usual one, which the page does not name.
    let command = format!("{command} {}", "--out='my results; touch pwned'");
    fs::remove_file(&page).unwrap();
    pasted(&user, &command).well();
    assert_eq!(fs::read_to_string(&page).unwrap(), text, "{command}");
    assert!(!user.path("pwned").exists(), "{command}");
}

#[test]
fn no_spreadsheet_runs_a_name() {
    let user = User::new();
    let text = TINY
        .replace(
            "[\"red:min=5,max=15\"]",
            "{ \"=HYPERLINK(\\\"http://x\\\",1)\" = \"red\", \"a,\\\"b\\\"\" = \"codel\" }",
        )
        .replace("flows.bulk", "flows.\"@SUM(A1)\"");
    user.writes("tiny.toml", &text);
    user.runs(&["run", "tiny.toml", "--out", "out"]).well();
    user.runs(&["export", "out", "--to", "csv"]).well();
    user.runs(&["trace", "tiny.toml", "--out", "traced"]).well();
    let summary = user.runs(&["report", "out", "--as", "csv"]).well().out;
    user.writes("summary.csv", &summary);
    let mut files = vec![user.path("traced/series.csv"), user.path("summary.csv")];
    files.extend(
        fs::read_dir(user.path("out/csv"))
            .unwrap()
            .map(|file| file.unwrap().path()),
    );
    let mut defused = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let mut widths = Vec::new();
        for cells in lines(&text) {
            for cell in &cells {
                let runs = cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
                assert!(!runs, "{cell} in {}", file.display());
                defused += usize::from(cell.starts_with("'=") || cell.starts_with("'@"));
            }
            widths.push(cells.len());
        }
        widths.dedup();
        assert_eq!(widths.len(), 1, "{}", file.display());
    }
    assert!(defused > 10, "{defused}");
}

/// The lines and their cells, as RFC 4180 has them.
fn lines(text: &str) -> Vec<Vec<String>> {
    let mut lines = vec![vec![String::new()]];
    let (mut quoted, mut letters) = (false, text.chars().peekable());
    while let Some(letter) = letters.next() {
        let line = lines.last_mut().unwrap();
        match letter {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => {
                line.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => line.push(String::new()),
            '\n' if !quoted => lines.push(vec![String::new()]),
            letter => line.last_mut().unwrap().push(letter),
        }
    }
    assert_eq!(lines.pop(), Some(vec![String::new()]));
    lines
}

#[test]
fn a_name_stays_in_its_cell_of_markdown() {
    let user = User::new();
    let name = "\"a|b <img src=x> `c`\" = \"red\"";
    user.writes(
        "tiny.toml",
        &TINY.replace("[\"red:min=5,max=15\"]", &format!("{{ {name} }}")),
    );
    user.runs(&["run", "tiny.toml", "--out", "out"]).well();
    let table = user.runs(&["report", "out", "--as", "markdown"]).well().out;
    assert!(
        table.contains("| a\\|b &lt;img src=x> \\`c\\` |"),
        "{table}"
    );
}

#[test]
fn a_path_of_any_depth_is_refused() {
    let user = User::new();
    user.writes("tiny.toml", TINY);
    let deep = format!("network.{}b=1", "a.".repeat(30_000));
    let swept = format!(
        "{TINY}[sweep]\n\"{}rtt\" = [1, 2]\n",
        "network.".repeat(30_000)
    );
    user.writes("swept.toml", &swept);
    for arguments in [
        &["check", "tiny.toml", "--set", &deep][..],
        &["check", "swept.toml"],
    ] {
        let ran = user.runs(arguments);
        assert_eq!(ran.code, Some(2), "{:?}", ran.code);
        assert!(
            ran.err.contains("names leads to no field"),
            "{:.200}",
            ran.err
        );
        assert!(ran.err.len() < 2000, "{}", ran.err.len());
    }
}
