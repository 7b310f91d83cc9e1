//! What programs do with their arguments: a table (`programs/programs.txt`, which documents its format), the parsing of
//! a call by its entry, and the resulting effects. Programs with their own grammar have code instead.
//!
//! The table is indexed when Stead is built, so that a call parses nothing.

pub(crate) mod copy;
pub(crate) mod effect;
pub(crate) mod given;
mod index;
pub(crate) mod network;
pub(crate) mod search;

pub(crate) use copy::is_remote;
pub(crate) use effect::{Known, note};
pub(crate) use given::{Given, Inner, in_one_spelling};
pub(crate) use network::host_of;
pub(crate) use network::note as note_network;
pub(crate) use search::{globs, omissions, places};

use stead_model::pieces;

use index::{Entry, Field, entries};

/// The content of an entry, without its name.
#[derive(Clone, Copy, Debug)]
struct Row {
    traits: &'static str,
    fields: &'static [Field],
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
}

impl From<&Entry> for Row {
    fn from(entry: &Entry) -> Self {
        Self { traits: entry.traits(), fields: entry.fields() }
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
        match entry.same_as() {
            Some(other) => Self::named(other),
            None => {
                let branches = !others.is_empty();
                Some(Self { name: entry.program(), own: entry.into(), sub: None, verbs: 0, branches })
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
            if let Some(count) = entry.named_by(&words).filter(|count| *count > program.verbs) {
                program.sub = Some(entry.into());
                program.verbs = count;
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
        self.rows().flat_map(|row| row.fields).find(|field| field.key() == name).map(Field::text)
    }

    /// The roles of its words.
    fn roles(&self) -> impl Iterator<Item = &'static str> + use<> {
        pieces(self.field("words").unwrap_or_default(), b' ').filter(|role| !role.is_empty())
    }

    /// What an option means, and how the table spells it.
    fn option(&self, flag: &str) -> Option<(&'static str, &'static str)> {
        // What starts a word is spelled in any case.
        let start = flag.ends_with([':', '=']);
        let shortens = self.is("abbreviates");
        let may_be_short = shortens && flag.len() > 2 && flag.starts_with("--");
        let mut short = None;
        for field in self.rows().flat_map(|row| row.fields) {
            for item in field.options() {
                if item == flag || start && item.eq_ignore_ascii_case(flag) {
                    return Some((field.key(), item));
                }
                if may_be_short && short.is_none() && item.starts_with(flag) {
                    short = Some((field.key(), item));
                }
            }
        }
        match flag {
            "--help" => Some(("help", "--help")),
            "--version" if shortens => Some(("help", "--version")),
            _ => short,
        }
    }
}

/// Returns true if a program only reads, prints or asks, whatever words it is given.
pub(crate) fn is_read_only(name: &str) -> bool {
    Program::of(name).is_some_and(|program| {
        let harmless = |role: &str| matches!(role.trim_end_matches('*'), "text" | "value" | "read" | "search" | "use");
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
    "am", "apply", "checkout", "clean", "dd", "eval", "find", "git-clean", "gmake", "make", "npm", "patch", "pnpm",
    "restore", "rmdir", "sed", "source", "stash", "tar", "unzip", "worktree", "xargs", "yarn",
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
