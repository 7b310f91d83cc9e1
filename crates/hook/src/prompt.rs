//! Writes down what a person asked for, so that the next session can be told in their own words.

use stead_context::Prompt;
use stead_model::{Author, Detail, EventKind};
use stead_store::StoreError;

use crate::record::Told;

/// Records a prompt event; any other is none of its business.
pub(crate) fn record(told: &Told<'_>, now: &str) -> Result<(), StoreError> {
    let Detail::Prompt { text, author } = &told.event.detail else { return Ok(()) };
    if told.event.kind != EventKind::Prompt
        || text.trim().is_empty()
        || !told.policy.records("record.prompts", "STEAD_RECORD_PROMPTS", told.env)
    {
        return Ok(());
    }
    let agent = told.event.agent.as_ref().and_then(|agent| agent.id.as_deref());
    let prompt = Prompt {
        v: 1,
        ts: now.to_owned(),
        harness: told.harness.name().to_owned(),
        session: told.event.session.as_deref().map(|id| crate::record::cut(id).to_owned()),
        agent: agent.map(|id| crate::record::cut(id).to_owned()),
        author: match author {
            Author::Person => "person",
            Author::Machine => "machine",
            Author::Unknown => "unknown",
        }
        .to_owned(),
        text: text.to_string(),
        cut: false,
    };
    prompt.record(&told.indexes().join(Prompt::FILE))
}
