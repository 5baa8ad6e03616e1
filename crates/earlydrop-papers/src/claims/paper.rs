//! A paper's claims as they are written in its `claims.toml`.

use crate::claims::Selector;
use earlydrop_lab::document::{Content, Key, Node, Problem, Problems};

/// A paper, and what it claims.
#[derive(Clone, Debug)]
pub struct Paper {
    /// Its key: "sfred-nlred".
    pub key: String,
    /// Its title.
    pub title: String,
    /// Who wrote it.
    pub authors: String,
    /// When.
    pub year: String,
    /// What it claims.
    pub claims: Vec<Claim>,
}

/// One claim.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name: "sfred-nlred.F13-14.a".
    pub id: String,
    /// The figure or table it is of.
    pub figure: String,
    /// What is claimed, in our words.
    pub claim: String,
    /// The scenario that shows it, a file beside the claims.
    pub experiment: String,
    /// What is measured.
    pub metric: Selector,
    /// How it is decided.
    pub test: Test,
    /// What is run in place of the scheme that it is about, to show that it can fail:
    /// another scheme of the experiment by its name there, or one such as "droptail".
    pub wrong: String,
}

/// What is run in place of a scheme unless the file says otherwise.
const WRONG: &str = "droptail";

/// Values of axes that a test is restricted to, as written in the scenario.
pub(super) type At = Vec<(String, Vec<String>)>;

/// How a claim is decided.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the fields are those of `reference/claims.md`")]
pub enum Test {
    /// A scheme's values are less (or more) than others', or at most by a tolerance more
    /// (or less), as a share of theirs.
    Ordering {
        scheme: String,
        than: Vec<String>,
        less: bool,
        tolerance: f64,
        at: At,
    },
    /// A scheme's values change less along an axis than others'.
    Range {
        scheme: String,
        than: Vec<String>,
        over: String,
        at: At,
    },
    /// The smallest value along an axis lies inside its range.
    MinimumInside {
        scheme: String,
        over: String,
        at: At,
    },
    /// The smallest value along an axis moves up (or down) as another grows.
    MinimumMoves {
        scheme: String,
        over: String,
        with: String,
        up: bool,
    },
    /// Values are proportional to an axis.
    Proportional {
        scheme: String,
        over: String,
        tolerance: f64,
    },
    /// Values grow (or fall) from one value of an axis to another.
    Trend {
        scheme: String,
        over: String,
        from: String,
        to: String,
        up: bool,
        at: At,
    },
    /// Values lie between two.
    Between {
        scheme: String,
        low: f64,
        high: f64,
        at: At,
    },
    /// Schemes' values are the same within a tolerance.
    Equal {
        schemes: Vec<String>,
        tolerance: f64,
        at: At,
    },
    /// A value is the one printed, within a tolerance.
    Value {
        scheme: String,
        value: f64,
        tolerance: f64,
        at: At,
    },
    /// A scheme's values are nearer to one than others'.
    Nearer {
        scheme: String,
        than: Vec<String>,
        value: f64,
        at: At,
    },
    /// What it would take is lost.
    Undecidable { missing: String },
}

impl Test {
    /// The scheme that it is about; of equals, the first.
    pub fn scheme(&self) -> Option<&str> {
        match self {
            Test::Ordering { scheme, .. }
            | Test::Range { scheme, .. }
            | Test::MinimumInside { scheme, .. }
            | Test::MinimumMoves { scheme, .. }
            | Test::Proportional { scheme, .. }
            | Test::Trend { scheme, .. }
            | Test::Between { scheme, .. }
            | Test::Value { scheme, .. }
            | Test::Nearer { scheme, .. } => Some(scheme),
            Test::Equal { schemes, .. } => schemes.first().map(String::as_str),
            Test::Undecidable { .. } => None,
        }
    }

    /// Whether it asks which way an effect goes, and not how large it is.
    pub(super) fn is_about_a_direction(&self) -> bool {
        !matches!(
            self,
            Test::Proportional { .. }
                | Test::Between { .. }
                | Test::Equal { .. }
                | Test::Value { .. }
                | Test::Undecidable { .. }
        )
    }

