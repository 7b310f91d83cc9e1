//! Commands that turn a client's hooks off, or that start a client or `stead` with other variables.

use std::path::Path;

use stead_model::{Effects, Op, Run, is_variable};
use stead_shell::Place;

use super::denial::{Denial, quote};
use super::rule::Rule;
use super::shield::Shield;

/// Stands for what only the shell knows.
const UNKNOWN: char = '…';

/// How many words after a client's name in free text may belong to it.
const NEAR: usize = 40;

/// Finds a program that would run without its hooks.
pub(crate) fn judge(shield: &Shield<'_>, effects: &Effects, place: &Place<'_>) -> Option<Denial> {
    let command = effects.list.iter().find_map(|effect| match &effect.op {
        Op::Run { argv, .. } => turned_off(shield, argv).map(|(rule, _)| refuse(rule, &effect.part)),
        _ => None,
    });
    let environment = || effects.runs.iter().find_map(|run| changed(shield, effects, run, place));
    // An unknown program may run what it is given.
    let handed_on = || {
        let runs = effects.gaps.iter().filter_map(|gap| effects.runs.get(gap.run?));
        let words = runs.filter_map(|run| words(effects, run));
        words.flat_map(|argv| (1..argv.len()).map(|at| &argv[at..])).find_map(|argv| {
            turned_off(shield, argv).filter(|(_, sure)| *sure).map(|(rule, _)| refuse(rule, &argv.join(" ")))
        })
    };
    command.or_else(environment).or_else(handed_on)
}

/// Finds such a command in free text: a client's name, and its words behind it.
pub(crate) fn mentioned(shield: &Shield<'_>, text: &str) -> Option<Denial> {
    let is_part = |c: char| c.is_alphanumeric() || "-_.=:/@!*".contains(c);
    let words: Vec<String> =
        text.split(|c: char| !is_part(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    (0..words.len()).find_map(|at| {
        let near = &words[at..words.len().min(at + NEAR)];
        turned_off(shield, near).filter(|(_, sure)| *sure).map(|(rule, _)| refuse(rule, text))
    })
}

fn words<'e>(effects: &'e Effects, run: &Run) -> Option<&'e [String]> {
    match &effects.list.get(run.effect)?.op {
        Op::Run { argv, .. } => Some(argv),
        _ => None,
    }
}

/// Finds the switch that a command line is, and whether all of it is known.
fn turned_off<'s>(shield: &'s Shield<'_>, argv: &[String]) -> Option<(&'s Rule<'s>, bool)> {
    // The rules of one client follow each other.
    let (mut client, mut given) = ("", None);
    shield.switches().iter().find_map(|rule| {
        let Rule::Off { programs, words, .. } = rule else { return None };
        if *programs != client {
            (client, given) = (programs, given_to(programs, argv));
        }
        let given: &[String] = given?;
        if given.iter().any(|word| word == "--help" || word == "-h") {
            return None;
        }
        Some((rule, matches(words, given)?))
    })
}

/// The words that a client is given, if these words start it.
fn given_to<'w>(programs: &str, argv: &'w [String]) -> Option<&'w [String]> {
    let (first, rest) = argv.split_first()?;
    if programs.split(',').any(|name| is_named(name, first)) {
        return Some(rest);
    }
    // An interpreter is given the file of the program.
    let at = rest.iter().position(|word| !word.starts_with('-'))?;
    let file = &rest[at];
    let is_file = file.ends_with("js") && file.contains('/');
    let is_of = |name: &str| is_named(name, file) || name.starts_with('@') && file.contains(&format!("{name}/"));
    (is_file && programs.split(',').any(is_of)).then(|| &rest[at + 1..])
}

/// Returns true if a word names a program, by its path, with a version, or with the ending of its file.
fn is_named(name: &str, word: &str) -> bool {
    let start = usize::from(word.starts_with('@'));
    let word = word[start..].find('@').map_or(word, |at| &word[..start + at]);
    if name.contains('/') || start > 0 {
        return word == name;
    }
    let last = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let bare = [".js", ".mjs", ".cjs", ".exe", ".cmd"].iter().find_map(|end| last.strip_suffix(end)).unwrap_or(last);
    bare.eq_ignore_ascii_case(name)
}

/// Matches the words after a program with a switch; `Some(false)` if only what the shell computes makes it one.
fn matches(switch: &str, given: &[String]) -> Option<bool> {
    let (options, words): (Vec<&str>, Vec<&str>) = switch.split(' ').partition(|token| token.starts_with('-'));
    // What follows `--` are words.
    let end = given.iter().position(|word| word == "--").unwrap_or(given.len());
    let mut sure = true;
    for option in options {
        sure &= has_option(option, &given[..end])?;
    }
    Some(sure & (words.is_empty() || has_words(&words, given)?))
}

