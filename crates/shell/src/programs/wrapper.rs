//! Programs that run another program: they are removed, and what they run is followed. Which of their words that is,
//! the table says (`wraps`).

use crate::parse::syntax::mark;
use crate::programs::interpreter::apart;
use crate::programs::table::{self, Given, Known, Program};
use crate::walk::output;
use crate::walk::program::{self, brief, program_name, quoted};
use crate::walk::unknown_name::is_telling;
use crate::walk::{Call, Stop, Walk};

/// Follows what a wrapper runs; returns true if there was one.
pub(crate) fn judge(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<bool, Stop> {
    let wrapper = Program::of(name).filter(|program| program.is("wraps"));
    let program = wrapper.and_then(|_| Program::of_call(name, call.argv));
    let Some(program) = program.filter(Program::runs_words) else { return Ok(false) };
    let given = Given::read(&program, call.argv);
    if given.has("help") && given.inner.is_empty() {
        return Ok(false);
    }
    // Wrappers that raise privileges or download what they run are recorded themselves.
    if program.is("shown") {
        walk.runs(call.argv);
    }
    table::note_network(walk, name, call.argv);
    let own = Call { argv: &call.argv[..call.argv.len() - given.inner.len()], ..*call };
    if table::note(walk, name, &own)? == Known::Partial {
        walk.gap(&brief(call.argv), "what the program does is not known");
    }
    if given.has("locates") || given.has("dry-run") {
        let found = given.has("locates").then(|| output::located(walk, given.inner));
        walk.print(found);
        return Ok(true);
    }
    if given.has("opens") {
        for file in given.inner {
            walk.writes(file, stead_model::How::Replace, stead_model::Content::Unknown, &brief(call.argv));
        }
        return Ok(true);
    }
    let (cwds, known) = (walk.cwds.clone(), walk.variables.len());
    let folder = given.values("chdir").last();
    if let Some(folder) = folder {
        let argv = ["cd".to_owned(), folder.to_owned()];
        program::judge(walk, &Call { argv: &argv, texts: &[], feed: None, has_file: false })?;
    }
    let (exported, cleared) = (walk.exported.len(), walk.cleared.len());
    walk.cleared.extend(given.values("unsets").map(str::to_owned));
    walk.cleared.extend(given.has("clears").then(|| "*".to_owned()));
    for (name, value) in &given.assigned {
        walk.export(name, value)?;
    }
    if program.is("items") {
        items(walk, &program, &given, call)?;
    } else {
        inner(walk, &program, &given, call)?;
    }
    walk.exported.truncate(exported);
    walk.cleared.truncate(cleared);
    if name == "exec" && !given.inner.is_empty() {
        walk.outcome.replaced();
    }
    if folder.is_some() {
        walk.cwds = cwds;
    }
    if !given.assigned.is_empty() {
        walk.variables.truncate(known);
    }
    Ok(true)
}

/// Follows the command that a wrapper runs.
fn inner(walk: &mut Walk<'_>, program: &Program, given: &Given<'_>, call: &Call<'_>) -> Result<(), Stop> {
    if let Some(text) = given.values("split").last() {
        let words = given.inner.iter().map(|word| quoted(word)).collect::<Vec<_>>();
        return apart(walk, call, |walk| walk.text(&format!("{text} {}", words.join(" "))));
    }
    // What follows `;` is the next command of the wrapper itself.
    let end = given.inner.iter().position(|word| word == ";").filter(|_| program.is("sequence"));
    let (words, rest) = given.inner.split_at(end.unwrap_or(given.inner.len()));
    match words {
        [] => {}
        [only] if only.contains(char::is_whitespace) && walk.file_text(only).is_none() => {
            apart(walk, call, |walk| walk.text(only))?;
        }
        words if program.has_word("run-text") => apart(walk, call, |walk| walk.text(&words.join(" ")))?,
        [first, ..] => {
            let script = first.ends_with(".py").then_some("python3");
            match program.field("run-with").or(script) {
                Some(before) => {
                    let argv: Vec<String> = std::iter::once(before.to_owned()).chain(words.iter().cloned()).collect();
                    program::judge(walk, &Call { argv: &argv, ..*call })?;
                }
                None => program::judge(walk, &Call { argv: words, ..*call })?,
            }
        }
    }
    if rest.len() > 1 {
        let argv: Vec<String> = call.argv.iter().take(1).chain(&rest[1..]).cloned().collect();
        program::judge(walk, &Call { argv: &argv, ..*call })?;
    }
    Ok(())
}

/// Adds the words of an unknown program to a gap if they look like a command: it may be a wrapper.
pub(crate) fn commands_within(argv: &[String]) -> Vec<String> {
    let first = |text: &str| text.split_whitespace().next().map(program_name).unwrap_or_default();
    let texts = argv.iter().skip(1).filter(|word| word.contains(char::is_whitespace) && is_telling(&first(word)));
    let at = argv.iter().skip(1).position(|word| is_telling(&program_name(word)));
    texts.cloned().chain(at.map(|at| argv[at + 1..].join(" "))).collect()
}

/// Reports what an unknown program may run: the words after `--`, if they look like a command.
pub(crate) fn note_behind(walk: &mut Walk<'_>, argv: &[String]) {
    let Some(at) = argv.iter().position(|word| word == "--") else { return };
    // These hand the words to a program of the project.
    let project = matches!(argv.get(1).map(String::as_str), Some("run" | "test" | "bench" | "start"));
    let inner = &argv[at + 1..];
    if !project && inner.len() > 1 && Program::of(&program_name(&inner[0])).is_some() {
        walk.runs(inner);
    }
}

/// Words that are handed over one by one; more go together.
const ROUNDS: usize = 32;

/// Reports what the command does with the words that the pipe, a file or `:::` brings.
fn items(walk: &mut Walk<'_>, program: &Program, given: &Given<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let (command, listed) = listed(walk, program, given.inner);
    let mut fed = None;
    for file in given.values("items-from") {
        walk.reads(file, false, &brief(call.argv));
        fed = walk.file_text(file);
    }
    if given.values("items-from").next().is_none() {
        fed = walk.fed(call);
    }
    let sign = given.values("replace").chain(given.values("replace-glued")).last().filter(|sign| !sign.is_empty());
    let sign = sign.or_else(|| program.field("sign")).unwrap_or_default().to_owned();
    let lines = given.has("null") || given.has("delimiter") || given.has("replace") || given.has("replace-glued");
    let words: Vec<String> = match (listed, fed) {
        (Some(listed), _) => listed,
        (None, Some(text)) if lines || program.is("lines") => {
            let delimiter = given.values("delimiter").last().and_then(|sign| sign.chars().next());
            let delimiter = delimiter.filter(|sign| *sign != '\\').unwrap_or('\n');
            let lines = text.split(['\n', '\0', delimiter]).map(str::trim);
            lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
        }
        (None, Some(text)) => text.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned()).collect(),
        (None, None) => vec![walk.unknown_input(call)],
    };
    if words.is_empty() && (given.has("skips-empty") || program.is("lines")) {
        return Ok(());
    }
    // Without a command `parallel` runs the lines themselves.
    if command.is_empty() && program.is("lines") {
        return words.iter().take(ROUNDS).try_for_each(|line| walk.text(line));
    }
    let empty = ["echo".to_owned()];
    let command = if command.is_empty() { &empty[..] } else { command };
    let part_of = |word: &String| ["{.}", "{/}", "{//}", "{1}"].iter().any(|sign| word.contains(sign));
    let marked = command.iter().any(|word| word.contains(&sign) || program.is("lines") && part_of(word));
    let mut calls = Vec::new();
    if marked && words.len() <= ROUNDS {
        calls.extend(words.iter().map(|word| filled(program, command, &sign, word)));
    } else if marked {
        calls.push(filled(program, command, &sign, &words.join(" ")));
    } else {
        calls.push(command.iter().cloned().chain(words.into_iter().filter(|_| program.is("appends"))).collect());
    }
    for argv in calls {
        match argv.as_slice() {
            // The shell reads what `parallel` runs.
            [first, rest @ ..] if first.contains(char::is_whitespace) => {
                let rest: Vec<String> = rest.iter().map(|word| quoted(word)).collect();
                apart(walk, call, |walk| walk.text(&format!("{first} {}", rest.join(" "))))?;
            }
            argv => program::judge(walk, &Call { argv, texts: &[], feed: None, has_file: false })?,
        }
    }
    Ok(())
}

