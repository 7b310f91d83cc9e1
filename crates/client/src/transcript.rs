//! The last message of an agent from its client's transcript, for clients that do not send it at a stop. A transcript
//! is read from its end. It may be incomplete and its format may change: unknown lines are skipped, and a message that
//! is not certainly the last one is not used.

/// What one line of a transcript is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spoken {
    /// A message of the main agent.
    Agent(String),
    /// Something that still needs an answer: a prompt, a tool's result, a call.
    Unanswered,
    /// Anything else.
    Nothing,
}

/// Finds the last message in a transcript whose lines come newest first. `None` if it is not there yet.
pub fn last_message<'a>(read: fn(&str) -> Spoken, lines: impl IntoIterator<Item = &'a str>) -> Option<String> {
    for line in lines {
        match read(line) {
            Spoken::Agent(text) => return Some(text),
            Spoken::Unanswered => return None,
            Spoken::Nothing => {}
        }
    }
    None
}
