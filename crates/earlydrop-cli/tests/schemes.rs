//! `earlydrop schemes` as a user runs it.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use earlydrop::registry::SCHEMES;

use crate::support::User;

/// The command without the environment's variables about the terminal.
fn schemes(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("earlydrop").unwrap();
    for variable in ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "COLUMNS", "TERM"] {
        command.env_remove(variable);
    }
    command.arg("schemes").args(arguments);
    command
}

fn output(arguments: &[&str]) -> String {
    let assert = schemes(arguments).assert().success().stderr("");
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

#[test]
fn the_list_names_every_scheme_and_what_to_do_next() {
    let text = output(&[]);
    for scheme in SCHEMES {
        assert!(text.contains(scheme.name), "{}", scheme.name);
    }
    assert!(text.contains("earlydrop schemes NAME"));
    assert!(text.lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn a_schemes_page_has_its_curve_manual_and_parameters() {
    let text = output(&["nlred:max_p=0.5", "--link", "100Mbps"]);
    for part in [
        "NLRED: nonlinear RED.",
        "Drop curve of nlred:max_p=0.5 at 100 Mbps",
        "average queue, packets",
        "Equations",
        "How other tools differ",
        "0.5 (given)",
        "Presets",
        "Probes",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!output(&["codel"]).contains("Drop curve"));
}

#[test]
fn json_describes_every_scheme_with_the_same_keys() {
    let all: serde_json::Value = serde_json::from_str(&output(&["--json"])).unwrap();
    let all = all.as_array().unwrap();
    let names: Vec<&str> = all
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    let registered: Vec<&str> = SCHEMES.iter().map(|scheme| scheme.name).collect();
    assert_eq!(names, registered);
    for scheme in all {
        let keys: Vec<&String> = scheme.as_object().unwrap().keys().collect();
        let documented = [
            "name",
            "summary",
            "source",
            "parameters",
            "probes",
            "presets",
        ];
        assert_eq!(keys[..6], documented);
        for parameter in scheme["parameters"].as_array().unwrap() {
            for key in ["name", "unit", "range", "default", "origin", "meaning"] {
                assert!(parameter[key].is_string(), "{key} of {parameter}");
            }
        }
        for named in ["probes", "presets"] {
            for one in scheme[named].as_array().unwrap() {
                assert!(one["name"].is_string() && one["meaning"].is_string());
            }
        }
    }
}

#[test]
fn json_of_one_scheme_is_a_list_of_one_with_its_curve() {
    let one: serde_json::Value = serde_json::from_str(&output(&["red", "--json"])).unwrap();
    assert_eq!(one.as_array().unwrap().len(), 1);
    let points = one[0]["curve"]["points"].as_array().unwrap();
    assert_eq!(points[0], serde_json::json!([0.0, 0.0]));
    assert_eq!(one[0]["curve"]["unit"], "packets");
}

#[test]
fn an_unknown_name_is_refused_with_the_nearest() {
    let refused = schemes(&["nlrde"]).assert().code(2).stdout("");
    let message = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(message.contains("did you mean 'nlred'?"), "{message}");
    let refused = schemes(&["red:limitt=50"]).assert().code(2);
    let message = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(message.contains("did you mean 'limit'?"), "{message}");
}

#[test]
fn a_pipe_gets_no_escape_codes_unless_forced() {
    assert!(!output(&["red"]).contains('\u{1b}'));
    let painted = |variables: &[(&str, &str)]| {
        let mut command = schemes(&["red"]);
        command.envs(variables.iter().copied());
        let stdout = command.assert().success().get_output().stdout.clone();
        stdout.contains(&0x1b)
    };
    assert!(painted(&[("CLICOLOR_FORCE", "1")]));
    assert!(!painted(&[("NO_COLOR", "1")]));
}

#[test]
fn a_dumb_terminal_gets_ascii() {
    let mut command = schemes(&["red"]);
    command.env("TERM", "dumb");
    let stdout = command.assert().success().get_output().stdout.clone();
    assert!(stdout.is_ascii());
}

#[test]
fn columns_decide_the_width_of_what_is_piped() {
    let mut command = schemes(&["wred"]);
    command.env("COLUMNS", "50");
    let stdout = command.assert().success().get_output().stdout.clone();
    let text = String::from_utf8(stdout).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 50));
}

#[test]
fn the_page_of_senders_is_current_and_the_command_prints_its_parts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/reference/senders.md")).unwrap();
    assert!(
        page == earlydrop_sim::tcp::manual::page(),
        "run: cargo run -p earlydrop-sim --features manual --example senders_page > \
         docs/reference/senders.md"
    );
    let user = User::new();
    let list = user.runs(&["senders"]).well().out;
    for controller in earlydrop_sim::tcp::CONTROLLERS {
        assert!(list.contains(controller.name), "{list}");
        let manual = user.runs(&["senders", controller.name]).well().out;
        assert!(manual.contains("Equations"), "{manual}");
    }
    let wrong = user.runs(&["senders", "cubik"]);
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.err.contains("did you mean \"cubic\"?"),
        "{}",
        wrong.err
    );
}
