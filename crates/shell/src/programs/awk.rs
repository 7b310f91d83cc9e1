//! `awk`: what its program writes, runs and reads.

use stead_model::{Content, How};

use crate::decode::unescape;

use crate::parse::syntax::mark;
use crate::programs::options::{operands_after, option_values};
use crate::programs::table;
use crate::walk::program::brief;
use crate::walk::{Call, Stop, Walk};

/// Reports what a call does.
pub(crate) fn note(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<(), Stop> {
    let argv = call.argv;
    let shown = brief(argv);
    let files = option_values(argv, 'f', "--file");
    let words = operands_after(argv, "Fvfi");
    let in_place = argv.windows(2).any(|pair| pair[0] == "-i" && pair[1].starts_with("inplace"));
    let (code, operands) = match (files.is_empty(), words.split_first()) {
        (true, Some((code, rest))) => (Some((*code).to_owned()), rest.to_vec()),
        (_, _) => (files.first().and_then(|file| walk.file_text(file)), words.clone()),
    };
    // Variables are given by flags, or among the files.
    let named = option_values(argv, 'v', "--assign").into_iter().chain(operands.iter().copied());
    let given: Vec<(String, String)> =
        named.filter_map(|word| word.split_once('=')).map(|(name, value)| (name.to_owned(), unescape(value))).collect();
    if in_place {
        for file in operands {
            walk.writes(file, How::Edit, Content::Unknown, &shown);
        }
    } else {
        table::note(walk, name, call)?;
    }
    match code {
        Some(code) => program(walk, &code, &given, &shown),
        None => {
            walk.gap(&shown, "the script is not known");
            Ok(())
        }
    }
}

/// Looks at what follows `>`, `|` and `system(`.
fn program(walk: &mut Walk<'_>, code: &str, given: &[(String, String)], shown: &str) -> Result<(), Stop> {
    let mut commands = Vec::new();
    // What stands before in the same statement, strings left out, and how many of its parentheses are open.
    let (mut statement, mut level) = (String::new(), 0_usize);
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        let prints = level == 0 && statement.contains("print");
        if c == '"' {
            let (value, after) = text(rest);
            rest = after;
            let trimmed = statement.trim_end();
            if rest.trim_start().starts_with("| getline") {
                commands.push(value);
            } else if trimmed.ends_with('<') {
                walk.reads(&value, false, shown);
            }
            statement.push_str("\"\"");
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '{' | '}' | ';' | '\n' => {
                statement.clear();
                level = 0;
                continue;
            }
            '>' if prints => {
                let adds = rest.starts_with('>');
                let (target, after) = joined(rest.trim_start_matches('>'), given);
                rest = after;
                let how = if adds { How::Append } else { How::Replace };
                if let Some(target) = target {
                    walk.writes(&target, how, Content::Unknown, shown);
                }
            }
            '|' if prints && !rest.starts_with('|') && !statement.ends_with('|') => {
                let (command, after) = joined(rest.trim_start_matches('&'), given);
                rest = after;
                commands.extend(command);
            }
            '(' if statement.trim_end().ends_with("system") => {
                let (command, after) = joined(rest, given);
                rest = after;
                commands.extend(command);
            }
            '(' => level += 1,
            ')' => level = level.saturating_sub(1),
            _ => {}
        }
        statement.push(c);
    }
    commands.iter().try_for_each(|command| walk.text(command))
}

/// Reads a string; gives what follows it.
fn text(rest: &str) -> (String, &str) {
    let text = &rest[1..];
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == '"' && !escaped {
            return (unescape(&text[..at]), &text[at + 1..]);
        }
        escaped = c == '\\' && !escaped;
    }
    (unescape(text), "")
}

/// Reads strings and variables side by side, which make one text; gives what follows them. `None` if there are none.
fn joined<'c>(code: &'c str, given: &[(String, String)]) -> (Option<String>, &'c str) {
    let mut all: Option<String> = None;
    let mut rest = code.trim_start_matches([' ', '\t', '(']);
    while let Some(c) = rest.chars().next() {
        let piece = match c {
            '"' => {
                let (value, after) = text(rest);
                rest = after;
                value
            }
            '$' => {
                rest = rest[1..].trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
                mark::UNKNOWN.to_string()
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
                let name = &rest[..end];
                rest = &rest[end..];
                let known = given.iter().rev().find(|(known, _)| known == name);
                // An element or a call has a value of its own.
                if let Some(open) = rest.chars().next().filter(|c| matches!(c, '[' | '(')) {
                    let close = if open == '[' { ']' } else { ')' };
                    rest = rest.split_once(close).map_or("", |(_, rest)| rest);
                    mark::UNKNOWN.to_string()
                } else {
                    known.map_or_else(|| mark::UNKNOWN.to_string(), |(_, value)| value.clone())
                }
            }
            _ => break,
        };
        all.get_or_insert_default().push_str(&piece);
        rest = rest.trim_start_matches([' ', '\t']);
    }
    (all, rest)
}
