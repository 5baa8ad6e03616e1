//! What is known beside a text: which of its objects is meant, and the buffer that its percentages
//! are of.

use earlydrop::registry::{Length, LinkFacts, nearest};

use super::token::Token;
use super::{ParseError, Tool};

/// What is known beside a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// The traffic class that is meant, where a text has several.
    pub class: Option<String>,
    /// The profile that is meant, where a text has several.
    pub profile: Option<String>,
    /// The queue that is meant, where a text has several.
    pub queue: Option<String>,
    /// The buffer that percentages are of.
    pub buffer: Option<Length>,
}

/// What a tool's text may have several of; each has its option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Object {
    Class,
    Profile,
    Queue,
}

impl Object {
    const ALL: [Object; 3] = [Object::Class, Object::Profile, Object::Queue];

    /// The option and, in messages, the object's name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Object::Class => "class",
            Object::Profile => "profile",
            Object::Queue => "queue",
        }
    }
}

/// A text to read, and what is known beside it.
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) link: &'a LinkFacts,
    pub(super) context: &'a Context,
}

impl Context {
    /// What is known beside a text written anew, which has one of each object.
    pub(crate) fn of_one_object(&self) -> Context {
        Context {
            buffer: self.buffer,
            ..Context::default()
        }
    }

    fn wanted(&self, object: Object) -> Option<&str> {
        match object {
            Object::Class => self.class.as_deref(),
            Object::Profile => self.profile.as_deref(),
            Object::Queue => self.queue.as_deref(),
        }
    }

    /// An option that chooses what the tool's texts have not is refused.
    pub(super) fn check(&self, tool: &Tool, text: &str) -> Result<(), ParseError> {
        let other = Object::ALL
            .into_iter()
            .find(|object| self.wanted(*object).is_some() && !tool.objects.contains(object));
        let Some(other) = other else {
            return Ok(());
        };
        let message = format!("{} has nothing that --{} chooses", tool.title, other.name());
        let help = match tool.objects.first() {
            Some(object) => format!("choose with --{}", object.name()),
            None => "leave the option out".to_string(),
        };
        Err(ParseError::of_all(text, message, help))
    }
}

impl Source<'_> {
    /// The number of the object that is meant: the one of that name, or the only one. `objects` are
    /// their names, each with its token.
    pub(super) fn choose(
        &self,
        object: Object,
        objects: &[(String, Option<Token>)],
    ) -> Result<usize, ParseError> {
        let kind = object.name();
        let names = || objects.iter().map(|(name, _)| name.as_str());
        let list = || names().collect::<Vec<_>>().join(", ");
        if let Some(wanted) = self.context.wanted(object) {
            // What a name has in brackets describes it.
            let plain = |name: &str| name.split(" (").next() == wanted.split(" (").next();
            if let Some(at) = names().position(plain) {
                return Ok(at);
            }
            let near = nearest(wanted, names());
            let near = near.map_or(String::new(), |near| {
                format!("; nearest: --{kind} '{near}'")
            });
            return Err(ParseError::of_all(
                self.text,
                format!("--{kind} {wanted}: this text has no such {kind}"),
                format!("it has: {}{near}", list()),
            ));
        }
        match objects {
            [] | [_] => Ok(0),
            [_, (name, token), ..] => {
                let count = objects.len();
                let plural = if kind == "class" {
                    "classes"
                } else {
                    &format!("{kind}s")
                };
                let message = format!("this text has {count} {plural}: {}", list());
                let name = name.split(" (").next().unwrap_or_default();
                let help = format!("choose one, such as --{kind} '{name}'");
                Err(match token {
                    Some(token) => token.error(message, help),
                    None => ParseError::of_all(self.text, message, help),
                })
            }
        }
    }
}
