//! Notes which verifiers an agent writes into the feature list itself. The list is a file that agents may add features to,
//! so who wrote a verifier cannot be read from it; what the call would write can be computed before it runs.

use std::path::Path;

use serde_json::Map;
use stead_feature::{AgentVerifiers, BY_PERSON, FeatureList, new_verifiers};
use stead_guard::{ReadEffects, texts_after};
use stead_model::{EventKind, Level, Op, Verdict};
use stead_store::{Room, StoreError};

use crate::guard::WorldFacts;
use crate::record::cut;
use crate::request::Request;

/// Notes the verifiers that a call adds or changes. A call that changes no file returns at once.
pub(crate) fn record(request: &Request<'_>, verdict: &Verdict, now: &str) -> Result<(), StoreError> {
    let event = request.event;
    let is_call = event.kind == EventKind::BeforeTool && event.call.is_some() && verdict.level < Level::Deny;
    let Some(root) = request.writable_root().filter(|_| is_call && !request.is_by_doctor()) else { return Ok(()) };
    if event.call.as_ref().is_none_or(|call| request.changes_nothing(call)) {
        return Ok(());
    }
    let effects = &request.effects().list;
    if !effects.iter().any(|effect| matches!(effect.op, Op::Write { .. } | Op::Rename { .. })) {
        return Ok(());
    }
    let features = request.room(Room::Features);
    let path = features.join(FeatureList::FILE);
    let (Some(path), inside) = (path.to_str(), path.strip_prefix(root).ok().and_then(Path::to_str)) else {
        return Ok(());
    };
    let texts = texts_after(effects, &WorldFacts::new(request), path, inside);
    if texts.is_empty() {
        return Ok(());
    }
    // A list that cannot be read has no features that are known.
    let before = FeatureList::read(&features).ok().flatten().unwrap_or_default();
    for after in texts.iter().filter_map(|text| FeatureList::parse(text.as_bytes(), &features).ok()) {
        for feature in new_verifiers(&before, &after) {
            let line = AgentVerifiers {
                v: AgentVerifiers::VERSION,
                ts: now.to_owned(),
                feature: feature.id.clone(),
                verifiers: feature.verifiers.clone(),
                disputed: feature.verifiers_by == BY_PERSON,
                harness: Some(request.harness.name().to_owned()),
                session: event.session.as_deref().map(|session| cut(session).to_owned()),
                other: Map::new(),
            };
            line.note(&features)?;
        }
    }
    Ok(())
}