    /// Values of axes that it cannot do without.
    pub fn named_values(&self) -> Vec<String> {
        let of = |at: &At| at.iter().flat_map(|(_, values)| values.clone()).collect();
        match self {
            Test::Ordering { at, .. }
            | Test::Range { at, .. }
            | Test::MinimumInside { at, .. }
            | Test::Between { at, .. }
            | Test::Equal { at, .. }
            | Test::Value { at, .. }
            | Test::Nearer { at, .. } => of(at),
            Test::Trend { at, from, to, .. } => {
                let mut values: Vec<String> = of(at);
                values.extend([from.clone(), to.clone()]);
                values
            }
            Test::MinimumMoves { .. } | Test::Proportional { .. } | Test::Undecidable { .. } => {
                Vec::new()
            }
        }
    }
}

impl Paper {
    /// Reads a file of claims.
    pub fn parse(name: &str, text: &str) -> Result<Paper, Problems> {
        let wrong = |list| Problems {
            name: name.to_string(),
            text: text.to_string(),
            list,
        };
        let tree = Node::parse(text).map_err(wrong)?;
        let mut problems = Vec::new();
        let mut reader = Reader {
            node: &tree,
            problems: &mut problems,
        };
        let mut paper = Paper {
            key: reader.text("paper"),
            title: reader.text("title"),
            authors: reader.text("authors"),
            year: reader.text("year"),
            claims: Vec::new(),
        };
        let wrong_schemes = reader.table("wrong");
        if let Some(Content::List(claims)) = tree.at(&["claims"]).map(|node| &node.content) {
            for node in claims {
                let claim = Reader {
                    node,
                    problems: &mut problems,
                };
                paper.claims.extend(claim.claim(&wrong_schemes));
            }
        }
        if problems.is_empty() {
            Ok(paper)
        } else {
            Err(wrong(problems))
        }
    }
}

impl Claim {
    /// Whether a name is its own, or that of a row of claims that it belongs to: "clred.F5" of
    /// "clred.F5.a".
    pub fn is_called(&self, name: &str) -> bool {
        crate::catalogue::is_called(&self.id, name)
    }

    /// Whether it is a question of ours: about what a paper left open, what a reading of it
    /// does, or what its ideas are worth today.
    pub fn is_question(&self) -> bool {
        let mut parts = self.id.split('.');
        parts.any(|part| ["open", "reading", "today"].contains(&part))
    }
}

/// Reads the fields of one table.
pub(super) struct Reader<'a> {
    node: &'a Node,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Reader<'a> {
    /// Of a table; what is wrong is added to `problems`.
    pub(super) fn of(node: &'a Node, problems: &'a mut Vec<Problem>) -> Reader<'a> {
        Reader { node, problems }
    }
}

