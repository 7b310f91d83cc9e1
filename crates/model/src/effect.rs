//! What an action would do, as far as it can be known before it runs.

use crate::{Print, Run};

/// Everything one tool call would do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effects {
    /// In the order in which they were found.
    pub list: Vec<Effect>,
    pub coverage: Coverage,
    /// What could not be followed. Empty when coverage is full.
    pub gaps: Vec<Gap>,
    /// The call was too long or too deeply nested to read: there may be anything in the rest. Other gaps are
    /// ordinary: a program nobody knows, a name that only the shell can tell.
    pub gave_up: bool,
    /// Every program that runs, in order, with what the call's end and output say about it. A program that runs twice
    /// is here twice, though its effect is listed once.
    pub runs: Vec<Run>,
    /// What the shell itself prints into the call's own output (`echo`, `printf`), where it holds a digit.
    pub prints: Vec<Print>,
}

crate::named! {
    /// How much of a call could be known.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Coverage {
        /// Nothing: an unknown tool, or a text that is no command.
        None = "none",
        /// What is listed will happen or may happen; there may be more.
        Partial = "partial",
        #[default]
        Full = "full",
    }
}

/// A part of a call that could not be followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gap {
    /// The sub-expression as written, shortened; empty when the whole call is meant.
    pub part: String,
    /// Why, in a few words.
    pub why: String,
    /// The paths that its words may name, as written: no link is resolved. A word of which nothing is known is not
    /// among them.
    pub paths: Vec<Target>,
    /// Texts that it runs or is given and that were not followed, such as a program in another language.
    pub texts: Vec<String>,
    /// The program that could not be followed, by its place in [`Effects::runs`]; `None` if that is not known.
    pub run: Option<usize>,
    /// All that is not known is which files of a listed effect are meant, so whoever judges that effect judges the gap.
    pub is_listed: bool,
    /// It does what is typed into it later, at a terminal.
    pub is_typed: bool,
}

impl std::fmt::Display for Gap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.part.is_empty() {
            true => f.write_str(&self.why),
            false => write!(f, "`{}`: {}", self.part, self.why),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    pub op: Op,
    /// The sub-expression that does it, as written, shortened. Verdicts quote it.
    pub part: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    Read {
        target: Target,
        access: Access,
    },
    /// Any change of a file's content or existence that is neither a deletion nor a renaming.
    Write {
        target: Target,
        how: How,
        content: Content,
    },
    Delete(Target),
    Rename {
        from: Target,
        to: Target,
    },
    /// Runs a program: its words after all wrappers are taken off, and the folder it runs in.
    Run {
        argv: Vec<String>,
        dir: String,
    },
    Git(GitOp),
    Stead(SteadCall),
    /// Talks to somebody outside; the host where the text names one.
    Network {
        program: String,
        host: Option<String>,
    },
    /// Runs code that this call itself downloads: the program that runs it, and the host where the text names one.
    RunDownload {
        program: String,
        host: Option<String>,
    },
    /// Gives a database one statement of SQL: the program, and the statement's words without strings and comments.
    Sql {
        program: String,
        words: Vec<String>,
    },
    Mcp {
        server: String,
        tool: String,
    },
    Spawn {
        role: Option<String>,
    },
}

/// In front of an exclusion of a [`Target`]: only what is called so is left out, and not what is in a folder of that
/// name.
pub const ITSELF: char = '=';

/// A file or folder that an effect concerns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Absolute, without `.` and `..`, links resolved as far as they exist. May hold glob signs if `glob` says so.
    pub path: String,
    /// The same below the project's root, with forward slashes; `None` outside. The root itself is the empty text.
    pub inside: Option<String>,
    /// Everything below it, too. A write of a tree is a write of every path in it, save [`How::Somewhere`].
    pub tree: bool,
    /// The path is a pattern that the shell will expand.
    pub glob: bool,
    /// Signs of the pattern stand for a piece that nobody knows, so that no look at the disk tells what is meant.
    pub guessed: bool,
    /// What the call itself leaves out of a folder or pattern (`--exclude`, `-prune`): absolute patterns, or `**/name`
    /// for a name at any depth; a folder stands for all that is in it. With [`ITSELF`] in front it is only what is called
    /// so. Case matters.
    pub except: Vec<String>,
}

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Its text is shown, or searched; of a folder, the text of some of its files.
    Shown,
    /// It is copied, packed or sent as it is; a folder with all that is in it.
    Taken,
    /// A program uses it and shows nothing of it: a key that signs, variables that a shell sources.
    Used,
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The whole file is replaced or created.
    Replace,
    Edit,
    Append,
    /// A link is made at this path.
    Link,
    /// Unpacked, copied or generated into; the names of the files may not be known.
    Into,
    /// Some of the files below may change and nobody knows which: a formatter let loose on a folder, an archive opened
    /// at the project's root. Unlike every other write of a tree it is no write of each path in it.
    Somewhere,
    /// Mode, owner or times.
    Attributes,
}

/// What will stand in a file, where the call says so.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Unknown,
    /// The whole new text (for [`How::Append`]: the text that is added).
    Text(String),
    /// Replacements in order: old, new, all occurrences.
    Replacements(Vec<(String, String, bool)>),
}

/// What git would do beyond reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitOp {
    /// The sub-command, such as `push` or `reset`.
    pub verb: String,
    pub kind: GitKind,
    /// The repository's folder.
    pub dir: String,
    /// The untracked files that go away (`clean`, `stash -u`).
    pub untracked: Option<Untracked>,
}

/// Files that git does not track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untracked {
    /// The folder they lie below.
    pub target: Target,
    /// Those that git ignores, too.
    pub ignored: bool,
}

/// A call of Stead itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SteadCall {
    pub words: Vec<SteadWord>,
    pub program: SteadProgram,
}

/// One word of such a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SteadWord {
    /// The text, with `*` and `?` as written and `…` for a piece that is not known.
    pub text: String,
    /// So many bytes of the text are certain; the shell decides about the rest.
    pub certain: usize,
    /// A piece of it is not known at all: no shell would pass the text on as it is.
    pub guessed: bool,
}

/// How sure it is that the program is Stead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteadProgram {
    Named,
    /// The program's name is not known, but its words are those of Stead.
    Doubtful,
}

crate::named! {
    /// What a git command is about, by the name that guards use.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum GitKind {
        Commit = "commit",
        Push = "push",
        /// Overwrites what the remote has.
        ForcePush = "force-push",
        /// Throws away or overwrites work in the whole tree: `reset --hard`, `clean -fdx`, `checkout .`, `stash -u`.
        WholeTree = "whole-tree",
        /// The same for named paths; these are listed as writes or deletions, too.
        Paths = "paths",
        /// Moves or removes branches, tags, work trees.
        Refs = "refs",
        /// Changes settings or hooks of the repository.
        Config = "config",
        Other = "other",
    }
}
