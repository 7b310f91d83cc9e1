//! Sub-agents that their client starts as sessions of their own: only the start tells which session called, so that is
//! remembered, and every later event counts as the caller's.

use std::borrow::Cow;
use std::fs;
use std::path::PathBuf;

use stead_client::Harness;
use stead_model::{Event, FileId};
use stead_store::{Durability, Exact, UserDirs, replace_creating};

use crate::agent_sign::is_by_doctor;
use crate::location::Env;

/// Below the state folder: the callers of sessions, by client.
const FOLDER: &str = "callers";

/// How deep sub-agents start others.
const DEPTH: usize = 8;

/// The event as one of the session at the top.
pub(crate) fn settle<'a>(harness: Harness, mut event: Event<'a>, env: &Env) -> Event<'a> {
    if !harness.client().facts.starts_sessions {
        return event;
    }
    if let (Some(caller), Some(own)) = (event.caller.as_deref(), event.session.as_deref()) {
        remember(harness, own, caller, env);
    }
    let caller = event.caller.take().map(Cow::into_owned);
    let known = event.session.as_deref().and_then(|own| caller_of(harness, own, env));
    let Some(mut top) = caller.or(known) else { return event };
    for _ in 0..DEPTH {
        let Some(above) = caller_of(harness, &top, env) else { break };
        top = above;
    }
    event.of_sub_agent(top.into())
}

fn path(harness: Harness, session: &str, env: &Env) -> Option<PathBuf> {
    let session = FileId::check(session).ok()?;
    Some(UserDirs::from_env(env)?.state.join(FOLDER).join(harness.name()).join(session.as_str()))
}

fn caller_of(harness: Harness, session: &str, env: &Env) -> Option<String> {
    let caller = fs::read_to_string(path(harness, session, env)?).ok()?;
    (caller != session).then_some(caller)
}

/// Best effort: without it the sub-agent is a session by itself, with the gates of the project.
fn remember(harness: Harness, session: &str, caller: &str, env: &Env) {
    if let Some(path) = path(harness, session, env).filter(|_| FileId::check(caller).is_ok() && !is_by_doctor(env)) {
        let _ = replace_creating(&path, Exact::Own.bytes(caller.as_bytes()), Durability::Quick);
    }
}