/// Looks for an option: `-x|--long`, with `=value|value` or `:key|key`.
fn has_option(option: &str, given: &[String]) -> Option<bool> {
    let (names, wanted) = match option.find(['=', ':']) {
        Some(at) => (&option[..at], Some(option.split_at(at).1)),
        None => (option, None),
    };
    let mut found = None;
    for (at, word) in given.iter().enumerate() {
        for name in names.split('|') {
            let Some((value, sure)) = option_value(name, word, given.get(at + 1)) else { continue };
            let meant = match (wanted, value) {
                (None, _) => Some(sure),
                (Some(wanted), Some(value)) => has_value(wanted, value).map(|known| known & sure),
                (Some(_), None) => None,
            };
            found = found.max(meant);
        }
    }
    found
}

/// The value of an option if the word is that option, and whether that is certain.
fn option_value<'w>(name: &str, word: &'w str, next: Option<&'w String>) -> Option<(Option<&'w str>, bool)> {
    let next = next.map(String::as_str);
    if let Some(long) = name.strip_prefix("--") {
        let rest = word.strip_prefix("--")?;
        let (spelled, value) = rest.split_once('=').map_or((rest, None), |(spelled, value)| (spelled, Some(value)));
        let value = value.or(next);
        if let Some(at) = spelled.find(UNKNOWN) {
            return folded(long).starts_with(&folded(&spelled[..at])).then_some((value, false));
        }
        return (folded(spelled) == folded(long)).then_some((value, true));
    }
    let rest = word.strip_prefix(name)?;
    match rest.strip_prefix('=').unwrap_or(rest) {
        "" => Some((next, true)),
        glued => Some((Some(glued), true)),
    }
}

/// Some programs accept `--safeMode` for `--safe-mode`.
fn folded(name: &str) -> String {
    name.chars().filter(|c| *c != '-').flat_map(char::to_lowercase).collect()
}

/// Compares an option's value: `=a|b` with values, `:a|b.*` with the key of `key=value`.
fn has_value(wanted: &str, value: &str) -> Option<bool> {
    let (is_key, names) = (wanted.starts_with(':'), &wanted[1..]);
    let bare: String = value.chars().filter(|c| !c.is_whitespace() && !"\"'".contains(*c)).collect();
    let each: Vec<&str> = if is_key { vec![bare.as_str()] } else { bare.split(',').collect() };
    each.into_iter()
        .filter_map(|value| {
            let (key, set) = value.split_once('=').map_or((value, ""), |(key, set)| (key, set));
            if is_key && set == "true" {
                return None;
            }
            let compared = if is_key { key } else { value };
            names.split('|').filter_map(|name| is_word(name, compared)).max()
        })
        .max()
}

/// Looks for the words of a sub-command, in order. What follows an option may be its value, before and between them.
fn has_words(wanted: &[&str], given: &[String]) -> Option<bool> {
    let mut sure = false;
    let mut known = true;
    let mut left = wanted.iter();
    let mut next = left.next()?;
    let mut after_option = false;
    for word in given {
        if word.starts_with('-') {
            after_option = word != "--" && !word.contains('=');
            continue;
        }
        match is_wanted(next, word) {
            Some(certain) => {
                sure |= certain;
                known &= certain;
                match left.next() {
                    Some(token) => next = token,
                    // A command that is unknown altogether is not one.
                    None => return sure.then_some(known),
                }
            }
            None if after_option => {}
            None => return None,
        }
        after_option = false;
    }
    None
}

/// Compares a word with `a|b`, `!a|b` or `*`; `Some(false)` if the shell may compute such a word.
fn is_wanted(token: &str, word: &str) -> Option<bool> {
    match token.strip_prefix('!') {
        Some(others) => (!others.split('|').any(|other| is_word(other, word) == Some(true))).then_some(true),
        None => token.split('|').filter_map(|name| is_word(name, word)).max(),
    }
}

fn is_word(name: &str, word: &str) -> Option<bool> {
    if name == "*" {
        return Some(true);
    }
    if let Some(at) = word.find(UNKNOWN) {
        let start = name.trim_end_matches('*');
        return (start.starts_with(&word[..at]) || name.ends_with('*') && word.starts_with(start)).then_some(false);
    }
    let same = match name.strip_suffix('*') {
        Some(start) => word.to_lowercase().starts_with(&start.to_lowercase()),
        None => word.eq_ignore_ascii_case(name),
    };
    same.then_some(true)
}

/// Finds a client or `stead` that is started with variables which decide whether Stead runs.
fn changed(shield: &Shield<'_>, effects: &Effects, run: &Run, place: &Place<'_>) -> Option<Denial> {
    if run.env.is_empty() && run.cleared.is_empty() {
        return None;
    }
    let argv = words(effects, run)?;
    let program = argv.first()?;
    let is_client = shield.switches().iter().any(|rule| match rule {
        Rule::Client { programs } => given_to(programs, argv).is_some(),
        _ => false,
    });
    if !is_client && !is_named("stead", program) {
        return None;
    }
    let variables = shield.variables();
    let is_meant = |name: &str| variables.iter().any(|named| is_variable(named, name));
    let set = run.env.iter().find(|(name, value)| is_meant(name) && !keeps(name, value, place));
    let cleared = || run.cleared.iter().find(|name| *name == "*" || is_meant(name));
    let (how, name) = match set {
        Some((name, _)) => ("sets", name.as_str()),
        None => ("removes", cleared()?.as_str()),
    };
    let shown = if name == "*" { "all variables".to_owned() } else { quote(name) };
    let program = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or(program);
    Some(Denial::new(
        format!("a call that {how} {shown} for `{program}`"),
        "with it, the program may run without Stead's hooks or with other rules",
        format!("start `{program}` without changing {shown}"),
    ))
}

