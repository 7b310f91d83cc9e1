//! The evaluator: goes through the tokens, keeps what names hold, and collects what calls do.

use stead_model::{Content, How};

use super::Act;
use super::language::Language;
use super::lexer::{Token, tokens};
use super::value::Value;

/// The most acts that are told.
const ACTS: usize = 512;
/// How deep expressions may nest.
pub(super) const DEPTH: usize = 48;
/// Tokens that may be looked at, nested texts included.
const STEPS: usize = 400_000;
/// Names that are kept.
const NAMES: usize = 1_000;

/// What the program sees of its surroundings.
pub(crate) struct Surroundings<'s> {
    pub(crate) home: Option<String>,
    pub(crate) cwd: String,
    /// Gives a variable of the environment.
    pub(crate) variable: &'s dyn Fn(&str) -> Option<String>,
    /// The words behind the program.
    pub(crate) words: Vec<String>,
}

/// Reads a program and tells what it would do.
pub(crate) fn read(language: Language, text: &str, surroundings: &Surroundings<'_>) -> Vec<Act> {
    let mut eval = Eval {
        language,
        surroundings,
        tokens: tokens(language, text),
        at: 0,
        names: Vec::new(),
        acts: Vec::new(),
        spoiled: Vec::new(),
        depth: 0,
        too_deep: false,
        steps: 0,
    };
    eval.run();
    if text.len() > super::lexer::LONGEST || eval.steps >= STEPS || eval.too_deep {
        eval.acts.push(Act::More);
    }
    eval.acts
}

pub(super) struct Eval<'e> {
    pub(super) language: Language,
    pub(super) surroundings: &'e Surroundings<'e>,
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    pub(super) names: Vec<(String, Value)>,
    pub(super) acts: Vec<Act>,
    /// Open files whose text somebody else writes.
    pub(super) spoiled: Vec<usize>,
    pub(super) depth: usize,
    /// An expression was passed over.
    pub(super) too_deep: bool,
    pub(super) steps: usize,
}

