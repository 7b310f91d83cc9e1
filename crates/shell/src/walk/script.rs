//! Scripts in files of the project or a temporary folder: read with earlier changes of the same command.

use stead_model::{Access, Hidden};

use crate::inline::Language;

use crate::inline::embedded;
use crate::parse::syntax::mark;
use crate::programs::interpreter::apart;
use crate::programs::table;
use crate::walk::program::{brief, program_name};
use crate::walk::trust::Trust;
use crate::walk::variable::give_words;
use crate::walk::{Call, Stop, Walk};

/// How deep scripts may call each other.
const DEPTH: usize = 12;

/// Walks a shell script with its words; the first is the script.
pub(crate) fn shell(walk: &mut Walk<'_>, argv: &[String], call: &Call<'_>) -> Result<(), Stop> {
    let Some(word) = argv.first() else { return Ok(()) };
    walk.reads(word, false, &brief(argv));
    match walk.file_text(word).filter(|_| walk.depth < DEPTH) {
        Some(text) => run(walk, &text, argv, call),
        None => {
            walk.runs_saved_download("sh", word, &brief(argv));
            walk.gap(&brief(argv), "the script is not known");
            walk.print(None);
            Ok(())
        }
    }
}

/// Walks a script that is read into the shell itself.
pub(crate) fn source(walk: &mut Walk<'_>, word: &str, call: &Call<'_>) -> Result<(), Stop> {
    walk.accesses(word, false, Access::Used, &brief(call.argv));
    let text = walk.file_text(word).filter(|_| walk.depth < DEPTH);
    walk.runs_saved_download("sh", word, &brief(call.argv));
    let trust = walk.trust(word, text.as_deref());
    match text {
        // A file with only assignments has no commands; the walk keeps the values.
        Some(text) => {
            let before = walk.value("BASH_SOURCE");
            let (known, exported) = (walk.variables.len(), walk.exported.len());
            let gaps = walk.report.record.gaps_noted();
            walk.set("BASH_SOURCE", vec![word.to_owned()])?;
            walk.text(&text)?;
            match trust {
                // Where it leads PATH no program lies that is not known.
                Trust::Known => {
                    let own = walk.variables.split_off(known.min(walk.variables.len()));
                    walk.variables.extend(own.into_iter().filter(|(name, _)| name != "PATH"));
                    walk.exported.truncate(exported);
                }
                Trust::Followed if walk.report.record.gaps_noted() == gaps => {}
                Trust::Followed | Trust::Unknown => walk.doubt_source(word),
            }
            walk.set("BASH_SOURCE", before)
        }
        None if trust == Trust::Known => Ok(()),
        // A common file, such as one of a virtual environment, contains variables rather than commands.
        None if !word.contains(mark::is_mark) && !word.starts_with("/dev/") && walk.written(word).is_none() => {
            walk.doubt_source(word);
            Ok(())
        }
        None => {
            walk.doubt_source(word);
            walk.gap(&brief(call.argv), "the script is not known");
            Ok(())
        }
    }
}

/// Walks a program named by its path, if that is a script; returns true if it is one.
pub(crate) fn file(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<bool, Stop> {
    let Some(word) = call.argv.first() else { return Ok(false) };
    if walk.depth >= DEPTH {
        return Ok(false);
    }
    let Some(text) = walk.file_text(word) else {
        walk.runs_saved_download(&program_name(word), word, &brief(call.argv));
        return Ok(false);
    };
    let first = text.lines().next().unwrap_or_default();
    let Some(line) = first.strip_prefix("#!") else {
        let is_shell = word.ends_with(".sh") || walk.written(word).is_some();
        if is_shell {
            run(walk, &text, call.argv, call)?;
        }
        return Ok(is_shell);
    };
    let mut words = line.split_whitespace().map(program_name).filter(|name| name != "env" && !name.starts_with('-'));
    let program = words.next().unwrap_or_default();
    if table::is_shell(&program) {
        run(walk, &text, call.argv, call)?;
    } else if let Some(language) = Language::of_program(&program) {
        let outer = walk.outcome;
        walk.outcome.lose(Hidden::Ignored);
        embedded::script(walk, language, &text, call.argv)?;
        walk.outcome.leave(outer);
    } else {
        return Ok(false);
    }
    Ok(true)
}

fn run(walk: &mut Walk<'_>, text: &str, argv: &[String], call: &Call<'_>) -> Result<(), Stop> {
    let text = mark::cleaned(text);
    let branches = std::mem::take(&mut walk.branches);
    apart(walk, call, |walk| {
        give_words(walk, argv)?;
        walk.set("BASH_SOURCE", argv.first().cloned().into_iter().collect())?;
        walk.text(&text)
    })?;
    walk.branches = branches;
    Ok(())
}