impl Reader<'_> {
    fn refuse(&mut self, message: String) {
        self.problems
            .push(Problem::new(&self.node.place, message, ""));
    }

    fn optional(&self, name: &str) -> Option<String> {
        self.node.at(&[name])?.text()
    }

    pub(super) fn text(&mut self, name: &str) -> String {
        let found = self.optional(name);
        found.unwrap_or_else(|| {
            self.refuse(format!("`{name}` is missing"));
            String::new()
        })
    }

    fn number(&mut self, name: &str) -> f64 {
        let text = self.text(name);
        text.parse().unwrap_or_else(|_| {
            self.refuse(format!("`{name}` = {text} is no number"));
            f64::NAN
        })
    }

    pub(super) fn texts(&mut self, name: &str) -> Vec<String> {
        match self.node.at(&[name]).map(|node| &node.content) {
            Some(Content::List(items)) => items.iter().filter_map(Node::text).collect(),
            _ => {
                self.refuse(format!("`{name}` is no list"));
                Vec::new()
            }
        }
    }

    fn at(&self) -> At {
        let Some(Content::Table(entries)) = self.node.at(&["at"]).map(|node| &node.content) else {
            return At::new();
        };
        let entry = |(key, node): &(Key, Node)| {
            let values = match &node.content {
                Content::List(items) => items.iter().filter_map(Node::text).collect(),
                _ => node.text().into_iter().collect(),
            };
            (key.name.clone(), values)
        };
        entries.iter().map(entry).collect()
    }

    /// Names with their texts.
    fn table(&self, name: &str) -> Vec<(String, String)> {
        let Some(Content::Table(entries)) = self.node.at(&[name]).map(|node| &node.content) else {
            return Vec::new();
        };
        let pair = |(key, node): &(Key, Node)| Some((key.name.clone(), node.text()?));
        entries.iter().filter_map(pair).collect()
    }

    /// What is run in place of the scheme of a test: as the claim says, or the paper.
    fn wrong(&self, test: &Test, of_paper: &[(String, String)]) -> String {
        let of_scheme = |(label, _): &&(String, String)| test.scheme() == Some(label);
        let by_default = || Some(of_paper.iter().find(of_scheme)?.1.clone());
        let found = self.optional("wrong").or_else(by_default);
        found.unwrap_or_else(|| WRONG.to_string())
    }

    fn claim(mut self, wrong_schemes: &[(String, String)]) -> Option<Claim> {
        let before = self.problems.len();
        let test = match self.node.at(&["test"]).cloned() {
            Some(node) => Reader {
                node: &node,
                problems: self.problems,
            }
            .test()?,
            None => {
                self.refuse("`test` is missing".to_string());
                return None;
            }
        };
        let experiment = self.optional("experiment").unwrap_or_default();
        let metric = self.optional("metric").unwrap_or("utilisation".to_string());
        let metric = metric.parse::<Selector>();
        let claim = Claim {
            id: self.text("id"),
            figure: self.text("figure"),
            claim: self.text("claim"),
            experiment,
            metric: match metric {
                Ok(metric) => metric,
                Err(message) => {
                    self.refuse(message);
                    return None;
                }
            },
            wrong: self.wrong(&test, wrong_schemes),
            test,
        };
        (self.problems.len() == before).then_some(claim)
    }

    fn test(mut self) -> Option<Test> {
        let kind = self.text("kind");
        let at = self.at();
        Some(match kind.as_str() {
            "less" | "more" => Test::Ordering {
                scheme: self.text("scheme"),
                than: self.texts("than"),
                less: kind == "less",
                tolerance: 0.0,
                at,
            },
            "not-less" | "not-more" => Test::Ordering {
                scheme: self.text("scheme"),
                than: self.texts("than"),
                less: kind == "not-more",
                tolerance: self.number("tolerance"),
                at,
            },
            "range-less" => Test::Range {
                scheme: self.text("scheme"),
                than: self.texts("than"),
                over: self.text("over"),
                at,
            },
            "minimum-inside" => Test::MinimumInside {
                scheme: self.text("scheme"),
                over: self.text("over"),
                at,
            },
            "minimum-moves" => Test::MinimumMoves {
                scheme: self.text("scheme"),
                over: self.text("over"),
                with: self.text("with"),
                up: self.optional("direction").as_deref() != Some("down"),
            },
            "proportional" => Test::Proportional {
                scheme: self.text("scheme"),
                over: self.text("over"),
                tolerance: self.number("tolerance"),
            },
            "grows" | "falls" => Test::Trend {
                scheme: self.text("scheme"),
                over: self.text("over"),
                from: self.text("from"),
                to: self.text("to"),
                up: kind == "grows",
                at,
            },
            "between" => Test::Between {
                scheme: self.text("scheme"),
                low: self.number("low"),
                high: self.number("high"),
                at,
            },
            "equal" => Test::Equal {
                schemes: self.texts("schemes"),
                tolerance: self.number("tolerance"),
                at,
            },
            "value" => Test::Value {
                scheme: self.text("scheme"),
                value: self.number("value"),
                tolerance: self.number("tolerance"),
                at,
            },
            "nearer" => Test::Nearer {
                scheme: self.text("scheme"),
                than: self.texts("than"),
                value: self.number("value"),
                at,
            },
            "undecidable" => Test::Undecidable {
                missing: self.text("missing"),
            },
            other => {
                self.refuse(format!("no test is called \"{other}\""));
                return None;
            }
        })
    }
}
