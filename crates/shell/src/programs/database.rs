//! `sqlite3`: the database it is given, and the files and commands that its dot-commands name.

use stead_model::{Content, How};

use crate::programs::options::has_flag;
use crate::programs::sql;
use crate::walk::program::operands;
use crate::walk::{Call, Stop, Walk};

/// What only asks.
const ASKING: &[&str] = &["select", "pragma", "explain", "with"];

/// Dot-commands that write the file they name.
const WRITING: &[&str] = &[".output", ".once", ".save", ".backup", ".log", ".clone"];

/// Reports what a call does. A database changes unless the text only asks.
pub(crate) fn note(walk: &mut Walk<'_>, call: &Call<'_>, shown: &str) -> Result<(), Stop> {
    let words = operands(call.argv);
    let Some((file, texts)) = words.split_first() else { return Ok(()) };
    let fed = walk.fed(call);
    let known = !texts.is_empty() || fed.is_some();
    let mut changes = !known;
    for part in texts.iter().copied().chain(fed.as_deref()).flat_map(|text| text.split([';', '\n'])).map(str::trim) {
        let lower = part.to_lowercase();
        if part.starts_with('.') {
            command(walk, part, shown)?;
        } else if !part.is_empty() && !ASKING.iter().any(|word| lower.starts_with(word)) {
            changes = true;
        }
    }
    for text in texts.iter().copied().chain(fed.as_deref()) {
        sql::note(walk, text, shown)?;
    }
    if changes && !has_flag(call.argv, "", &["-readonly"]) {
        walk.note_write(file, How::Edit, false, Content::Unknown, shown);
    } else {
        walk.reads(file, false, shown);
    }
    Ok(())
}

/// One dot-command.
fn command(walk: &mut Walk<'_>, line: &str, shown: &str) -> Result<(), Stop> {
    let (verb, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let name = rest.rsplit(' ').next().unwrap_or_default().trim_matches(['\'', '"']);
    match verb {
        _ if rest.is_empty() => {}
        ".shell" | ".system" => walk.text(rest)?,
        // Its result goes to a program.
        _ if WRITING.contains(&verb) && rest.starts_with(['|', '\'', '"']) && rest.contains('|') => {
            walk.text(rest.trim_matches(['\'', '"']).trim_start_matches('|'))?;
        }
        ".output" | ".once" | ".log" if matches!(name, "stdout" | "stderr" | "off" | "on") => {}
        _ if WRITING.contains(&verb) => walk.writes(name, How::Replace, Content::Unknown, shown),
        ".read" | ".import" | ".restore" | ".open" => {
            walk.reads(name, false, shown);
            walk.gap(shown, "what the file tells it to do is not known");
        }
        _ => {}
    }
    Ok(())
}
