//! The small languages inside a guard: commands, texts and names, and paths against the targets of effects.

mod argv;
mod flag;
mod name;
mod path;
mod text;

pub(crate) use argv::ArgvPattern;
pub(crate) use name::{meets, one_of};
pub(crate) use path::{any_path, covers_path, means, touched};
pub(crate) use text::TextPattern;

/// Returns true if a command, as its words, matches a command pattern such as `git push --force|-f`.
pub fn command_matches(pattern: &str, argv: &[String]) -> bool {
    ArgvPattern::parse(pattern).is_some_and(|pattern| pattern.meets(argv))
}
