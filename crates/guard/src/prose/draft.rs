use serde_json::{Value, json};

use super::rule::ProseRule;
use super::target::Target;
use crate::compile::ProjectRooms;
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
    let id = free_id(target, taken);
    let text = format!(
        "id: {id}\nabout: {}\nmode: shadow\non: [before-tool]\nmatch: {{{key}: {}}}\nthen: deny\nsay: {}\ntests:\n  \
         must: [{must}]\n  must_not: [{}]\n",
        Value::from(rule.text.as_str()),
        Value::from(target.pattern()),
        Value::from(format!("a rule of this project forbids this: {}", rule.text.replace(['{', '}', '`'], ""))),
        Value::from(must_not),
    );
    // What a rule calls a command may be none; such a draft would only be wrong.
    let source = Source::project(format!("{id}.yaml"), text.clone());
    lint(&source, &[], rooms).is_empty().then_some((id, text))
}

fn free_id(target: &Target, taken: &[String]) -> String {
    let words: Vec<String> = target
        .pattern()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(4)
        .map(str::to_lowercase)
        .collect();
    let id = format!("no-{}", words.join("-"));
    let free = |id: &String| !taken.contains(id);
    std::iter::once(id.clone()).chain((2..).map(|number| format!("{id}-{number}"))).find(free).unwrap_or(id)
}
