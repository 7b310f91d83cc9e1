//! The intent map of the project a command works in.

use stead_context::Prompt;
use stead_ledger::map::{IntentMap, MapBudget, PromptText};
use stead_ledger::trace::Ledger;
use stead_store::{Room, Tail};

use crate::ledger::ledger;
use crate::lessons::intents;
use crate::project::Project;
use crate::ui::Ui;

/// How many prompts are searched.
const PROMPTS: usize = 2_000;

pub(crate) fn intent_map(project: &Project) -> IntentMap {
    // Where the hook looks, which does not follow the layout.
    let cache = project.root().join(Room::Cache.default_path());
    IntentMap::of(&intents(project), &cache, project.found.work())
}

/// Brings the map up to date and returns the ledger that it was made from. A failure to do so is only a warning.
pub(crate) fn update_map(project: &Project, ui: &mut Ui) -> Ledger {
    let ledger = ledger(project);
    if let Err(error) = intent_map(project).update(&ledger, MapBudget::COMMAND) {
        ui.warning(format!("the intent map was not updated: {error}"));
    }
    ledger
}

/// What people asked agents for, oldest first.
pub(crate) fn prompts(project: &Project) -> Vec<PromptText> {
    let lines = Tail::open(&project.indexes().join(Prompt::FILE)).into_iter().flatten().take(PROMPTS).flatten();
    let mut found: Vec<PromptText> = lines
        .filter_map(|line| serde_json::from_str::<Prompt>(&line.text).ok())
        .filter(|prompt| prompt.author != "machine")
        .filter_map(|prompt| Some(PromptText { session: prompt.session?, ts: prompt.ts, text: prompt.text }))
        .collect();
    found.reverse();
    found
}
