//! The promise in an agent's answer: `<promise>DONE</promise>`. A tag quoted as code does not count; of several tags
//! the last one counts.

const OPEN: &str = "<promise>";
const CLOSE: &str = "</promise>";

/// Returns the text of the last promise in an answer, with white space collapsed.
pub fn last_promise(answer: &str) -> Option<String> {
    let prose = without_code(answer);
    let end = prose.rfind(CLOSE)?;
    let start = prose[..end].rfind(OPEN)? + OPEN.len();
    Some(single_blanks(&prose[start..end]))
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

/// Removes fenced blocks and inline code. A line that is nothing but a promise in backticks stays, because agents often
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
    fn the_last_promise_in_prose_counts() {
        check("All done. <promise>DONE</promise>", Some("DONE"));
        check("<promise>DONE</promise> no, wait: <promise>BLOCKED</promise>", Some("BLOCKED"));
        check("<promise>\n  ALL  GREEN\n</promise>\n", Some("ALL GREEN"));
        check("**<promise>DONE</promise>**", Some("DONE"));
        check("<promise></promise>", Some(""));
        check("nothing", None);
        check("<promise>DONE", None);
        check("DONE</promise>", None);
        check("</promise><promise>", None);
        check("<Promise>DONE</Promise>", None);
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
        check("I will say `<promise>DONE</promise>` when it is finished", None);
        check("``a ` <promise>DONE</promise>`` soon", None);
        check("<promise>DONE</promise>\nThe code was:\n```\n<promise>BLOCKED</promise>\n```", Some("DONE"));
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
        fn a_promise_at_the_end_is_heard(before in "[a-z \n.]{0,60}", outcome in "[A-Z]{1,8}") {
            let answer = format!("{before}\n<promise>{outcome}</promise>");
            prop_assert_eq!(last_promise(&answer), Some(outcome));
        }
    }
}
