//! A shell command line, read just far enough to tell which commands it runs and whose exit status it ends with. What it
//! does not understand makes the whole line opaque, so that nothing is believed about it; it never expands anything.

use crate::joint::Joint;

/// Longer lines are not read.
const LIMIT: usize = 64 * 1024;

/// A line as the commands it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandLine {
    pub(crate) parts: Vec<Part>,
    /// It holds something that is not followed: a function, a group, a loop, a substitution, a here-document.
    pub(crate) is_opaque: bool,
}

/// One command of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// `NAME=value` in front of the command.
    pub(crate) env: Vec<String>,
    pub(crate) words: Vec<String>,
    /// Its output goes into a file instead of the call's own output.
    pub(crate) is_diverted: bool,
    pub(crate) joint: Joint,
}

impl Part {
    fn new() -> Self {
        Self { env: Vec::new(), words: Vec::new(), is_diverted: false, joint: Joint::End }
    }

    fn is_empty(&self) -> bool {
        self.env.is_empty() && self.words.is_empty()
    }
}

/// Words that begin something of more than one command.
const KEYWORDS: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "function", "select",
    "{", "}", "!", "[[",
];

impl CommandLine {
    pub(crate) fn read(command: &str) -> Self {
        if command.len() > LIMIT {
            return Self { parts: Vec::new(), is_opaque: true };
        }
        Reader { text: command.chars().collect(), at: 0, line: Self::default(), part: Part::new() }.read()
    }
}

struct Reader {
    text: Vec<char>,
    at: usize,
    line: CommandLine,
    part: Part,
}

impl Reader {
    fn read(mut self) -> CommandLine {
        while let Some(&sign) = self.text.get(self.at) {
            match sign {
                ' ' | '\t' | '\r' => self.at += 1,
                '\\' if self.next_is('\n') => self.at += 2,
                '\n' => self.close(Joint::Then, 1),
                '#' => self.skip_comment(),
                ';' => self.close(Joint::Then, 1),
                '&' if self.next_is('&') => self.close(Joint::And, 2),
                '&' if self.next_is('>') => self.redirect(2, Stream::Out),
                '&' => self.close(Joint::Background, 1),
                '|' if self.next_is('|') => self.close(Joint::Or, 2),
                '|' if self.next_is('&') => self.close(Joint::Pipe, 2),
                '|' => self.close(Joint::Pipe, 1),
                '>' => self.redirect(1, Stream::Out),
                '<' => self.input(),
                '(' | ')' => self.opaque(),
                _ => self.word(),
            }
        }
        self.close(Joint::End, 0);
        if self.line.parts.iter().any(|part| part.words.first().is_some_and(|word| KEYWORDS.contains(&word.as_str()))) {
            self.line.is_opaque = true;
        }
        self.line
    }

    fn next_is(&self, sign: char) -> bool {
        self.text.get(self.at + 1) == Some(&sign)
    }

    fn opaque(&mut self) {
        self.line.is_opaque = true;
        self.at += 1;
    }

    fn skip_comment(&mut self) {
        while self.text.get(self.at).is_some_and(|sign| *sign != '\n') {
            self.at += 1;
        }
    }

    /// Ends a command. Line ends behind an operator end nothing.
    fn close(&mut self, joint: Joint, length: usize) {
        self.at += length;
        if self.part.is_empty() {
            return;
        }
        let mut part = std::mem::replace(&mut self.part, Part::new());
        part.joint = joint;
        self.line.parts.push(part);
    }

    /// Reads `>`, `>>`, `>|`, `>&` and where the output goes; `length` signs are behind us already.
    fn redirect(&mut self, length: usize, stream: Stream) {
        self.at += length;
        while self.text.get(self.at).is_some_and(|sign| matches!(sign, '>' | '|')) {
            self.at += 1;
        }
        let is_copy = self.text.get(self.at) == Some(&'&');
        self.at += usize::from(is_copy);
        let target = self.target();
        let is_stream = is_copy && target.chars().all(|sign| sign.is_ascii_digit() || sign == '-');
        // What goes to `/dev/stderr` and the like still arrives; errors thrown away are no loss of a summary.
        let arrives = is_stream || target == "/dev/stderr" || target == "/dev/stdout" || stream == Stream::Error;
        self.part.is_diverted |= !arrives || (is_stream && stream == Stream::Out && target == "-");
    }

    fn input(&mut self) {
        if self.next_is('<') || self.next_is('(') {
            self.opaque();
            return;
        }
        self.at += 1;
        self.target();
    }

    /// The word that a redirection names.
    fn target(&mut self) -> String {
        while self.text.get(self.at).is_some_and(|sign| matches!(sign, ' ' | '\t')) {
            self.at += 1;
        }
        self.take_word().unwrap_or_default()
    }

