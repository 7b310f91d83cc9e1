use std::borrow::Cow;
use std::time::{Duration, Instant};

use stead_code::{Language, Lines, Node, changed_lines, file_hash, line_hash, nodes};
use uuid::Uuid;

use super::class::classify;
use super::fit::fit;
use super::novelty::mark;
use super::record::{
    Contributor, ContributorKind, Conversation, FileNote, FileOp, FileTrace, LineRange, Metadata, MutationClass,
    NodeNote, NodePart, Phase, Record, Related, SteadNote, Tool, Vcs,
};
use crate::MutationClaim;

/// Who made a call, and for what. Texts were cut by the caller.
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
    /// The changed files that the intent does not own.
    pub out_of_scope: Vec<String>,
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
    /// How many bytes may be parsed, of all files together.
    pub parsed: usize,
}

impl Budget {
    /// After a tool: parsing takes about half a millisecond for a kilobyte, so all but small files wait for the stop or
    /// for the next command.
    pub const HOOK: Self = Self { time: Duration::from_millis(40), bytes: 1024 * 1024, parsed: 2 * 1024 };
    /// When somebody waits for a command anyway.
    pub const COMMAND: Self = Self { time: Duration::from_secs(10), bytes: 16 * 1024 * 1024, parsed: 16 * 1024 * 1024 };
}

/// Builds the record of a call; `None` if nothing changed. The phase is provisional if something about a change could
/// not be looked at within the budget, or the text before is missing.
pub fn build(facts: &CallFacts, changes: &[FileChange], budget: Budget) -> Option<Record> {
    let deadline = Instant::now() + budget.time;
    let mut left = budget.parsed;
    let mut seen: Vec<Seen> = changes.iter().filter_map(|change| look(change, budget, &mut left, deadline)).collect();
    if seen.is_empty() {
        return None;
    }
    mark(&mut seen);
    let contributor = Contributor { kind: facts.contributor, model_id: facts.model.as_deref().map(model_id) };
    let related: Vec<Related> = facts.intent.as_deref().map(Related::to_intent).into_iter().collect();
    let is_whole = seen.iter().all(|file| file.is_whole);
    let (class, how) = if is_whole { classify(&seen) } else { (MutationClass::Unknown, "unread") };
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
        out_of_scope: facts.out_of_scope.clone(),
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
pub(super) struct Seen<'a> {
    pub(super) note: FileNote,
    pub(super) ranges: Vec<LineRange>,
    /// Both texts were compared.
    is_whole: bool,
    /// Both texts; `None` where there is none, or where bytes are no text.
    pub(super) old: Option<Cow<'a, str>>,
    pub(super) new: Option<Cow<'a, str>>,
}

impl Seen<'_> {
    /// Returns true if both files have the same bytes.
    pub(super) fn is_same_text(&self) -> bool {
        self.note.before.is_some() && self.note.before == self.note.after
    }
}

fn look<'a>(change: &'a FileChange, budget: Budget, left: &mut usize, deadline: Instant) -> Option<Seen<'a>> {
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
        old: change.before.text(),
        new: change.after.text(),
    };
    // Of a file that is gone, or only has another name, no line is new.
    let is_same = op == FileOp::Rename && seen.is_same_text();
    let (Some(new), false) = (&seen.new, is_same) else {
        seen.is_whole = !matches!(change.after, Side::Unknown { .. } | Side::Unseen);
        return Some(seen);
    };
    let old = match (&change.before, &seen.old) {
        (Side::Absent, _) => "",
        (_, Some(old)) => old,
        (side, None) => {
            // Bytes that are no text, or no bytes: nobody knows which lines are new.
            seen.is_whole = matches!(side, Side::Bytes(_));
            return Some(seen);
        }
    };
    if old.len().max(new.len()) > budget.bytes || Instant::now() >= deadline {
        seen.is_whole = false;
        return Some(seen);
    }
    let lines = Lines::of(new);
    for range in changed_lines(old, new) {
        let own = lines.all().get(range.start - 1..range.end).unwrap_or_default();
        own.iter().for_each(|line| seen.note.lines.push_str(&line_hash(line).to_string()));
        seen.ranges.push(LineRange {
            start_line: range.start as u64,
            end_line: range.end as u64,
            content_hash: lines.range_hash(range.start, range.end).map(|hash| hash.to_string()),
            contributor: None,
        });
    }
    let Some(language) = Language::of(&change.path, new) else { return Some(seen) };
    // Both texts are parsed to compare them.
    let cost = old.len() + new.len();
    match left.checked_sub(cost).filter(|_| Instant::now() < deadline) {
        Some(rest) => {
            *left = rest;
            seen.note.nodes = nodes_in(language, new, &seen.ranges);
        }
        None => seen.is_whole = false,
    }
    Some(seen)
}

/// The syntax nodes that have changed lines.
fn nodes_in(language: Language, text: &str, ranges: &[LineRange]) -> Vec<NodeNote> {
    let is_changed = |node: &Node| {
        let (start, end) = (node.start as u64, node.end as u64);
        ranges.iter().any(|range| range.start_line <= end && start <= range.end_line)
    };
    let nodes = nodes(language, text, &stead_code::Budget::default()).unwrap_or_default();
    let note = |node: Node| NodeNote {
        lang: language.name().to_owned(),
        kind: node.kind.to_owned(),
        name: node.name,
        start: node.start as u64,
        end: node.end as u64,
        raw: node.raw.to_string(),
        normal: node.normal.map(|hash| hash.to_string()),
        part: NodePart::default(),
    };
    nodes.into_iter().filter(is_changed).map(note).collect()
}

impl Side {
    /// The hash of the file, if it is known.
    pub fn hash(&self) -> Option<String> {
        match self {
            Self::Bytes(bytes) => Some(file_hash(bytes).to_string()),
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
