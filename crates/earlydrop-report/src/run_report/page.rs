//! The report page as HTML.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use earlydrop_lab::files::{FileError, NewFile, Overwrite, Signature, check_regular};
use earlydrop_lab::plan::Plan;
use earlydrop_lab::store::{REPORT, Store, StoreError};
use earlydrop_lab::summary::Summary;

use serde::Serialize;

use super::pictures::PagePictures;
use super::{Data, Panel, gather, panels};
use crate::figure::escape;
use crate::table::View;
use crate::tune_answer::lead;

/// The text of a file of the page.
macro_rules! asset {
    ($path:literal) => {
        include_str!(concat!("../../assets/", $path))
    };
}

const TEMPLATE: &str = asset!("report/page.html");
/// The style sheet of all pages.
pub(crate) const STYLE: &str = asset!("report/style.css");
const ERRORS: &str = asset!("report/errors.js");
const CHARTS: &str = asset!("charts/echarts.min.js");

/// The page's scripts in the order of execution. They share one scope: a script uses what earlier
/// ones declare.
const SCRIPTS: &[(&str, &str)] = &[
    ("format.js", asset!("report/format.js")),
    ("dom.js", asset!("report/dom.js")),
    ("state.js", asset!("report/state.js")),
    ("theme.js", asset!("report/theme.js")),
    ("save.js", asset!("report/save.js")),
    ("axes.js", asset!("report/axes.js")),
    ("plot.js", asset!("report/plot.js")),
    ("figure.js", asset!("report/figure.js")),
    ("table.js", asset!("report/table.js")),
    ("head.js", asset!("report/head.js")),
    ("answers.js", asset!("report/answers.js")),
    ("summary.js", asset!("report/summary.js")),
    ("baseline.js", asset!("report/baseline.js")),
    ("scatter.js", asset!("report/scatter.js")),
    ("sweep.js", asset!("report/sweep.js")),
    ("sizes.js", asset!("report/sizes.js")),
    ("zoom.js", asset!("report/zoom.js")),
    ("overtime.js", asset!("report/overtime.js")),
    ("flows.js", asset!("report/flows.js")),
    ("distributions.js", asset!("report/distributions.js")),
    ("live.js", asset!("report/live.js")),
    ("curves.js", asset!("report/curves.js")),
    ("groups.js", asset!("report/groups.js")),
    ("ports.js", asset!("report/ports.js")),
    ("scenario.js", asset!("report/scenario.js")),
    ("main.js", asset!("report/main.js")),
];

/// Licences of third-party code in the page.
const LICENCES: &[(&str, &str)] = &[
    ("Apache ECharts 6.1.0", asset!("charts/NOTICE")),
    ("Apache ECharts 6.1.0, licence", asset!("charts/LICENSE")),
    ("zrender 6.1.0", asset!("charts/LICENSE-zrender")),
    ("d3", asset!("charts/LICENSE-d3")),
    ("tslib 2.3.0", asset!("charts/LICENSE-tslib")),
];

/// Writes `report.html` into the folder of a stored run; returns its path.
pub fn write_report(plan: &Plan, store: &Store, summary: &Summary) -> Result<PathBuf, StoreError> {
    write_view(plan, store, summary, &View::default())
}

/// Writes `report.html` with a reader's choices; returns its path.
pub fn write_view(
    plan: &Plan,
    store: &Store,
    summary: &Summary,
    view: &View,
) -> Result<PathBuf, StoreError> {
    let path = store.folder().join(REPORT);
    check_regular(&path)?;
    let written = write_report_to(&path, Overwrite::Own, plan, store, summary, view);
    written.map_err(|error| match error {
        StoreError::File(error) => error.in_folder().into(),
        other => other,
    })?;
    Ok(path)
}

/// Writes the report page of a stored run to a file.
pub fn write_report_to(
    path: &Path,
    overwrite: Overwrite,
    plan: &Plan,
    store: &Store,
    summary: &Summary,
    view: &View,
) -> Result<(), StoreError> {
    let mut file = NewFile::create(path, &Signature::PAGE, overwrite)?;
    let data = gather(plan, store, summary, view)?;
    write_page(&data, &mut file).map_err(|error| FileError::new(path, error))?;
    Ok(file.complete()?)
}

/// The report page: one HTML file that opens without a network.
///
/// Equal data gives the same page, byte for byte.
///
/// ```
/// use earlydrop_report::run_report::{Data, render};
///
/// let page = render(&Data {
///     title: "RED and its relatives".to_owned(),
///     ..Data::default()
/// });
/// assert!(page.starts_with("<!doctype html>"));
/// ```
#[must_use]
pub fn render(data: &Data) -> String {
    let mut page = Vec::new();
    write_page(data, &mut page).expect("memory takes what is written");
    String::from_utf8(page).expect("every part is UTF-8")
}

