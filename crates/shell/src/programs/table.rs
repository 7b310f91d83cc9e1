//! What programs do with their arguments: a table (`programs/programs.txt`, which documents its format), the parsing of
//! a call by its entry, and the resulting effects. Programs with their own grammar have code instead.
//!
//! The table is searched as text, and only the entry of the program in question is parsed.

pub(crate) mod copy;
pub(crate) mod effect;
pub(crate) mod given;
pub(crate) mod network;
pub(crate) mod search;

pub(crate) use copy::is_remote;
pub(crate) use effect::{Known, note};
pub(crate) use given::{Given, Inner, in_one_spelling};
pub(crate) use network::host_of;
pub(crate) use network::note as note_network;
pub(crate) use search::{globs, omissions, places};

use stead_model::pieces;

/// The entries, sorted by name.
const TABLE: &str = include_str!("programs.txt");

/// The content of an entry, without its name.
#[derive(Clone, Copy, Debug)]
struct Row {
    traits: &'static str,
    fields: &'static str,
}

/// A program, or one of its sub-commands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
    name: &'static str,
    own: Row,
    sub: Option<Row>,
    /// The words that name the sub-command.
    pub(crate) verbs: usize,
    /// It has sub-commands, all of which need not be in the table.
    branches: bool,
}

impl Row {
    fn is(&self, name: &str) -> bool {
        pieces(self.traits, b' ').any(|known| known == name)
    }

    fn fields(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        let lines = pieces(self.fields, b'\n').map(|line| line.trim_ascii_start());
        lines.filter_map(|line| {
            let end = line.bytes().position(|byte| byte == b':')?;
            Some((&line[..end], line[end + 1..].strip_prefix(' ')?))
        })
    }
}

impl Program {
    /// Finds a program by its name, whatever its version.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::named(name).or_else(|| {
            let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            let other = if bare.len() < name.len() { Self::named(bare) } else { None };
            other.filter(|program| program.is("interpreter"))
        })
    }

    fn named(name: &str) -> Option<Self> {
        let (entry, others) = entries(name).split_first()?;
        match TABLE[entry.name..entry.head].strip_prefix(" = ") {
            Some(other) => Self::named(other),
            None => {
                let branches = !others.is_empty();
                Some(Self { name: entry.program(), own: entry.row(), sub: None, verbs: 0, branches })
            }
        }
    }

    /// The same for the sub-command that a call names.
    pub(crate) fn of_call(name: &str, argv: &[String]) -> Option<Self> {
        let mut program = Self::of(name)?;
        if !program.branches {
            return Some(program);
        }
        let words = Given::words(&program, argv);
        for entry in entries(program.name).iter().skip(1) {
            let verbs = entry.verbs();
            let named = |(at, names): (usize, &str)| {
                words.get(at).is_some_and(|word| pieces(names, b'|').any(|known| known == *word))
            };
            if verbs.clone().enumerate().all(named) {
                let count = verbs.count();
                if count > program.verbs {
                    program.sub = Some(entry.row());
                    program.verbs = count;
                }
            }
        }
        Some(program)
    }

    pub(crate) fn is(&self, name: &str) -> bool {
        match self.sub {
            // The program's own entry does not apply to its sub-commands.
            Some(sub) if name == "complete" => sub.is(name),
            Some(sub) => sub.is(name) || self.own.is(name),
            None => self.own.is(name),
        }
    }

    /// Returns true if an option takes a value.
    pub(crate) fn takes_value(&self, flag: &str) -> bool {
        self.option(flag).is_some_and(|(role, _)| !given::BARE.contains(&role))
    }

    /// Returns true if a flag for help means this program.
    fn vouches(&self) -> bool {
        !self.is("code") && (self.is("complete") || self.field("help").is_some())
    }

    /// Where the command begins that it runs.
    fn inner(&self) -> Inner {
        let mut own = self.roles().take_while(|role| !matches!(*role, "run" | "run-text"));
        let (mut count, mut many) = (0, false);
        for role in own.by_ref() {
            count += 1;
            many |= role.ends_with('*');
        }
        match (self.runs_words(), many) {
            (false, _) => Inner::None,
            (true, true) => Inner::BehindDashes,
            (true, false) => Inner::Behind(self.verbs + count),
        }
    }

    /// Says whether some of its words are a command.
    pub(crate) fn runs_words(&self) -> bool {
        (self.is("wraps") || self.is("container")) && self.roles().any(|role| matches!(role, "run" | "run-text"))
    }

    /// Says whether one of its words has this role.
    pub(crate) fn has_word(&self, name: &str) -> bool {
        self.roles().any(|role| role == name)
    }

    fn removes(&self) -> bool {
        self.roles().any(|role| matches!(role, "delete*" | "delete-tree*")) || self.field("deletes").is_some()
    }

    fn writes(&self) -> bool {
        let writes = |role: &str| matches!(role.trim_end_matches('*'), "write" | "touch" | "attributes");
        let other = |role: &str| matches!(role, "text" | "value*");
        !self.removes() && self.roles().any(writes) && self.roles().all(|role| writes(role) || other(role))
    }

    fn places(&self) -> bool {
        self.roles().any(|role| role == "place")
    }

    fn rows(&self) -> impl Iterator<Item = Row> + use<> {
        self.sub.into_iter().chain([self.own])
    }

    /// The items of a field; the sub-command's own come first.
    pub(crate) fn field(&self, name: &str) -> Option<&'static str> {
        self.rows().flat_map(|row| row.fields()).find(|(key, _)| *key == name).map(|(_, items)| items)
    }

    /// The roles of its words.
    fn roles(&self) -> impl Iterator<Item = &'static str> + use<> {
        pieces(self.field("words").unwrap_or_default(), b' ').filter(|role| !role.is_empty())
    }

    /// What an option means, and how the table spells it.
    fn option(&self, flag: &str) -> Option<(&'static str, &'static str)> {
        let options = || {
            let fields = self.rows().flat_map(|row| row.fields()).filter(|(key, _)| !NOT_OPTIONS.contains(key));
            fields.flat_map(|(key, items)| pieces(items, b' ').map(move |item| (key, item)))
        };
        // What starts a word is spelled in any case.
        let found = match flag.ends_with([':', '=']) {
            true => options().find(|(_, item)| item.eq_ignore_ascii_case(flag)),
            false => options().find(|(_, item)| *item == flag),
        };
        let shortens = self.is("abbreviates");
        let short = || options().find(|(_, item)| shortens && flag.len() > 2 && item.starts_with(flag));
        let common = || match flag {
            "--help" => Some(("help", "--help")),
            "--version" if shortens => Some(("help", "--version")),
            _ => None,
        };
        found.or_else(common).or_else(|| short().filter(|_| flag.starts_with("--")))
    }
}

