//! Records tests and builds that an agent runs: the command, its exit status and its summary, as evidence for later.

use std::path::Path;
use std::time::{Duration, Instant};

use stead_client::{ExitStatus, Harness};
use stead_context::TestRun;
use stead_evidence::{Archive, Bounds, EvidenceError, Ground, Item, Phase, Seen, Who, Wrote, observe};
use stead_guard::ReadEffects;
use stead_ledger::trace::Ledger;
use stead_model::{Action, Effects, Event, EventKind, Level, Op, ProjectTree, ToolCall, Verdict};
use stead_shell::{Facts, Place};
use stead_store::{Found, Room, extend_alarm};

use crate::file_facts::FileFacts;
use crate::location::Env;
use crate::record::cut;
use crate::request::Request;
use crate::run_identity::RunIdentity;

/// How long reading the files that a run covers may take, and what the alarm allows for it, in seconds. The reply is
/// already written, but clients wait for the end of the process.
const PATIENCE: Duration = Duration::from_millis(1_500);
const ALARM: u32 = 4;

/// How many records are searched for those of a session, and how many of them are used.
const RECENT: usize = 5_000;
const RUNS: usize = 300;

/// How many lines of the ledger are searched for what a session wrote.
const LEDGER_LINES: usize = 1_000;

/// Reads what a command does that Stead runs itself in the project's root.
pub fn command_effects(ground: &Ground, env: &Env, command: &str) -> Effects {
    let event = Event::new(EventKind::BeforeTool, "");
    let found = Found::Bare { dir: ground.root.clone() };
    let facts = FileFacts::new(&found, ground.indexes.clone(), Harness::ALL[0], &event);
    let action = Action::Run { command: command.into(), dir: None };
    let call = ToolCall { tool: "".into(), id: None, action, input: "".into() };
    stead_shell::effects(
        &call,
        &Place { root: Some(&ground.root), tree: None, others: &[], cwd: &ground.root, env },
        &facts,
    )
}

/// Of these paths, those that a session wrote, or a run without one, as far as the newest lines of the ledger tell.
/// `intents` is the ledger's folder.
pub fn written_by(intents: &Path, who: &Who, paths: &[&str]) -> Vec<String> {
    let Some(name) = who.session.as_deref().or(who.run.as_deref()) else { return Vec::new() };
    let mut found: Vec<String> = Vec::new();
    let sources = Ledger::of(intents, None).sources();
    let Some(lines) = sources.first().and_then(|source| Ledger::read_back(source).ok()) else { return found };
    for line in lines.mentioning(name, LEDGER_LINES).flatten() {
        let Some(note) = line.record.stead() else { continue };
        let is_own = match &who.session {
            Some(session) => note.session.as_ref() == Some(session),
            None => note.run == who.run,
        };
        let files = note.files.iter().filter(|file| is_own && paths.contains(&file.path.as_str()));
        found.extend(files.map(|file| file.path.clone()));
        found.sort_unstable();
        found.dedup();
        if found.len() == paths.len() {
            break;
        }
    }
    found
}

/// The tests and builds of a session, oldest first, as far as the newest records tell.
pub fn session_runs(ground: &Ground, session: Option<&str>) -> Vec<TestRun> {
    let Some(session) = session else { return Vec::new() };
    let Ok(recent) = Archive::quick(ground).recent() else { return Vec::new() };
    let own =
        recent.take(RECENT).filter(|item| item.who.session.as_deref() == Some(session) && item.foreign().is_none());
    let mut runs: Vec<TestRun> = own.take(RUNS).filter_map(test_run).collect();
    runs.reverse();
    runs
}

fn test_run(item: Item) -> Option<TestRun> {
    let summary = item.counts.map(|counts| counts.to_string()).unwrap_or_default();
    let command = item.command?.split_whitespace().collect::<Vec<_>>().join(" ");
    let passed = item.exit.map(|exit| exit == 0);
    Some(TestRun { id: item.id, at: item.ts, command, passed, summary, is_whole: item.whole })
}

/// Records a test or a build. Everything else returns at once.
pub(crate) fn record(request: &Request<'_>, verdict: &Verdict, now: &str) -> Result<(), EvidenceError> {
    let event = request.event;
    let phase = match event.kind {
        EventKind::AfterTool | EventKind::ToolFailed => Phase::Ended,
        EventKind::BeforeTool if starts_unseen(request, verdict) => Phase::Started,
        _ => return Ok(()),
    };
    let Some(Action::Run { command, dir }) = event.call.as_ref().map(|call| &call.action) else { return Ok(()) };
    if !request.could_be_evidence(command) || !request.records("record.evidence", "STEAD_RECORD_EVIDENCE") {
        return Ok(());
    }
    let outcome = request.outcome();
    let own = |text: &str| cut(text).to_owned();
    let work = RunIdentity::from_env(request.env);
    let who = Who {
        harness: Some(request.harness.name().to_owned()),
        session: event.session.as_deref().map(own),
        agent: request.agent_id().map(own),
        role: event.agent.as_ref().and_then(|agent| agent.role.as_deref()).map(own),
        run: work.run,
        stage: work.stage,
    };
    let folder = request.location.cwd.join(dir.as_deref().unwrap_or_default());
    let begun = Instant::now();
    extend_alarm(ALARM);
    let effects = request.effects();
    let intents = request.room(Room::Intents);
    let wrote: Wrote<'_> = &|who, paths| written_by(&intents, who, paths);
    let seen =
        Seen { phase, command, effects, dir: &folder, exit: outcome.exit, output: &outcome.output, who, wrote, now };
    let go_on = || begun.elapsed() < PATIENCE;
    let item = observe(&ground_of(request), &seen, &Bounds::hook(&go_on))?;
    if let Some(why) = item.as_ref().and_then(Item::foreign) {
        request.note(&format!("a test or build that proves nothing, because {why}"));
    }
    Ok(())
}

/// Where a call's evidence belongs: it is about the tree that its last program ran in, which may be a work tree or copy
/// of the project. The records are the project's.
fn ground_of(request: &Request<'_>) -> Ground {
    let mut ground = request.evidence_ground();
    let mut runs = request.effects().list.iter().rev();
    let dir = runs.find_map(|effect| match &effect.op {
        Op::Run { dir, .. } => Some(request.facts.real(Path::new(dir))),
        _ => None,
    });
    if let Some(dir) = dir
        && let Some(ProjectTree::Same(tree)) = request.facts.tree_of(&dir)
        && dir.starts_with(&tree)
    {
        ground.root = tree;
    }
    ground
}

/// Returns true if the call runs and its client will not report its failure. Then a red run would leave no trace, and an
/// earlier green one would still count.
fn starts_unseen(request: &Request<'_>, verdict: &Verdict) -> bool {
    request.harness.client().facts.exit_status == ExitStatus::Successful && verdict.level <= Level::Warn
}
