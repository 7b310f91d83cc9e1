//! Tasks of a project: the scripts of its `package.json` and the recipes of its `Makefile`, walked as scripts are.

use crate::parse::syntax::mark;
use crate::programs::interpreter::apart;
use crate::programs::options::{operands_without, option_values};
use crate::walk::program::quoted;
use crate::walk::{Call, Stop, Walk};

/// How deep tasks may call each other.
const DEPTH: usize = 8;
/// Targets of a `Makefile` that one call is followed through.
const TARGETS: usize = 16;

/// Walks the task that a call names. The rest of the file stays unknown.
pub(crate) fn judge(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<(), Stop> {
    if walk.depth >= DEPTH {
        return Ok(());
    }
    match name {
        "npm" | "pnpm" | "yarn" | "bun" => script(walk, name, call),
        "make" | "gmake" => make(walk, call),
        _ => Ok(()),
    }
}

/// `npm run fix`, `yarn fix`, `pnpm test`.
fn script(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<(), Stop> {
    let folders = ["--prefix", "--cwd", "--dir"];
    let words = operands_without(call.argv, "C", &folders);
    let (task, rest) = match words.as_slice() {
        ["run" | "run-script", task, rest @ ..] => (*task, rest),
        [task @ ("test" | "start"), rest @ ..] => (*task, rest),
        // Here a script may be called by its name alone.
        [task, rest @ ..] if matches!(name, "yarn" | "pnpm") => (*task, rest),
        _ => return Ok(()),
    };
    let folder = folders.iter().flat_map(|flag| option_values(call.argv, 'C', flag)).last().map(str::to_owned);
    let head = folder.as_deref().map_or(String::new(), |folder| format!("{}/", folder.trim_end_matches('/')));
    let Some(text) = walk.file_text(&format!("{head}package.json")) else { return Ok(()) };
    let Ok(manifest) = serde_json::from_str::<serde_json::Value>(&text) else { return Ok(()) };
    let script = |name: &str| manifest.get("scripts")?.get(name)?.as_str().map(plain);
    let Some(main) = script(task) else { return Ok(()) };
    let words: Vec<String> = rest.iter().filter(|word| **word != "--").map(|word| quoted(word)).collect();
    let before = script(&format!("pre{task}"));
    let after = script(&format!("post{task}"));
    let main = format!("{main} {}", words.join(" "));
    apart(walk, call, |walk| {
        if let Some(folder) = folder {
            enter(walk, &folder)?;
        }
        before.into_iter().chain([main]).chain(after).try_for_each(|text| walk.text(&text))
    })
}

/// `make fix`, with what it needs before.
fn make(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    if call.argv.iter().any(|word| matches!(word.as_str(), "-n" | "--just-print" | "--dry-run" | "-q" | "-p")) {
        return Ok(());
    }
    let folder = option_values(call.argv, 'C', "--directory").last().map(|&folder| folder.to_owned());
    let head = folder.as_deref().map_or(String::new(), |folder| format!("{}/", folder.trim_end_matches('/')));
    let named = option_values(call.argv, 'f', "--file").last().map(|file| format!("{head}{file}"));
    let usual = ["GNUmakefile", "makefile", "Makefile"].map(|file| format!("{head}{file}"));
    let text = match named {
        Some(file) => walk.file_text(&file),
        None => usual.iter().find_map(|file| walk.file_text(file)),
    };
    let Some(text) = text else { return Ok(()) };
    let file = Makefile::read(&plain(&text), call.argv);
    let words = operands_without(call.argv, "Cfj", &["--directory", "--file", "--jobs"]);
    let mut open: Vec<String> = words.iter().filter(|word| !word.contains('=')).map(|&word| word.to_owned()).collect();
    if open.is_empty() {
        open.extend(file.rules.first().map(|rule| rule.target.clone()));
    }
    let mut done: Vec<String> = Vec::new();
    while let Some(target) = open.pop() {
        if done.contains(&target) || done.len() >= TARGETS {
            continue;
        }
        for rule in file.rules.iter().filter(|rule| rule.target == target) {
            open.extend(rule.needs.iter().cloned());
            for line in &rule.recipe {
                let line = file.expand(line, &target);
                apart(walk, call, |walk| {
                    if let Some(folder) = &folder {
                        enter(walk, folder)?;
                    }
                    walk.text(&line)
                })?;
            }
        }
        done.push(target);
    }
    Ok(())
}

fn enter(walk: &mut Walk<'_>, folder: &str) -> Result<(), Stop> {
    let argv = ["cd".to_owned(), folder.to_owned()];
    crate::walk::program::enter(walk, &Call { argv: &argv, texts: &[], feed: None })
}

/// Removes our internal marks.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !mark::is_mark(*c) && *c != '\0').collect()
}

/// The rules of a `Makefile`, as far as they are spelled out.
#[derive(Default)]
struct Makefile {
    variables: Vec<(String, String)>,
    rules: Vec<Rule>,
}

struct Rule {
    target: String,
    needs: Vec<String>,
    recipe: Vec<String>,
}

impl Makefile {
    fn read(text: &str, argv: &[String]) -> Self {
        let mut file = Self::default();
        let joined = text.replace("\\\n", " ");
        let mut current = 0..0;
        for line in joined.lines() {
            if let Some(command) = line.strip_prefix('\t') {
                let command = command.trim_start_matches([' ', '@', '-', '+']);
                file.rules[current.clone()].iter_mut().for_each(|rule| rule.recipe.push(command.to_owned()));
                continue;
            }
            let line = line.split('#').next().unwrap_or_default();
            if let Some((name, value)) = assignment(line) {
                file.variables.push((name.to_owned(), value.to_owned()));
            } else if let Some((targets, needs)) = line.split_once(':') {
                let from = file.rules.len();
                let needs: Vec<String> = needs
                    .split(';')
                    .next()
                    .unwrap_or_default()
                    .split_whitespace()
                    .filter(|need| *need != "|")
                    .map(str::to_owned)
                    .collect();
                let names = targets.split_whitespace().filter(|name| !name.starts_with('.'));
                file.rules.extend(names.map(|name| Rule {
                    target: name.to_owned(),
                    needs: needs.clone(),
                    recipe: Vec::new(),
                }));
                current = from..file.rules.len();
            }
        }
        let given = argv.iter().skip(1).filter_map(|word| word.split_once('='));
        file.variables.extend(given.map(|(name, value)| (name.to_owned(), value.to_owned())));
        file
    }

    /// Replaces known variables; the others are left to the shell, where they are unknown as well.
    fn expand(&self, line: &str, target: &str) -> String {
        let mut text = line.to_owned();
        for _ in 0..4 {
            let Some(next) = self.once(&text, target) else { break };
            text = next;
        }
        text.replace("\u{1}", "$")
    }

    fn once(&self, line: &str, target: &str) -> Option<String> {
        let (before, rest) = line.split_once('$')?;
        let mut all = before.to_owned();
        let mut rest = rest;
        loop {
            let (value, behind) = match rest.chars().next() {
                Some('$') => ("\u{1}".to_owned(), &rest[1..]),
                Some('@') => (target.to_owned(), &rest[1..]),
                Some(open @ ('(' | '{')) => {
                    let close = if open == '(' { ')' } else { '}' };
                    match rest[1..].split_once(close) {
                        Some((name, behind)) => (self.value(name), behind),
                        None => (String::new(), ""),
                    }
                }
                Some(c) => ("\u{1}{MAKE}".to_owned(), &rest[c.len_utf8()..]),
                None => (String::new(), ""),
            };
            all.push_str(&value);
            match behind.split_once('$') {
                Some((plain, next)) => {
                    all.push_str(plain);
                    rest = next;
                }
                None => return Some(all + behind),
            }
        }
    }

    fn value(&self, name: &str) -> String {
        let known = self.variables.iter().rev().find(|(known, _)| known == name);
        match (known, name) {
            (Some((_, value)), _) => value.clone(),
            (None, "MAKE") => "make".to_owned(),
            (None, "RM") => "rm -f".to_owned(),
            (None, "CURDIR") => ".".to_owned(),
            _ => "\u{1}{MAKE}".to_owned(),
        }
    }
}

/// `NAME = value`, `NAME := value` and their like.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches([':', '?', '+', '!']).trim().trim_start_matches("export ").trim();
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    plain.then(|| (name, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_are_read() {
        let text = "DIR := infra\nall: fix\nfix: fmt \\\n  lint\n\t@rm -rf $(DIR)/old\n\tcd $(DIR) && echo $$HOME > $@\nfmt:\n\ttrue\n";
        let file = Makefile::read(text, &[]);
        let fix = &file.rules[1];
        assert_eq!((fix.target.as_str(), fix.needs.as_slice()), ("fix", &["fmt".to_owned(), "lint".to_owned()][..]));
        let lines: Vec<String> = fix.recipe.iter().map(|line| file.expand(line, "fix")).collect();
        assert_eq!(lines, ["rm -rf infra/old", "cd infra && echo $HOME > fix"]);
        assert_eq!(file.expand("$(shell ls)/$<", "x"), "${MAKE}/${MAKE}");
    }
}
