//! SQL that a program gives to a database: split into statements and words, without strings and comments.

use stead_model::Op;

use crate::walk::program::{program_name, readable};
use crate::walk::{Stop, Walk};

/// The most statements of one text, and words of one statement, that are reported.
const STATEMENTS: usize = 64;
const WORDS: usize = 128;

/// Reports the statements of a text. `\!` of `psql` and `mysql` runs a shell command.
pub(crate) fn note(walk: &mut Walk<'_>, text: &str, shown: &str) -> Result<(), Stop> {
    for line in text.lines().filter_map(|line| line.trim_start().strip_prefix("\\!")) {
        walk.text(line)?;
    }
    let program = program_name(shown.split(' ').next().unwrap_or_default());
    for words in statements(&readable(text)).into_iter().take(STATEMENTS) {
        walk.tell(Op::Sql { program: program.clone(), words }, shown);
    }
    Ok(())
}

/// The words of each statement.
fn statements(text: &str) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut word = String::new();
    let mut rest = text;
    let end_word = |word: &mut String, words: &mut Vec<String>| {
        // What a block contains are statements of their own.
        let begins_block = words.is_empty() && word.eq_ignore_ascii_case("begin");
        if !word.is_empty() && !begins_block && words.len() < WORDS {
            words.push(std::mem::take(word));
        }
        word.clear();
    };
    while let Some(c) = rest.chars().next() {
        let (skip, separates) = match c {
            '\'' => (quoted(rest, '\''), true),
            '"' | '`' => {
                let end = quoted(rest, c);
                word.push_str(rest[1..end].trim_end_matches(c));
                (end, false)
            }
            '-' if rest.starts_with("--") => (rest.find('\n').unwrap_or(rest.len()), true),
            '/' if rest.starts_with("/*") => (rest.find("*/").map_or(rest.len(), |at| at + 2), true),
            '$' if rest.starts_with("$$") => (2, true),
            ';' | '(' | ')' | ',' => (1, true),
            c if c.is_whitespace() => (c.len_utf8(), true),
            c => {
                word.push(c);
                (c.len_utf8(), false)
            }
        };
        if let Some(words) = all.last_mut().filter(|_| separates) {
            end_word(&mut word, words);
        }
        if c == ';' || c == '$' && separates {
            all.push(Vec::new());
        }
        rest = &rest[skip..];
    }
    if let Some(words) = all.last_mut() {
        end_word(&mut word, words);
    }
    all.retain(|words| !words.is_empty());
    all
}

/// Where a quoted text ends, behind its second quote.
fn quoted(text: &str, quote: char) -> usize {
    text[1..].find(quote).map_or(text.len(), |at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::statements;

    #[test]
    fn statements_are_split_into_words() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<String> = statements(text).iter().map(|words| words.join(" ")).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("DROP TABLE users", &["DROP TABLE users"]);
        check("select 1; drop table \"a\".`b`;", &["select 1", "drop table a.b"]);
        check("insert into log values ('drop table x; --')", &["insert into log values"]);
        check("-- drop table x\nselect /* drop; */ 2", &["select 2"]);
        check("DO $$ BEGIN DROP TABLE x; END $$", &["DO", "DROP TABLE x", "END"]);
        check("begin; delete from a where b = 'c'; commit", &["delete from a where b =", "commit"]);
        check("'unclosed", &[]);
        check("", &[]);
    }
}
