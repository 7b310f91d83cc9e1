//! The promise in an agent's answer: `<promise>DONE</promise>`. It counts only as the last thing that the answer says, and
//! only if the agent says it itself: in code, in a quotation or in a sentence that denies it, it is talk about a promise.

use crate::packet::item_text;
use crate::statement::{Kind, sentences};

const OPEN: &str = "<promise>";
const CLOSE: &str = "</promise>";

/// Words with which a sentence denies a promise, or makes it depend on something.
const DENIES: &[&str] = &[
    "not", "never", "no", "cannot", "can't", "won't", "don't", "doesn't", "didn't", "isn't", "wasn't", "wouldn't",
    "shouldn't", "couldn't", "haven't", "hasn't", "aren't", "ain't", "without", "until", "unless", "before", "if",
    "when", "once", "after", "would", "could", "might", "instead", "later", "soon", "yet", "neither", "nor",
    "withhold", "withholding", "refuse", "refusing", "unable", "almost", "nearly", "toward", "towards", "premature",
    "eventually", "waiting", "whether",
];

/// Words for giving a promise. A line that denies it with one of them may end before the promise.
const GIVES: &[&str] = &[
    "say", "saying", "said", "output", "outputting", "write", "writing", "print", "emit", "emitting", "give", "giving",
    "promise", "claim", "claiming", "declare", "state", "send", "add", "answer", "end", "reply", "ready",
];

/// Returns the promise that an answer ends with, with white space collapsed.
pub fn last_promise(answer: &str) -> Option<String> {
    let prose = without_code(answer);
    let end = prose.rfind(CLOSE)?;
    let start = prose[..end].rfind(OPEN)?;
    let (before, after) = (&prose[..start], &prose[end + CLOSE.len()..]);
    // Behind it only marks may follow, and none that asks.
    let is_last = !after.contains(|c: char| c.is_alphanumeric() || matches!(c, '?' | '？' | '؟'));
    let is_own = !is_quoted(before, after) && !is_hidden(before) && !is_denied(before);
    (is_last && is_own).then(|| single_blanks(&prose[start + OPEN.len()..end]))
}

/// Returns true if a promise is in quotation marks: one opens before it in its line, and one follows it.
fn is_quoted(before: &str, after: &str) -> bool {
    const OPENS: &[char] = &['"', '“', '”', '„', '‘', '’', '‚', '‹', '›', '«', '»', '「', '『', '《', '＂', '\''];
    const CLOSES: &[char] = &['"', '”', '“', '’', '‘', '›', '‹', '»', '«', '」', '』', '》', '＂', '\''];
    let bare = |c: char| matches!(c, '*' | '_' | '(' | ')' | ' ' | '.' | ',' | '!');
    let Some(close) = after.trim_start_matches(bare).chars().next().filter(|mark| CLOSES.contains(mark)) else {
        return false;
    };
    let line = before.rsplit('\n').next().unwrap_or(before);
    if line.trim_end_matches(bare).ends_with(OPENS) {
        return true;
    }
    match close {
        // An apostrophe is no mark that opens.
        '\'' | '’' => line.contains(" '") || line.contains('‘') || line.contains('‚'),
        '"' | '＂' => line.matches(close).count() % 2 == 1,
        _ => line.contains(OPENS),
    }
}

/// Returns true if the sentence that leads to a promise denies it. A sentence in another language cannot be judged, so a
/// promise must not stand in one.
fn is_denied(before: &str) -> bool {
    let mut lines = before.rsplit('\n');
    let line = lines.next().unwrap_or(before);
    // What was promised before is no part of the sentence.
    let line = line.rsplit(CLOSE).next().unwrap_or(line);
    let sentence = last_sentence(line);
    let is_bare = |text: &str| !text.contains(char::is_alphanumeric);
    if is_bare(sentence) {
        // The sentence may have been wrapped.
        let above = lines.next().map(last_sentence).unwrap_or_default();
        return !above.ends_with(['.', '!'])
            && denies(above)
            && words(above).any(|word| GIVES.contains(&word.as_str()));
    }
    if sentence.ends_with(['.', '!']) {
        return false;
    }
    let is_foreign = sentences(sentence).iter().any(|(_, kind)| *kind == Kind::Foreign) && !sentence.ends_with(':');
    is_foreign || denies(sentence)
}

