use std::borrow::Cow;
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::fit::fit;
use super::line_diff::{changed, content_hash, file_hash, line_hashes, lines};
use super::record::{
    Contributor, ContributorKind, Conversation, FileNote, FileOp, FileTrace, LineRange, Metadata, MutationClass, Phase,
    Record, Related, SteadNote, Tool, Vcs,
};
use crate::MutationClaim;

/// Who made a call, and for what. Texts were redacted and cut by the caller.
#[derive(Clone, Debug, Default)]
pub struct CallFacts {
    pub timestamp: String,
    /// The commit that is checked out.
    pub revision: Option<String>,
    pub contributor: ContributorKind,
    pub model: Option<String>,
    pub session: Option<String>,
    pub harness: Option<String>,
    pub agent: Option<String>,
    pub role: Option<String>,
    pub run: Option<String>,
    pub stage: Option<String>,
    pub iteration: Option<u32>,
    pub call: Option<String>,
    pub tool: Option<String>,
    pub intent: Option<String>,
    pub claim: Option<MutationClaim>,
    pub verdict: Option<String>,
    pub guards: Vec<String>,
    /// The provisional line that this one completes.
    pub of: Option<String>,
}

/// One side of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// There was no file.
    Absent,
    Bytes(Vec<u8>),
    /// There was a file whose content is not at hand; its hash may be.
    Unknown {
        hash: Option<String>,
    },
    /// It is not known whether there was a file.
    #[default]
    Unseen,
}

/// What happened to one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileChange {
    /// Relative to the project's root.
    pub path: String,
    /// The path before a rename.
    pub from: Option<String>,
    pub before: Side,
    pub after: Side,
}

/// How much work one record may be.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    pub time: Duration,
    /// The longest file whose lines are compared, in bytes.
    pub bytes: usize,
}

impl Budget {
    /// After a tool.
    pub const HOOK: Self = Self { time: Duration::from_millis(40), bytes: 1024 * 1024 };
    /// When somebody waits for a command anyway.
    pub const COMMAND: Self = Self { time: Duration::from_secs(10), bytes: 16 * 1024 * 1024 };
}

/// Builds the record of a call; `None` if nothing changed. The phase is provisional if something about a change could
/// not be looked at within the budget, or the text before is missing.
pub fn build(facts: &CallFacts, changes: &[FileChange], budget: Budget) -> Option<Record> {
    let deadline = Instant::now() + budget.time;
    let seen: Vec<Seen> = changes.iter().filter_map(|change| look(change, budget, deadline)).collect();
    if seen.is_empty() {
        return None;
    }
    let contributor = Contributor { kind: facts.contributor, model_id: facts.model.as_deref().map(model_id) };
    let related: Vec<Related> = facts.intent.as_deref().map(Related::to_intent).into_iter().collect();
    let is_whole = seen.iter().all(|file| file.is_whole);
    let (class, how) = classify(&seen);
    let (mut files, mut notes) = (Vec::new(), Vec::new());
    for Seen { note, ranges, .. } in seen {
        let talk = Conversation { url: None, contributor: Some(contributor.clone()), ranges, related: related.clone() };
        files.push(FileTrace { path: note.path.clone(), conversations: vec![talk] });
        notes.push(note);
    }
    let claim = facts.claim.map(|claim| match claim {
        MutationClaim::Refactor => MutationClass::Refactor,
        MutationClaim::Evolution => MutationClass::Evolution,
    });
    let note = SteadNote {
        v: 1,
        session: facts.session.clone(),
        harness: facts.harness.clone(),
        agent: facts.agent.clone(),
        role: facts.role.clone(),
        run: facts.run.clone(),
        stage: facts.stage.clone(),
        iteration: facts.iteration,
        call: facts.call.clone(),
        tool: facts.tool.clone(),
        intent: facts.intent.clone(),
        class,
        how: how.to_owned(),
        claim,
        agrees: claim.filter(|_| class != MutationClass::Unknown).map(|claim| claim == class),
        verdict: facts.verdict.clone(),
        guards: facts.guards.clone(),
        phase: if is_whole { Phase::Final } else { Phase::Provisional },
        of: facts.of.clone(),
        files: notes,
        ..SteadNote::default()
    };
    let mut record = Record {
        version: Record::VERSION.to_owned(),
        id: Uuid::new_v4().to_string(),
        timestamp: facts.timestamp.clone(),
        vcs: facts.revision.clone().map(|revision| Vcs { kind: "git".to_owned(), revision }),
        tool: facts.harness.clone().map(|name| Tool { name: Some(name), version: None }),
        files,
        metadata: Metadata { stead: Some(note) },
        ..Record::default()
    };
    fit(&mut record);
    Some(record)
}

