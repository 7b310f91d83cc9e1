//! A shell command as a tree, with just enough detail to know which program gets which words and files.

/// A list of pipelines.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Script(pub(crate) Vec<Item>);

/// One pipeline, and how it is joined to the previous one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    pub(crate) join: Join,
    pub(crate) pipeline: Vec<Command>,
    /// `&` stands behind the list it belongs to.
    pub(crate) background: bool,
}

impl Item {
    /// One command that hangs on nothing.
    pub(crate) fn alone(pipeline: Vec<Command>) -> Self {
        Self { join: Join::Always, pipeline, background: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Join {
    /// After `;`, `&`, a newline, or at the start.
    Always,
    And,
    Or,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Command {
    Simple(Simple),
    Group(Group),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Redirect>,
}

/// `name=value`, before a command or alone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Assignment {
    /// With the key in brackets where one element is meant; a key that is unknown is empty.
    pub(crate) name: String,
    pub(crate) value: Value,
    /// `+=`.
    pub(crate) adds: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    One(Word),
    /// The elements of an array, with their keys where they have any.
    List(Vec<(Option<String>, Word)>),
}

#[cfg(test)]
impl Value {
    pub(crate) fn words(&self) -> Vec<&Word> {
        match self {
            Self::One(word) => vec![word],
            Self::List(list) => list.iter().map(|(_, word)| word).collect(),
        }
    }
}

/// A compound command. Its parts (condition, branches, body) stand in one script, in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    pub(crate) kind: GroupKind,
    pub(crate) body: Script,
    pub(crate) redirects: Vec<Redirect>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum GroupKind {
    Brace,
    /// `!`, `coproc`: runs, and how it ends is turned round or lost.
    Not,
    Subshell,
    /// May run: `if`, `case`.
    Maybe,
    /// A way through the one around it, or the first command of it.
    Arm(Arm),
    /// May run repeatedly: `while`, `until`.
    Loop,
    For {
        variable: String,
        values: Vec<Word>,
    },
    Function {
        name: String,
    },
}

/// What begins a way through `if` or `case`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arm {
    /// `then`, or a pattern.
    Way,
    /// `elif`.
    Condition,
    /// `else`, or the pattern for everything.
    Rest,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Redirect {
    Read(Word),
    Write {
        target: Word,
        kind: Output,
    },
    /// A here-document or here-string.
    Text(Word),
}

/// What a redirection writes, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// The output replaces the file's text.
    Replace,
    /// The output is appended.
    Append,
    /// Error messages, or a file opened for both.
    Other,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Word(pub(crate) Vec<Part>);

/// A piece of a word. Unquoted wildcards and braces stand in [`Part::Text`] as marks, see [`mark`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    Text(String),
    Variable {
        name: String,
        quoted: bool,
        /// What stands after `:-`, `:=` and `:+`, with the sign.
        instead: Option<(char, Word)>,
    },
    /// A variable that is changed as it is used, or (`!`) names the one that is meant.
    Altered {
        name: String,
        quoted: bool,
        sign: &'static str,
        operand: Word,
    },
    /// `$(…)` and backticks.
    Substitution {
        script: Script,
        quoted: bool,
    },
    /// `<(…)` and `>(…)`: a file that a command reads or writes.
    Process(Script),
    /// `$((…))`: a number; only the substitutions in it matter.
    Arithmetic(Word),
    /// Something whose value we do not compute.
    Unknown,
}

impl Word {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self(vec![Part::Text(text.into())])
    }

    /// Returns the word when it is plain text.
    pub(crate) fn plain(&self) -> Option<&str> {
        match self.0.as_slice() {
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }
}

/// Characters that stand for something other than text. They are removed from real input before it is read.
pub(crate) mod mark {
    use std::borrow::Cow;

    pub(crate) use crate::glob::{MANY, ONE};

    /// A value we do not know.
    pub(crate) const UNKNOWN: char = '\u{F0002}';
    /// An unquoted `[`.
    pub(crate) const BRACKET: char = '\u{F0004}';
    /// An unquoted `{`, `,` or `}`.
    pub(crate) const OPEN: char = '\u{F0005}';
    pub(crate) const COMMA: char = '\u{F0006}';
    pub(crate) const CLOSE: char = '\u{F0007}';

    /// After [`UNKNOWN`]: the value was downloaded by this command.
    pub(crate) const FETCHED: char = '\u{F0008}';

    /// Marks after a word that say what was excluded from it.
    const OMISSIONS: std::ops::RangeInclusive<char> = '\u{F0010}'..='\u{F004F}';

    /// Returns true if a text may hold a mark: all of them are letters of four bytes.
    pub(crate) fn may_be_in(text: &str) -> bool {
        text.bytes().any(|byte| byte >= 0xF0)
    }

    /// Frees what somebody wrote of signs that mean something only here.
    pub(crate) fn cleaned(text: &str) -> Cow<'_, str> {
        match may_be_in(text) || text.contains('\0') {
            true => Cow::Owned(text.chars().filter(|c| !is_mark(*c) && *c != '\0').collect()),
            false => Cow::Borrowed(text),
        }
    }

    pub(crate) fn is_mark(c: char) -> bool {
        (MANY..=FETCHED).contains(&c) || OMISSIONS.contains(&c)
    }

    /// The sign with this number.
    pub(crate) fn omission(number: usize) -> Option<char> {
        u32::try_from(number)
            .ok()
            .and_then(|number| char::from_u32(0xF_0010 + number))
            .filter(|c| OMISSIONS.contains(c))
    }

    /// The number of such a sign.
    pub(crate) fn omitted(c: char) -> Option<usize> {
        OMISSIONS.contains(&c).then(|| c as usize - 0xF_0010)
    }

    /// Returns the word with the signs its marks came from, as a shell passes it on that finds no file to match. `None`
    /// when part of it is unknown.
    pub(crate) fn literal(word: &str) -> Option<String> {
        let sign = |c| match c {
            MANY => Some('*'),
            ONE => Some('?'),
            BRACKET => Some('['),
            OPEN => Some('{'),
            COMMA => Some(','),
            CLOSE => Some('}'),
            c => (!is_mark(c)).then_some(c),
        };
        word.chars().map(sign).collect()
    }
}
