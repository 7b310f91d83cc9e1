//! `awk`: what its program writes, runs and reads.

use stead_model::{Content, How};

use super::looker;
use super::program::brief;
use super::walk::{Call, Stop, Walk};
use super::writer::{operands_after, option_values};

/// Tells what a call does.
pub(super) fn note(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<(), Stop> {
    let argv = call.argv;
    let shown = brief(argv);
    let files = option_values(argv, 'f', "--file");
    let words = operands_after(argv, "Fvfi");
    let in_place = argv.windows(2).any(|pair| pair[0] == "-i" && pair[1].starts_with("inplace"));
    let (code, operands) = match (files.is_empty(), words.split_first()) {
        (true, Some((code, rest))) => (Some((*code).to_owned()), rest.to_vec()),
        (_, _) => (files.first().and_then(|file| walk.file_text(file)), words.clone()),
    };
    if in_place {
        for file in operands {
            walk.writes(file, How::Edit, Content::Unknown, &shown)?;
        }
    } else {
        looker::note(walk, name, call);
    }
    match code {
        Some(code) => program(walk, &code, &shown),
        None => {
            walk.gap(&shown, "the script is not known");
            Ok(())
        }
    }
}

/// Looks at the strings behind `>`, `|` and `system(`.
fn program(walk: &mut Walk<'_>, code: &str, shown: &str) -> Result<(), Stop> {
    let mut rest = code;
    let mut before = String::new();
    let mut commands = Vec::new();
    while let Some(start) = rest.find('"') {
        before.push_str(&rest[..start]);
        let text = &rest[start + 1..];
        let mut end = text.len();
        let mut escaped = false;
        for (at, c) in text.char_indices() {
            if c == '"' && !escaped {
                end = at;
                break;
            }
            escaped = c == '\\' && !escaped;
        }
        let value = crate::decode::unescape(&text[..end]);
        rest = text.get(end + 1..).unwrap_or_default();
        let statement = before.rsplit(['{', '}', ';', '\n']).next().unwrap_or_default().trim_end();
        let prints = statement.contains("print");
        if statement.ends_with('>') && prints {
            let how = if statement.ends_with(">>") { How::Append } else { How::Replace };
            walk.writes(&value, how, Content::Unknown, shown)?;
        } else if statement.ends_with("system(")
            || statement.ends_with('|') && prints
            || rest.trim_start().starts_with("| getline")
        {
            commands.push(value);
        } else if statement.ends_with('<') {
            walk.reads(&value, false, shown);
        }
        before.push_str("\"\"");
    }
    commands.iter().try_for_each(|command| walk.text(command))
}
