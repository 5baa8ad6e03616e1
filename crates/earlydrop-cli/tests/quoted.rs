//! Figures that stand in the sentences of pages: each is what the program computes today, or what
//! the committed file has that it is quoted from.
//!
//! What a page shows below a command is compared elsewhere (`first_hour`, `other_tools`); here are
//! the figures that are quoted in prose. [`list`] has them, one [`Quote`] a sentence.
//! `EARLYDROP_WRITE_PAGES=1` writes today's figures into the sentences.

mod list;
mod sources;

use std::env;
use std::fs;
use std::ops::Range;

use crate::support::pages::page;

use list::QUOTES;
use sources::Sources;

/// A sentence of a page with figures.
struct Quote {
    page: &'static str,
    /// A part of the sentence that no other of the page has, with `{}` for each figure.
    said: &'static str,
    /// How the figures are written, and where they come from.
    figures: &'static [Written],
    of: fn(&Sources) -> Vec<f64>,
}

/// How a page writes a figure.
#[derive(Clone, Copy)]
enum Written {
    /// With so many digits behind the point, below a million.
    Digits(usize),
    /// To a thousand: "409,000".
    Thousands,
    /// As a word: "twelve".
    Word,
}

use Written::{Digits, Thousands, Word};

const WORDS: [&str; 21] = [
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

impl Written {
    fn text(self, figure: f64) -> String {
        match self {
            Digits(0) if figure >= 1e3 => {
                format!("{:.0},{:03.0}", (figure / 1e3).floor(), figure % 1e3)
            }
            Digits(digits) => format!("{figure:.digits$}"),
            Thousands => format!("{:.0},000", figure / 1e3),
            Word => {
                let word = WORDS.iter().enumerate();
                let mut word = word.filter(|(number, _)| *number as f64 == figure);
                word.next().expect("a number up to twenty").1.to_string()
            }
        }
    }
}

/// The most that a figure takes on a page, in bytes.
const LONGEST: usize = 12;

/// Where the figures of a sentence stand, if it begins at `start`.
fn holes(text: &str, start: usize, said: &str) -> Option<Vec<Range<usize>>> {
    let mut pieces = said.split("{}");
    let first = pieces.next().unwrap_or_default();
    let mut at = start + first.len();
    let mut found = Vec::new();
    for piece in pieces {
        let is_clear = !piece.starts_with(|c: char| c.is_ascii_digit()) && piece != ".";
        assert!(is_clear, "where does the figure end: {said}");
        let rest = text.get(at..)?;
        let line = rest.lines().next().unwrap_or_default();
        let end = match piece {
            "" => line.len(),
            piece => line.find(piece)?,
        };
        if end == 0 || end > LONGEST {
            return None;
        }
        found.push(at..at + end);
        at += end + piece.len();
    }
    Some(found)
}

/// Where the figures of a sentence stand on a page.
fn places(text: &str, said: &str) -> Vec<Vec<Range<usize>>> {
    let (first, _) = said.split_once("{}").expect("a figure in the sentence");
    let starts = text.match_indices(first).map(|(start, _)| start);
    starts
        .filter_map(|start| holes(text, start, said))
        .collect()
}

/// The page with a sentence's figures, and what was wrong with it.
fn corrected(text: &str, quote: &Quote, sources: &Sources) -> Result<String, String> {
    let figures = (quote.of)(sources);
    assert_eq!(figures.len(), quote.figures.len(), "{}", quote.said);
    let texts = quote.figures.iter().zip(&figures);
    let texts: Vec<String> = texts.map(|(form, figure)| form.text(*figure)).collect();
    let all = places(text, quote.said);
    let [holes] = &all[..] else {
        let count = all.len();
        return Err(format!("{count} places have \"{}\"", quote.said));
    };
    assert_eq!(holes.len(), texts.len(), "{}", quote.said);
    let mut fresh = text.to_string();
    for (hole, figure) in holes.iter().zip(&texts).rev() {
        fresh.replace_range(hole.clone(), figure);
    }
    Ok(fresh)
}

#[test]
fn figures_in_prose_are_those_of_the_program() {
    let sources = Sources::default();
    let mut wrong = Vec::new();
    for quote in QUOTES {
        let path = page(quote.page);
        let text = fs::read_to_string(&path).unwrap();
        match corrected(&text, quote, &sources) {
            Ok(fresh) if fresh == text => {}
            Ok(fresh) if env::var_os("EARLYDROP_WRITE_PAGES").is_some() => {
                fs::write(&path, fresh).unwrap();
            }
            Ok(fresh) => {
                let mut lines = text.lines().zip(fresh.lines());
                let (old, new) = lines.find(|(old, new)| old != new).unwrap();
                wrong.push(format!("{}: has\n{old}\nnow:\n{new}", quote.page));
            }
            Err(problem) => wrong.push(format!("{}: {problem}", quote.page)),
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nrun: EARLYDROP_WRITE_PAGES=1 cargo test -p earlydrop-cli --test it quoted",
        wrong.join("\n\n")
    );
}

#[test]
fn a_sentence_is_found_by_its_words_and_written_with_its_figures() {
    let text = "x is 2 times y.\nIt takes 1.5 to 2.5 ms, and x is 2 apples.\n";
    let quote = |said, figures, of| Quote {
        page: "",
        said,
        figures,
        of,
    };
    let both = quote("takes {} to {} ms", &[Digits(1), Digits(2)], |_| {
        vec![1.46, 3.0]
    });
    let sources = Sources::default();
    let fresh = corrected(text, &both, &sources).unwrap();
    assert_eq!(fresh, text.replace("2.5 ms", "3.00 ms"));
    let twice = quote("x is {} ", &[Word], |_| vec![2.0]);
    assert!(corrected(text, &twice, &sources).is_err());
    let none = quote("z is {} times", &[Word], |_| vec![2.0]);
    assert!(corrected(text, &none, &sources).is_err());
    assert_eq!(Thousands.text(409_165.0), "409,000");
    assert_eq!(Word.text(20.0), "twenty");
}
