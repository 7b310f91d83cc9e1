//! The packet that is written before an unprepared compaction: what Stead recorded, without a model.

use std::path::{Path, PathBuf};
use std::time::Duration;

use stead_context::{
    ContextError, Contribution, Folders, GitFacts, GitWork, Handoff, Heading, Lifecycle, PacketKind, RoleName,
    RoleState, Shelf, Status,
};
use stead_model::{Detail, EventKind, Level, Trigger, Verdict};
use stead_store::{Durability, Room, Sharing, extend_alarm, keep_ignored, run_check};

use crate::evidence::session_runs;
use crate::member::Member;
use crate::record;
use crate::request::Request;

/// The reply is already written, but the client waits for the process to end.
const SECONDS: u32 = 5;

/// The time limit of one git command.
const PATIENCE: Duration = Duration::from_secs(1);

/// How much of git's output is read.
const ANSWER: usize = 1024 * 1024;

/// Returns true if a compaction is unprepared.
pub(crate) fn is_due(member: &Member<'_>, state: &RoleState) -> bool {
    !matches!(member.event.detail, Detail::Compact { trigger: Trigger::Manual }) || state.unsaved.is_some()
}

/// Writes the packet, after the reply to a before-compact event.
pub(crate) fn take(request: &Request<'_>, verdict: &Verdict) {
    if request.event.kind != EventKind::BeforeCompact || verdict.level >= Level::Ask {
        return;
    }
    let Some(member) = Member::of(request) else { return };
    let Some(role) = member.role() else { return };
    extend_alarm(SECONDS);
    if let Err(error) = write(&member, &role) {
        request.note(&error);
    }
}

fn write(member: &Member<'_>, role: &RoleName) -> Result<(), ContextError> {
    let Some(mut state) = RoleState::read(member.indexes(), role)? else { return Ok(()) };
    if state.state != Lifecycle::Compacting || !is_due(member, &state) {
        return Ok(());
    }
    let context = member.request.room(Room::Context);
    let before = state.snapshot.take();
    let made = packet(member, role, &state, &context);
    if let Ok(id) = &made {
        state.snapshot = Some(id.clone());
    }
    state.write(member.indexes(), Durability::Quick)?;
    if let (Ok(_), Some(before)) = (&made, before) {
        // The older snapshot contains nothing that the newer one lacks, unless it was picked up.
        let _ = Shelf::new(&context).edit(&before, |packet| {
            if packet.status() == Some(Status::Draft) {
                packet.set_status(Status::Done, &member.now);
            }
            Ok(())
        });
    }
    made.map(|_| ())
}

fn packet(member: &Member<'_>, role: &RoleName, state: &RoleState, context: &Path) -> Result<String, ContextError> {
    let file = member.short(&member.role_file(role));
    let saved = state.unsaved.as_ref().map_or_else(|| "is up to date".to_owned(), Clone::clone);
    let about = format!(
        "Written by Stead before a compaction of the role `{role}`, without a model. The role file `{file}` {saved}."
    );
    let home = (member.request.env)("HOME").map(PathBuf::from);
    let sharing = match member.request.policy.value("value", "context.share") {
        Some("true") => Sharing::On,
        _ => Sharing::Off,
    };
    keep_ignored(context, sharing)?;
    let handoff = Handoff {
        place: Folders { root: member.root, context },
        purpose: &format!("Continue as {role} after a compaction"),
        now: record::now_millis(),
        source: Some(member.request.harness.name()),
        session: member.session.map(|session| session.as_str()),
        home: home.as_deref(),
        git: git(member.root, GitFacts::QUESTION).map(|answer| GitFacts::parse(answer.as_bytes())),
        work: match member.state {
            Some(state) => GitWork::gather(&state.started_at, &|words| Some(git(member.root, words)?.into_bytes())),
            None => GitWork::default(),
        },
        runs: session_runs(&member.request.evidence_ground(), member.session.map(|session| session.as_str())),
        last_answer: None,
        kind: PacketKind::Snapshot,
        is_trusted: &|_| false,
        ignored: &|paths| ignored(member.root, paths),
        sent: Contribution { sections: [(Heading::Context, about)].into(), ..Contribution::default() },
        promise: None,
        max_iterations: None,
        validators: Vec::new(),
        confirm: Vec::new(),
        continues: None,
    };
    Ok(handoff.make()?.id)
}

/// The paths that git ignores.
fn ignored(root: &Path, paths: &[String]) -> Vec<String> {
    let words =
        ["-c", "core.quotePath=false", "check-ignore", "--"].into_iter().chain(paths.iter().map(String::as_str));
    let answer = git(root, &words.collect::<Vec<_>>()).unwrap_or_default();
    answer.lines().map(str::to_owned).collect()
}

/// Runs git; `None` if it does not answer in time.
fn git(root: &Path, words: &[&str]) -> Option<String> {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
    let command = format!("git {} 2>/dev/null", quoted.join(" "));
    let ran = run_check(&command, root, &[("GIT_OPTIONAL_LOCKS", "0")], PATIENCE, ANSWER).ok()?;
    ran.is_green().then_some(ran.tail)
}
