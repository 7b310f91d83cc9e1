//! The last word of an agent from its client's transcript, for clients that do not send it at a stop. Transcripts are
//! read from the end, they lag behind and their form is not promised: what is not understood is passed over, and a last
//! word that is not certainly the last one is none.

/// What one line of a transcript is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spoken {
    /// The main agent said this.
    Agent(String),
    /// Something that an answer is still to come to: a prompt, a tool's result, a call.
    Unanswered,
    /// Nothing that matters.
    Nothing,
}

/// Finds the last message in a transcript whose lines come newest first. `None` when it is not there yet.
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
