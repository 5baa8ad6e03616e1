//! Comma-separated values that spreadsheets show and do not run.

use std::borrow::Cow;
use std::io::{self, Write};

/// Writes lines of comma-separated values, quoted as in RFC 4180.
///
/// Text that a spreadsheet would run as a formula gets an apostrophe in front, as OWASP's page on
/// CSV injection recommends. Numbers stay numbers, text that is one included.
pub struct CsvWriter<W: Write> {
    writer: csv::Writer<W>,
}

/// A field of a line.
#[derive(Clone, Debug, PartialEq)]
pub enum CsvField<'a> {
    /// Text, such as a name that a user chose.
    Text(Cow<'a, str>),
    /// A number as it is to be written.
    Number(String),
    /// Nothing.
    Empty,
}

impl<W: Write> CsvWriter<W> {
    /// Writes to `out`, with a buffer.
    pub fn new(out: W) -> CsvWriter<W> {
        let mut builder = csv::WriterBuilder::new();
        let writer = builder.flexible(true).from_writer(out);
        CsvWriter { writer }
    }

    /// Writes a line.
    pub fn line<'a, F: Into<CsvField<'a>>>(
        &mut self,
        fields: impl IntoIterator<Item = F>,
    ) -> io::Result<()> {
        for field in fields {
            match field.into() {
                CsvField::Text(text) => self.writer.write_field(&*defused(&text))?,
                CsvField::Number(number) => self.writer.write_field(number)?,
                CsvField::Empty => self.writer.write_field("")?,
            }
        }
        Ok(self.writer.write_record(None::<&[u8]>)?)
    }

    /// Writes what is left in the buffer.
    pub fn finish(mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// The beginnings of what a spreadsheet runs: signs, white space that it skips, and the
/// full-width forms of the signs.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Text that no spreadsheet runs.
fn defused(text: &str) -> Cow<'_, str> {
    let is_number = || text.parse::<f64>().is_ok_and(f64::is_finite);
    match text.starts_with(FORMULA) && !is_number() {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    }
}

impl<'a> From<&'a str> for CsvField<'a> {
    fn from(text: &'a str) -> CsvField<'a> {
        CsvField::Text(text.into())
    }
}

impl<'a> From<&'a String> for CsvField<'a> {
    fn from(text: &'a String) -> CsvField<'a> {
        CsvField::Text(text.into())
    }
}

impl From<String> for CsvField<'_> {
    fn from(text: String) -> Self {
        CsvField::Text(text.into())
    }
}

impl From<f64> for CsvField<'_> {
    fn from(number: f64) -> Self {
        CsvField::Number(number.to_string())
    }
}

impl From<usize> for CsvField<'_> {
    fn from(number: usize) -> Self {
        CsvField::Number(number.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(lines: &[Vec<CsvField<'_>>]) -> String {
        let mut out = Vec::new();
        let mut writer = CsvWriter::new(&mut out);
        for line in lines {
            writer.line(line.clone()).unwrap();
        }
        writer.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn formulas_are_text_and_numbers_stay_numbers() {
        for formula in [
            "=HYPERLINK(\"http://x\")",
            "@SUM(A1)",
            "+1+cmd|' /C calc'!A0",
            "-5 ms",
            "-inf",
            "\t=1",
            "\r=1",
            "＝1+1",
        ] {
            let text = written(&[vec![formula.into(), 1.5.into()]]);
            let mut reader = csv::ReaderBuilder::new();
            let mut reader = reader.has_headers(false).from_reader(text.as_bytes());
            let line = reader.records().next().unwrap().unwrap();
            assert_eq!(line[0], format!("'{formula}"));
            assert_eq!(&line[1], "1.5");
        }
        let numbers = vec![
            "-5".into(),
            "+1e-3".into(),
            (-0.25).into(),
            CsvField::Number("-1.000".into()),
            CsvField::Empty,
        ];
        assert_eq!(written(&[numbers]), "-5,+1e-3,-0.25,-1.000,\n");
    }

    #[test]
    fn a_cell_stays_one_cell() {
        let text = written(&[
            vec!["a,b".into(), "say \"x\"\nand".into()],
            vec!["".into()],
            vec!["plain".into()],
        ]);
        assert_eq!(text, "\"a,b\",\"say \"\"x\"\"\nand\"\n\"\"\nplain\n");
    }
}
