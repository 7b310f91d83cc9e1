use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use serde_json::{Value, json};
use stead_ledger::trace::{Ledger, Record, Source};
use stead_store::StoreError;

/// Which changes are meant.
#[derive(Args, Default)]
pub(super) struct Filter {
    /// Only for this intent
    #[arg(long, value_name = "ID")]
    intent: Option<String>,
    /// Only of this file, or of files below this folder
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Only of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

/// A change and who wrote its line.
pub(super) struct Entry {
    pub(super) record: Record,
    pub(super) peer: Option<String>,
    text: String,
}

/// Passes the changes that a filter means to `take`, newest first, until that returns false; `id` may be the beginning of
/// the wanted id. Of a provisional line and the final one that completes it, only the final one counts. Ledgers may be
/// large, so only one line is held.
pub(super) fn each_newest(
    source: &Source,
    filter: &Filter,
    id: &str,
    mut take: impl FnMut(Entry) -> bool,
) -> Result<(), StoreError> {
    let mut completed = BTreeSet::new();
    let name = if id.is_empty() { filter.name() } else { id };
    for line in Ledger::read_back(source)?.mentioning(name, usize::MAX) {
        let line = line?;
        completed.extend(line.record.stead().and_then(|note| note.of.clone()));
        let is_meant = line.record.id.starts_with(id) && filter.means(&line.record);
        if !completed.remove(&line.record.id) && is_meant {
            let entry = Entry { record: line.record, peer: source.peer.clone(), text: line.line.text };
            if !take(entry) {
                break;
            }
        }
    }
    Ok(())
}

/// Passes the records that a filter means to `take`, oldest first, without the provisional ones that were completed.
pub(super) fn each_oldest(source: &Source, filter: &Filter, mut take: impl FnMut(Record)) -> Result<(), StoreError> {
    let mut completed = BTreeSet::new();
    for line in Ledger::read(source)? {
        completed.extend(line?.record.stead().and_then(|note| note.of.clone()));
    }
    for line in Ledger::read(source)? {
        let record = line?.record;
        if filter.means(&record) && !completed.contains(&record.id) {
            take(record);
        }
    }
    Ok(())
}

impl Filter {
    /// A name that every record has that is meant.
    fn name(&self) -> &str {
        self.intent.as_deref().or(self.session.as_deref()).unwrap_or_default()
    }

    fn means(&self, record: &Record) -> bool {
        let below = |path: &str, wanted: &str| {
            path.strip_prefix(wanted.trim_end_matches('/')).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.intent.as_deref().is_none_or(|intent| record.intent() == Some(intent))
            && self.session.as_deref().is_none_or(|session| record.session() == Some(session))
            && self.path.as_deref().is_none_or(|wanted| record.paths().any(|path| below(path, wanted)))
    }
}

/// The record as it is stored.
pub(super) fn as_json(entry: &Entry) -> Value {
    let mut value: Value = serde_json::from_str(&entry.text).unwrap_or_default();
    if let (Some(peer), Some(object)) = (&entry.peer, value.as_object_mut()) {
        object.insert("peer".to_owned(), json!(peer));
    }
    value
}

/// A change in one line.
pub(super) fn summary(entry: &Entry) -> String {
    let record = &entry.record;
    let mut paths: Vec<&str> = record.paths().collect();
    let more = paths.len().saturating_sub(2);
    paths.truncate(2);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(
        "{} {} {} {} {}{more}",
        record.id.get(..8).unwrap_or(&record.id),
        record.timestamp.get(..19).unwrap_or(&record.timestamp),
        record.intent().unwrap_or("-"),
        record.class(),
        paths.join(", "),
    )
}

/// A change in several lines.
pub(super) fn details(entry: &Entry) -> Vec<String> {
    let record = &entry.record;
    let mut lines = vec![format!("id: {}", record.id), format!("time: {}", record.timestamp)];
    let mut add = |name: &str, value: Option<&str>| lines.extend(value.map(|value| format!("{name}: {value}")));
    add("writer", entry.peer.as_deref());
    add("contributor", Some(record.contributor().name()));
    add("intent", record.intent());
    add("commit", record.vcs.as_ref().map(|vcs| vcs.revision.as_str()));
    if let Some(note) = record.stead() {
        add("session", note.session.as_deref());
        add("client", note.harness.as_deref());
        add("agent", note.agent.as_deref());
        add("tool", note.tool.as_deref());
        add("class", Some(&format!("{} ({})", note.class, note.how)));
        add("verdict", note.verdict.as_deref());
        add("phase", Some(note.phase.name()));
        add("out of scope", (!note.out_of_scope.is_empty()).then(|| note.out_of_scope.join(", ")).as_deref());
    }
    for file in &record.files {
        let note = record.stead().and_then(|note| note.files.iter().find(|one| one.path == file.path));
        let ranges = file.conversations.iter().flat_map(|talk| &talk.ranges);
        let ranges: Vec<String> = ranges.map(|range| format!("{}-{}", range.start_line, range.end_line)).collect();
        let op = note.map_or("modify", |note| note.op.name());
        lines.push(format!("{op} {} {}", file.path, ranges.join(" ")).trim_end().to_owned());
        for node in note.into_iter().flat_map(|note| &note.nodes).filter(|node| !node.name.is_empty()) {
            lines.push(format!("  {} {} {}-{}", node.kind, node.name, node.start, node.end));
        }
    }
    lines
}

/// How many lines a change has in its ranges.
pub(super) fn changed_lines(record: &Record) -> u64 {
    let talks = record.files.iter().flat_map(|file| &file.conversations);
    let lines = talks.flat_map(|talk| &talk.ranges);
    // Other writers may have written any number.
    lines
        .fold(0_u64, |sum, range| sum.saturating_add(range.end_line.saturating_add(1).saturating_sub(range.start_line)))
}

/// Names and their counts, the greatest first.
pub(super) fn joined(counts: &BTreeMap<String, usize>) -> String {
    let mut counts: Vec<(&String, &usize)> = counts.iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}
