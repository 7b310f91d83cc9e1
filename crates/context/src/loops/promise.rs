//! The promise in an agent's answer: `<promise>DONE</promise>`. It counts only as the last thing that the answer says, and
//! only if the agent says it itself: in code, in a quotation or in a sentence that denies it, it is talk about a promise.

use crate::statement::{Kind, sentences};

const OPEN: &str = "<promise>";
const CLOSE: &str = "</promise>";

/// Words with which a sentence denies a promise, or makes it depend on something.
const DENIES: &[&str] = &[
    "not", "never", "no", "cannot", "can't", "won't", "don't", "doesn't", "didn't", "isn't", "wasn't", "wouldn't",
    "shouldn't", "couldn't", "haven't", "hasn't", "aren't", "without", "until", "unless", "before", "if", "when",
    "once", "after", "would", "could", "instead", "later", "neither", "nor", "withhold", "refuse", "premature",
];

/// Returns the promise that an answer ends with, with white space collapsed.
pub fn last_promise(answer: &str) -> Option<String> {
    let prose = without_code(answer);
    let end = prose.rfind(CLOSE)?;
    let start = prose[..end].rfind(OPEN)?;
    let is_last = !prose[end + CLOSE.len()..].chars().any(char::is_alphanumeric);
    let before = &prose[..start];
    let is_own = !is_quoted(before, &prose[end + CLOSE.len()..]) && !is_denied(before);
    (is_last && is_own).then(|| single_blanks(&prose[start + OPEN.len()..end]))
}

/// Returns true if a quotation mark stands before a promise and one behind it.
fn is_quoted(before: &str, after: &str) -> bool {
    const MARKS: [char; 11] = ['"', '\'', '“', '”', '„', '‘', '’', '«', '»', '「', '」'];
    let bare = |c: char| matches!(c, '*' | '_' | '(' | ')' | ' ' | '.' | ',');
    before.trim_end_matches(bare).ends_with(MARKS) && after.trim_start_matches(bare).starts_with(MARKS)
}

/// Returns true if the sentence that leads to a promise denies it. A sentence in another language cannot be judged, so a
/// promise must not stand in one.
fn is_denied(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or(before);
    // What was promised before is no part of the sentence.
    let line = line.rsplit(CLOSE).next().unwrap_or(line);
    let ends = |at: usize| line[at..].starts_with(". ") || line[at..].starts_with("! ") || line[at..].starts_with("? ");
    let start = line.char_indices().rfind(|(at, _)| ends(*at)).map_or(0, |(at, _)| at + 2);
    let sentence = line[start..].trim();
    if sentence.is_empty() || sentence.ends_with(['.', '!']) {
        return false;
    }
    let lower = sentence.to_lowercase();
    let mut words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '’'));
    let is_foreign = sentences(sentence).iter().any(|(_, kind)| *kind == Kind::Foreign) && !sentence.ends_with(':');
    is_foreign || words.any(|word| DENIES.contains(&word.replace('’', "'").as_str()))
}

/// Splits `DONE|BLOCKED` into its outcomes, with white space collapsed. `Err` says what is wrong with it.
pub fn split_promises(text: &str) -> Result<Vec<String>, &'static str> {
    let mut promises = Vec::new();
    for outcome in text.split('|') {
        let outcome = single_blanks(outcome);
        if outcome.is_empty() {
            return Err("an outcome is empty");
        }
        if outcome.len() > 100 {
            return Err("an outcome is longer than 100 bytes");
        }
        if outcome.contains(['<', '>', '"', '\'', '`']) || outcome == "null" {
            return Err("an outcome must be plain words, without quotes or tags");
        }
        if !promises.contains(&outcome) {
            promises.push(outcome);
        }
    }
    Ok(promises)
}

fn single_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Removes fenced blocks, quoted lines and inline code. A line that is nothing but a promise in backticks stays, because agents often
/// format it that way.
fn without_code(answer: &str) -> String {
    let mut prose = String::with_capacity(answer.len());
    let mut fence: Option<(char, usize)> = None;
    for line in answer.lines() {
        let mark = fence_of(line);
        match (fence, mark) {
            (Some((open, length)), Some((close, width, rest))) => {
                if close == open && width >= length && rest.is_empty() {
                    fence = None;
                }
            }
            (Some(_), None) => {}
            (None, Some((open, width, rest))) if open == '~' || !rest.contains('`') => fence = Some((open, width)),
            (None, _) if line.trim_start().starts_with('>') => {}
            (None, _) => {
                let bare = line.trim().trim_matches('`').trim();
                let alone = bare.starts_with(OPEN) && bare.ends_with(CLOSE) && bare.matches(OPEN).count() == 1;
                prose.push_str(&if alone { bare.to_owned() } else { without_spans(line) });
                prose.push('\n');
            }
        }
    }
    prose
}

/// The character and width of a fence that a line starts with, and what follows it.
fn fence_of(line: &str) -> Option<(char, usize, &str)> {
    let text = line.trim_start().trim_start_matches("> ").trim();
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let width = text.chars().take_while(|c| *c == mark).count();
    (width >= 3).then(|| (mark, width, text[width..].trim()))
}

