//! Problems of a document: each with its place, a message, and help.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use earlydrop::registry::nearest;

use crate::escape::{is_control, visible, without_control};

/// Where something was written: in a file, or on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// These bytes of the file.
    File(Range<usize>),
    /// An argument of the command line, as given: "--rtt 50ms".
    Argument(Arc<str>),
}

impl Default for Place {
    /// The file's beginning.
    fn default() -> Place {
        Place::File(0..0)
    }
}

/// An error in a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Where it was written.
    pub place: Place,
    /// The error, with the value.
    pub message: String,
    /// The allowed values and the nearest valid one; may be empty.
    pub help: String,
}

impl Problem {
    /// An error at a place, with help. Values that would fill a screen are cut: long texts keep
    /// their beginning and their end.
    pub fn new(place: &Place, message: impl Into<String>, help: impl Into<String>) -> Problem {
        Problem {
            place: place.clone(),
            message: shortened(message.into(), MESSAGE),
            help: shortened(help.into(), HELP),
        }
    }
}

/// The letters that a long message keeps at its beginning, and at its end.
const MESSAGE: (usize, usize) = (500, 200);
/// Those of help, which may list all known names.
const HELP: (usize, usize) = (2000, 500);

/// A text without its middle, where it is long.
fn shortened(text: String, kept: (usize, usize)) -> String {
    let after = text.char_indices().nth(kept.0 + kept.1);
    let beginning = text.char_indices().nth(kept.0);
    let end = text.char_indices().nth_back(kept.1 - 1);
    match (after, beginning, end) {
        (Some(_), Some((beginning, _)), Some((end, _))) => {
            format!("{} ... {}", &text[..beginning], &text[end..])
        }
        _ => text,
    }
}

/// Help for an unknown name: "did you mean `red`? (known: red, codel)", or only the known names
/// if none is close. `quote` is a backtick for names of fields, a quotation mark for values.
pub fn suggestion(wanted: &str, known: &[&str], quote: char) -> String {
    let all = known.join(", ");
    match nearest(wanted, known.iter().copied()) {
        Some(nearest) => format!("did you mean {quote}{nearest}{quote}? (known: {all})"),
        None => format!("known: {all}"),
    }
}

/// The most characters of a name or a title, which stand in tables and at axes.
const MOST_CHARACTERS: usize = 200;

/// The problem of a name or a title that is longer than any table is wide; `what` is its role in
/// the document. `None` where it is short enough.
pub fn too_long(what: &str, text: &str, place: &Place) -> Option<Problem> {
    let count = text.chars().count();
    if count <= MOST_CHARACTERS {
        return None;
    }
    let message = format!("{what} has {count} characters");
    let help = format!("allowed: at most {MOST_CHARACTERS}");
    Some(Problem::new(place, message, help))
}

/// The problem of a name or a title with control characters, which act on terminals; `what` is its
/// role in the document. `None` where it has none.
pub fn control_characters(what: &str, text: &str, place: &Place) -> Option<Problem> {
    if !text.chars().any(is_control) {
        return None;
    }
    let message = format!("{what} = \"{}\" has control characters", visible(text));
    let help = match without_control(text).as_str() {
        "" => "allowed: printable characters".to_string(),
        nearest => format!("allowed: printable characters; nearest: \"{nearest}\""),
    };
    Some(Problem::new(place, message, help))
}

/// The problem of a key that a document's author chose: one that is blank, or looks
/// like another: with spaces at its ends, or control characters; or that is too long.
pub fn unfit_name(name: &str, place: &Place) -> Option<Problem> {
    if name.trim().is_empty() {
        let message = format!("the name = \"{}\" is blank", visible(name));
        return Some(Problem::new(
            place,
            message,
            "allowed: printable characters",
        ));
    }
    if name.trim() != name {
        let message = format!("the name = \"{name}\" begins or ends with a space");
        let help = format!("nearest: \"{}\"", name.trim());
        return Some(Problem::new(place, message, help));
    }
    too_long("the name", name, place).or_else(|| control_characters("the name", name, place))
}

impl std::error::Error for Problem {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Place::Argument(argument) = &self.place {
            write!(f, "{argument}: ")?;
        }
        f.write_str(&self.message)?;
        if self.help.is_empty() {
            return Ok(());
        }
        write!(f, "; {}", self.help)
    }
}

/// All errors in a document, with its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Problems {
    /// The document's name in messages, as a file's.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The errors, at least one.
    pub list: Vec<Problem>,
}

impl Problems {
    /// The line and the column (in characters) of a byte of the text, both from 1.
    pub fn position(&self, byte: usize) -> (usize, usize) {
        let before = &self.text[..self.text.floor_char_boundary(byte)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }
}

/// One line per problem: `file:line:column: message; help`.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.list.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            if let Place::File(bytes) = &problem.place {
                let (line, column) = self.position(bytes.start);
                write!(f, "{}:{line}:{column}: ", self.name)?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_keep_their_beginning_and_their_end() {
        let value = "é".repeat(1 << 20);
        let message = format!("`rate` = {value} is not a rate");
        let problem = Problem::new(&Place::default(), message, value);
        assert!(problem.message.starts_with("`rate` = éé"));
        assert!(problem.message.ends_with("éé is not a rate"));
        for (text, kept) in [(&problem.message, MESSAGE), (&problem.help, HELP)] {
            assert!(text.chars().count() <= kept.0 + kept.1 + 5, "{text}");
            let whole = "x".repeat(kept.0 + kept.1);
            assert_eq!(shortened(whole.clone(), kept), whole);
        }
    }

    #[test]
    fn a_place_is_printed_as_line_and_column_of_characters() {
        let problems = Problems {
            name: "a.toml".into(),
            text: "title = \"été\"\nrate = 5\n".into(),
            list: vec![Problem::new(&Place::File(16..20), "no", "use 6")],
        };
        // Two letters take two bytes: byte 16 is the second line's first.
        assert_eq!(problems.position(16), (2, 1));
        assert_eq!(problems.position(14), (1, 13));
        assert_eq!(problems.to_string(), "a.toml:2:1: no; use 6");
    }
}
