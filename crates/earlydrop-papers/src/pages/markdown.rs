//! A paper's page in Markdown, with its pictures as files, for readers of the repository.

use earlydrop_lab::escape::markdown::{code, row};
use earlydrop_report::figure::{self, Scene, themed_file};

use super::claim_table::{claim_table, legend, other_readings};
use super::html::{effect_row, sign};
use super::ideas_page::{column, evidence};
use super::panel_content::{FigureContent, PanelContent};
use super::printed_table::{Number, PrintedTable};
use super::provenance::Provenance;
use super::robustness;
use super::study::Study;
use crate::claims::{ClaimReport, Counts, Part, Sentence, Standing, Verdict};

/// A page in Markdown and the pictures that it shows.
pub struct Markdown {
    /// The page.
    pub text: String,
    /// The pictures: names of files in the folder [`PICTURES`], and SVG.
    pub pictures: Vec<(String, String)>,
}

/// The folder of pictures, next to the pages.
pub const PICTURES: &str = "pictures";

/// A paper's page; `before` is Markdown that stands before its figures.
pub fn markdown(study: &Study<'_>, before: &str, provenance: &Provenance) -> Markdown {
    let paper = &study.paper.paper;
    let mut page = Markdown {
        text: format!(
            "# {}\n\n{name}: {}, {}. Experiments and claims: [`papers/{folder}`](../../crates/earlydrop-papers/papers/{folder}).\n\n\
             {}\n\n{}.\n\n{}\n\n{}\n",
            paper.title,
            paper.authors,
            paper.year,
            study.paper.figures.proposes,
            counts(&study.reports, provenance),
            reading(&paper.key),
            made_by(provenance),
            name = paper.name,
            folder = paper.key,
        ),
        pictures: Vec::new(),
    };
    page.text.push_str(before);
    page.text.push_str(&sentences(study));
    for content in &study.figures {
        page.figure(study, content);
    }
    let loose = study.without_figure();
    let (ours, claims): (Vec<_>, Vec<_>) = loose
        .into_iter()
        .partition(|report| report.claim.standing() == Standing::Ours);
    if !claims.is_empty() {
        page.text.push_str("\n## Claims of no figure\n");
        page.claims(study, &format!("{}-text", paper.key), &claims);
    }
    // The tables of ideas and curves have theirs.
    if !study.paper.is_ours() {
        page.text.push_str(&hypotheses(study, &ours));
    }
    page.text.push_str(&legend(study));
    page.text.push_str(&other_readings(study));
    page.text.push_str(&robustness::markdown(study));
    page
}

/// How to read a paper's page.
fn reading(key: &str) -> String {
    format!(
        "Bars are 95% intervals over the seeds. A row is a claim: its verdict with our values; what was \
         measured (above zero where a claimed direction is right; of schemes claimed to be equal, the first \
         less the others), and what is claimed; in how many universes the verdict is the same; a sign for \
         each other reading. In a picture a small dot is one comparison, the diamond all, and what is claimed \
         is shaded ([statistics](../explanation/statistics.md#claims)). † added on a second reading, ‡ changed \
         after runs were looked at ([protocol](protocol.md)). [claims.csv](claims.csv) has each claim with its \
         exceptions, `earlydrop reproduce {key}.ID --full` every comparison."
    )
}

/// Our hypotheses that belong to no figure, by experiment.
fn hypotheses(study: &Study<'_>, ours: &[&ClaimReport<'_>]) -> String {
    let mut by_experiment: Vec<(&str, Vec<String>)> = Vec::new();
    for report in ours {
        let experiment = report.claim.experiment.as_str();
        let words = format!("{} {}", column(report), evidence(report));
        match by_experiment.last_mut() {
            Some((known, list)) if *known == experiment => list.push(words),
            _ => by_experiment.push((experiment, vec![words])),
        }
    }
    let lines = by_experiment.iter().map(|(experiment, list)| {
        let title = study.paper.title(experiment).unwrap_or(experiment);
        format!("- *{title}*: {}\n", list.join("; "))
    });
    let lines: Vec<String> = lines.collect();
    match lines.is_empty() {
        true => String::new(),
        false => format!(
            "\n## Our hypotheses\n\nVerdict, how many comparisons show it, and the mean; what each says is in \
             [claims.csv](claims.csv).\n\n{}",
            lines.concat()
        ),
    }
}

