//! Configurations as people write them: tables in `dialects/`, each text with the scheme that it
//! comes to or with the words of its refusal.
//!
//! ```text
//! ## linux
//! tc qdisc add dev eth0 root red limit 1000 min 300 max 900 avpkt 100
//! => red:min=300 bytes,...
//!
//! ## junos --profile be
//! ...
//! => refused at drop-profile: what the message says
//! ```
//!
//! `EARLYDROP_WRITE_PAGES=1` writes what each comes to today. Look at every line that changes.

use std::fs;
use std::path::{Path, PathBuf};

use earlydrop::registry::{Length, LinkFacts, Spec};
use earlydrop::units::BitsPerSec;
use earlydrop_model::tools::{
    Configuration, Context, ParseError, detect, find, read_in, scheme_of_qdisc,
};

/// An example of a table.
struct Example {
    /// The dialect and its options.
    heading: String,
    text: String,
    expected: String,
}

fn tables() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dialects");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> = files.collect();
    files.sort();
    files
}

fn examples(table: &str) -> Vec<Example> {
    let parts = table.split("\n## ").skip(1);
    let example = |part: &str| {
        let (heading, rest) = part.split_once('\n').unwrap();
        let (text, expected) = rest.split_once("\n=> ").unwrap_or_else(|| panic!("{part}"));
        Example {
            heading: heading.to_string(),
            text: text.to_string(),
            expected: expected.trim().to_string(),
        }
    };
    parts.map(example).collect()
}

impl Example {
    fn dialect(&self) -> &str {
        self.heading.split(' ').next().unwrap()
    }

    fn context(&self) -> Context {
        let words: Vec<&str> = self.heading.split(' ').collect();
        let option = |name: &str| {
            let at = words.iter().position(|word| *word == name)?;
            Some(words[at + 1].replace('~', " "))
        };
        Context {
            class: option("--class"),
            profile: option("--profile"),
            queue: option("--queue"),
            buffer: option("--buffer").map(|ms| Length::Seconds(ms.parse::<f64>().unwrap() / 1e3)),
        }
    }

    fn read(&self) -> Result<Configuration, ParseError> {
        let link = LinkFacts::at(BitsPerSec::from_mbps(10));
        read_in(&self.text, find(self.dialect()), &link, &self.context())
    }

    /// The scheme that the text comes to, or the refusal.
    fn outcome(&self) -> String {
        let refused = |error: ParseError| {
            let place = self.text[error.span.clone()].replace('\n', "\\n");
            let place = if error.span.len() == self.text.len() {
                "text"
            } else {
                &place
            };
            format!("refused at {place}: {error}").replace('\n', " ")
        };
        if self.dialect() == "tc" {
            return match scheme_of_qdisc(&self.text) {
                Ok(scheme) => is_a_scheme(&scheme),
                Err(error) => refused(error),
            };
        }
        match self.read() {
            Ok(configuration) => comes_to(&configuration),
            Err(error) => refused(error),
        }
    }
}

/// The scheme, which must be one.
fn is_a_scheme(text: &str) -> String {
    let link = LinkFacts::at(BitsPerSec::from_mbps(10));
    let spec: Spec = text
        .parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    let plan = spec.plan(&link);
    assert!(plan.is_ok(), "{text}: {}", plan.unwrap_err());
    text.to_string()
}

/// The scheme of each class, and what was left out.
fn comes_to(configuration: &Configuration) -> String {
    let link = LinkFacts::at(BitsPerSec::from_mbps(10));
    let classes = configuration.classes.iter().enumerate();
    let mut lines: Vec<String> = classes
        .map(|(index, class)| {
            let spec = configuration.spec(index, &link).unwrap();
            match class.name.as_str() {
                "" => spec.to_string(),
                name => format!("{name}: {spec}"),
            }
        })
        .collect();
    if let Some(share) = &configuration.share {
        lines.push(format!("share {}", share.value));
    }
    if let Some(rate) = configuration.rate.value {
        lines.push(format!("rate {rate}"));
    }
    lines.join("\n")
}

#[test]
fn each_text_comes_to_what_its_table_says() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for path in tables() {
        let table = fs::read_to_string(&path).unwrap();
        let mut fresh = table.split("\n## ").next().unwrap().to_string();
        for example in examples(&table) {
            count += 1;
            let outcome = example.outcome();
            fresh += &format!("\n## {}\n{}\n=> {outcome}\n", example.heading, example.text);
            if outcome != example.expected {
                wrong.push(format!(
                    "{}\n{}\n=> {outcome}\nexpected: {}",
                    example.heading, example.text, example.expected
                ));
            }
        }
        if std::env::var_os("EARLYDROP_WRITE_PAGES").is_some() {
            fs::write(&path, fresh).unwrap();
        }
    }
    assert!(count >= 100, "{count} examples");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// A dialect is recognised by its words.
#[test]
fn each_text_that_is_read_is_recognised() {
    for path in tables() {
        for example in examples(&fs::read_to_string(&path).unwrap()) {
            if example.dialect() != "tc" && example.read().is_ok() {
                let found = detect(&example.text).map(|tool| tool.name);
                assert_eq!(found, Ok(example.dialect()), "{}", example.text);
            }
        }
    }
}

/// A word that nobody knows is an error, or it is listed as irrelevant: it never vanishes.
#[test]
fn no_word_vanishes() {
    const WORD: &str = "frobnicate";
    let mut vanished = Vec::new();
    for path in tables() {
        for example in examples(&fs::read_to_string(&path).unwrap()) {
            if example.dialect() == "tc" || example.read().is_err() {
                continue;
            }
            let starts = example.text.char_indices().filter(|(at, letter)| {
                let before = example.text[..*at].chars().next_back();
                !letter.is_whitespace() && before.is_none_or(char::is_whitespace)
            });
            for (at, _) in starts {
                let text = format!("{}{WORD} {}", &example.text[..at], &example.text[at..]);
                let example = Example {
                    text,
                    heading: example.heading.clone(),
                    expected: String::new(),
                };
                let Ok(read) = example.read() else { continue };
                let irrelevant = read.irrelevant.iter();
                let mut irrelevant = irrelevant.map(|place| &example.text[place.clone()]);
                let names = read.objects.iter().any(|name| name.contains(WORD))
                    || read.classes.iter().any(|class| class.name.contains(WORD));
                let line = example.text[..at].rsplit('\n').next().unwrap();
                let is_comment = ["#", "//", "!", ";;"]
                    .iter()
                    .any(|sign| line.contains(sign));
                let is_device = line.ends_with("dev ");
                if !irrelevant.any(|text| text.contains(WORD))
                    && !names
                    && !is_comment
                    && !is_device
                {
                    vanished.push(format!(
                        "{}: {line}| {}",
                        example.heading,
                        &example.text[at..].lines().next().unwrap()
                    ));
                }
            }
        }
    }
    assert!(
        vanished.is_empty(),
        "{}: {}",
        vanished.len(),
        vanished.join("\n")
    );
}
