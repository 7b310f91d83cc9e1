//! Reads the work lists of other tools as features. What they call done becomes implemented, never tested.

mod json;
mod markdown;
mod merge;

use std::collections::HashSet;

use serde_json::{Map, Value, json};
use stead_model::FileId;

use crate::FeatureError;
use crate::status::words;
pub use merge::{Merged, merge};

words! {
    /// Whose list it is.
    Form {
        /// Features with `passes`, without ids.
        Anthropic "anthropic",
        /// Stories of a product requirements document.
        Prd "prd",
        /// Check boxes.
        Markdown "markdown",
        /// Issues as `bd list --json` or `bd export` print them.
        Beads "beads",
        /// Tasks of a specification, `- [ ] T001 …`.
        SpecKit "spec-kit",
        /// Our own list.
        Stead "stead",
    }
}

/// A list of another tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    pub form: Form,
    pub features: Vec<Draft>,
    /// What was left out, one line each.
    pub notes: Vec<String>,
}

/// A feature as another tool has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    pub id: String,
    /// What the other tool knows it by; finds it again at the next import.
    pub key: String,
    pub is_done: bool,
    /// Title, description, steps and so on; only what is there.
    pub fields: Map<String, Value>,
}

impl Draft {
    /// A draft known by its id, or by its text if it has none.
    fn new(id: Option<&str>, title: &str, is_done: bool) -> Self {
        let key = id.unwrap_or(title).trim().to_owned();
        let fields = Map::from_iter([("title".to_owned(), json!(title.trim()))]);
        let own = id.map(str::trim).filter(|id| FileId::check(id).is_ok());
        Self { id: own.map_or_else(|| slug(&key), str::to_owned), key, is_done, fields }
    }

    fn set(&mut self, name: &str, value: Value) {
        let is_empty = match &value {
            Value::Null => true,
            Value::String(text) => text.trim().is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            _ => false,
        };
        if !is_empty {
            self.fields.insert(name.to_owned(), value);
        }
    }
}

/// Reads a list; without a form, it is recognised.
pub fn import(text: &str, form: Option<Form>) -> Result<Imported, FeatureError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let wrong = |why: String| FeatureError::Import { why };
    let form = form.or_else(|| recognise(text)).ok_or_else(|| wrong("the form of the list is not known".into()))?;
    let features = match form {
        Form::Markdown => markdown::boxes(text),
        Form::SpecKit => markdown::tasks(text),
        form => json::read(text, form).map_err(wrong)?,
    };
    if features.is_empty() {
        return Err(wrong(format!("it has no features in the form `{form}`")));
    }
    let mut imported = Imported { form, features, notes: Vec::new() };
    imported.make_ids_unique();
    Ok(imported)
}

fn recognise(text: &str) -> Option<Form> {
    match text.trim_start().starts_with(['{', '[']) && !markdown::is_box(text.trim_start()) {
        true => json::recognise(text),
        false => markdown::recognise(text),
    }
}

impl Imported {
    /// Different texts can lead to the same id; the same key twice is the same feature.
    fn make_ids_unique(&mut self) {
        let (mut ids, mut keys) = (HashSet::new(), HashSet::new());
        let mut kept = Vec::new();
        for mut draft in std::mem::take(&mut self.features) {
            if !keys.insert(draft.key.clone()) {
                self.notes.push(format!("`{}` occurs twice; the first one counts", draft.key));
                continue;
            }
            let base = draft.id.clone();
            let mut number = 2;
            while !ids.insert(draft.id.clone()) {
                draft.id = format!("{base}-{number}");
                number += 1;
            }
            kept.push(draft);
        }
        self.features = kept;
    }
}

/// Makes an id of the words of a text.
fn slug(text: &str) -> String {
    const LONGEST: usize = 48;
    let mut id = String::new();
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        if !id.is_empty() && id.len() + word.len() > LONGEST {
            break;
        }
        id += if id.is_empty() { "" } else { "-" };
        id += &word.to_ascii_lowercase()[..word.len().min(LONGEST)];
    }
    if id.is_empty() {
        // A text without Latin letters: its hash.
        let hash = text
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        id = format!("f-{:08x}", hash >> 32);
    }
    id
}

#[cfg(test)]
mod tests;