/// Writes the page without keeping it: that of a large sweep takes more memory than its data.
fn write_page(data: &Data, page: &mut impl Write) -> io::Result<()> {
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once("{{") {
        page.write_all(before.as_bytes())?;
        let Some((slot, after)) = after.split_once("}}") else {
            page.write_all(b"{{")?;
            rest = after;
            continue;
        };
        rest = after;
        match slot {
            "title" => page.write_all(escape(&data.title).as_bytes())?,
            "style" => page.write_all(STYLE.as_bytes())?,
            "errors" => page.write_all(ERRORS.as_bytes())?,
            "lead" => page.write_all(
                data.tuning
                    .as_ref()
                    .map(lead)
                    .unwrap_or_default()
                    .as_bytes(),
            )?,
            "data" => write_json(data, page)?,
            "charts" => page.write_all(CHARTS.as_bytes())?,
            "scripts" => page.write_all(scripts().as_bytes())?,
            "licences" => page.write_all(licences().as_bytes())?,
            other => unreachable!("page.html has no slot {other}"),
        }
    }
    page.write_all(rest.as_bytes())
}

/// What the page's scripts read.
#[derive(Serialize)]
struct Page<'a> {
    #[serde(flatten)]
    data: &'a Data,
    panels: Vec<Panel>,
    pictures: PagePictures<'a>,
}

/// Writes the data as JSON without any `<`, so that no text can close the surrounding `<script>`.
fn write_json(data: &Data, out: &mut impl Write) -> io::Result<()> {
    let (panels, _) = panels(data);
    let page = Page {
        data,
        panels,
        pictures: PagePictures(data),
    };
    Ok(serde_json::to_writer(WithoutTags(out), &page)?)
}

/// Writes `\u003c` for `<`, which JSON has in its texts only.
struct WithoutTags<'a, W>(&'a mut W);

impl<W: Write> Write for WithoutTags<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut parts = bytes.split(|byte| *byte == b'<');
        self.0.write_all(parts.next().unwrap_or_default())?;
        for part in parts {
            self.0.write_all(b"\\u003c")?;
            self.0.write_all(part)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn scripts() -> String {
    let mut page = String::new();
    page.push_str("(() => {\n\"use strict\";\n");
    for (name, text) in SCRIPTS {
        page.push_str("\n// ---- ");
        page.push_str(name);
        page.push_str(" ----\n");
        page.push_str(text);
    }
    page.push_str("})();\n");
    page
}

fn licences() -> String {
    let mut page = String::new();
    for (name, text) in LICENCES {
        page.push_str(&escape(name));
        page.push_str("\n\n");
        page.push_str(&escape(text.trim()));
        page.push_str("\n\n\n");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hostile() -> Data {
        Data {
            title: "</script><img src=x onerror=alert(1)>{{charts}}".to_owned(),
            scenario: "title = \"<!--<script>\"".to_owned(),
            ..Data::default()
        }
    }

    #[test]
    fn text_of_the_data_cannot_become_markup() {
        let page = render(&hostile());
        assert!(!page.contains("<img"));
        assert!(page.contains(
            "<title>&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;{{charts}}</title>"
        ));
        let (_, after) = page.split_once("id=\"data\">").unwrap();
        let (json, _) = after.split_once("</script>").unwrap();
        assert!(!json.contains('<'));
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(value["title"], hostile().title);
        assert_eq!(value["scenario"], hostile().scenario);
    }

    #[test]
    fn nothing_is_fetched() {
        let page = render(&Data::default());
        assert!(page.contains("default-src 'none'"));
        for sign in ["<link", " src=", "@import", "url(http", "import("] {
            assert!(!page.contains(sign), "{sign}");
        }
    }

    #[test]
    fn no_script_ends_early() {
        for (name, text) in SCRIPTS
            .iter()
            .chain(&[("errors.js", ERRORS), ("charts", CHARTS)])
        {
            assert!(!text.contains("</script"), "{name}");
            assert!(!text.contains("<!--"), "{name}");
        }
    }

    #[test]
    fn numbers_keep_five_digits_and_nan_becomes_null() {
        let mut data = Data::default();
        data.series.push(super::super::data::Series {
            scheme: 0,
            point: 0,
            seed: 1,
            source: String::new(),
            name: "queue".to_owned(),
            meaning: "in packets".to_owned(),
            interval: 0.1,
            values: vec![0.1 + 0.2, 3.0, 1234567.0, f64::NAN, 1.0e-9 / 3.0],
        });
        let mut json = Vec::new();
        write_json(&data, &mut json).unwrap();
        let json = String::from_utf8(json).unwrap();
        let values = "\"values\":[0.3,3,1234567,null,3.3333e-10]";
        assert!(json.contains(values), "{json}");
    }
}
