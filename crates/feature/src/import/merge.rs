use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::Imported;
use crate::{Document, FeatureError, Members, Status};

/// Remembers in an entry where it came from.
const ORIGIN: &str = "imported";

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    pub added: Vec<String>,
    pub updated: Vec<String>,
    pub unchanged: usize,
    pub notes: Vec<String>,
}

/// Puts imported features into the list. One that was imported before is found by its key and updated; how far it is
/// changes only from pending to implemented.
pub fn merge(document: &mut Document, imported: &Imported) -> Result<Merged, FeatureError> {
    let list = document.list()?;
    let form = json!(imported.form);
    let by_key: HashMap<&str, usize> = list
        .features
        .iter()
        .enumerate()
        .filter_map(|(at, feature)| {
            let origin = feature.other.get(ORIGIN).filter(|origin| origin.get("from") == Some(&form))?;
            Some((origin.get("key")?.as_str()?, at))
        })
        .collect();
    let by_id: HashMap<&str, usize> = list.features.iter().enumerate().map(|(at, one)| (one.id.as_str(), at)).collect();
    // An id that only looks the same belongs to another feature.
    let is_free = |id: &str, key: &str| {
        by_id.get(id).is_none_or(|at| id == key && !list.features[*at].other.contains_key(ORIGIN))
    };
    let mut merged = Merged { notes: imported.notes.clone(), ..Merged::default() };
    let mut taken: HashSet<String> = HashSet::new();
    let mut ids: HashMap<&str, String> = HashMap::new();
    for draft in &imported.features {
        let known = by_key.get(draft.key.as_str()).map(|at| list.features[*at].id.clone());
        let id = known.unwrap_or_else(|| {
            let numbered = (2..).map(|number| format!("{}-{number}", draft.id));
            let mut ids = std::iter::once(draft.id.clone()).chain(numbered);
            ids.find(|id| is_free(id, &draft.key) && !taken.contains(id)).unwrap_or_default()
        });
        taken.insert(id.clone());
        ids.insert(&draft.key, id);
    }
    let values: Vec<Value> = document.values()?;
    let mut adds: Vec<Map<String, Value>> = Vec::new();
    let mut edits: Vec<(String, Members)> = Vec::new();
    for draft in &imported.features {
        let id = &ids[draft.key.as_str()];
        let mut fields = draft.fields.clone();
        if let Some(Value::Array(needs)) = fields.remove("depends_on") {
            let mut found = Vec::new();
            for need in needs.iter().filter_map(Value::as_str) {
                match ids.get(need).map(String::as_str).or(Some(need).filter(|need| by_id.contains_key(need))) {
                    Some(need) => found.push(json!(need)),
                    None => {
                        merged.notes.push(format!("`{id}` depends on `{need}`, which is not in the list; left out"))
                    }
                }
            }
            fields.insert("depends_on".into(), json!(found));
        }
        fields.insert(ORIGIN.into(), json!({"from": imported.form, "key": draft.key}));
        match by_id.get(id.as_str()) {
            None => {
                let status = if draft.is_done { Status::Implemented } else { Status::Pending };
                let mut entry = Map::from_iter([("id".to_owned(), json!(id))]);
                entry.extend(fields);
                entry.extend([("status".to_owned(), json!(status)), ("tested".to_owned(), json!(false))]);
                adds.push(entry);
                merged.added.push(id.clone());
            }
            Some(at) => {
                if draft.is_done && list.features[*at].state() == Status::Pending {
                    fields.insert("status".into(), json!(Status::Implemented));
                }
                let old = &values[*at];
                let changed = fields.into_iter().filter(|(name, value)| old.get(name) != Some(value));
                let changed: Members = changed.map(|(name, value)| (name, Some(value))).collect();
                match changed.is_empty() {
                    true => merged.unchanged += 1,
                    false => {
                        edits.push((id.clone(), changed));
                        merged.updated.push(id.clone());
                    }
                }
            }
        }
    }
    document.edit(&adds, &edits)?;
    Ok(merged)
}