    fn word(&mut self) {
        let start = self.at;
        let Some(word) = self.take_word() else { return };
        let is_bare = self.text[start..self.at].iter().all(|sign| !matches!(sign, '"' | '\'' | '\\'));
        // `2>` names the stream that is sent elsewhere.
        if is_bare && self.text.get(self.at) == Some(&'>') && word.chars().all(|sign| sign.is_ascii_digit()) {
            self.redirect(1, if word == "1" { Stream::Out } else { Stream::Error });
            return;
        }
        if self.part.words.is_empty() && is_assignment(&word) {
            self.part.env.push(word);
        } else {
            self.part.words.push(word);
        }
    }

    /// Reads one word without its quotes. `None` when there is none, which also steps over one sign.
    fn take_word(&mut self) -> Option<String> {
        let mut word = String::new();
        let start = self.at;
        while let Some(&sign) = self.text.get(self.at) {
            match sign {
                ' ' | '\t' | '\n' | '\r' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                '\'' => self.quoted(&mut word, '\''),
                '"' => self.quoted(&mut word, '"'),
                '\\' => {
                    match self.text.get(self.at + 1) {
                        Some('\n') | None => {}
                        Some(next) => word.push(*next),
                    }
                    self.at += 2;
                }
                '`' => {
                    self.line.is_opaque = true;
                    self.at += 1;
                }
                '$' if matches!(self.text.get(self.at + 1), Some('(' | '\'')) => self.opaque(),
                sign => {
                    word.push(sign);
                    self.at += 1;
                }
            }
        }
        self.at = self.at.min(self.text.len());
        (self.at > start).then_some(word)
    }

    fn quoted(&mut self, word: &mut String, quote: char) {
        self.at += 1;
        while let Some(&sign) = self.text.get(self.at) {
            self.at += 1;
            match sign {
                sign if sign == quote => return,
                '\\' if quote == '"' => {
                    if let Some(next) = self.text.get(self.at) {
                        if !matches!(next, '"' | '\\' | '$' | '`' | '\n') {
                            word.push('\\');
                        }
                        word.push(*next);
                        self.at += 1;
                    }
                }
                '`' if quote == '"' => self.line.is_opaque = true,
                '$' if quote == '"' && self.text.get(self.at) == Some(&'(') => self.line.is_opaque = true,
                sign => word.push(sign),
            }
        }
        // The quote never ends.
        self.line.is_opaque = true;
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Stream {
    Out,
    Error,
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Shows parts as `env:words` with their joints, `>` for a diverted output and `?` for an opaque line.
    fn show(command: &str) -> String {
        let line = CommandLine::read(command);
        let mut text = String::new();
        for part in &line.parts {
            let env = part.env.iter().map(|env| format!("{env}:")).collect::<String>();
            let diverted = if part.is_diverted { ">" } else { "" };
            let joint = match part.joint {
                Joint::And => " && ",
                Joint::Or => " || ",
                Joint::Then => " ; ",
                Joint::Pipe => " | ",
                Joint::Background => " & ",
                Joint::End => "",
            };
            text.push_str(&format!("{env}{}{diverted}{joint}", part.words.join(",")));
        }
        if line.is_opaque {
            text.push('?');
        }
        text
    }

    #[track_caller]
    fn check(command: &str, expected: &str) {
        assert_eq!(show(command), expected, "{command}");
    }

    #[test]
    fn lines_fall_into_commands() {
        check("cargo test", "cargo,test");
        check(
            "  cd 'a b' && RUST_BACKTRACE=1 cargo test -- --nocapture",
            "cd,a b && RUST_BACKTRACE=1:cargo,test,--,--nocapture",
        );
        check("a; b\nc || d | e & f", "a ; b ; c || d | e & f");
        check("a &&\n b", "a && b");
        check("a # b; c", "a");
        check("echo \"x; \\\"y\\\"\" \\; 'z && w'", "echo,x; \"y\",;,z && w");
        check("a \\\n b", "a,b");
    }

    #[test]
    fn outputs_that_go_elsewhere_are_noticed() {
        check("a 2>&1", "a");
        check("a 2>/dev/null", "a");
        check("a > out", "a>");
        check("a >>out 2>&1", "a>");
        check("a &> out", "a>");
        check("a 1>out", "a>");
        check("a >&2", "a");
        check("a >/dev/null && b", "a> && b");
        check("a < in", "a");
    }

    #[test]
    fn what_is_not_followed_is_opaque() {
        for command in [
            "f() { echo; }; f",
            "(a)",
            "a $(b)",
            "a `b`",
            "a \"$(b)\"",
            "a <<EOF\nx\nEOF",
            "a <(b)",
            "if a; then b; fi",
            "! a",
            "{ a; }",
            "for x in 1; do a; done",
            "a 'b",
            "a $'x'",
        ] {
            assert!(show(command).ends_with('?'), "{command}: {}", show(command));
        }
        check("a '$(b)' '`'", "a,$(b),`");
        check(&"x ".repeat(40_000), "?");
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in ".{0,200}") {
            let _ = CommandLine::read(&text);
        }

        #[test]
        fn signs_are_read(text in "[a-z\"'\\\\$(){}<>&|;`=# \n0-9]{0,60}") {
            let _ = CommandLine::read(&text);
        }
    }
}