/// Fields whose items are not options.
const NOT_OPTIONS: &[&str] = &[
    "words",
    "network",
    "files",
    "files-if-words",
    "endings",
    "word-endings",
    "pack",
    "unpack",
    "default",
    "run-with",
    "sign",
    "letters",
];

/// Where the entries lie in the table, found when Stead is built: those of a program stand together, its own first.
static ENTRIES: [Entry; count(TABLE.as_bytes())] = index(TABLE.as_bytes());

#[derive(Clone, Copy)]
struct Entry {
    /// Where its head begins.
    at: usize,
    /// Where the name of its program ends.
    name: usize,
    /// Where its names end, with those of a sub-command.
    names: usize,
    head: usize,
    fields: usize,
}

/// Whether a line that begins there is the head of an entry.
const fn is_head(table: &[u8], at: usize) -> bool {
    (at == 0 || table[at - 1] == b'\n') && table[at] != b' ' && table[at] != b'#'
}

const fn count(table: &[u8]) -> usize {
    let (mut at, mut found) = (0, 0);
    while at < table.len() {
        if is_head(table, at) {
            found += 1;
        }
        at += 1;
    }
    found
}

const fn index<const N: usize>(table: &[u8]) -> [Entry; N] {
    let mut index = [Entry { at: 0, name: 0, names: 0, head: 0, fields: 0 }; N];
    let (mut at, mut found) = (0, 0);
    while at < table.len() {
        if is_head(table, at) {
            let head = end_of_line(table, at);
            let mut fields = head;
            while fields + 1 < table.len() && table[fields + 1] == b' ' {
                fields = end_of_line(table, fields + 1);
            }
            let (name, names) = (end_of_program(table, at), end_of_names(table, at, head));
            index[found] = Entry { at, name, names, head, fields };
            found += 1;
        }
        at += 1;
    }
    index
}

const fn end_of_line(table: &[u8], mut at: usize) -> usize {
    while at < table.len() && table[at] != b'\n' {
        at += 1;
    }
    at
}

