//! Whether a changed feature list claims more, or asks for less proof, than before.

use serde_json::Value;

/// The fields that say how a feature is proven.
const PROOF: &[&str] = &["verifiers", "verifiers_by", "files", "ui", "success_criteria"];

/// One way in which a list became weaker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weakening {
    /// The list is gone, or cannot be read.
    Unreadable,
    Removed {
        feature: String,
    },
    Changed {
        feature: String,
        field: &'static str,
    },
    /// A feature is marked as tested; whether that is proven is for others to say.
    Tested {
        feature: String,
    },
}

impl std::fmt::Display for Weakening {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable => write!(f, "the feature list is gone or cannot be read"),
            Self::Removed { feature } => write!(f, "feature `{feature}` is gone"),
            Self::Changed { feature, field } => write!(f, "`{field}` of feature `{feature}` has changed"),
            Self::Tested { feature } => write!(f, "feature `{feature}` is marked as tested without proof"),
        }
    }
}

/// How the second list is weaker than the first. `None` as bytes means that there is no list.
pub fn weakenings(before: Option<&[u8]>, after: Option<&[u8]>) -> Vec<Weakening> {
    let was = before.and_then(features);
    let Some(is) = after.and_then(features) else {
        return if was.is_some() { vec![Weakening::Unreadable] } else { Vec::new() };
    };
    let was = was.unwrap_or_default();
    let mut found = Vec::new();
    for (id, old) in &was {
        let feature = id.clone();
        match is.iter().find(|(other, _)| other == id) {
            None => found.push(Weakening::Removed { feature }),
            Some((_, new)) => {
                let changed = PROOF.iter().filter(|field| old.get(**field) != new.get(**field));
                found.extend(changed.map(|field| Weakening::Changed { feature: feature.clone(), field }));
            }
        }
    }
    let is_tested = |value: &Value| matches!(value.get("tested"), Some(Value::Bool(true))) || tested_by_word(value);
    for (id, _) in is.iter().filter(|(_, new)| is_tested(new)) {
        let old = was.iter().find(|(other, _)| other == id);
        if !old.is_some_and(|(_, old)| is_tested(old)) {
            found.push(Weakening::Tested { feature: id.clone() });
        }
    }
    found
}

fn tested_by_word(value: &Value) -> bool {
    value.get("tested").and_then(Value::as_str).is_some_and(|word| word.eq_ignore_ascii_case("true"))
}

/// The features by id. Two with the same id both count.
fn features(bytes: &[u8]) -> Option<Vec<(String, Value)>> {
    let document: Value = serde_json::from_slice(bytes).ok()?;
    let list = match document {
        Value::Array(list) => list,
        Value::Object(mut map) => match map.remove("features") {
            Some(Value::Array(list)) => list,
            _ => return None,
        },
        _ => return None,
    };
    let id = |feature: &Value| match feature.get("id") {
        Some(Value::String(id)) => id.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    Some(list.into_iter().map(|feature| (id(&feature), feature)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: Option<&str>, after: Option<&str>, expected: &[&str]) {
        let found = weakenings(before.map(str::as_bytes), after.map(str::as_bytes));
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found, expected, "{after:?}");
    }

    #[test]
    fn claims_and_lost_proof_are_weaker() {
        let list = r#"{"features": [{"id": "a", "tested": false, "verifiers": ["make test"], "files": ["src/**"]}]}"#;
        check(Some(list), Some(list), &[]);
        check(Some(list), None, &["the feature list is gone or cannot be read"]);
        check(Some(list), Some("{"), &["the feature list is gone or cannot be read"]);
        check(Some(list), Some(r#"{"features": []}"#), &["feature `a` is gone"]);
        check(Some(list), Some(&list.replace("make test", "true")), &["`verifiers` of feature `a` has changed"]);
        check(Some(list), Some(&list.replace(r#", "files": ["src/**"]"#, "")), &["`files` of feature `a` has changed"]);
        check(Some(list), Some(&list.replace("false", "true")), &["feature `a` is marked as tested without proof"]);
        check(Some(list), Some(&list.replace("false", "\"True\"")), &["feature `a` is marked as tested without proof"]);
        check(None, Some(&list.replace("false", "true")), &["feature `a` is marked as tested without proof"]);
    }

    #[test]
    fn work_on_features_is_not() {
        let list = r#"[{"id": "a", "tested": true, "status": "open"}]"#;
        check(Some(list), Some(&list.replace("open", "done")), &[]);
        check(Some(list), Some(&list.replace("true", "false")), &[]);
        check(Some(list), Some(r#"{"features": [{"id": "b"}, {"id": "a", "tested": true}]}"#), &[]);
        check(Some("broken"), Some(list), &["feature `a` is marked as tested without proof"]);
        check(None, None, &[]);
    }
}
