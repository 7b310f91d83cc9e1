//! Programs that run a text: shells, whose text is read like the command, and others.

use crate::inline::embedded;
use crate::programs::table;
use crate::walk::program::{brief, operands, program_name};
use crate::walk::script;
use crate::walk::variable::give_words;
use crate::walk::{Call, Stop, Walk};

/// Follows a shell: its `-c` text, its script, its here-document, what is piped into it.
pub(crate) fn shell(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let argv = call.argv;
    if only_checks(argv) {
        return Ok(());
    }
    started(walk, call)?;
    let text_flag = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains('c');
    if let Some(at) = argv.iter().skip(1).position(text_flag) {
        let mut rest = argv[at + 2..].iter().skip_while(|word| word.starts_with(['-', '+']));
        let Some(text) = rest.next() else { return Ok(()) };
        let words: Vec<String> = rest.cloned().collect();
        return apart(walk, call, |walk| {
            give_words(walk, &words)?;
            walk.text(text)
        });
    }
    let script = operands(argv).first().copied().filter(|word| !embedded::is_input(word));
    if let Some(script) = script.filter(|_| !argv.iter().any(|word| word == "-s")) {
        let at = argv.iter().position(|word| word == script).unwrap_or(1);
        return script::shell(walk, &argv[at..], call);
    }
    let input = walk.input.clone();
    // `bash -s -- a b` and `bash /dev/stdin a b` give words to what they are fed.
    let mut words = operands(argv);
    if words.first().is_some_and(|word| embedded::is_input(word)) {
        words.remove(0);
    }
    let words: Vec<String> = argv.iter().take(1).cloned().chain(words.into_iter().map(str::to_owned)).collect();
    apart(walk, call, |walk| {
        if words.len() > 1 {
            give_words(walk, &words)?;
        }
        fed(walk, call, input)
    })
}

/// Returns true if a shell reads its text and runs nothing of it: `bash -n`, `sh -o noexec`.
fn only_checks(argv: &[String]) -> bool {
    let mut words = argv.iter().skip(1);
    while let Some(word) = words.next().filter(|word| word.starts_with(['-', '+']) && *word != "--") {
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
        let option = if word.ends_with(['o', 'O']) && !word.starts_with("--") { words.next() } else { None };
        if letters.contains('n') || !letters.is_empty() && option.is_some_and(|option| option == "noexec") {
            return true;
        }
    }
    false
}

/// Follows the input of a shell: from its redirections, the pipe, or the surrounding group.
fn fed(walk: &mut Walk<'_>, call: &Call<'_>, input: Option<String>) -> Result<(), Stop> {
    let argv = call.argv;
    if let (true, None, Some(text)) = (call.texts.is_empty(), call.feed, input) {
        return walk.text(&text);
    }
    for text in call.texts {
        walk.text(text)?;
    }
    if call.feed.is_none_or(|feed| feed.output.is_none()) {
        walk.runs_fed_download("sh", call, &brief(argv));
    }
    if let Some(feed) = call.feed {
        match &feed.output {
            Some(text) => return walk.text(text),
            None => walk.gap_with(&brief(argv), "it runs a text that is not known", vec![feed.text.clone()]),
        }
    } else if call.has_file && call.texts.is_empty() {
        walk.gap(&brief(argv), "it runs a text that is not known");
    }
    Ok(())
}

/// Follows what a shell runs because variables set by this command say so.
fn started(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    for name in ["BASH_ENV", "ENV"] {
        if let Some(file) = walk.own_value(name) {
            apart(walk, call, |walk| script::source(walk, &file, call))?;
        }
    }
    if let Some(text) = walk.own_value("PROMPT_COMMAND").filter(|_| call.argv.iter().any(|word| word == "-i")) {
        apart(walk, call, |walk| walk.text(&text))?;
    }
    Ok(())
}

/// Walks a separate process: its folder and variables do not affect the caller.
pub(crate) fn apart(
    walk: &mut Walk<'_>,
    call: &Call<'_>,
    inner: impl FnOnce(&mut Walk<'_>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let (cwds, known) = (walk.cwds.clone(), walk.variables.len());
    let is_fed = walk.is_fed(call);
    let is_fed_around = std::mem::replace(&mut walk.is_fed_around, is_fed);
    let input = std::mem::replace(&mut walk.input, call.feed.and_then(|feed| feed.output.clone()));
    let (outcome, exported, doubts) = (walk.outcome, walk.exported.len(), walk.doubts.len());
    let is_shell = call.argv.first().is_some_and(|program| table::is_shell(&program_name(program)));
    walk.outcome.enter_program(if is_shell { &call.argv[1..] } else { &[] });
    inner(walk)?;
    walk.outcome = outcome;
    walk.exported.truncate(exported);
    walk.doubts.truncate(doubts);
    walk.cwds = cwds;
    walk.variables.truncate(known);
    (walk.input, walk.is_fed_around) = (input, is_fed_around);
    Ok(())
}

/// Follows a file read into the shell itself.
pub(crate) fn source(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let Some(script) = call.argv.get(1) else { return Ok(()) };
    if matches!(script.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") {
        let input = walk.input.clone();
        return fed(walk, call, input);
    }
    script::source(walk, script, call)
}

/// Follows a program named by its path that is a script; returns true if it is one.
pub(crate) fn runs_file(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<bool, Stop> {
    script::file(walk, call)
}

/// Returns true if a call only prints: `awk` without its own output.
pub(crate) fn only_reads(name: &str, call: &Call<'_>) -> bool {
    let awk = matches!(name, "awk" | "gawk" | "mawk" | "nawk");
    let plain = |word: &String| !word.contains(['>', '|']) && !word.contains("system") && !word.contains("inplace");
    awk && call.argv.iter().all(|word| plain(word) && word != "-f" && word != "-i")
}
