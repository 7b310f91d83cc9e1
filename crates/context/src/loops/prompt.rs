//! The prompt for a blocked agent: the same task again, the iteration, and what was missing.

use super::{Check, LastMessage, Loop, Stop};

/// The maximum length of the task and of a check's output; with the rest they stay below what clients pass on.
const MOST_TASK: usize = 5_000;
const MOST_TAIL: usize = 1_500;

/// What the agent claimed and the result.
pub(super) struct Claim<'a> {
    pub(super) said: Option<&'a str>,
    pub(super) is_kept: bool,
    pub(super) red: Option<&'a Check>,
}

/// Says briefly why the stop is blocked.
pub(super) fn why(state: &Loop, stop: &Stop<'_>, claim: &Claim<'_>) -> String {
    match (claim.red, claim.said) {
        (Some(Check::Red { how, .. }), _) => {
            format!("`{}` failed: {how}", short(state.verify.as_deref().unwrap_or_default()))
        }
        _ if state.promises.is_empty() => "it runs until a limit is reached".to_owned(),
        _ if stop.said == LastMessage::Untold => "this client does not send the agent's message".to_owned(),
        (_, Some(said)) if !claim.is_kept => format!("`{}` is not a promise of this loop", short(said)),
        _ => "no promise given".to_owned(),
    }
}

/// Builds the prompt to continue with. `left` is how many more stops the client allows to be blocked, if few.
pub(super) fn again(state: &Loop, text: &str, stop: &Stop<'_>, claim: &Claim<'_>, left: Option<u32>) -> String {
    let next = Loop { iteration: state.iteration.saturating_add(1), ..state.clone() };
    let mut prompt = format!("Stead loop `{}`, iteration {}. The task is still:\n\n", state.id, next.progress());
    prompt.push_str(&beginning(text, MOST_TASK, &state.id));
    prompt.push_str("\n\n");
    if let Some(Check::Red { how, tail }) = claim.red {
        let command = short(state.verify.as_deref().unwrap_or_default());
        prompt.push_str(&format!("The task is not finished: `{command}` failed ({how}). The end of its output:\n\n"));
        prompt.push_str(&format!("{}\n\n", end(tail.trim_end(), MOST_TAIL)));
    } else if let Some(said) = claim.said.filter(|_| !claim.is_kept && !state.promises.is_empty()) {
        prompt.push_str(&format!("You promised `{}`, which does not end this loop.\n\n", short(said)));
    }
    prompt.push_str(&how_to_end(state, stop));
    if let Some(left) = left {
        let more = if left == 0 { "this is the last time" } else { "one more is left" };
        prompt.push_str(&format!(
            "\n\nThis client continues a turn only a limited number of times in a row: {more}. Leave files and notes so \
             that the work can be resumed; the loop stays active and continues with the person's next message."
        ));
    }
    prompt
}

fn how_to_end(state: &Loop, stop: &Stop<'_>) -> String {
    let check = state.verify.as_deref().map(|command| format!("`{}` succeeds", short(command)));
    let tags: Vec<String> = state.promises.iter().map(|promise| format!("<promise>{promise}</promise>")).collect();
    let bound = match state.max_iterations {
        0 => "until a person cancels it".to_owned(),
        most => format!("until the end of iteration {most}"),
    };
    match (tags.is_empty() || stop.said == LastMessage::Untold, check) {
        (true, None) => format!("Continue where you are. The loop runs {bound}."),
        (true, Some(check)) => format!("Continue where you are. The loop ends when {check}."),
        (false, None) => {
            format!("Only when that is true, end your answer with {}, outside any code block.", tags.join(" or "))
        }
        (false, Some(check)) => {
            format!(
                "Only when that is true and {check}, end your answer with {}, outside any code block.",
                tags.join(" or ")
            )
        }
    }
}

/// A command or a text, short enough for a sentence.
pub(super) fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "'");
    match line.char_indices().nth(80) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

fn beginning(text: &str, most: usize, id: &str) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let mut cut = most;
    while !text.is_char_boundary(cut) {
        cut -= 1;
    }
    format!("{}\n… (cut; `stead loop show {id}` prints all of it)", &text[..cut])
}

fn end(text: &str, most: usize) -> &str {
    let mut cut = text.len().saturating_sub(most);
    while !text.is_char_boundary(cut) {
        cut += 1;
    }
    &text[cut..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_at_characters() {
        assert!(beginning(&"é".repeat(4_000), MOST_TASK, "x").starts_with("éé"));
        assert_eq!(end(&"é".repeat(4), 3), "é");
        assert_eq!(short("a\n  `b`"), "a 'b'");
        assert_eq!(short(&"é".repeat(100)).chars().count(), 81);
    }
}
