use std::collections::BTreeMap;
use std::path::Path;

use stead_model::{EventKind, Op};

use super::finding::Measure;
use crate::PastCall;

/// From so many prompts or tool calls on, a session is long.
const PROMPTS: usize = 5;
const CALLS: usize = 30;

/// What a session, or one iteration of a run, did.
#[derive(Default)]
struct Activity {
    prompts: usize,
    calls: usize,
    has_changed: bool,
}

/// Follows the sessions.
#[derive(Default)]
pub(super) struct Planning {
    sessions: BTreeMap<(String, Option<u32>), Activity>,
}

impl Planning {
    pub(super) fn take(&mut self, call: &PastCall<'_>, root: &Path) {
        let Some(session) = call.session.as_deref() else { return };
        let is_prompt = call.is(EventKind::Prompt) && call.agent.is_none();
        if !is_prompt && !call.is_judged() {
            return;
        }
        let activity = self.sessions.entry((session.to_owned(), call.iteration)).or_default();
        match is_prompt {
            true => activity.prompts += 1,
            false => {
                activity.calls += 1;
                activity.has_changed = activity.has_changed || changes(call, root);
            }
        }
    }

    pub(super) fn measure(&self) -> Measure {
        let is_long = |activity: &Activity| activity.prompts >= PROMPTS || activity.calls >= CALLS;
        let long: Vec<_> = self.sessions.iter().filter(|(_, activity)| is_long(activity)).collect();
        let idle = long.iter().filter(|(_, activity)| !activity.has_changed);
        let examples: Vec<String> = idle
            .map(|((session, iteration), activity)| {
                let iteration = iteration.map(|number| format!(", iteration {number}")).unwrap_or_default();
                let (prompts, calls) = (activity.prompts, activity.calls);
                format!("session {session}{iteration}: prompts {prompts}, tool calls {calls}, changes 0")
            })
            .collect();
        Measure { found: examples.len(), of: long.len(), examples }
    }
}

/// Returns true if a call that was not stopped changes a file of the project.
fn changes(call: &PastCall<'_>, root: &Path) -> bool {
    if !matches!(&*call.verdict, "allow" | "warn") {
        return false;
    }
    if call.action.as_deref() == Some("change") {
        return true;
    }
    // Most calls have none of these, and need not be read.
    let may =
        |text: &str| ["\"write\":", "\"delete\":", "\"rename\":", "\"git\":"].iter().any(|key| text.contains(key));
    let effects = call.effects_text().filter(|text| may(text)).and_then(|_| call.effects(root));
    effects.is_some_and(|effects| effects.list.iter().any(|effect| is_change(&effect.op)))
}

fn is_change(op: &Op) -> bool {
    match op {
        Op::Write { target, .. } | Op::Delete(target) | Op::Rename { from: target, .. } => target.inside.is_some(),
        Op::Git(git) => git.kind != stead_model::GitKind::Other,
        _ => false,
    }
}
