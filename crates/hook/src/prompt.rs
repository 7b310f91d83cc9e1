//! Records a person's prompts, so that the next session can see them verbatim.

use stead_context::{Prompt, Turn};
use stead_model::{Author, Detail, EventKind};
use stead_store::StoreError;

use crate::record::cut;
use crate::request::Request;

/// Records a prompt event and ignores others.
pub(crate) fn record(request: &Request<'_>, now: &str) -> Result<(), StoreError> {
    let Detail::Prompt { text, author } = &request.event.detail else { return Ok(()) };
    if request.event.kind != EventKind::Prompt
        || text.trim().is_empty()
        || !request.records("record.prompts", "STEAD_RECORD_PROMPTS")
    {
        return Ok(());
    }
    // A prompt may have text of the client around the person's, and some clients report what Stead gave to the agent at a
    // stop as a prompt.
    let words = request.harness.client().facts.injected.persons_words(text);
    let own = match request.session() {
        _ if words.trim().is_empty() => None,
        Some(session) if *author != Author::Machine => Turn::read(request.indexes(), session).persons_part(&words),
        _ => Some(words.into_owned()),
    };
    let author = if own.is_some() { *author } else { Author::Machine };
    let prompt = Prompt {
        v: 1,
        ts: now.to_owned(),
        harness: request.harness.name().to_owned(),
        session: request.event.session.as_deref().map(|id| cut(id).to_owned()),
        agent: request.agent_id().map(|id| cut(id).to_owned()),
        author: match author {
            Author::Person => "person",
            Author::Machine => "machine",
            Author::Unknown => "unknown",
        }
        .to_owned(),
        text: own.unwrap_or_else(|| text.to_string()),
        cut: false,
    };
    prompt.record(&request.indexes().join(Prompt::FILE))
}
