//! Tasks of a project: the scripts of its `package.json` and `composer.json`, the recipes of its `Makefile` and
//! `justfile`, walked as scripts are.

use stead_model::Hidden;

use crate::parse::syntax::mark;
use crate::programs::interpreter::apart;
use crate::programs::options::{operands_without, option_values};
use crate::walk::program::quoted;
use crate::walk::{Call, Stop, Walk};

/// How deep tasks may call each other.
const DEPTH: usize = 8;
/// How long a file may be with all that it includes.
const INCLUDED: usize = 256 * 1024;
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
        "just" => just(walk, call),
        "composer" => composer(walk, call),
        _ => Ok(()),
    }
}

/// `npm run fix`, `yarn fix`, `pnpm test`.
fn script(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<(), Stop> {
    let folders = ["--prefix", "--cwd", "--dir"];
    let words = operands_without(call.argv, "C", &folders);
    let (task, rest, is_bare) = match words.as_slice() {
        ["run" | "run-script", task, rest @ ..] => (*task, rest, false),
        [task @ ("test" | "start"), rest @ ..] => (*task, rest, false),
        // Here a script, or a program of a package, may be called by its name alone.
        [task, rest @ ..] if matches!(name, "yarn" | "pnpm") => (*task, rest, true),
        _ => return Ok(()),
    };
    let folder = folders.iter().flat_map(|flag| option_values(call.argv, 'C', flag)).last().map(str::to_owned);
    let head = folder.as_deref().map_or(String::new(), |folder| format!("{}/", folder.trim_end_matches('/')));
    let text = walk.file_text(&format!("{head}package.json"));
    let manifest = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let script = |name: &str| manifest.as_ref()?.get("scripts")?.get(name)?.as_str().map(plain);
    let Some(main) = script(task) else {
        // No script has that name, so it is a sub-command or a program of a package. It is only told that it is run: many a
        // sub-command has the name of a program.
        if let Some(at) = call.argv.iter().position(|word| word == task).filter(|at| is_bare && *at > 0) {
            walk.runs(&call.argv[at..]);
        }
        return Ok(());
    };
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
    let Some(text) = named_or(walk, named, &usual) else { return Ok(()) };
    let text = with_includes(walk, &plain(&text), &head, &["include ", "-include ", "sinclude "], DEPTH);
    let file = Makefile::read(&text, call.argv);
    let words = operands_without(call.argv, "Cfj", &["--directory", "--file", "--jobs"]);
    let targets = words.iter().filter(|word| !word.contains('=')).map(|&word| word.to_owned()).collect();
    let ignores = call.argv.iter().any(|flag| matches!(flag.as_str(), "-i" | "--ignore-errors"));
    recipes(walk, call, &file, targets, folder, ignores)
}

/// `just fix`, with what it needs before.
fn just(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    if call.argv.iter().any(|word| matches!(word.as_str(), "-n" | "--dry-run" | "-l" | "--list" | "-s" | "--show")) {
        return Ok(());
    }
    let named = option_values(call.argv, 'f', "--justfile").last().map(|&file| file.to_owned());
    let usual = ["justfile", "Justfile", ".justfile"].map(str::to_owned);
    let folder = option_values(call.argv, 'd', "--working-directory").last().map(|&folder| folder.to_owned());
    let Some(text) = named_or(walk, named, &usual) else { return Ok(()) };
    let text = with_includes(walk, &plain(&text), "", &["import ", "import? "], DEPTH);
    let file = Makefile::read_just(&text);
    let words = operands_without(call.argv, "fd", &["--justfile", "--working-directory", "--set", "--shell"]);
    // Behind a recipe stand its words, or more recipes.
    let targets = words.iter().filter(|word| !word.contains('=')).map(|&word| word.to_owned());
    let targets = targets.filter(|word| file.rules.iter().any(|rule| rule.target == *word)).collect();
    recipes(walk, call, &file, targets, folder, false)
}

/// `composer test`: a script is one command or several.
fn composer(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let words = operands_without(call.argv, "d", &["--working-dir"]);
    let (task, rest) = match words.as_slice() {
        ["run" | "run-script", task, rest @ ..] | [task, rest @ ..] => (*task, rest),
        [] => return Ok(()),
    };
    let Some(text) = walk.file_text("composer.json") else { return Ok(()) };
    let Ok(manifest) = serde_json::from_str::<serde_json::Value>(&text) else { return Ok(()) };
    let lines: Vec<String> = match manifest.get("scripts").and_then(|scripts| scripts.get(task)) {
        Some(serde_json::Value::String(line)) => vec![plain(line)],
        Some(serde_json::Value::Array(lines)) => lines.iter().filter_map(|line| line.as_str().map(plain)).collect(),
        _ => return Ok(()),
    };
    let words: Vec<String> = rest.iter().filter(|word| **word != "--").map(|word| quoted(word)).collect();
    let last = lines.len().saturating_sub(1);
    apart(walk, call, |walk| {
        lines.iter().enumerate().try_for_each(|(at, line)| match line.strip_prefix('@') {
            Some(task) => {
                walk.text(&task.strip_prefix("php ").map_or(format!("composer {task}"), |php| format!("php {php}")))
            }
            None if at == last => walk.text(&format!("{line} {}", words.join(" "))),
            None => walk.text(line),
        })
    })
}

/// The text of the file that is named, or of the first usual one that is there.
fn named_or(walk: &mut Walk<'_>, named: Option<String>, usual: &[String]) -> Option<String> {
    match named {
        Some(file) => walk.file_text(&file),
        None => usual.iter().find_map(|file| walk.file_text(file)),
    }
}

/// A text with those that it includes by name in the place of the lines that say so.
fn with_includes(walk: &mut Walk<'_>, text: &str, head: &str, words: &[&str], depth: usize) -> String {
    let mut all = String::new();
    for line in text.lines() {
        let Some(files) = words.iter().find_map(|word| line.strip_prefix(word)).filter(|_| depth > 0) else {
            all.extend([line, "\n"]);
            continue;
        };
        for file in files.split('#').next().unwrap_or_default().split_whitespace() {
            let file = file.trim_matches(['\'', '"']);
            let path = if file.starts_with('/') { file.to_owned() } else { format!("{head}{file}") };
            if let Some(text) = walk.file_text(&path).filter(|text| all.len() + text.len() <= INCLUDED) {
                all.push_str(&with_includes(walk, &plain(&text), head, words, depth - 1));
            }
        }
    }
    all
}

/// Walks the recipes of targets, and of what they need.
fn recipes(
    walk: &mut Walk<'_>,
    call: &Call<'_>,
    file: &Makefile,
    targets: Vec<String>,
    folder: Option<String>,
    ignores: bool,
) -> Result<(), Stop> {
    let mut open = targets;
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
            for Line { text, ignored } in &rule.recipe {
                let line = file.expand(text, &target);
                apart(walk, call, |walk| {
                    if *ignored || ignores {
                        walk.outcome.lose(Hidden::Ignored);
                    }
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
    crate::walk::program::enter(walk, &Call { argv: &argv, texts: &[], feed: None, has_file: false })
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
    recipe: Vec<Line>,
}

/// A line of a recipe.
struct Line {
    text: String,
    /// `-`: its failure is none.
    ignored: bool,
}

impl Line {
    fn read(line: &str) -> Self {
        let text = line.trim_start_matches([' ', '@', '-', '+']);
        Self { text: text.to_owned(), ignored: line[..line.len() - text.len()].contains('-') }
    }
}

impl Makefile {
    fn read(text: &str, argv: &[String]) -> Self {
        let mut file = Self::default();
        let joined = text.replace("\\\n", " ");
        let mut current = 0..0;
        for line in joined.lines() {
            if let Some(command) = line.strip_prefix('\t') {
                file.rules[current.clone()].iter_mut().for_each(|rule| rule.recipe.push(Line::read(command)));
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

    /// Reads a `justfile`: `name words: needs`, and lines that stand further in. `{{name}}` is what `$(name)` is elsewhere.
    fn read_just(text: &str) -> Self {
        let mut file = Self::default();
        let joined = text.replace("\\\n", " ").replace('$', "$$").replace("{{", "$(").replace("}}", ")");
        for line in joined.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            if line.starts_with([' ', '\t']) {
                let Some(rule) = file.rules.last_mut() else { continue };
                let line = line.trim_start();
                match rule.recipe.first_mut().filter(|first| first.text.starts_with("#!")) {
                    // A script of its own.
                    Some(script) => script.text = format!("{}\n{line}", script.text),
                    None => rule.recipe.push(Line::read(line)),
                }
            } else if let Some((name, value)) = line.split_once(":=") {
                match name.trim().strip_prefix("alias ") {
                    Some(alias) => {
                        let (target, needs) = (alias.trim().to_owned(), vec![value.trim().to_owned()]);
                        file.rules.push(Rule { target, needs, recipe: Vec::new() });
                    }
                    None => {
                        let name = name.trim().trim_start_matches("export ").trim();
                        file.variables.push((name.to_owned(), value.trim().trim_matches(['"', '\'']).to_owned()));
                    }
                }
            } else if let Some((head, needs)) = line.split_once(':') {
                let target = head.split_whitespace().next().unwrap_or_default().trim_start_matches('@').to_owned();
                let needs = needs.split(['(', '#']).next().unwrap_or_default().split_whitespace();
                let needs = needs.filter(|need| *need != "&&").map(str::to_owned).collect();
                file.rules.push(Rule { target, needs, recipe: Vec::new() });
            }
        }
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
                        Some((name, behind)) => (self.value(name.trim()), behind),
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
        let lines: Vec<String> = fix.recipe.iter().map(|line| file.expand(&line.text, "fix")).collect();
        assert_eq!(lines, ["rm -rf infra/old", "cd infra && echo $HOME > fix"]);
        assert_eq!(file.expand("$(shell ls)/$<", "x"), "${MAKE}/${MAKE}");
    }
}