/// The numbers of claims by verdict. A quick run has none: it decides little.
fn counts<'a>(
    reports: impl IntoIterator<Item = &'a ClaimReport<'a>>,
    provenance: &Provenance,
) -> String {
    match provenance.is_quick {
        true => "A quick run: three seeds and few points decide little, so no verdict is counted"
            .to_string(),
        false => Counts::of(reports).to_string(),
    }
}

pub(super) fn made_by(provenance: &Provenance) -> String {
    let command = code(&provenance.command);
    format!("Made by {command}, version {}.", provenance.version)
}

/// The page that links to the papers' pages.
pub fn markdown_front(studies: &[&Study<'_>], provenance: &Provenance) -> String {
    let reports = studies.iter().flat_map(|study| &study.reports);
    let mut front = format!(
        "# The papers' claims\n\n{}.\n\n{}\n\nJudged by this [protocol](protocol.md); what a reader should know is in the \
         [findings](findings.md), every claim in [claims.csv](claims.csv). Counted are the papers' \
         claims, each once: what they say in words (a sentence of a paper may hold several), and apart the numbers that they print. Claims beside them, under other values that \
         the paper does not print or in readings that we reject, and our own hypotheses are listed \
         on the pages.\n\n| paper | title | |",
        counts(reports, provenance),
        made_by(provenance)
    );
    for verdict in Verdict::ALL {
        front.push_str(&format!(" {} {verdict} |", sign(verdict)));
    }
    front.push_str("\n|---|---|---|--:|--:|--:|--:|--:|--:|\n");
    for study in studies {
        front.push_str(&counted_rows(study).concat());
    }
    front
}

/// A paper's numbers of sentences, of printed numbers and of our hypotheses beside it, by verdict.
fn counted_rows(study: &Study<'_>) -> Vec<String> {
    let paper = &study.paper.paper;
    let counts = Counts::of(&study.reports);
    let kinds = [
        (counts.sentences, "sentences"),
        (counts.numbers, "printed numbers"),
        (counts.ours, "hypotheses of ours"),
    ];
    let kinds = kinds.into_iter().filter(|(tally, _)| tally.total() > 0);
    let cells = kinds.map(|(tally, kind)| {
        let verdicts = tally.by_verdict().map(|(_, count)| count.to_string());
        let first = [
            format!("[{}]({}.md)", paper.name, paper.key),
            paper.title.clone(),
            format!("{} {kind}", tally.total()),
        ];
        row(first.into_iter().chain(verdicts))
    });
    cells.collect()
}

impl Markdown {
    /// Adds a figure with its claims.
    fn figure(&mut self, study: &Study<'_>, content: &FigureContent<'_>) {
        let figure = content.figure;
        if !figure.left_out.is_empty() {
            self.text.push_str(&format!(
                "\n**{}.** {} {}\n",
                figure.number, figure.caption, figure.left_out
            ));
            return;
        }
        self.text
            .push_str(&format!("\n## {}\n\n{}\n\n", figure.number, figure.caption));
        for (index, panel) in content.panels.iter().enumerate() {
            match panel {
                PanelContent::Picture(drawing) => {
                    let name = format!("{}-{}.svg", figure.id, index + 1);
                    self.picture(&name, drawing);
                }
                PanelContent::Table(printed) => {
                    self.text.push_str(&table(printed));
                    let rows = printed_rows(study, printed);
                    if !rows.is_empty() {
                        let name = format!("{}-{}.svg", figure.id, index + 1);
                        self.picture(&name, &figure::forest(&rows));
                        self.text.push('\n');
                    }
                }
                PanelContent::Missing(why) => self.text.push_str(&format!("{why}.\n")),
            }
        }
        let reports = study.of_figure(figure).into_iter();
        let listed: Vec<&ClaimReport<'_>> = reports
            .filter(|report| !content.has_in_table(&report.claim.id))
            .collect();
        self.claims(study, &figure.id, &listed);
        if !figure.not_printed.is_empty() {
            let words = &figure.not_printed;
            self.text.push_str(&format!("\n*Not printed:* {words}\n"));
        }
    }

    /// Adds a picture, and a link to it.
    fn picture(&mut self, name: &str, drawing: &Scene) {
        let about = drawing.description.replace(['[', ']'], "");
        let about = about.replace('\n', " ");
        self.text
            .push_str(&format!("![{about}]({PICTURES}/{name})\n"));
        self.pictures.push((name.to_string(), themed_file(drawing)));
    }

    /// Adds a table of claims, and a picture of their effects.
    fn claims(&mut self, study: &Study<'_>, name: &str, reports: &[&ClaimReport<'_>]) {
        if reports.is_empty() {
            return;
        }
        let with_effect = reports
            .iter()
            .filter(|report| report.judgement.effect.is_some());
        let rows: Vec<figure::ForestRow> = with_effect.map(|report| effect_row(report)).collect();
        if !rows.is_empty() {
            self.text.push('\n');
            self.picture(&format!("{name}-claims.svg"), &figure::forest(&rows));
        }
        // The tables of ideas and curves have our hypotheses.
        if !study.paper.is_ours() {
            self.text.push_str(&claim_table(study, reports));
        }
    }
}

