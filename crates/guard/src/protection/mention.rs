//! Protected paths named inside free text, such as a one-line program.

use stead_shell::{MANY, fold};

use super::candidate::Names;
use super::shield::Shield;

/// Finds a piece of the text that contains a protected path, or the folder of one, from its first name on.
pub(crate) fn find<'t>(shield: &Shield<'_>, text: &'t str) -> Option<&'t str> {
    pieces(text).find(|piece| shield.standing_of_end(&names_in(piece)).is_some())
}

/// Splits text into what could be paths.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || "._-/~+@*".contains(c) || c == '\\'))
        .map(|piece| piece.trim_end_matches('.'))
        .filter(|piece| !piece.is_empty())
}

/// The names of a piece; a `*` in code is usually a wildcard, too, and `\` may separate names.
pub(crate) fn names_in(piece: &str) -> Names {
    piece
        .split(['/', '\\'])
        .filter(|name| !name.is_empty() && *name != ".")
        .map(|name| fold(name).into_iter().map(|c| if c == '*' { MANY } else { c }).collect())
        .collect()
}

/// Returns true if the text calls a `stead` command that weakens it: the words in order, with any punctuation between
/// them.
pub(crate) fn weakening_call(shield: &Shield<'_>, text: &str) -> Option<String> {
    let words: Vec<&str> =
        text.split(|c: char| !(c.is_alphanumeric() || "_-.".contains(c))).filter(|w| !w.is_empty()).collect();
    for (at, _) in words.iter().enumerate().filter(|(_, word)| word.eq_ignore_ascii_case("stead")) {
        let rest: Vec<&str> = words[at + 1..].iter().copied().filter(|word| !word.starts_with('-')).take(6).collect();
        for verb in shield.verbs() {
            if rest.windows(verb.len().max(1)).take(3).any(|window| window.iter().eq(verb.iter())) {
                return Some(verb.join(" "));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protection::testing::World;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        World::new().with_shield(|shield, _| assert_eq!(find(shield, text), expected, "{text}"));
    }

    #[test]
    fn code_that_names_a_protected_path() {
        check("open('.agent/config.toml','w')", Some(".agent/config.toml"));
        check("shutil.rmtree('.agent')", Some(".agent"));
        check("Path.home()/'.usertool'/'settings.json'", Some(".usertool"));
        check("glob('.agent/*.toml')", Some(".agent/*.toml"));
        check("f'.agent/{name}'", Some(".agent/"));
        check("r'.agent\\config.toml'", Some(".agent\\config.toml"));
    }

    #[test]
    fn code_about_other_things() {
        check("use this instead of that", None);
        check("open('.agent/context/packets/a.md','w')", None);
        check("open('.tool/commands/x.md')", None);
        check("settings.json and config.toml", None);
        check("user.agent or x.agentic", None);
        check("glob('.github/workflows/*.yml')", None);
    }
}