/// Agent Trace allows 250 characters.
fn model_id(name: &str) -> String {
    name.chars().take(250).collect()
}

/// A changed file as far as it was looked at.
struct Seen {
    note: FileNote,
    ranges: Vec<LineRange>,
    /// Both texts were compared.
    is_whole: bool,
}

fn look(change: &FileChange, budget: Budget, deadline: Instant) -> Option<Seen> {
    let (before, after) = (change.before.hash(), change.after.hash());
    let op = match (&change.before, &change.after, &change.from) {
        (Side::Absent, Side::Absent, _) => return None,
        (_, _, Some(_)) => FileOp::Rename,
        (_, Side::Absent, None) => FileOp::Delete,
        (Side::Absent, _, None) => FileOp::Add,
        _ if before.is_some() && before == after => return None,
        _ => FileOp::Modify,
    };
    let mut seen = Seen {
        note: FileNote {
            path: change.path.clone(),
            op,
            from: change.from.clone(),
            before,
            after,
            ..FileNote::default()
        },
        ranges: Vec::new(),
        is_whole: true,
    };
    // Of a file that is gone, or only has another name, no line is new.
    let is_same = op == FileOp::Rename && seen.note.before.is_some() && seen.note.before == seen.note.after;
    let (Some(new), false) = (change.after.text(), is_same || change.after == Side::Absent) else {
        seen.is_whole = !matches!(change.after, Side::Unknown { .. } | Side::Unseen);
        return Some(seen);
    };
    let old = match &change.before {
        Side::Absent => Cow::Borrowed(""),
        side => match side.text() {
            Some(old) => old,
            None => {
                // Bytes that are no text, or no bytes: nobody knows which lines are new.
                seen.is_whole = matches!(side, Side::Bytes(_));
                return Some(seen);
            }
        },
    };
    if old.len().max(new.len()) > budget.bytes || Instant::now() >= deadline {
        seen.is_whole = false;
        return Some(seen);
    }
    let (old, new) = (lines(&old), lines(&new));
    for range in changed(&old, &new, deadline) {
        let own = &new[range.clone()];
        seen.note.lines.push_str(&line_hashes(own.iter().copied()));
        seen.ranges.push(LineRange {
            start_line: range.start as u64 + 1,
            end_line: range.end as u64,
            content_hash: Some(content_hash(own)),
            contributor: None,
        });
    }
    Some(seen)
}

/// What the change means.
fn classify(seen: &[Seen]) -> (MutationClass, &'static str) {
    match seen.iter().all(|file| file.note.op == FileOp::Rename && file.ranges.is_empty() && file.is_whole) {
        true => (MutationClass::Refactor, "renamed"),
        false => (MutationClass::Unknown, "unread"),
    }
}

impl Side {
    /// The hash of the file, if it is known.
    pub fn hash(&self) -> Option<String> {
        match self {
            Self::Bytes(bytes) => Some(file_hash(bytes)),
            Self::Unknown { hash } => hash.clone(),
            Self::Absent | Self::Unseen => None,
        }
    }

    /// The text, if it is text: UTF-8 without zero bytes.
    fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Bytes(bytes) if !bytes.contains(&0) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
            _ => None,
        }
    }
}
