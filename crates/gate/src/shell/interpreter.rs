//! Programs that run a text: shells, whose text is read like the command itself, and others, whose text may not name a
//! protected path at all.

use crate::code::{Language, only_shows};
use crate::mention;
use crate::shield::Standing;

use super::program::{self, brief, candidates, mention as refuse_mention, operands};
use super::syntax::mark;
use super::variable::give_words;
use super::walk::{Call, Stop, Walk};
use super::{inline, script, stead};

/// Judges a shell: its `-c` text, its script, its here-document, what is piped into it.
pub(super) fn shell(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let argv = call.argv;
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
    let script = operands(argv).first().copied().filter(|word| !inline::is_input(word));
    if let Some(script) = script.filter(|_| !argv.iter().any(|word| word == "-s")) {
        let tainted = script.contains(mark::TAINT);
        if tainted || matches!(walk.standing(script), Some(Standing::In(_))) {
            return Err(refuse_mention(argv, script).into());
        }
        let at = argv.iter().position(|word| word == script).unwrap_or(1);
        return script::shell(walk, &argv[at..], call);
    }
    let input = walk.input.clone();
    // `bash -s -- a b` and `bash /dev/stdin a b` give words to what they are fed.
    let mut words = operands(argv);
    if words.first().is_some_and(|word| inline::is_input(word)) {
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

/// Judges what a shell is fed: by its own redirections, by the pipe, or by the group it stands in.
fn fed(walk: &mut Walk<'_>, call: &Call<'_>, input: Option<String>) -> Result<(), Stop> {
    let argv = call.argv;
    if let (true, None, Some(text)) = (call.texts.is_empty(), call.feed, input) {
        return walk.text(&text);
    }
    for text in call.texts {
        walk.text(text)?;
    }
    if let Some(feed) = call.feed {
        let hit = feed.hit.clone().or_else(|| walk.mentioned(&feed.text));
        if let Some(path) = hit {
            return Err(refuse_mention(argv, &path).into());
        }
        if let Some(verb) = mention::weakening_call(walk.shield, &feed.text) {
            return Err(stead::refuse(&verb).into());
        }
        if let Some(text) = &feed.output {
            return walk.text(text);
        }
        walk.gap(&brief(argv), "it runs a text that is not known");
    }
    Ok(())
}

/// Judges what a shell runs because variables set by this command say so.
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

/// Walks what a program of its own does: it keeps the folder and the variables it changes to itself.
pub(super) fn apart(
    walk: &mut Walk<'_>,
    call: &Call<'_>,
    inner: impl FnOnce(&mut Walk<'_>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let (cwds, known) = (walk.cwds.clone(), walk.variables.len());
    let input = std::mem::replace(&mut walk.input, call.feed.and_then(|feed| feed.output.clone()));
    inner(walk)?;
    walk.cwds = cwds;
    walk.variables.truncate(known);
    walk.input = input;
    Ok(())
}

/// Judges a file read into the shell itself: any, unless a command about protected paths makes it up.
pub(super) fn source(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let Some(script) = call.argv.get(1) else { return Ok(()) };
    if matches!(script.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") {
        let input = walk.input.clone();
        return fed(walk, call, input);
    }
    if script.contains(mark::TAINT) {
        return Err(refuse_mention(call.argv, script).into());
    }
    script::source(walk, script, call)
}

/// Judges a program named by its path that is a script; says whether it is one.
pub(super) fn runs_file(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<bool, Stop> {
    script::file(walk, call)
}

/// Judges a program that runs code in its own language.
pub(super) fn judge(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let argv = call.argv;
    let mut code = false;
    for word in &argv[1..] {
        if word.contains(|c: char| c.is_whitespace() || "'\"()=;,!:$".contains(c) || mark::is_mark(c)) {
            code = true;
            refuse_code(walk, argv, word)?;
        }
        for candidate in candidates(word) {
            if let Some(Standing::In(entry)) = walk.standing(candidate) {
                return Err(program::own(entry, &brief(argv)).into());
            }
        }
    }
    let reads_input = operands(argv).first().is_none_or(|word| inline::is_input(word))
        || code
        || !call.texts.is_empty() && !argv.iter().skip(1).any(|word| !word.starts_with('-') && word.contains('.'));
    if reads_input {
        for text in call.texts {
            code = true;
            refuse_code(walk, argv, text)?;
        }
        if let Some(feed) = call.feed {
            code = true;
            if let Some(path) = &feed.hit {
                return Err(refuse_mention(argv, path).into());
            }
            refuse_code(walk, argv, &feed.text)?;
        }
    }
    if code {
        if let Some(path) = call.assigned {
            return Err(refuse_mention(argv, path).into());
        }
        for (_, values) in walk.variables.clone() {
            if let Some(path) = values.iter().find(|value| walk.grave(value).is_some()) {
                return Err(refuse_mention(argv, path).into());
            }
        }
    }
    inline::program(walk, &program::program_name(&argv[0]), call)
}

fn refuse_code(walk: &mut Walk<'_>, argv: &[String], code: &str) -> Result<(), Stop> {
    let python = argv.first().and_then(|first| Language::of_program(&program::program_name(first)));
    if python == Some(Language::Python) && !code.contains(mark::is_mark) && only_shows(code) {
        return Ok(());
    }
    if let Some(path) = walk.mentioned(code) {
        return Err(refuse_mention(argv, &path).into());
    }
    match mention::weakening_call(walk.shield, code) {
        Some(verb) => Err(stead::refuse(&verb).into()),
        None => Ok(()),
    }
}

/// Says that a call only prints: `awk` without output of its own.
pub(super) fn only_reads(name: &str, call: &Call<'_>) -> bool {
    let awk = matches!(name, "awk" | "gawk" | "mawk" | "nawk");
    let plain = |word: &String| !word.contains(['>', '|']) && !word.contains("system") && !word.contains("inplace");
    awk && call.argv.iter().all(|word| plain(word) && word != "-f" && word != "-i")
}
