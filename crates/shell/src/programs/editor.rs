//! Editors called with commands: the files they are given, those their commands write, and what they run.

use stead_model::{Content, How};

use crate::programs::options::{has_flag, operands_after};
use crate::walk::program::{brief, operands};
use crate::walk::{Call, Stop, Walk};

/// Reports what an editor changes.
pub(crate) fn note(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<(), Stop> {
    let argv = call.argv;
    let shown = brief(argv);
    let reads_only = name == "view" || has_flag(argv, "R", &[]);
    let valued = if name == "ed" { "p" } else { "cSuiTtr" };
    // A bundle such as `-sc` ends in the flag that takes a command.
    let bundled = |at: usize| at.checked_sub(1).and_then(|at| argv.get(at)).is_some_and(|word| is_bundle(word));
    let commands: Vec<&str> = (1..argv.len()).filter(|at| bundled(*at)).map(|at| argv[at].as_str()).collect();
    let files = operands_after(argv, valued);
    for file in files.into_iter().filter(|word| !word.starts_with('+') && !commands.contains(word)) {
        walk.reads(file, false, &shown);
        if !reads_only {
            walk.note_write(file, How::Edit, false, Content::Unknown, &shown);
        }
    }
    let mut commands: Vec<String> = commands.iter().map(|&command| command.to_owned()).collect();
    for (at, word) in argv.iter().enumerate().skip(1) {
        commands.extend(word.strip_prefix('+').map(str::to_owned));
        commands.extend(argv.get(at + 1).filter(|_| matches!(word.as_str(), "-c" | "--cmd" | "--eval")).cloned());
    }
    if operands(argv).is_empty() || matches!(name, "ed" | "ex") || argv.iter().any(|word| word == "-s" || word == "-es")
    {
        commands.extend(walk.fed(call));
    }
    let is_over = |line: &str| {
        matches!(
            line.trim().trim_start_matches(':').trim_end_matches(['!', 'a', 'l']),
            "q" | "wq" | "x" | "cq" | "qu" | "quit"
        )
    };
    let is_silent = |word: &String| matches!(word.as_str(), "-s" | "-es" | "-Es" | "--headless" | "--batch" | "-batch");
    let ends = commands.iter().flat_map(|text| text.split(['\n', '|'])).any(is_over);
    if !ends && !walk.is_fed(call) && !argv.iter().any(is_silent) {
        walk.gap_typed(&shown);
    }
    // A file that a command takes in is the one that is written, where none was named before.
    let mut taken = None;
    for line in commands.iter().flat_map(|text| text.split(['\n', '|'])) {
        let line = line.trim().trim_start_matches(':');
        match line.split_once(' ') {
            Some(("r" | "e" | "E" | "f" | "edit" | "file", file)) => taken = Some(file.trim()),
            None if matches!(line, "w" | "wq" | "x") => {
                taken.into_iter().for_each(|file| walk.writes(file, How::Edit, Content::Unknown, &shown));
            }
            _ => {}
        }
        command(walk, line, &shown)?;
    }
    Ok(())
}

fn is_bundle(word: &str) -> bool {
    word.len() > 2 && word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
}

/// `w file`, `saveas file`, `!command`.
fn command(walk: &mut Walk<'_>, line: &str, shown: &str) -> Result<(), Stop> {
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || "%$,.".contains(c));
    if let Some(text) = line.strip_prefix('!') {
        return walk.text(text);
    }
    let (verb, name) = line.split_once(' ').unwrap_or((line, ""));
    let writes = matches!(verb, "w" | "w!" | "write" | "write!" | "sav" | "saveas" | "W" | "wq" | "wq!" | "x");
    match (writes, name.trim()) {
        (false, _) | (true, "") => Ok(()),
        (true, name) => match name.strip_prefix('!') {
            Some(text) => walk.text(text),
            None => {
                let (how, name) =
                    name.strip_prefix(">>").map_or((How::Replace, name), |name| (How::Append, name.trim()));
                walk.writes(name, how, Content::Unknown, shown);
                Ok(())
            }
        },
    }
}
