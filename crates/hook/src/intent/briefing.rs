use stead_context::BriefingPart;
use stead_ledger::intent::Status;

use super::{compiled_intents, selected};
use crate::request::Request;

/// The maximum number of intents that a briefing lists.
const MOST: usize = 12;

/// What a starting session has to know about intents: that selecting one is mandatory, or which one it has.
pub(crate) fn briefing_part(request: &Request<'_>) -> Option<BriefingPart> {
    let root = request.writable_root()?;
    let mode = request.policy.value("value", "intents.mode");
    let compiled = compiled_intents(request, root);
    let head = compiled.head();
    if head.is_missing() || mode == Some("off") {
        return None;
    }
    let part =
        |text: String, more: &str| Some(BriefingPart { title: "Intents".into(), text, more: Some(more.to_owned()) });
    if let Some(problem) = head.broken() {
        let text =
            format!("The intents cannot be read: {problem}. Changes are blocked until a person repairs the file.");
        return part(text, "stead intent check");
    }
    let selected = selected(request).map(|selected| selected.intent);
    let valid = selected.and_then(|id| compiled.find(&id)).filter(|intent| intent.status != Status::Completed);
    if let Some(intent) = valid {
        let scope: Vec<&str> = intent.scope().take(MOST).collect();
        let text = format!("Selected: {} ({}). It owns {}.", intent.id, intent.name(), scope.join(", "));
        return part(text, &format!("stead intent show {}", intent.id));
    }
    let open: Vec<String> = head
        .intents()
        .filter(|(_, status)| *status != Status::Completed)
        .take(MOST)
        .filter_map(|(id, status)| Some(format!("- {id} ({}): {}", status.name(), compiled.find(id)?.name())))
        .collect();
    let text = match open.is_empty() {
        true => "Every change needs an intent, and none is open. Ask for one with `stead intent request`.".to_owned(),
        false => format!(
            "Before you change anything you must select an intent: run `stead intent select ID` as the whole \
             command.\n{}",
            open.join("\n")
        ),
    };
    part(text, "stead intent list")
}
