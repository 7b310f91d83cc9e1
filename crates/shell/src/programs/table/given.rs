//! The words of a call, read as the program's entry says: what is an option, what is its value, what is left.

use crate::programs::table::Program;

/// What a program is given.
#[derive(Debug, Default)]
pub(crate) struct Given<'a> {
    /// The words that are neither options nor their values, those of the sub-command among them.
    pub(crate) words: Vec<&'a str>,
    options: Vec<Choice<'a>>,
    /// Variables that are set for the command it runs.
    pub(crate) assigned: Vec<(&'a str, &'a str)>,
    /// The command it runs, with its words.
    pub(crate) inner: &'a [String],
}

/// Where the command that a program runs begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inner {
    None,
    /// Behind so many words of the program's own.
    Behind(usize),
    /// Behind `--`.
    BehindDashes,
}

/// An option that the entry knows.
#[derive(Clone, Copy, Debug)]
struct Choice<'a> {
    role: &'static str,
    /// Empty for those that have none.
    value: &'a str,
}

/// Roles of options that take no value.
pub(crate) const BARE: &[&str] = &[
    "appends", "attaches", "clears", "create", "deep", "delete-source", "delete-target", "deletes", "dry-run",
    "extract", "flag", "help", "in-place", "keep", "list", "locates", "no-prompt", "no-text", "null", "opens",
    "prompt", "replace-glued", "rest", "run", "save-named", "skips-empty", "to-stdout", "unpacks", "writes-with",
];

impl<'a> Given<'a> {
    pub(crate) fn read(program: &Program, argv: &'a [String]) -> Self {
        Self::read_until(program, argv, program.inner())
    }

    /// The words among which that of a sub-command is.
    pub(crate) fn words(program: &Program, argv: &'a [String]) -> Vec<&'a str> {
        Self::read_until(program, argv, Inner::None).words
    }

    fn read_until(program: &Program, argv: &'a [String], inner: Inner) -> Self {
        let mut given = Self::default();
        let (mut at, mut flags, mut rest) = (1, !program.is("no-options"), false);
        let one_dash = program.is("one-dash");
        while let Some(word) = argv.get(at) {
            at += 1;
            let next = argv.get(at).map_or("", String::as_str);
            let is_flag = flags && word.starts_with('-');
            if is_flag && word == "--" {
                flags = false;
                if inner == Inner::BehindDashes {
                    given.inner = &argv[at..];
                    break;
                }
            } else if is_flag && let Some((role, name)) = program.option(word) {
                rest |= role == "rest";
                at += given.take(program, role, name, None, next, argv.get(at + 1));
                if role == "run" {
                    given.inner = argv.get(at..).unwrap_or_default();
                    break;
                }
            } else if (!is_flag || word == "-") && given.begins(program, word, inner) {
                given.inner = &argv[at - 1..];
                break;
            } else if let Some(pair) = word.split_once('=').filter(|_| !is_flag && program.is("assigns")) {
                given.assigned.push(pair);
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
            } else if program.is("valued") {
                at += 1;
            }
        }
        given
    }

    /// Says whether the command that the program runs begins with this word.
    fn begins(&self, program: &Program, word: &str, inner: Inner) -> bool {
        // A number is what an option that the entry does not know was given.
        let number = word.bytes().all(|byte| byte.is_ascii_digit());
        let assigned = program.is("assigns") && word.contains('=');
        let held = program.field("runs-with").is_some() && !self.has("runs-with");
        matches!(inner, Inner::Behind(words) if self.words.len() >= words) && !number && !assigned && !held
    }

    /// Takes the letters of a bundle; gives the number of words behind it that are taken.
    fn take_letters(&mut self, program: &Program, letters: &'a str, next: &'a str) -> usize {
        for (at, letter) in letters.char_indices() {
            let Some((role, name)) = program.option(&format!("-{letter}")) else { continue };
            let rest = &letters[at + letter.len_utf8()..];
            let value = Some(rest).filter(|rest| !rest.is_empty());
            if role == "replace-glued" {
                self.options.push(Choice { role, value: rest });
                return 0;
            }
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
                self.options.push(Choice { role, value: value.unwrap_or_default() });
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

    /// Returns true if an option of that role is there.
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

/// The words of a call in one spelling: options in full, letters one by one, and without what `--no-x` takes back.
pub(crate) fn in_one_spelling(program: &Program, argv: &[String]) -> Vec<String> {
    let mut spelled: Vec<String> = argv.iter().take(1).cloned().collect();
    let mut at = 1;
    while let Some(word) = argv.get(at) {
        at += 1;
        let (flag, value) = word.split_once('=').map_or((word.as_str(), None), |(flag, value)| (flag, Some(value)));
        if word == "--" {
            spelled.extend_from_slice(&argv[at - 1..]);
            break;
        } else if let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.is_empty() && !rest.starts_with('-')) {
            for (place, letter) in letters.char_indices() {
                let flag = format!("-{letter}");
                let rest = &letters[place + letter.len_utf8()..];
                let takes = program.takes_value(&flag);
                spelled.push(flag);
                if takes {
                    let value = Some(rest).filter(|rest| !rest.is_empty()).or(argv.get(at).map(String::as_str));
                    at += usize::from(rest.is_empty());
                    spelled.extend(value.map(str::to_owned));
                    break;
                }
            }
        } else if let Some((role, name)) = program.option(flag).filter(|_| flag.starts_with("--")) {
            let value = value.or_else(|| argv.get(at).filter(|_| !BARE.contains(&role)).map(String::as_str));
            at += usize::from(!word.contains('=') && value.is_some());
            spelled.push(value.map_or_else(|| name.to_owned(), |value| format!("{name}={value}")));
        } else if let Some((_, name)) = flag.strip_prefix("--no-").and_then(|rest| program.option(&format!("--{rest}")))
        {
            let mut letters =
                program.field("letters").unwrap_or_default().split(' ').filter_map(|pair| pair.split_once(':'));
            let letter =
                letters.find(|(_, long)| name.strip_prefix("--") == Some(long)).map(|(letter, _)| format!("-{letter}"));
            spelled.retain(|word| word.split('=').next() != Some(name) && Some(word) != letter.as_ref());
        } else {
            spelled.push(word.clone());
        }
    }
    spelled
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
