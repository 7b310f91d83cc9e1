//! Some clients call no hook before or after a tool while an editor drives them. Their first prompt says so, once per
//! session.

use stead_client::AcpHooks;
use stead_model::Verdict;

use crate::agent_sign::{client_argument, lineage};
use crate::member::Member;

/// Adds what the person has to know at the first prompt of such a session; nothing in any other.
pub(crate) fn tell(member: &Member<'_>) -> Verdict {
    let facts = &member.request.harness.client().facts;
    let AcpHooks::NoTools { words } = facts.acp.hooks else { return Verdict::allow() };
    // In any other mode a start came before, so that only few prompts look at the processes above. A session that ended
    // may go on in an editor.
    let is_open = member.state.is_some_and(|state| state.ended_at.is_none());
    if member.session.is_none() || is_open {
        return Verdict::allow();
    }
    let Some(word) = client_argument(&lineage(), member.request.harness, words) else { return Verdict::allow() };
    let said = format!(
        "Stead cannot guard this session: started with `{word}`, {} calls no hook before or after a tool. Guards, \
         intents and loops are off, and no change is recorded.",
        facts.title
    );
    // An editor shows no line of a hook, but it shows what the model writes.
    Verdict::inform(format!("Tell the person before anything else, word for word: {said}")).noticed(said)
}
