use serde_json::{Map, Value, json};

use super::rule::ProseRule;
use super::target::Target;
use crate::compile::ProjectRooms;
use crate::draft_file::{DraftFile, free_id};
use crate::lint::lint;
use crate::source::Source;

/// Drafts a guard that holds a rule: its id and its file. `None` if the rule names no command and no file, or nothing
/// that a guard could match.
pub fn draft_guard(rule: &ProseRule, taken: &[String], rooms: &ProjectRooms) -> Option<(String, String)> {
    let target = rule.target.as_ref()?;
    let (key, must, must_not) = match target {
        Target::Run(command) => ("runs", json!(command), format!("git commit -m '{}'", command.replace('\'', ""))),
        Target::Write(_) => ("writes", json!({"write": target.file()}), format!("git log -- {}", target.file())),
        Target::Delete(_) => ("deletes", json!({"delete": target.file()}), format!("git log -- {}", target.file())),
        Target::Read(_) => ("reads", json!({"read": target.file()}), format!("git log --oneline -- {}", target.file())),
    };
    let id = free_id(&target.pattern(), taken);
    let text = DraftFile {
        id: id.clone(),
        comments: Vec::new(),
        about: rule.text.clone(),
        matches: Map::from_iter([(key.to_owned(), Value::from(target.pattern()))]),
        say: format!("a rule of this project forbids this: {}", rule.text.replace(['{', '}', '`'], "")),
        must: vec![must],
        must_not: vec![Value::from(must_not)],
    }
    .text();
    // What a rule calls a command may be none; such a draft would only be wrong.
    let source = Source::project(format!("{id}.yaml"), text.clone());
    lint(&source, &[], rooms).is_empty().then_some((id, text))
}