/// Splits off the words after `:::` and `::::`: the former are items, the latter files with items.
fn listed<'a>(walk: &mut Walk<'_>, program: &Program, inner: &'a [String]) -> (&'a [String], Option<Vec<String>>) {
    let is_sign = |word: &String| word.starts_with(":::") && word.trim_matches([':', '+']).is_empty();
    let Some(at) = inner.iter().position(is_sign).filter(|_| program.is("lines")) else { return (inner, None) };
    let (mut items, mut files) = (Vec::new(), false);
    for word in &inner[at..] {
        if is_sign(word) {
            files = word.starts_with("::::");
        } else if files {
            walk.reads(word, false, &brief(inner));
            let text = walk.file_text(word).unwrap_or_else(|| mark::UNKNOWN.to_string());
            items.extend(text.lines().map(str::to_owned));
        } else {
            items.push(word.clone());
        }
    }
    (&inner[..at], Some(items))
}

/// The command with its placeholders replaced by a word or parts of it.
fn filled(program: &Program, command: &[String], sign: &str, word: &str) -> Vec<String> {
    let stem = word.rsplit_once('.').filter(|(_, ending)| !ending.contains('/')).map_or(word, |(stem, _)| stem);
    let (folder, name) = word.rsplit_once('/').unwrap_or((".", word));
    let fill = |part: &String| {
        let part = part.replace(sign, word);
        match program.is("lines") {
            true => part.replace("{.}", stem).replace("{//}", folder).replace("{/}", name).replace("{1}", word),
            false => part,
        }
    };
    command.iter().map(fill).collect()
}
