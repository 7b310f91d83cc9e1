//! Command lines as the tools spell them that Stead replaces. They are read as Stead's own commands, so that a habit, a
//! script or an agent's instructions still work.

use clap::ValueEnum;

use crate::command::run::Kind;

/// The words after the older name of a command, and the command of Stead. A name with a `.` is one of a script's functions.
const CONTEXT: &[(&str, &[&str])] = &[
    ("validate", &["role", "validate"]),
    ("validate.all", &["role", "validate", "--all"]),
    ("schema", &["role", "schema"]),
    ("list", &["role", "list"]),
    ("recover", &["role", "recover"]),
    ("lifecycle.init", &["role", "lifecycle", "init"]),
    ("lifecycle.save", &["role", "lifecycle", "save"]),
    ("lifecycle.status", &["role", "lifecycle", "status"]),
    ("lifecycle.pre.compact", &["role", "lifecycle", "pre-compact"]),
    ("lifecycle.recover", &["role", "lifecycle", "recover"]),
];

/// Reads the words after `stead`. Returns Stead's own spelling if they are an older one.
pub(crate) fn respelled(words: &[String]) -> Option<Vec<String>> {
    let (before, rest) = words.split_at(options_before(words));
    let own = match rest.first().map(String::as_str)? {
        "context" => context(&rest[1..])?,
        "run" => run(&rest[1..])?,
        _ => return None,
    };
    Some(before.iter().cloned().chain(own).collect())
}

/// How many words are options that every command takes.
pub(crate) fn options_before(words: &[String]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += match word.as_str() {
            "-C" | "--dir" | "--config" => 2,
            word if word.starts_with("-C") || word.starts_with("--dir=") || word.starts_with("--config=") => 1,
            _ => break,
        };
    }
    at.min(words.len())
}

fn context(rest: &[String]) -> Option<Vec<String>> {
    let (verb, rest) = rest.split_first()?;
    let own = CONTEXT.iter().find(|(older, _)| older == verb).map(|(_, own)| *own)?;
    Some(own.iter().map(|word| (*word).to_owned()).chain(rest.iter().cloned()).collect())
}

/// `run work auth 3`: a stage without its kind, and the number of iterations at the end.
fn run(rest: &[String]) -> Option<Vec<String>> {
    let plain = rest.iter().take_while(|word| !word.starts_with('-')).count();
    let (plain, options) = rest.split_at(plain);
    let has_kind = plain.first().is_some_and(|word| Kind::from_str(word, false).is_ok());
    let (kind, names) = if has_kind { plain.split_at(1) } else { (&[][..], plain) };
    let (names, most) = match names {
        [name, run, most] if most.parse::<u32>().is_ok() => ([name, run], Some(most)),
        [name, run] if !has_kind => ([name, run], None),
        _ => return None,
    };
    let kind = kind.first().map_or("stage", String::as_str).to_owned();
    let mut own = vec!["run".to_owned(), kind];
    own.extend(names.into_iter().cloned());
    if let Some(most) = most {
        own.extend(["--max".to_owned(), most.clone()]);
    }
    own.extend(options.iter().cloned());
    Some(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_spellings_are_read() {
        let check = |typed: &str, expected: Option<&str>| {
            let words: Vec<String> = typed.split_whitespace().map(str::to_owned).collect();
            assert_eq!(respelled(&words).map(|own| own.join(" ")).as_deref(), expected, "{typed}");
        };
        check("run work auth 3", Some("run stage work auth --max 3"));
        check("run work auth 3 --provider mock", Some("run stage work auth --max 3 --provider mock"));
        check("run work auth", Some("run stage work auth"));
        check("run loop work auth 3 --resume", Some("run loop work auth --max 3 --resume"));
        check("-C sub run work auth 3", Some("-C sub run stage work auth --max 3"));
        check("--config=a=b run work auth", Some("--config=a=b run stage work auth"));
        check("run stage work auth", None);
        check("run pipeline full-refine auth --resume", None);
        check("run work", None);
        check("run stage work", None);
        check("context validate roles/a.context.md --json", Some("role validate roles/a.context.md --json"));
        check("context validate.all", Some("role validate --all"));
        check("context schema", Some("role schema"));
        check("context recover tester", Some("role recover tester"));
        check("context lifecycle.save tester", Some("role lifecycle save tester"));
        check("context lifecycle.pre.compact", Some("role lifecycle pre-compact"));
        check("context init", None);
        check("context", None);
        check("", None);
        check("-C", None);
    }

    #[test]
    fn what_they_are_read_as_exists() {
        for (older, own) in CONTEXT {
            let mut command = &crate::cli::command();
            for word in own.iter().filter(|word| !word.starts_with('-')) {
                command = command.find_subcommand(word).unwrap_or_else(|| panic!("{older}: {word}"));
            }
        }
    }
}
