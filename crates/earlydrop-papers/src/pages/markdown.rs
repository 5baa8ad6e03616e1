//! A paper's page in Markdown, with its pictures as files, for who reads the repository.

use crate::claims::{Told, counted};
use earlydrop_report::figure;

use super::html::{VERDICTS, row, sign};
use super::page::Made;
use super::printed::{Number, Printed};
use super::study::{Drawn, DrawnFigure, Study};

/// A page and the pictures that it shows.
pub struct Markdown {
    /// The page.
    pub text: String,
    /// The pictures: names of files, in the folder [`PICTURES`] beside the page, and SVG.
    pub pictures: Vec<(String, String)>,
}

/// The folder of pictures, beside the pages.
pub const PICTURES: &str = "pictures";

/// A paper's page; `before` is what is said before its figures, in Markdown.
pub fn markdown(study: &Study<'_>, before: &str, made: &Made) -> Markdown {
    let paper = &study.paper.paper;
    let mut page = Markdown {
        text: format!(
            "# {}\n\n{}, {}. Experiments and claims: [`papers/{folder}`](../../crates/earlydrop-papers/papers/{folder}).\n\n\
             {}\n\n{}.\n\n{READING}\n\n{}\n",
            paper.title,
            paper.authors,
            paper.year,
            study.paper.figures.proposes,
            counted(&study.told),
            made_by(made),
            folder = study.paper.key,
        ),
        pictures: Vec::new(),
    };
    page.text.push_str(before);
    for drawn in &study.figures {
        page.figure(study, drawn);
    }
    let loose = study.of_text();
    if !loose.is_empty() {
        page.text.push_str("\n## Claims of no figure\n");
        page.claims(&format!("{}-text", paper.key), &loose);
    }
    page
}

const READING: &str = "Bands and upright bars are 95% intervals over the seeds. An effect is by \
    how much the claim is right over all its comparisons, as a share of what is compared with, \
    with its interval: below zero, left in the pictures, the paper is wrong. A small dot is one \
    comparison, filled where its interval bears the claim out; the diamond is all together. A \
    claim holds where every comparison bears it out.";

fn made_by(made: &Made) -> String {
    format!("Made by `{}`, version {}.", made.command, made.version)
}

/// The page that leads to the papers' pages.
pub fn markdown_front(studies: &[&Study<'_>], made: &Made) -> String {
    let told: Vec<Told<'_>> = studies
        .iter()
        .flat_map(|study| study.told.clone())
        .collect();
    let mut front = format!(
        "# The papers' claims\n\n{}.\n\n{}\n\n| paper | claims |",
        counted(&told),
        made_by(made)
    );
    for verdict in VERDICTS {
        front.push_str(&format!(" {} {verdict} |", sign(verdict)));
    }
    front.push_str("\n|---|--:|--:|--:|--:|--:|\n");
    for study in studies {
        let (title, folder) = (&study.paper.paper.title, study.paper.key);
        front.push_str(&format!(
            "| [{title}]({folder}.md) | {} |",
            study.told.len()
        ));
        for verdict in VERDICTS {
            front.push_str(&format!(" {} |", study.count(verdict)));
        }
        front.push('\n');
    }
    front
}

impl Markdown {
    fn figure(&mut self, study: &Study<'_>, drawn: &DrawnFigure<'_>) {
        let figure = drawn.figure;
        if !figure.left_out.is_empty() {
            self.text.push_str(&format!(
                "\n**{}.** {} {}\n",
                figure.number, figure.caption, figure.left_out
            ));
            return;
        }
        self.text
            .push_str(&format!("\n## {}\n\n{}\n\n", figure.number, figure.caption));
        for (index, panel) in drawn.panels.iter().enumerate() {
            match panel {
                Drawn::Picture(drawing) => {
                    let name = format!("{}-{}.svg", figure.id, index + 1);
                    self.picture(&name, drawing);
                }
                Drawn::Table(printed) => self.text.push_str(&table(printed)),
                Drawn::Missing(why) => self.text.push_str(&format!("{why}.\n")),
            }
        }
        let told = study.of_figure(figure).into_iter();
        let beside: Vec<&Told<'_>> = told.filter(|told| !drawn.has(&told.claim.id)).collect();
        self.claims(&figure.id, &beside);
        if !figure.not_printed.is_empty() {
            let words = &figure.not_printed;
            self.text.push_str(&format!("\n*Not printed:* {words}\n"));
        }
    }

    fn picture(&mut self, name: &str, drawing: &figure::Drawing) {
        let about = drawing.about.replace(['[', ']'], "");
        self.text
            .push_str(&format!("![{about}]({PICTURES}/{name})\n"));
        self.pictures.push((name.to_string(), drawing.file()));
    }

    /// A table of claims, and their effects as a picture.
    fn claims(&mut self, name: &str, told: &[&Told<'_>]) {
        if told.is_empty() {
            return;
        }
        let with_effect = told.iter().filter(|told| told.judged.effect.is_some());
        let rows: Vec<figure::Row> = with_effect.map(|told| row(told)).collect();
        if !rows.is_empty() {
            self.text.push('\n');
            self.picture(&format!("{name}-claims.svg"), &figure::forest(&rows));
        }
        self.text
            .push_str("\n| claim | says | verdict | effect |\n|---|---|---|---|\n");
        for told in told {
            self.text.push_str(&line(told));
        }
    }
}

fn line(told: &Told<'_>) -> String {
    let verdict = told.judged.verdict;
    let mut said = format!("{} **{verdict}**", sign(verdict));
    if let Some(exceptions) = told.exceptions() {
        said.push_str(&format!("; not in {exceptions}"));
    }
    if !told.judged.missing.is_empty() {
        said.push_str(&format!(": {}", told.judged.missing));
    }
    let cells = [
        told.claim.id.clone(),
        told.claim.claim.clone(),
        said,
        told.effect(),
    ];
    format!(
        "| {} |\n",
        cells.map(|cell| cell.replace('|', "\\|")).join(" | ")
    )
}

/// A printed table: in each cell as printed, ours, and by how much ours is off.
fn table(printed: &Printed) -> String {
    let mut table = match printed.title.as_str() {
        "" => String::new(),
        title => format!("**{title}**\n\n"),
    };
    // As many rows as there are numbers read better than as many columns.
    table.push_str("| | | printed | ours | off by | |\n|---|---|--:|--:|--:|---|\n");
    for (name, numbers) in &printed.rows {
        for ((under, column), number) in printed.columns.iter().zip(numbers) {
            let what = [under.as_str(), column.as_str()];
            let what = what.iter().filter(|words| !words.is_empty());
            let what: Vec<&str> = what.copied().collect();
            table.push_str(&format!(
                "| {name} | {} | {} |\n",
                what.join(", "),
                cells(number)
            ));
        }
    }
    table + "\n"
}

fn cells(number: &Number) -> String {
    let off = number.deviation();
    let off = off.map_or(String::new(), |off| format!("{:+.1}%", 100.0 * off));
    let verdict = number.claim.as_ref();
    let verdict = verdict.map_or(String::new(), |(_, verdict)| {
        format!("{} {verdict}", sign(*verdict))
    });
    format!("{} | {} | {off} | {verdict}", number.printed, number.ours())
}
