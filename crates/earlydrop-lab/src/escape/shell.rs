//! Commands to be run again, as a POSIX shell reads them.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use super::is_control;

/// A command of this program that is shown to be run again; its `Display` is a line for a POSIX
/// shell that runs it with exactly these arguments.
///
/// ```
/// use earlydrop_lab::escape::CommandLine;
///
/// let command = CommandLine::new("run")
///     .path("my runs/scenario.toml".as_ref())
///     .option("--schemes", "red:min=5,max=15");
/// assert_eq!(
///     command.to_string(),
///     "earlydrop run 'my runs/scenario.toml' --schemes red:min=5,max=15"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The words, quoted.
    words: Vec<String>,
}

impl CommandLine {
    /// `earlydrop` with a subcommand.
    pub fn new(subcommand: &str) -> CommandLine {
        let command = CommandLine { words: Vec::new() };
        command.word("earlydrop").word(subcommand)
    }

    /// Adds an argument as it is.
    #[must_use]
    pub fn word(mut self, word: impl AsRef<OsStr>) -> CommandLine {
        self.words.push(quoted(word.as_ref().as_encoded_bytes()));
        self
    }

    /// Adds a path; one that begins with a dash gets `./` in front, so that it is no option.
    #[must_use]
    pub fn path(self, path: &Path) -> CommandLine {
        match path.as_os_str().as_encoded_bytes() {
            [b'-', ..] => self.word(Path::new(".").join(path)),
            _ => self.word(path),
        }
    }

    /// Adds an option with its value.
    #[must_use]
    pub fn option(mut self, name: &str, value: impl AsRef<OsStr>) -> CommandLine {
        let value = value.as_ref();
        match value.as_encoded_bytes() {
            // A value that begins with a dash, or is empty, needs the equals sign.
            value @ ([b'-', ..] | []) => {
                self.words.push(format!("{name}={}", quoted(value)));
                self
            }
            _ => self.word(name).word(value),
        }
    }

    /// Adds an option with its value, where there is one.
    #[must_use]
    pub fn given(self, name: &str, value: Option<impl AsRef<OsStr>>) -> CommandLine {
        match value {
            Some(value) => self.option(name, value),
            None => self,
        }
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words.join(" "))
    }
}

/// A word that a POSIX shell reads as these bytes.
fn quoted(word: &[u8]) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(byte);
    match str::from_utf8(word) {
        // Of zsh, "=name" is the path of a command.
        Ok(text) if !word.is_empty() && word[0] != b'=' && word.iter().all(plain) => text.into(),
        // A command substitution takes line ends from the end, so they stand there as they are.
        Ok(text) if !text.chars().any(is_control) || text.ends_with('\n') => {
            format!("'{}'", text.replace('\'', "'\\''"))
        }
        _ => format!("\"$(printf '{}')\"", printf_format(word)),
    }
}

/// The format with which `printf` prints these bytes. Only letters that every terminal and page
/// shows as they are stand in it.
fn printf_format(word: &[u8]) -> String {
    let mut format = String::new();
    for (index, chunk) in word.utf8_chunks().enumerate() {
        for (at, letter) in chunk.valid().chars().enumerate() {
            match letter {
                '\\' => format.push_str("\\\\"),
                '%' => format.push_str("%%"),
                '\'' => format.push_str("\\047"),
                // `printf` would take it for an option.
                '-' if index == 0 && at == 0 => format.push_str("\\055"),
                control if is_control(control) => {
                    octal(control.encode_utf8(&mut [0; 4]).as_bytes(), &mut format);
                }
                letter => format.push(letter),
            }
        }
        octal(chunk.invalid(), &mut format);
    }
    format
}

fn octal(bytes: &[u8], format: &mut String) {
    for byte in bytes {
        format.push_str(&format!("\\{byte:03o}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_the_words_that_were_given() {
        use std::os::unix::ffi::OsStrExt;
        use std::process::Command;

        let words: &[&[u8]] = &[
            b"plain",
            b"",
            b"two words",
            b"o; touch pwned #",
            b"$(touch pwned)`touch pwned`",
            b"it's \"quoted\" \\ 100%",
            b"*?[a]~!{x,y}<>|&",
            b"~root",
            b"=ls",
            b"-n",
            b"line\nline 'two' %d \\n",
            b"end\n\n",
            b"\x1b]0;title\x07",
            b"-\x1b",
            b"\xff\xfe invalid \xc3",
            "\u{202e}txt.exe \u{e9}".as_bytes(),
        ];
        let mut command = CommandLine { words: Vec::new() };
        for word in words {
            command = command.word(OsStr::from_bytes(word));
        }
        let line = format!("for word in {command}; do printf '%s\\0' \"$word\"; done");
        let output = Command::new("sh").arg("-c").arg(&line).output().unwrap();
        let mut wanted: Vec<u8> = Vec::new();
        for word in words {
            wanted.extend_from_slice(word);
            wanted.push(0);
        }
        assert_eq!(
            output.stdout,
            wanted,
            "{line}: {}",
            String::from_utf8_lossy(&output.stdout)
        );
        assert!(output.stderr.is_empty(), "{output:?}");
    }

    #[test]
    fn paths_and_values_are_no_options() {
        let command = CommandLine::new("trace")
            .path(Path::new("--help"))
            .option("--set", "-5")
            .given("--out", None::<&str>)
            .given("--link", Some(""));
        assert_eq!(
            command.to_string(),
            "earlydrop trace ./--help --set=-5 --link=''"
        );
    }

    #[test]
    fn no_control_character_is_shown() {
        let line = CommandLine::new("run").word("a\u{1b}\u{9b}\u{202e}\nb");
        assert!(!line.to_string().chars().any(is_control), "{line}");
    }
}
