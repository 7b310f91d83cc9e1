use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::diff::{child, children};

/// A change of a field that a guard matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FieldRule {
    /// A JSON pointer in which `*` stands for any key or item.
    pub(crate) pointer: String,
    pub(crate) test: FieldTest,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FieldTest {
    /// It gets this value and had another one or none.
    Becomes(Value),
    /// It existed before and differs; a new item does not count.
    Changed,
    Added,
    Removed,
}

/// A field that was found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FieldHit {
    pub(crate) pointer: String,
    /// The `id` of the item that the first `*` matched, else its key.
    pub(crate) owner: Option<String>,
    pub(crate) why: String,
}

impl FieldRule {
    pub(crate) fn hits(&self, before: Option<&Value>, after: Option<&Value>) -> Vec<FieldHit> {
        let names: Vec<String> =
            self.pointer.split('/').skip(1).map(|name| name.replace("~1", "/").replace("~0", "~")).collect();
        let mut hits = Vec::new();
        let start = Spot { before, after, existed: before.is_some(), owner: None, path: String::new() };
        self.walk(&names, &start, &mut hits);
        hits
    }

    fn walk(&self, names: &[String], spot: &Spot<'_>, hits: &mut Vec<FieldHit>) {
        let Some((name, rest)) = names.split_first() else {
            if let Some(why) = self.test.holds(spot) {
                hits.push(FieldHit { pointer: spot.path.clone(), owner: spot.owner.clone(), why });
            }
            return;
        };
        if name != "*" {
            let (before, after) = (child(spot.before, name), child(spot.after, name));
            let next = Spot { before, after, existed: spot.existed, owner: spot.owner.clone(), path: spot.below(name) };
            return self.walk(rest, &next, hits);
        }
        for pair in children(spot.before, spot.after) {
            let next = Spot {
                before: pair.before,
                after: pair.after,
                // Whether the item itself is new or removed is for the pointer that ends at it.
                existed: if rest.is_empty() { spot.existed } else { pair.before.is_some() && pair.after.is_some() },
                owner: spot.owner.clone().or_else(|| Some(pair.label.clone())),
                path: spot.below(&pair.label),
            };
            self.walk(rest, &next, hits);
        }
    }
}

/// A position in both documents.
struct Spot<'a> {
    before: Option<&'a Value>,
    after: Option<&'a Value>,
    existed: bool,
    owner: Option<String>,
    path: String,
}

impl Spot<'_> {
    fn below(&self, name: &str) -> String {
        format!("{}/{}", self.path, name.replace('~', "~0").replace('/', "~1"))
    }
}

impl FieldTest {
    fn holds(&self, spot: &Spot<'_>) -> Option<String> {
        let path = &spot.path;
        let same = spot.before == spot.after;
        match self {
            Self::Becomes(value) => {
                let is = |side: Option<&Value>| side.is_some_and(|side| means(side, value));
                (is(spot.after) && !is(spot.before)).then(|| format!("sets {path} to {value}"))
            }
            Self::Changed => (spot.existed && !same).then(|| format!("changes {path}")),
            Self::Added => (spot.before.is_none() && spot.after.is_some()).then(|| format!("adds {path}")),
            Self::Removed => (spot.before.is_some() && spot.after.is_none()).then(|| format!("removes {path}")),
        }
    }
}

/// Returns true if a value is the wanted one; `true` also matches the text `true` and 1.
fn means(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::String(text), Value::Bool(true)) => {
            ["true", "yes", "on", "1"].iter().any(|word| text.trim().eq_ignore_ascii_case(word))
        }
        (Value::Number(number), Value::Bool(true)) => number.as_f64() == Some(1.0),
        _ => value == wanted,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(pointer: &str, test: FieldTest, before: Value, after: Value, expected: &[(&str, &str)]) {
        let rule = FieldRule { pointer: pointer.into(), test };
        let side = |value: &Value| if value.is_null() { None } else { Some(value.clone()) };
        let hits = rule.hits(side(&before).as_ref(), side(&after).as_ref());
        let found: Vec<(&str, &str)> =
            hits.iter().map(|hit| (hit.pointer.as_str(), hit.owner.as_deref().unwrap_or(""))).collect();
        assert_eq!(found, expected, "{before} → {after}");
    }

    fn list(items: &[(&str, Value)]) -> Value {
        json!({"features": items.iter().map(|(id, tested)| json!({"id": id, "tested": tested})).collect::<Vec<_>>()})
    }

    #[test]
    fn a_value_that_is_set_is_found() {
        let tested = || FieldTest::Becomes(json!(true));
        let at = "/features/*/tested";
        let no = json!(false);
        let yes = json!(true);
        check(at, tested(), list(&[("a", no.clone())]), list(&[("a", yes.clone())]), &[("/features/a/tested", "a")]);
        check(at, tested(), list(&[("a", yes.clone())]), list(&[("a", yes.clone())]), &[]);
        check(at, tested(), list(&[("a", yes.clone())]), list(&[("a", no.clone())]), &[]);
        // A new item in front moves the others, and changes none.
        let moved = list(&[("n", no.clone()), ("a", yes.clone())]);
        check(at, tested(), list(&[("a", yes.clone())]), moved, &[]);
        check(at, tested(), list(&[]), list(&[("n", yes.clone())]), &[("/features/n/tested", "n")]);
        check(at, tested(), Value::Null, list(&[("n", yes.clone())]), &[("/features/n/tested", "n")]);
        // Nor does a second item of the same id hide anything.
        let doubled = list(&[("a", no.clone()), ("a", yes.clone())]);
        check(at, tested(), list(&[("a", no.clone())]), doubled, &[("/features/a/tested", "a")]);
        check(at, tested(), list(&[("a", no.clone())]), list(&[("a", json!("TRUE"))]), &[("/features/a/tested", "a")]);
        check(at, tested(), list(&[("a", no)]), list(&[("a", json!(1))]), &[("/features/a/tested", "a")]);
    }

    #[test]
    fn changes_additions_and_removals_are_told_apart() {
        let at = "/f/*/v";
        let old = || json!({"f": {"a": {"v": [1]}, "b": {}}});
        check(at, FieldTest::Changed, old(), json!({"f": {"a": {"v": [2]}, "b": {}}}), &[("/f/a/v", "a")]);
        check(at, FieldTest::Changed, old(), json!({"f": {"a": {"v": [1]}, "b": {"v": 1}}}), &[("/f/b/v", "b")]);
        check(at, FieldTest::Changed, old(), json!({"f": {"a": {}, "b": {}}}), &[("/f/a/v", "a")]);
        check(at, FieldTest::Changed, old(), json!({"f": {"a": {"v": [1]}, "b": {}, "c": {"v": 1}}}), &[]);
        check(at, FieldTest::Changed, old(), json!({"f": {"b": {}}}), &[]);
        check("/f/*", FieldTest::Removed, old(), json!({"f": {"b": {}}}), &[("/f/a", "a")]);
        check("/f/*", FieldTest::Removed, old(), Value::Null, &[("/f/a", "a"), ("/f/b", "b")]);
        check("/f/*", FieldTest::Added, old(), json!({"f": {"a": {"v": [1]}, "b": {}, "c": 1}}), &[("/f/c", "c")]);
        check("/x", FieldTest::Added, old(), json!({"x": null}), &[("/x", "")]);
        check("/list/1", FieldTest::Changed, json!({"list": [1, 2]}), json!({"list": [1, 3]}), &[("/list/1", "")]);
    }
}
