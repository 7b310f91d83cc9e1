use stead_model::Verdict;

use super::builtin::PROGRAM;
use super::entry::Entry;
use super::rule::Rule;

/// The gate's name in config, in records and in `explain`.
pub const GATE: &str = "self-protection";

/// The maximum length of a quotation; a reason must stay readable.
const QUOTE: usize = 120;

/// A denial: what was blocked, why, and what to do instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Denial {
    pub(crate) what: String,
    pub(crate) why: String,
    pub(crate) instead: String,
}

impl Denial {
    pub(crate) fn new(what: impl Into<String>, why: impl Into<String>, instead: impl Into<String>) -> Self {
        Self { what: what.into(), why: why.into(), instead: instead.into() }
    }

    /// Formats the denial. Every denial of this gate is formatted here.
    pub(crate) fn verdict(&self) -> Verdict {
        Verdict::deny(GATE, format!("Stead stopped {}: {}.\nInstead: {}.", self.what, self.why, self.instead))
    }
}

/// Names the denied effect.
pub(crate) fn would(verb: &str, path: &str) -> String {
    format!("a call that would {verb} {}", quote(path))
}

/// Denies a change of Stead's own files.
pub(crate) fn own(entry: &Entry<'_>, what: String) -> Denial {
    let shown = entry.shown();
    match &entry.rule {
        Rule::Settings { client, .. } => Denial::new(
            what,
            format!("`{shown}` is a {client} settings file that can contain Stead's hooks"),
            "use the edit tool on that file, so that Stead can check that its hooks survive",
        ),
        Rule::Own { what: thing, .. } if thing == PROGRAM => Denial::new(
            what,
            format!("`{}` is {thing}, and without it no hook works", shown.trim_end_matches("/**")),
            "leave it as it is, or ask the person to update or remove it",
        ),
        Rule::Own { what: thing, .. } if shown.ends_with(".toml") || shown.starts_with('~') => Denial::new(
            what,
            format!("`{shown}` is {thing}, which agents may read but not change"),
            "ask the person to run `stead config set …`",
        ),
        Rule::Own { what: thing, .. } => Denial::new(
            what,
            format!("`{shown}` is {thing}, which agents may read but only Stead writes"),
            "continue without changing it, or ask the person to change it",
        ),
        Rule::Free { .. } | Rule::Verb { .. } | Rule::Off { .. } | Rule::Client { .. } | Rule::Variables { .. } => {
            Denial::new(what, "it is protected", "ask the person")
        }
    }
}

/// Denies a change of a whole folder that contains protected files.
pub(crate) fn holder(entry: &Entry<'_>, what: String) -> Denial {
    Denial::new(
        what,
        format!("it contains `{}`, which agents may not change", entry.shown()),
        "name the files one by one, without Stead's own and without the folder that contains them",
    )
}

/// Quotes text for a reason: one line, truncated if long.
pub(crate) fn quote(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(QUOTE + 1).collect();
    let line = line.trim();
    match line.char_indices().nth(QUOTE) {
        Some((end, _)) => format!("`{}…`", &line[..end]),
        None => format!("`{line}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_two_short_lines() {
        let denial = Denial::new(quote(&"x\n".repeat(400)), "it is long", "say less");
        let text = denial.verdict().reason_text();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.len() < 250, "{text}");
    }
}
