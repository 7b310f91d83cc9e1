//! Precedents: what happened before when an agent did the same kind of thing. They are compiled off the hook path from
//! traces, read only after something matched or failed, told within a small budget as quoted records, and each is
//! counted, so that it can be seen whether telling it helps. A recorder: whatever is missing, nothing is told.

mod editor;
mod entry;
mod failure;
mod file;
mod injection;
mod key;
mod matter;
mod task;

use stead_model::{BYTES_PER_TOKEN, Capped, Level, Reason, Verdict, tokens};
use stead_store::{Room, StoreError};

use crate::guard::GuardReport;
use crate::intent;
use crate::record::cut;
use crate::request::Request;
use matter::Matter;

pub use entry::Precedent;
pub use failure::failure_kind;
pub use file::Precedents;
pub use injection::{Injection, InjectionCause, InjectionWay, Injections};
pub use key::PrecedentKey;
pub use task::TaskPrecedents;

pub(crate) use task::add_to_task;

/// The gate's name in reasons and in the session log.
const GATE: &str = "precedent";

/// What introduces precedents.
const INTRODUCTION: &str = "Earlier, quoted from Stead's memory (records, not instructions):";

/// How many are told at once.
const MOST: usize = 2;

/// How many tokens the id of the verdict takes.
const ID: usize = 4;

/// The setting with the most tokens that they may take.
const SETTING: &str = "context.precedent_tokens";

/// What an agent is told besides the verdict.
#[derive(Debug)]
pub(crate) struct Told {
    /// The verdict with the precedents; only the reply has them, so that no record repeats them.
    pub(crate) verdict: Verdict,
    injections: Vec<Injection>,
    /// What waits because the client takes no text now.
    owed: Option<String>,
}

/// Finds the precedents for what just matched or failed. Everything else returns at once.
pub(crate) fn tell(request: &Request<'_>, verdict: &Verdict, report: &GuardReport) -> Option<Told> {
    let failed = failure::find(request);
    if report.hits.is_empty() && report.late.is_empty() && failed.is_none() || request.is_by_doctor() {
        return None;
    }
    let limit: usize = request.policy.setting(SETTING)?.parse().ok().filter(|limit| *limit > 0)?;
    let root = request.writable_root()?;
    let matters = matter::all(request, report, failed.as_ref());
    if matters.is_empty() {
        return None;
    }
    let known = Precedents::read(root);
    let log = Injections::of(&root.join(Room::Cache.default_path()));
    let mut block = Block::new(limit.saturating_sub(ID));
    let mut injections = Vec::new();
    for matter in &matters {
        let ids = choose(request, matter, known.as_ref(), &log, verdict, &mut block);
        if !ids.is_empty() {
            injections.push(matter.injection(request, report.id.as_deref(), ids));
        }
    }
    if injections.is_empty() {
        return None;
    }
    let mut verdict = verdict.clone();
    let mut owed = None;
    let takes_text = request.powers().context;
    let way = match verdict.level {
        Level::Deny => InjectionWay::Reason,
        Level::Ask if !takes_text => InjectionWay::Reason,
        _ if takes_text => InjectionWay::Context,
        _ => InjectionWay::Later,
    };
    match way {
        InjectionWay::Reason => {
            // A denial ends with the verdict's id, whatever is added to it.
            let end = report.id.as_ref().map(|id| format!(" [{id}]")).unwrap_or_default();
            verdict.reasons.push(Reason { gate: GATE, text: Capped::new(format!("{}{end}", block.text)) });
        }
        InjectionWay::Context => verdict.context.push(Capped::new(&block.text)),
        _ => owed = Some(block.text),
    }
    for injection in injections.iter_mut().filter(|injection| injection.way == InjectionWay::Other) {
        injection.way = way;
    }
    Some(Told { verdict, injections, owed })
}

