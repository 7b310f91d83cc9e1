//! Parses the summaries of test runners. Each parser knows one runner's format; it reads lines, never expands or
//! executes anything, and returns `None` if there is no summary.

mod line;
mod native;
mod python;
mod script;
mod virtual_machine;

use crate::Counts;
use crate::text;

/// Only the end of a long output is read; that is where summaries are.
const LIMIT: usize = 256 * 1024;

type Read = fn(&str) -> Option<Counts>;

/// The parsers by runner. For runners that only start others, all of them are tried.
const READERS: &[(&str, Read)] = &[
    ("cargo", native::cargo),
    ("nextest", native::nextest),
    ("pytest", python::pytest),
    ("unittest", python::unittest),
    ("jest", script::jest),
    ("vitest", script::vitest),
    ("mocha", script::mocha),
    ("node-test", script::node),
    ("bun", script::bun),
    ("deno", script::deno),
    ("go", native::go),
    ("ctest", native::ctest),
    ("maven", virtual_machine::surefire),
    ("gradle", virtual_machine::gradle),
    ("dotnet", virtual_machine::dotnet),
    ("rspec", script::rspec),
    ("minitest", script::minitest),
    ("phpunit", script::phpunit),
    ("swift", native::swift),
    ("mix", script::mix),
];

/// Reads the counts from an output of `runner`; for a runner that starts others, from any known summary. A generic "no
/// tests" is understood, too, but no other generic text.
pub fn summarise(runner: &str, output: &str) -> Option<Counts> {
    let plain = text::plain(text::tail(output, LIMIT));
    match READERS.iter().find(|(name, _)| *name == runner) {
        Some((_, read)) => read(&plain),
        None => every(&plain).or_else(|| line::says_none(&plain).then(Counts::default)),
    }
}

/// Adds up all summaries: a script may start several runners.
fn every(text: &str) -> Option<Counts> {
    let mut found: Vec<Counts> = Vec::new();
    for (_, read) in READERS {
        if let Some(counts) = read(text)
            && !found.contains(&counts)
        {
            found.push(counts);
        }
    }
    found.into_iter().reduce(Counts::plus)
}

/// Returns true if a text of the agent could be mistaken for a summary.
pub(crate) fn looks_like_one(text: &str) -> bool {
    READERS.iter().any(|(_, read)| read(text).is_some())
}

#[cfg(test)]
mod tests;
