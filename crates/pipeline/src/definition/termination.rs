//! When a stage ends: the `termination` block, and `completion` of the older format.

use stead_context::split_promises;
use stead_model::suggestion;
use stead_yaml::Entry;

use super::reading::{Reading, find, place};
use crate::Termination;
use crate::lint::Code;

/// Lists the open items of a run from the issue tracker `bd`.
const BEADS: &str = "bd ready --label=loop/${SESSION} --json";
const CONSENSUS: u32 = 2;
const MIN_ITERATIONS: u32 = 2;

const TYPES: [&str; 4] = ["judgment", "queue", "fixed", "promise"];
const KEYS: [&str; 9] =
    ["type", "min_iterations", "consensus", "command", "queue", "category", "labels", "promise", "promises"];

/// What a queue can be besides a command.
const QUEUES: [&str; 2] = ["beads", "features"];

/// The command of a queue that names none, for a run.
pub(crate) fn default_queue(run: &str) -> String {
    BEADS.replace("${SESSION}", run)
}

pub(crate) fn termination(reading: &mut Reading, entry: &Entry) -> Option<Termination> {
    let entries = reading.map(entry)?;
    let Some(kind) = find(entries, "type") else {
        let hint = format!("add `type: {}`", TYPES.join("|"));
        reading.findings.error(Code::L005, &entry.key_at, "`termination` has no `type`").hint(hint);
        return None;
    };
    let typed = reading.text(kind)?;
    let fitting: &[&str] = match typed.as_str() {
        "judgment" => &["type", "min_iterations", "consensus"],
        "queue" => &["type", "command", "queue", "category", "labels"],
        "promise" => &["type", "promise", "promises"],
        "fixed" => &["type"],
        _ => {
            let message = format!("unknown termination `{typed}`");
            let hint = match renamed(&typed) {
                Some(now) => format!("it is now called `{now}`"),
                None => suggestion(&typed, TYPES),
            };
            reading.findings.error(Code::L005, &place(kind), message).hint(hint);
            return None;
        }
    };
    for part in entries {
        if !KEYS.contains(&part.key.as_str()) {
            reading.unknown(part, fitting);
        } else if !fitting.contains(&part.key.as_str()) {
            let message = format!("`{}` has no meaning if `type` is `{typed}`", part.key);
            reading.findings.error(Code::L006, &part.key_at, message).hint("remove it, or change `type`");
        }
    }
    let count = |reading: &mut Reading, key| find(entries, key).and_then(|part| reading.count(part));
    Some(match typed.as_str() {
        "judgment" => Termination::Judgment {
            min_iterations: count(reading, "min_iterations").unwrap_or(MIN_ITERATIONS),
            consensus: count(reading, "consensus").unwrap_or(CONSENSUS),
        },
        "queue" => {
            let part = |name| find(entries, name);
            let source = part("queue").and_then(|part| Some((part, reading.text(part)?)));
            match source {
                Some((_, source)) if source == "features" => {
                    let category = part("category").and_then(|part| reading.text(part));
                    let labels = part("labels").map(|part| reading.texts(part)).unwrap_or_default();
                    return Some(Termination::Features { category, labels });
                }
                Some((part, source)) if !QUEUES.contains(&source.as_str()) => {
                    let message = format!("unknown queue `{source}`");
                    reading.findings.error(Code::L006, &place(part), message).hint(suggestion(&source, QUEUES));
                }
                _ => {}
            }
            if let Some(part) = part("category").or_else(|| part("labels")) {
                let message = format!("`{}` needs `queue: features`", part.key);
                reading.findings.error(Code::L006, &part.key_at, message).hint("add `queue: features`, or remove it");
            }
            let command = part("command").and_then(|part| reading.text(part));
            Termination::Queue { command: command.unwrap_or_else(|| BEADS.to_owned()) }
        }
        "promise" => Termination::Promise { promises: promises(reading, entry, entries)? },
        _ => Termination::Fixed,
    })
}

fn promises(reading: &mut Reading, whole: &Entry, entries: &[Entry]) -> Option<Vec<String>> {
    let Some(part) = find(entries, "promise").or_else(|| find(entries, "promises")) else {
        let finding = reading.findings.error(Code::L006, &whole.key_at, "`termination` has no `promise`");
        finding.hint("add `promise: DONE`");
        return None;
    };
    let joined = reading.texts(part).join("|");
    match split_promises(&joined) {
        Ok(promises) => Some(promises),
        Err(why) => {
            reading.wrong(&place(part), format!("`{}` is not a valid promise: {why}", part.key));
            None
        }
    }
}

/// Reads `completion` of an older stage.
pub(crate) fn completion(reading: &mut Reading, entry: &Entry) -> Option<Termination> {
    let typed = reading.text(entry)?;
    let Some(instead) = renamed(&typed) else {
        let known = ["plateau", "beads-empty", "fixed-n"];
        let message = format!("unknown completion `{typed}`");
        reading.findings.error(Code::L005, &place(entry), message).hint(suggestion(&typed, known));
        return None;
    };
    let hint = format!("write `termination: {{type: {instead}}}`, or run `stead migrate pipelines`");
    reading.findings.deprecation(reading.codes.older, &entry.key_at, "`completion` is deprecated").hint(hint);
    Some(match instead {
        "judgment" => Termination::Judgment { min_iterations: MIN_ITERATIONS, consensus: CONSENSUS },
        "queue" => Termination::Queue { command: BEADS.to_owned() },
        _ => Termination::Fixed,
    })
}

/// The current type for a `completion`.
fn renamed(completion: &str) -> Option<&'static str> {
    match completion {
        "plateau" => Some("judgment"),
        "beads-empty" => Some("queue"),
        "fixed-n" => Some("fixed"),
        _ => None,
    }
}