/// Returns true if a variable stays what it is. More folders at the end of PATH change nothing that is found now.
fn keeps(name: &str, value: &str, place: &Place<'_>) -> bool {
    let Some(now) = (place.env)(name) else { return false };
    let now = now.to_string_lossy();
    value == now || name == "PATH" && value.strip_prefix(&*now).is_some_and(|rest| rest.starts_with(':'))
}

fn refuse(rule: &Rule<'_>, part: &str) -> Denial {
    let (client, does) = match rule {
        Rule::Off { client, does, .. } => (client.as_ref(), does.as_ref()),
        _ => ("the client", "it turns hooks off"),
    };
    Denial::new(
        quote(part),
        format!("{does}, and Stead's hooks in {client} keep its rules"),
        "run it without that, or ask the person to run it",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(switch: &str, given: &str, expected: Option<bool>) {
        let given: Vec<String> = given.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        assert_eq!(matches(switch, &given), expected, "{switch}: {given:?}");
    }

    #[test]
    fn an_option_in_each_spelling() {
        for given in ["--safe-mode", "x --safe-mode y", "--safeMode", "--safe-mode=true", "--SAFE-MODE"] {
            check("--safe-mode", given, Some(true));
        }
        for given in ["", "--safe", "safe-mode", "-safe-mode", "-- --safe-mode", "--no-safe-mode"] {
            check("--safe-mode", given, None);
        }
        check("--safe-mode", "--sa…", Some(false));
        check("--safe-mode", "…", None);
    }

    #[test]
    fn an_option_with_a_value() {
        let switch = "--disable=hooks|codex_hooks";
        check(switch, "--disable hooks", Some(true));
        check(switch, "--disable=apps,hooks", Some(true));
        check(switch, "--disable apps", None);
        check(switch, "--disable …", Some(false));
        check(switch, "--disable", None);
    }

    #[test]
    fn an_option_that_sets_a_key() {
        let switch = "-c|--config:features|features.hooks|hooks.*";
        for given in [
            "-c features.hooks=false",
            "-cfeatures.hooks=false",
            "-c=features.hooks=false",
            "--config features.hooks=0",
            "--config=features.hooks=false",
            "-c features={hooks=false}",
            "-c \"features\".hooks=false",
            "-c hooks.Stop=[]",
            "-c a=b -c features.hooks=false",
            "-c Features.Hooks=false",
        ] {
            check(switch, given, Some(true));
        }
        for given in ["-c model=o3", "-c features.hooks=true", "-c features.apps=false", "-c a=features.hooks=false"] {
            check(switch, given, None);
        }
        check(switch, "-c …", Some(false));
        check(switch, "-c features.…", Some(false));
        check(switch, "-c model=…", None);
    }

    #[test]
    fn a_sub_command_among_options() {
        let switch = "hooks|hook disable";
        for given in
            ["hooks disable", "hook disable x", "--debug hooks disable", "-m x hooks --y z disable", "-- hooks disable"]
        {
            check(switch, given, Some(true));
        }
        for given in ["hooks list", "hooks", "disable hooks", "say hooks disable", "hooks list disable"] {
            check(switch, given, None);
        }
        check(switch, "hooks dis…", Some(false));
        check(switch, "… …", None);
        check("config set off !false|no", "config set off true", Some(true));
        check("config set off !false|no", "config set off no", None);
        check("config set off !false|no", "config set off", None);
        check("config --rm hooks", "config hooks --rm", Some(true));
        check("config --rm hooks", "config hooks", None);
    }

    #[test]
    fn a_program_by_its_names() {
        let check = |argv: &str, expected: bool| {
            let argv: Vec<String> = argv.split(' ').map(str::to_owned).collect();
            assert_eq!(given_to("tool,@some/tool", &argv).is_some(), expected, "{argv:?}");
        };
        for argv in [
            "tool x",
            "/usr/bin/tool",
            "Tool.exe",
            "tool@1.2 x",
            "@some/tool",
            "@some/tool@latest x",
            "node /x/node_modules/@some/tool/dist/cli.js",
            "node --flag ./bin/tool.js",
        ] {
            check(argv, true);
        }
        for argv in ["tools", "other tool", "@other/tool", "cat x/@some/tool/README.md", "node other.js tool"] {
            check(argv, false);
        }
    }
}