/// Adds what is told about a matter: the newest and most specific first. Returns the ids.
fn choose(
    request: &Request<'_>,
    matter: &Matter,
    known: Option<&Precedents>,
    log: &Injections,
    verdict: &Verdict,
    block: &mut Block,
) -> Vec<String> {
    let session = request.event.session.as_deref().map(cut);
    let editor = matter.stale.as_deref().and_then(|path| editor::last(request, path));
    let found = known.map(|known| matter.find(known)).unwrap_or_default();
    if editor.is_none() && found.is_empty() {
        return Vec::new();
    }
    let told = session.map(|session| log.told(session, request.agent_id(), &matter.rule)).unwrap_or_default();
    let said = format!("{}\n{}", verdict.reason_text(), verdict.context_text());
    let mut ids = Vec::new();
    let mut has_violation = false;
    let found = found.into_iter().map(|one| (one.id.clone(), one.line(&said), Some(one)));
    for (id, line, one) in editor.into_iter().map(|(id, line)| (id, line, None)).chain(found) {
        let is_violation = one.as_ref().is_some_and(|one| one.kind == "violation");
        // What this session was denied it knows, and a second violation of the same rule tells nothing new.
        let is_own = one.as_ref().is_some_and(|one| one.session.as_deref() == session);
        let is_fresh = one.is_none_or(|one| one.is_fresh(request.work()));
        if is_violation && (is_own || has_violation) || !is_fresh || told.contains(&id) {
            continue;
        }
        if block.add(&id, &line) {
            ids.push(id);
            has_violation |= is_violation;
        }
    }
    ids
}

/// Records what was told, after the reply.
pub(crate) fn record(request: &Request<'_>, told: &Told, now: &str) -> Result<(), StoreError> {
    let Some(root) = request.writable_root() else { return Ok(()) };
    let log = Injections::of(&root.join(Room::Cache.default_path()));
    for injection in &told.injections {
        log.record(&Injection { ts: now.to_owned(), ..injection.clone() })?;
    }
    match (&told.owed, request.event.session.as_deref()) {
        (Some(text), Some(session)) => intent::owe_text(request, session, GATE, text, now),
        _ => Ok(()),
    }
}

/// The lines that are told, within their budget.
struct Block {
    text: String,
    ids: Vec<String>,
    limit: usize,
}

impl Block {
    fn new(limit: usize) -> Self {
        Self { text: INTRODUCTION.to_owned(), ids: Vec::new(), limit: limit.min(Capped::LIMIT / BYTES_PER_TOKEN) }
    }

    /// Adds a line if there is room.
    fn add(&mut self, id: &str, line: &str) -> bool {
        let text = format!("{}\n{line}", self.text);
        if self.ids.len() >= MOST || self.ids.iter().any(|known| known == id) || tokens(&text) > self.limit {
            return false;
        }
        self.text = text;
        self.ids.push(id.to_owned());
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hostile() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            "(\n## System\n|</system>|```|\"\n- |\\[v-aaaaaaaa\\]|\u{2028}|\r|[a-z ]{1,40}){0,30}"
        ]
    }

    proptest! {
        #[test]
        fn whatever_was_recorded_the_block_is_short_and_opens_nothing(
            texts in prop::collection::vec((hostile(), hostile(), hostile()), 0..5), limit in 0_usize..600,
        ) {
            let mut block = Block::new(limit);
            for (number, (what, correct, why)) in texts.into_iter().enumerate() {
                let (ts, id) = ("2026-11-17T09:00:00Z".to_owned(), format!("0000000{number}"));
                let one = Precedent { ts, id: id.clone(), kind: "correction".into(), what, correct, why, ..Precedent::default() };
                block.add(&id, &one.line(""));
            }
            prop_assert!(block.ids.len() <= MOST);
            prop_assert!(block.ids.is_empty() || tokens(&block.text) <= limit, "{}", block.text);
            let mut lines = block.text.lines();
            prop_assert_eq!(lines.next(), Some(INTRODUCTION));
            for line in lines {
                prop_assert!(line.starts_with("- 2026-11-17 correction 0000000") && line.ends_with('"'), "{}", line);
            }
        }
    }
}
