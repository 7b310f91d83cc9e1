use stead_code::{Change, Class, Language, classify as judge};

use super::build::Seen;
use super::record::{FileOp, MutationClass};

/// What a change means, and how that was decided.
pub(super) fn classify(seen: &[Seen<'_>]) -> (MutationClass, &'static str) {
    if seen.iter().all(|file| file.note.op == FileOp::Rename && file.ranges.is_empty() && file.is_same_text()) {
        return (MutationClass::Refactor, "move");
    }
    let changes: Vec<Change<'_>> = seen
        .iter()
        .map(|file| Change {
            path: &file.note.path,
            language: file.new.as_deref().or(file.old.as_deref()).and_then(|text| Language::of(&file.note.path, text)),
            before: file.old.as_deref().or((file.note.op == FileOp::Add).then_some("")),
            after: file.new.as_deref().or((file.note.op == FileOp::Delete).then_some("")),
        })
        .collect();
    let judgement = judge(&changes, &stead_code::Budget::default());
    let class = match judgement.class {
        Class::Refactor => MutationClass::Refactor,
        Class::Evolution => MutationClass::Evolution,
        Class::Unknown => MutationClass::Unknown,
    };
    (class, judgement.how)
}