impl Eval<'_> {
    pub(super) fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    pub(super) fn is_sign(&self, ahead: usize, sign: char) -> bool {
        self.peek(ahead) == Some(&Token::Sign(sign))
    }

    pub(super) fn name_at(&self, ahead: usize) -> Option<&str> {
        match self.peek(ahead) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        }
    }

    fn run(&mut self) {
        while self.at < self.tokens.len() && self.steps < STEPS {
            let before = self.at;
            self.statement();
            if self.at == before {
                self.at += 1;
            }
        }
    }

    fn statement(&mut self) {
        self.steps += 1;
        if matches!(self.name_at(0), Some("import" | "from")) && self.import() {
            return;
        }
        match self.name_at(0) {
            Some(
                "const" | "let" | "var" | "my" | "our" | "local" | "async" | "await" | "return" | "use" | "not"
                | "echo",
            ) if !self.is_sign(1, '(') => {
                self.at += 1;
                return;
            }
            // In Perl it may print into a file.
            Some("print") if !self.is_sign(1, '(') && self.language != Language::Perl => {
                self.at += 1;
                return;
            }
            Some("for" | "foreach") => {
                self.at += 1;
                self.for_loop();
                return;
            }
            _ => {}
        }
        if self.destructure() || self.assign() {
            return;
        }
        if matches!(self.peek(0), Some(Token::Name(_) | Token::Text(_) | Token::Command(_) | Token::Number(_)))
            || self.is_sign(0, '(')
            || self.is_sign(0, '[')
        {
            let value = self.expression();
            // `with open(…) as f`
            if let (Some("as"), Some(name)) = (self.name_at(0), self.name_at(1).map(str::to_owned)) {
                self.at += 2;
                self.set(&name, value);
            } else if self.is_sign(0, '|') || self.name_at(0) == Some("do") && self.is_sign(1, '|') {
                // `File.open(…) { |f| … }`
                self.at += if self.is_sign(0, '|') { 1 } else { 2 };
                if let Some(name) = self.name_at(0).map(str::to_owned) {
                    self.set(&name, value);
                }
            } else if self.is_sign(0, '{') && self.is_sign(1, '|') {
                if let Some(name) = self.name_at(2).map(str::to_owned) {
                    self.set(&name, value);
                }
                self.at += 4;
            }
        }
    }

    /// `name = value`, `name += value`, `name := value`.
    fn assign(&mut self) -> bool {
        let Some(name) = self.name_at(0).map(str::to_owned) else { return false };
        let (skip, adds) = match (self.is_sign(1, '='), self.is_sign(2, '=')) {
            (true, false) if !self.is_sign(2, '>') && !self.is_sign(2, '~') => (2, false),
            _ if (self.is_sign(1, '+') || self.is_sign(1, '.')) && self.is_sign(2, '=') => (3, true),
            _ if self.is_sign(1, ':') && self.is_sign(2, '=') => (3, false),
            _ => return false,
        };
        self.at += skip;
        while self.peek(0) == Some(&Token::Line) {
            self.at += 1;
        }
        let mut value = self.expression();
        if adds {
            value = self.value_of(&name).join("", &value);
        }
        self.set(&name, value);
        true
    }

    /// `for x in [a, b]`, `foreach my $x (a, b)`, `for (const x of [a, b])`.
    fn for_loop(&mut self) {
        while matches!(self.name_at(0), Some("my" | "const" | "let" | "var")) || self.is_sign(0, '(') {
            self.at += 1;
        }
        let Some(name) = self.name_at(0).map(str::to_owned) else { return };
        let listed = matches!(self.name_at(1), Some("in" | "of")) || self.is_sign(1, '(');
        if !listed {
            return;
        }
        self.at += if self.is_sign(1, '(') { 1 } else { 2 };
        let value = self.expression().one_of();
        self.set(&name, value);
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        if self.names.len() < NAMES {
            self.names.push((name.to_owned(), value));
        }
    }

    /// Says whether a call goes to a module that somebody else wrote.
    pub(super) fn is_foreign(&self, name: &str) -> bool {
        let module = name.split('.').next().unwrap_or_default();
        let imported = |value: &Value| matches!(value, Value::Name(held) if held.split('.').next() == Some(module));
        !TAME.contains(&module) && self.names.iter().any(|(_, value)| imported(value)) || name.starts_with('.')
    }

    /// Tells that a module is taken in, unless it is known to do nothing by that.
    pub(super) fn takes_in(&mut self, module: &str) {
        if !module.is_empty() && !TAME.contains(&module.split('.').next().unwrap_or_default()) {
            self.act(Act::Import { module: module.to_owned() });
        }
    }

    /// What a name holds; the name itself when nothing was said.
    pub(super) fn value_of(&self, name: &str) -> Value {
        match self.names.iter().rev().find(|(known, _)| known == name) {
            Some((_, value)) => value.clone(),
            None => Value::Name(name.to_owned()),
        }
    }

    pub(super) fn act(&mut self, act: Act) -> usize {
        match self.acts.len() {
            number if number < ACTS => self.acts.push(act),
            ACTS => self.acts.push(Act::More),
            _ => {}
        }
        self.acts.len() - 1
    }

    pub(super) fn gap(&mut self, what: &str) {
        self.act(Act::Gap { what: what.to_owned() });
    }

    /// Tells a write for each text that the path may be.
    pub(super) fn write(&mut self, path: &Value, how: How, content: Content) -> Value {
        let mut last = 0;
        for path in path.texts() {
            last = self.act(Act::Write { path, how, content: content.clone(), tree: false });
        }
        Value::File(last)
    }

    pub(super) fn delete(&mut self, path: &Value, tree: bool) {
        for path in path.texts() {
            self.act(Act::Delete { path, tree });
        }
    }

    pub(super) fn rename(&mut self, from: &Value, to: &Value) {
        for from in from.texts() {
            for to in to.texts() {
                self.act(Act::Rename { from: from.clone(), to });
            }
        }
    }

    pub(super) fn looks(&mut self, path: &Value) {
        for path in path.texts() {
            self.act(Act::Read { path });
        }
    }

    /// Runs a text, or words.
    pub(super) fn starts(&mut self, what: &Value, dir: Option<String>) {
        match what {
            Value::List(items) => {
                let argv: Vec<String> = items.iter().map(|item| item.texts().swap_remove(0)).collect();
                self.act(Act::Exec { argv, dir });
            }
            Value::Text { any, .. } => {
                for text in any.clone() {
                    self.act(Act::Shell { text, dir: dir.clone() });
                }
            }
            _ => self.gap("a command that is put together at run time"),
        }
    }

    /// Adds to the text of a file opened for writing.
    pub(super) fn fills(&mut self, file: usize, text: &Value) {
        if self.spoiled.contains(&file) {
            return;
        }
        let Some(Act::Write { content, .. }) = self.acts.get_mut(file) else { return };
        *content = match (&*content, text.known()) {
            (Content::Unknown, Some(text)) => Content::Text(text.to_owned()),
            (Content::Text(before), Some(text)) => Content::Text(format!("{before}{text}")),
            _ => Content::Unknown,
        };
        if *content == Content::Unknown {
            self.spoiled.push(file);
        }
    }

    /// An open file was handed to somebody: its text is no longer known.
    pub(super) fn spoils(&mut self, file: usize) {
        self.spoiled.push(file);
        if let Some(Act::Write { content, .. }) = self.acts.get_mut(file) {
            *content = Content::Unknown;
        }
    }
}

/// Modules whose calls either are known or touch no file.
const TAME: &[&str] = &[
    "argparse",
    "base64",
    "binascii",
    "child_process",
    "codecs",
    "collections",
    "copy",
    "crypto",
    "csv",
    "dataclasses",
    "datetime",
    "enum",
    "fs",
    "functools",
    "glob",
    "hashlib",
    "io",
    "itertools",
    "json",
    "logging",
    "math",
    "os",
    "path",
    "pathlib",
    "platform",
    "pprint",
    "process",
    "random",
    "re",
    "shlex",
    "shutil",
    "statistics",
    "string",
    "struct",
    "subprocess",
    "sys",
    "textwrap",
    "time",
    "types",
    "typing",
    "unicodedata",
    "url",
    "urllib",
    "util",
    "uuid",
];
