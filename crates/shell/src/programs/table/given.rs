//! The words of a call, read as the program's entry says: what is an option, what is its value, what is left.

use crate::programs::table::Program;

/// What a program is given.
#[derive(Debug, Default)]
pub(crate) struct Given<'a> {
    /// The words that are neither options nor their values, those of the sub-command among them.
    pub(crate) words: Vec<&'a str>,
    options: Vec<Choice<'a>>,
}

/// An option that the entry knows.
#[derive(Clone, Copy, Debug)]
struct Choice<'a> {
    role: &'static str,
    /// Empty for those that take none.
    value: &'a str,
}

/// Roles of options that take no value.
pub(crate) const BARE: &[&str] = &[
    "appends",
    "create",
    "deep",
    "delete-source",
    "delete-target",
    "deletes",
    "dry-run",
    "extract",
    "help",
    "in-place",
    "keep",
    "list",
    "no-text",
    "rest",
    "save-named",
    "to-stdout",
    "unpacks",
    "writes-with",
];

impl<'a> Given<'a> {
    pub(crate) fn read(program: &Program, argv: &'a [String]) -> Self {
        let mut given = Self::default();
        let (mut at, mut flags, mut rest) = (1, !program.is("no-options"), false);
        let one_dash = program.is("one-dash");
        while let Some(word) = argv.get(at) {
            at += 1;
            let next = argv.get(at).map_or("", String::as_str);
            let is_flag = flags && word.starts_with('-');
            if is_flag && word == "--" {
                flags = false;
            } else if is_flag && let Some((role, name)) = program.option(word) {
                rest |= role == "rest";
                at += given.take(program, role, name, None, next, argv.get(at + 1));
            } else if !is_flag || word == "-" {
                if !given.take_start(program, word) && !rest {
                    given.words.push(word);
                }
            } else if let Some((flag, value)) = word.split_once('=').filter(|_| one_dash || word.starts_with("--")) {
                if let Some((role, name)) = program.option(flag) {
                    given.take(program, role, name, Some(value), next, None);
                }
            } else if !one_dash && !word.starts_with("--") {
                at += given.take_letters(program, &word[1..], next);
            }
        }
        given
    }

    /// Takes the letters of a bundle; gives the number of words behind it that are taken.
    fn take_letters(&mut self, program: &Program, letters: &'a str, next: &'a str) -> usize {
        for (at, letter) in letters.char_indices() {
            let Some((role, name)) = program.option(&format!("-{letter}")) else { continue };
            let rest = &letters[at + letter.len_utf8()..];
            let value = Some(rest).filter(|rest| !rest.is_empty());
            if !BARE.contains(&role) {
                return self.take(program, role, name, value, next, None);
            }
            self.options.push(Choice { role, value: "" });
        }
        0
    }

    /// Takes an option with its value; gives the number of words behind it that are taken.
    fn take(
        &mut self,
        program: &Program,
        role: &'static str,
        name: &str,
        value: Option<&'a str>,
        next: &'a str,
        second: Option<&'a String>,
    ) -> usize {
        if BARE.contains(&role) {
            // Behind a word some take it for another one. Sub-commands that are not in the table are words, too.
            let before = if program.branches { program.verbs.max(2) } else { 0 };
            if role != "help" || self.words.len() <= before {
                self.options.push(Choice { role, value: "" });
            }
            return 0;
        }
        if role.starts_with("pair") {
            self.options.push(Choice { role, value: second.map_or("", String::as_str) });
            return 2;
        }
        let glued = value.is_some();
        let (role, value) = inner(program, role, name, value.unwrap_or(next));
        self.options.push(Choice { role, value });
        usize::from(!glued)
    }

    /// Takes a word that starts like an option: `of=x`, `OPEN:x`, `+5`.
    fn take_start(&mut self, program: &Program, word: &'a str) -> bool {
        let end = if word.starts_with('+') { Some(0) } else { word.find(['=', ':']) };
        let found = end.and_then(|end| Some((end, program.option(&word[..=end])?)));
        let Some((end, (role, _))) = found else { return false };
        self.options.push(Choice { role, value: &word[end + 1..] });
        true
    }

    /// Says whether an option of that role is there.
    pub(crate) fn has(&self, role: &str) -> bool {
        self.options.iter().any(|option| option.role == role)
    }

    /// The values of the options of a role.
    pub(crate) fn values(&self, role: &str) -> impl Iterator<Item = &'a str> {
        self.options.iter().filter(move |option| option.role == role).map(|option| option.value)
    }

    /// All options that have a role and a value.
    pub(crate) fn options(&self) -> impl Iterator<Item = (&'static str, &'a str)> {
        self.options.iter().map(|option| (option.role, option.value))
    }
}

/// An option whose value starts like another one: `-o ProxyCommand=x`.
fn inner<'v>(program: &Program, role: &'static str, name: &str, value: &'v str) -> (&'static str, &'v str) {
    let found = value.find(['=', ' ']).filter(|_| role == "value").and_then(|end| {
        let joint = if name.starts_with("--") { "=" } else { "" };
        let (role, _) = program.option(&format!("{name}{joint}{}=", &value[..end]))?;
        Some((role, value[end + 1..].trim_start()))
    });
    found.unwrap_or((role, value))
}
