//! Programs given inline in another language than the shell's: which files and commands their calls name.
//!
//! It reads tokens, folds constants (joined texts and paths, home, decoders, loops over literals, dictionaries, what
//! functions are given and return) and looks at calls it knows. It follows no control flow: what stands in the text may
//! happen. It never runs anything and never fails; what it cannot fold is unknown.

pub(crate) mod act;
pub(crate) mod arguments;
pub(crate) mod assign;
pub(crate) mod call;
pub(crate) mod constant;
pub(crate) mod embedded;
pub(crate) mod eval;
pub(crate) mod expression;
pub(crate) mod function;
pub(crate) mod import;
pub(crate) mod javascript;
pub(crate) mod language;
pub(crate) mod lexer;
pub(crate) mod module;
pub(crate) mod narrow;
pub(crate) mod object;
pub(crate) mod other;
pub(crate) mod python;
pub(crate) mod sqlite;
pub(crate) mod target;
pub(crate) mod text;
pub(crate) mod value;

pub(crate) use eval::{Surroundings, read};
pub(crate) use language::Language;

use stead_model::{Content, How};

/// Something that a program would do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Write {
        path: String,
        how: How,
        content: Content,
        tree: bool,
    },
    Delete {
        path: String,
        tree: bool,
    },
    Rename {
        from: String,
        to: String,
    },
    Read {
        path: String,
    },
    /// Runs a text in the shell.
    Shell {
        text: String,
        dir: Option<String>,
    },
    /// Runs a program with its words.
    Exec {
        argv: Vec<String>,
        dir: Option<String>,
    },
    /// Runs a text in the same language.
    Code {
        text: String,
    },
    /// Goes to another folder.
    Enter {
        dir: String,
    },
    /// Gives SQL to a database.
    Sql {
        text: String,
    },
    /// Talks to somebody outside.
    Network {
        name: String,
        address: Option<String>,
    },
    /// Does something that cannot be known.
    Gap {
        what: String,
    },
    /// Takes in a module, which runs what stands in its file.
    Import {
        module: String,
    },
    /// Does more than is read.
    More,
}
