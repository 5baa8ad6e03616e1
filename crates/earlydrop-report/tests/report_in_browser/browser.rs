//! A headless Chromium that opens a page and prints its DOM.

use std::env;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use earlydrop_report::run_report::{Data, render};
use serde_json::Value;
use tempfile::TempDir;

/// The browser's program, if there is one.
pub(crate) fn browser() -> Option<String> {
    let candidates = env::var("CHROMIUM")
        .into_iter()
        .chain(["chromium", "chromium-browser", "google-chrome", "chrome"].map(str::to_owned));
    let runs = |name: &String| {
        Command::new(name)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    let browser = candidates.into_iter().find(runs);
    if browser.is_none() {
        assert!(
            env::var_os("EARLYDROP_NEEDS_BROWSER").is_none(),
            "EARLYDROP_NEEDS_BROWSER is set, and there is no Chromium"
        );
        println!("skipped: no chromium");
    }
    browser
}

/// The DOM of a page after its scripts have run.
pub(crate) struct Opened {
    pub(crate) dom: String,
}

/// Opens the page of `data` with `choices` after the `#` of its address.
pub(crate) fn open(browser: &str, data: &Data, choices: &str) -> Opened {
    let folder = TempDir::new().unwrap();
    let page = folder.path().join("report.html");
    fs::write(&page, render(data)).unwrap();
    let dom = dump(
        browser,
        folder.path(),
        &format!("file://{}#{choices}", page.display()),
    );
    let opened = Opened { dom };
    assert_eq!(opened.attribute("<html", "data-errors"), "");
    assert_eq!(opened.attribute("<html", "data-ready"), "true");
    opened
}

fn dump(browser: &str, folder: &Path, address: &str) -> String {
    let out = folder.join("dom.html");
    let mut child = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1280,2000",
            "--virtual-time-budget=5000",
            "--dump-dom",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .arg(address)
        .stdin(Stdio::null())
        .stdout(File::create(&out).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the browser did not finish within two minutes");
        }
        sleep(Duration::from_millis(50));
    }
    fs::read_to_string(out).unwrap()
}

impl Opened {
    /// An attribute of the first element that begins with `tag`.
    pub(crate) fn attribute(&self, tag: &str, name: &str) -> String {
        let (_, after) = self
            .dom
            .split_once(tag)
            .unwrap_or_else(|| panic!("the page has no {tag}"));
        let (_, value) = after
            .split_once(&format!(" {name}=\""))
            .unwrap_or_else(|| panic!("{tag} has no {name}"));
        let (value, _) = value.split_once('"').unwrap();
        value
            .replace("&quot;", "\"")
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&nbsp;", "\u{a0}")
            .replace("&amp;", "&")
    }

    /// The summary of what a figure has drawn, which the figure leaves in its element.
    pub(crate) fn drawn(&self, figure: &str) -> Value {
        let start = self
            .dom
            .find(&format!("data-figure=\"{figure}\""))
            .unwrap_or_else(|| panic!("the page has no figure {figure}"));
        let rest = Opened {
            dom: format!("<x {}", &self.dom[start..]),
        };
        serde_json::from_str(&rest.attribute("<x", "data-drawn")).unwrap()
    }
}