/// Removes inline code: text between two equal runs of backticks.
fn without_spans(line: &str) -> String {
    let mut prose = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let width = rest[start..].chars().take_while(|c| *c == '`').count();
        prose.push_str(&rest[..start]);
        let inside = &rest[start + width..];
        rest = match closing(inside, width) {
            Some(end) => &inside[end + width..],
            None => inside,
        };
    }
    prose.push_str(rest);
    prose
}

/// Finds a run of exactly `width` backticks.
fn closing(text: &str, width: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let run = text[at + found..].chars().take_while(|c| *c == '`').count();
        if run == width {
            return Some(at + found);
        }
        at += found + run;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(answer: &str, expected: Option<&str>) {
        assert_eq!(last_promise(answer).as_deref(), expected, "{answer}");
    }

    #[test]
    fn a_promise_counts_as_the_last_thing_said() {
        check("All done. <promise>DONE</promise>", Some("DONE"));
        check("<promise>DONE</promise> no, wait: <promise>BLOCKED</promise>", None);
        check("<promise>DONE</promise> but wait: <promise>BLOCKED</promise>", Some("BLOCKED"));
        check("<promise>\n  ALL  GREEN\n</promise>\n", Some("ALL GREEN"));
        check("**<promise>DONE</promise>**", Some("DONE"));
        check("<promise>DONE</promise>.", Some("DONE"));
        check("<promise></promise>", Some(""));
        for nothing in ["nothing", "<promise>DONE", "DONE</promise>", "</promise><promise>", "<Promise>DONE</Promise>"]
        {
            check(nothing, None);
        }
        check("<promise>DONE</promise>\nI still have to fix the tests.", None);
        check("<promise>DONE</promise>\nThe code was:\n```\n<promise>BLOCKED</promise>\n```", None);
    }

    #[test]
    fn a_promise_that_is_denied_is_none() {
        for talk in [
            "I will not output <promise>DONE</promise> yet",
            "I will not output <promise>DONE</promise>",
            "I can't say <promise>DONE</promise>.",
            "Only when the tests pass will I say: <promise>DONE</promise>",
            "If they were green I would write <promise>DONE</promise>",
            "Ich sage noch nicht <promise>DONE</promise>",
            "Я пока не скажу <promise>DONE</promise>",
            "You asked for \"<promise>DONE</promise>\"",
            "The marker is “<promise>DONE</promise>”.",
            "> <promise>DONE</promise>",
        ] {
            check(talk, None);
        }
        check("No test fails. <promise>DONE</promise>", Some("DONE"));
        check("Nothing is left, so <promise>DONE</promise>", Some("DONE"));
        check("Es ist nicht mehr kaputt.\n\n<promise>DONE</promise>", Some("DONE"));
        check("Fertig: <promise>DONE</promise>", Some("DONE"));
    }

    #[test]
    fn a_promise_in_code_is_only_talk() {
        check("```\n<promise>DONE</promise>\n```", None);
        check("```text\n<promise>DONE</promise>\n```\nnot yet", None);
        check("~~~\n```\n<promise>DONE</promise>\n~~~", None);
        check("````\n```\n<promise>DONE</promise>\n````\n<promise>BLOCKED</promise>", Some("BLOCKED"));
        check("  - list\n    ```\n    <promise>DONE</promise>\n    ```", None);
        check("> ```\n> <promise>DONE</promise>\n> ```", None);
        check("```\nnever closed\n<promise>DONE</promise>", None);
        check("I will say `<promise>DONE</promise>` at the end", None);
        check("``a ` <promise>DONE</promise>`` soon", None);
    }

    #[test]
    fn a_promise_dressed_up_as_code_is_one_when_it_stands_alone() {
        check("Finished.\n`<promise>DONE</promise>`", Some("DONE"));
        check("it's a lone ` and <promise>DONE</promise>", Some("DONE"));
    }

    #[test]
    fn outcomes_are_plain_words() {
        assert_eq!(split_promises("DONE").unwrap(), ["DONE"]);
        assert_eq!(split_promises(" ALL  TESTS PASS | BLOCKED|BLOCKED").unwrap(), ["ALL TESTS PASS", "BLOCKED"]);
        for wrong in ["", "|", "DONE|", "a<b", "\"x\"", "null", &"x".repeat(101)] {
            assert!(split_promises(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_answer_can_be_read(answer in "(?s)[`~\n <>/a-z]{0,80}|(<promise>|</promise>|```|\n|x){0,20}") {
            let _ = last_promise(&answer);
        }

        #[test]
        fn a_promise_on_its_own_line_is_heard(before in "[a-z \n.]{0,60}", outcome in "[A-Z]{1,8}") {
            let answer = format!("{before}\n<promise>{outcome}</promise>");
            prop_assert_eq!(last_promise(&answer), Some(outcome));
        }
    }
}