/// The paper's abstract and conclusions, sentence by sentence, with the verdicts on the claims that
/// judge each.
fn sentences(study: &Study<'_>) -> String {
    let mut text = String::new();
    for part in Part::ALL {
        let of_part = study.paper.sentences.iter();
        let rows: Vec<String> = of_part
            .filter(|sentence| sentence.part == part)
            .map(|sentence| sentence_row(study, sentence))
            .collect();
        if !rows.is_empty() {
            text.push_str(&format!(
                "\n## The {part}, sentence by sentence\n\n\
                 | it says, in our words | judged by |\n|---|---|\n{}",
                rows.concat()
            ));
        }
    }
    text
}

fn sentence_row(study: &Study<'_>, sentence: &Sentence) -> String {
    let judging = study.judging(sentence).into_iter();
    let verdicts = judging.map(|report| {
        let id = study.short_id(&report.claim.id);
        format!("{id} {}", sign(report.decided()))
    });
    let words = match sentence.note.as_str() {
        "" => verdicts.collect::<Vec<String>>().join("; "),
        note => note.to_string(),
    };
    row([sentence.says.clone(), words])
}

/// A printed table with our numbers: in each cell what is printed, ours, and the verdict's sign.
fn table(printed: &PrintedTable) -> String {
    let title = match printed.title.as_str() {
        "" => "Printed, ours".to_string(),
        title => format!("**{title}**: printed, ours"),
    };
    let mut table = format!("{title}; {}.\n\n", printed.score());
    let heads = printed.columns.iter().map(|(under, column)| {
        let words = [under.as_str(), column.as_str()];
        words.map(str::trim).join(" ").trim().to_string()
    });
    table.push_str(&row(std::iter::once(String::new()).chain(heads)));
    table.push_str(&format!("|---|{}\n", "--:|".repeat(printed.columns.len())));
    for (name, numbers) in &printed.rows {
        let cells = numbers.iter().map(cell);
        table.push_str(&row(std::iter::once(name.clone()).chain(cells)));
    }
    table + "\n"
}

/// How far ours is from each number of a table, with its tolerance, as rows of a forest plot.
fn printed_rows(study: &Study<'_>, printed: &PrintedTable) -> Vec<figure::ForestRow> {
    let mut rows = Vec::new();
    for (name, numbers) in &printed.rows {
        for ((under, column), number) in printed.columns.iter().zip(numbers) {
            let claim = number.claim.as_ref().map(|(id, _)| id);
            let of_claim = |report: &&ClaimReport<'_>| Some(&report.claim.id) == claim;
            if let Some(report) = study.reports.iter().find(of_claim) {
                let words = [name, under, column].map(|words| words.trim());
                let words: Vec<&str> = words.into_iter().filter(|one| !one.is_empty()).collect();
                rows.push(figure::ForestRow {
                    name: words.join(", "),
                    single: Vec::new(),
                    ..effect_row(report)
                });
            }
        }
    }
    rows
}

/// What was printed, ours, and the sign of the verdict on a claim about it.
fn cell(number: &Number) -> String {
    let verdict = number.claim.as_ref();
    let verdict = verdict.and_then(|(_, verdict)| *verdict);
    format!("{}, {} {}", number.printed, number.mean(), sign(verdict))
}