/// Returns true if a promise is struck out or in a comment.
fn is_hidden(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or(before);
    line.matches("~~").count() % 2 == 1 || before.matches("<!--").count() > before.matches("-->").count()
}

/// The last sentence of a line, which need not be complete.
fn last_sentence(line: &str) -> &str {
    let ends = |at: usize| line[at..].starts_with(". ") || line[at..].starts_with("! ") || line[at..].starts_with("? ");
    let start = line.char_indices().rfind(|(at, _)| ends(*at)).map_or(0, |(at, _)| at + 2);
    line[start..].trim()
}

fn denies(sentence: &str) -> bool {
    words(sentence).any(|word| DENIES.contains(&word.as_str()))
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let lower = text.to_lowercase().replace('’', "'");
    let words: Vec<String> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    words.into_iter()
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

/// Removes blocks of code, quoted lines and inline code. A line that is nothing but a promise in backticks stays, because
/// agents often format it that way.
fn without_code(answer: &str) -> String {
    let mut prose = String::with_capacity(answer.len());
    let mut fence: Option<(char, usize)> = None;
    let (mut in_list, mut is_code, mut was_blank, mut tag) = (false, false, true, None);
    for line in answer.lines() {
        let mark = fence_of(line);
        let (text, is_blank) = (line.trim(), line.trim().is_empty());
        in_list = !is_blank && item_text(line).is_some() || in_list && (is_blank || line.starts_with([' ', '\t']));
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        is_code = fence.is_none() && !in_list && is_indented && !is_blank && (is_code || was_blank);
        was_blank = is_blank;
        match (fence, mark) {
            (Some((open, length)), Some((close, width, rest))) => {
                if close == open && width >= length && rest.is_empty() {
                    fence = None;
                }
            }
            (Some(_), None) => {}
            (None, Some((open, width, rest))) if open == '~' || !rest.contains('`') => fence = Some((open, width)),
            (None, _) if is_code || text.starts_with('>') => {}
            (None, _) => {
                let lower = line.to_lowercase();
                let opened = TAGS.iter().find(|name| lower.contains(&format!("<{name}>")));
                let closes = |name: &str| lower.contains(&format!("</{name}>"));
                if let Some(open) = tag.or(opened) {
                    tag = if closes(open) { None } else { Some(open) };
                    prose.push('\n');
                    continue;
                }
                let bare = text.trim_matches('`').trim();
                let alone = bare.starts_with(OPEN) && bare.ends_with(CLOSE) && bare.matches(OPEN).count() == 1;
                prose.push_str(&if alone { bare.to_owned() } else { without_spans(line) });
                prose.push('\n');
            }
        }
    }
    prose
}

/// The tags between which a text is code or a quotation.
const TAGS: &[&str] = &["code", "pre", "blockquote", "q"];

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
        for talk in [
            "I will not output\n<promise>DONE</promise>",
            "I can’t say <promise>DONE</promise>",
            "Should I say <promise>DONE</promise>?",
            "<promise>DONE</promise>?",
            "I am unable to write <promise>DONE</promise>",
            "Still working towards <promise>DONE</promise>",
            "You told me: \"output <promise>DONE</promise>\"",
            "Sie sagten: „gib <promise>DONE</promise>“.",
            "«<promise>DONE</promise>»",
            "『<promise>DONE</promise>』",
            "~~<promise>DONE</promise>~~",
            "<!-- <promise>DONE</promise> -->",
            "<!--\n<promise>DONE</promise>\n-->",
            "- not yet: <promise>DONE</promise>",
        ] {
            check(talk, None);
        }
        check("- no lint errors\n<promise>DONE</promise>", Some("DONE"));
        check("It doesn't fail any more\n\n<promise>DONE</promise>", Some("DONE"));
        check("I say \"done\" and mean it: <promise>DONE</promise>", Some("DONE"));
        check("- <promise>DONE</promise>", Some("DONE"));
        check("<promise>DONE</promise>\n\n---\n", Some("DONE"));
        check("## <promise>DONE</promise> 🎉", Some("DONE"));
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
        check("The format is:\n\n    <promise>DONE</promise>\n", None);
        check("\t<promise>DONE</promise>", None);
        check("- all done\n\n    <promise>DONE</promise>", Some("DONE"));
        check("<pre>\n<promise>DONE</promise>\n</pre>", None);
        check("Say <code><promise>DONE</promise></code>", None);
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
