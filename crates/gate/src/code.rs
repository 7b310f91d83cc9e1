//! Programs given inline in another language than the shell's: which files and commands their calls name.
//!
//! It reads tokens, folds constants (joined texts and paths, home, decoders, loops over literals, dictionaries, what
//! functions are given and return) and looks at calls it knows. It follows no control flow: what stands in the text may
//! happen. It never runs anything and never fails; what it cannot fold is unknown.

mod arguments;
mod assign;
mod call;
mod constant;
mod deed;
mod eval;
mod expression;
mod function;
mod import;
mod javascript;
mod language;
mod lexer;
mod module;
mod narrow;
mod object;
mod other;
mod python;
mod target;
mod text;
mod value;

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