const fn end_of_program(table: &[u8], start: usize) -> usize {
    let mut end = start;
    while table[end] != b' ' && table[end] != b'\n' {
        end += 1;
    }
    if table[end - 1] == b':' && end - start > 1 { end - 1 } else { end }
}

const fn end_of_names(table: &[u8], start: usize, end: usize) -> usize {
    let mut at = start + 1;
    while at < end && !(table[at] == b':' && (at + 1 == end || table[at + 1] == b' ')) {
        at += 1;
    }
    at
}

impl Entry {
    fn program(&self) -> &'static str {
        &TABLE[self.at..self.name]
    }

    /// The words of its sub-command.
    fn verbs(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        pieces(&TABLE[self.at..self.names], b' ').skip(1)
    }

    fn row(&self) -> Row {
        let traits = TABLE[self.names..self.head].strip_prefix(": ").unwrap_or_default();
        Row { traits, fields: &TABLE[self.head..self.fields] }
    }
}

/// The entries of a program: its own, then those of its sub-commands.
fn entries(name: &str) -> &'static [Entry] {
    let start = ENTRIES.partition_point(|entry| entry.program() < name);
    let length = ENTRIES[start..].iter().take_while(|entry| entry.program() == name).count();
    &ENTRIES[start..start + length]
}

/// Returns true if a program only reads, prints or asks, whatever words it is given.
pub(crate) fn is_read_only(name: &str) -> bool {
    Program::of(name).is_some_and(|program| {
        let harmless = |role: &str| matches!(role.trim_end_matches('*'), "text" | "value" | "read" | "search");
        // What `uniq` and `xxd` write is judged by itself.
        let mut roles = program.roles();
        entries(name).len() < 2
            && program.is("complete")
            && !program.is("code")
            && (roles.all(harmless) || program.field("words") == Some("read write"))
    })
}

/// Returns true if a program removes the files it is given.
pub(crate) fn is_remover(name: &str) -> bool {
    Program::of(name).is_some_and(|program| program.removes())
}

/// Returns true if a program writes the files it is given.
pub(crate) fn is_writer(name: &str) -> bool {
    Program::of(name).is_some_and(|program| program.writes())
}

/// Returns true if a program copies, moves or links what it is given to its last word.
pub(crate) fn is_placer(name: &str) -> bool {
    Program::of(name).is_some_and(|program| program.places())
}

/// Returns true if a program runs text in another language than the shell's.
pub(crate) fn is_interpreter(name: &str) -> bool {
    Program::of(name).is_some_and(|program| program.is("interpreter"))
}

/// Says whether a program runs others in a container.
pub(crate) fn is_container(name: &str) -> bool {
    Program::of(name).is_some_and(|program| program.is("container"))
}

pub(crate) fn is_shell(name: &str) -> bool {
    Program::of(name).is_some_and(|program| program.is("shell"))
}

/// Returns true if a word changes the shell itself and runs nothing.
pub(crate) fn is_builtin(name: &str) -> bool {
    Program::of(name).is_some_and(|program| program.is("builtin"))
}

/// Other words that may affect a whole folder or hide a path.
const ALARMS: &[&str] = &[
    "am",
    "apply",
    "checkout",
    "clean",
    "dd",
    "eval",
    "find",
    "git-clean",
    "gmake",
    "make",
    "npm",
    "patch",
    "pnpm",
    "restore",
    "rmdir",
    "sed",
    "source",
    "stash",
    "tar",
    "unzip",
    "worktree",
    "xargs",
    "yarn",
];

/// Returns true if a word in a command means that more than its literals must be read.
pub(crate) fn is_alarming(word: &str) -> bool {
    let changes = |program: Program| {
        let runs_text = program.is("shell") || program.is("interpreter");
        runs_text || program.removes() || program.writes() || program.places()
    };
    !word.is_empty() && (ALARMS.contains(&word) || Program::of(word).is_some_and(changes))
}

/// Returns true if a call asks a program for help, so that it does nothing. Those that run other programs may hand the
/// flag to them, so that the entry must vouch for it.
pub(crate) fn asks_for_help(name: &str, argv: &[String]) -> bool {
    let flag = |word: &String| word.trim_start_matches('-').starts_with(['h', 'v', 'V']) && word.starts_with('-');
    if !argv.iter().skip(1).any(flag) {
        return false;
    }
    let Some(program) = Program::of_call(name, argv) else { return false };
    program.vouches() && Given::read(&program, argv).has("help")
}
