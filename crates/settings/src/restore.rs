//! Puts back what an edit took away from Stead, and leaves the rest of the edit as it is.

use serde_json::Value;
use stead_model::Shape;

use crate::json_text::{self, Step};
use crate::watch::names;
use crate::{NewLine, Problem, Watch, document, insert, our_lines};

impl Watch<'_> {
    /// The present text with our lines and the watched values of the text before. `None` if they cannot be put into it.
    pub fn restore(&self, before: Option<&str>, present: &str) -> Option<String> {
        let shape = self.shape;
        let mut text = present.to_owned();
        let was = before.and_then(|text| document::read(shape, text).ok());
        for problem in self.judge(before, present).into_iter().filter(Problem::is_damage) {
            match problem {
                Problem::TurnsOff { pointer, .. } | Problem::Changed { pointer } | Problem::TrustLost { pointer } => {
                    text = put(shape, &text, &pointer, was.as_ref().unwrap_or(&Value::Null))?;
                }
                Problem::LineLost { .. } | Problem::LineMoved { .. } | Problem::TrustChanged { .. } => {}
                Problem::Unreadable { .. } | Problem::Structure { .. } | Problem::UnknownKey { .. } => return None,
            }
        }
        let lines = our_lines(shape, before.unwrap_or_default()).unwrap_or_default();
        let lines: Vec<NewLine<'_>> = lines
            .iter()
            .map(|line| NewLine { event: &line.event, matcher: line.matcher(), entry: line.entry.clone() })
            .collect();
        if !lines.is_empty() {
            text = insert(shape, Some(&text), &lines).ok()?;
        }
        self.judge(before, &text).iter().all(|problem| !problem.is_damage()).then_some(text)
    }
}

/// The text with the value that another document has at a pointer, or without one there.
fn put(shape: Shape, text: &str, pointer: &str, was: &Value) -> Option<String> {
    let (value, steps) = (value_at(was, pointer), steps(was, pointer)?);
    if document::is_toml(shape) {
        return put_toml(text, &steps, value.as_ref());
    }
    let document = document::read(shape, text).ok()?;
    let Some(value) = value else { return json_text::remove(text, &self::steps(&document, pointer)?).ok() };
    // What contains it may be gone as well.
    let mut there = &document;
    let mut known = 0;
    while let Some(inner) = steps.get(known).and_then(|step| child(there, step)) {
        (there, known) = (inner, known + 1);
    }
    let Some((next, missing)) = steps[known..].split_first() else {
        return json_text::replace(text, &steps, &value).ok();
    };
    let around = |inner: Value, step: &Step| match step {
        Step::Key(key) => Value::Object([(key.clone(), inner)].into_iter().collect()),
        Step::Index(_) => Value::Array(vec![inner]),
    };
    let value = missing.iter().rev().fold(value, around);
    match next {
        Step::Key(key) if there.is_object() => json_text::add_member(text, &steps[..known], key, &value).ok(),
        Step::Index(_) if there.is_array() => json_text::add_item(text, &steps[..known], &value).ok(),
        _ => None,
    }
}

/// The value at a pointer. One of a list may stand there by itself.
fn value_at(document: &Value, pointer: &str) -> Option<Value> {
    document.pointer(pointer).cloned().or_else(|| {
        let (list, _) = pointer.rsplit_once('/')?;
        let item = names(pointer).last().map(Value::String)?;
        document.pointer(list)?.as_array()?.contains(&item).then_some(item)
    })
}

fn child<'v>(value: &'v Value, step: &Step) -> Option<&'v Value> {
    match (step, value) {
        (Step::Index(index), Value::Array(list)) => list.get(*index),
        (Step::Key(key), Value::Object(map)) => map.get(key),
        _ => None,
    }
}

/// The steps to a pointer in a document. An item that stands there by itself comes after all others.
fn steps(document: &Value, pointer: &str) -> Option<Vec<Step>> {
    let mut at = Some(document);
    let step = |part: String| {
        let step = match at {
            Some(Value::Array(_)) => Step::Index(part.parse().unwrap_or(usize::MAX)),
            _ => Step::Key(part),
        };
        at = at.and_then(|at| child(at, &step));
        Some(step)
    };
    names(pointer).map(step).collect()
}

fn put_toml(text: &str, steps: &[Step], value: Option<&Value>) -> Option<String> {
    let mut document = document::parse_toml(text).ok()?;
    let keys: Option<Vec<&str>> =
        steps.iter().map(|step| if let Step::Key(key) = step { Some(&**key) } else { None }).collect();
    let keys = keys?;
    let (last, parents) = keys.split_last()?;
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    for part in parents {
        if value.is_some() && !table.contains_key(part) {
            let mut missing = toml_edit::Table::new();
            missing.set_implicit(true);
            table.insert(part, missing.into());
        }
        table = table.get_mut(part)?.as_table_like_mut()?;
    }
    match value {
        Some(value) => drop(table.insert(last, toml_edit::value(toml_value(value)?))),
        None => drop(table.remove(last)),
    }
    Some(document.to_string())
}

fn toml_value(value: &Value) -> Option<toml_edit::Value> {
    match value {
        Value::Bool(value) => Some((*value).into()),
        Value::Number(value) => value.as_i64().map(Into::into),
        Value::String(value) => Some(value.as_str().into()),
        Value::Array(list) => list.iter().map(toml_value).collect::<Option<toml_edit::Array>>().map(Into::into),
        Value::Null | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::LazyLock;

    use super::*;

    static PROJECT: LazyLock<[&Path; 1]> = LazyLock::new(|| [Path::new("/home/dev/project")]);

    const WATCH: &str = "off:/disableAllHooks=true same:/env/PATH";
    const OURS: &str = "{\n  \"theme\": \"dark\",\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"stead hook claude Stop\"\n          }\n        ]\n      }\n    ]\n  }\n}\n";

    fn watching(shape: Shape, clauses: &str) -> Watch<'_> {
        Watch { shape, clauses, variables: &[], project: &*PROJECT, file: Path::new("/home/dev/.tool/config") }
    }

    #[track_caller]
    fn check(shape: Shape, watch: &str, before: &str, present: &str, keeps: &[&str]) {
        let watch = watching(shape, watch);
        let restored = watch.restore(Some(before), present).unwrap();
        assert_eq!(watch.judge(Some(before), &restored), [], "{restored}");
        for kept in keeps {
            assert!(restored.contains(kept), "{kept} in {restored}");
        }
    }

    #[test]
    fn lines_return_into_the_text_as_it_is() {
        check(Shape::Groups, WATCH, OURS, "{}", &[]);
        check(Shape::Groups, WATCH, OURS, "", &[]);
        check(Shape::Groups, WATCH, OURS, "{ // mine\n \"theme\": \"light\" }", &["// mine", "light"]);
        check(Shape::Groups, WATCH, OURS, &OURS.replace("stead hook", "echo stead hook"), &["dark"]);
        let other = OURS.replace("stead hook claude Stop", "./lint.sh");
        check(Shape::Groups, WATCH, OURS, &other, &["./lint.sh", "stead hook"]);
        let toml = "[features]\nhooks = true\n\n[[hooks]]\nevent = \"Stop\"\ncommand = \"stead hook kimi Stop\"\n";
        check(Shape::TomlList, "off:/features/hooks=false", toml, "# mine\nmodel = \"x\"\n", &["# mine", "model"]);
    }

    #[test]
    fn switches_return_to_what_they_were() {
        check(
            Shape::Groups,
            WATCH,
            OURS,
            &OURS.replace("{\n  \"theme", "{\n  \"disableAllHooks\": true,\n  \"theme"),
            &["theme"],
        );
        let on = OURS.replace("{\n  \"theme", "{\n  \"disableAllHooks\": false,\n  \"theme");
        check(Shape::Groups, WATCH, &on, &on.replace("false", "true"), &["\"disableAllHooks\": false"]);
        let path = OURS.replace("{\n  \"theme", "{\n  \"env\": {\"PATH\": \"/a\"},\n  \"theme");
        check(Shape::Groups, WATCH, &path, &path.replace("/a", "/evil"), &["\"/a\""]);
        check(Shape::Groups, WATCH, &path, &path.replace("\"PATH\": \"/a\"", "\"X\": \"1\""), &["\"/a\"", "\"X\""]);
        let toml = "[features]\nhooks = true\n";
        let off = "off:/features/hooks=false";
        assert_eq!(
            watching(Shape::TomlList, off).restore(Some(toml), "[features]\nhooks = false\n").as_deref(),
            Some(toml)
        );
        let absent = watching(Shape::TomlList, off).restore(Some(""), "[features]\nhooks = false\n");
        assert_eq!(absent.as_deref(), Some("[features]\n"));
        let created = watching(Shape::Groups, WATCH).restore(None, "{\"a\": 1, \"disableAllHooks\": true}");
        assert_eq!(created.as_deref(), Some("{\"a\": 1}"));
    }

    #[test]
    fn what_no_client_could_read_is_not_guessed() {
        assert_eq!(watching(Shape::Groups, WATCH).restore(Some(OURS), "{ broken"), None);
        assert_eq!(watching(Shape::Groups, WATCH).restore(Some(OURS), "{\"hooks\": []}"), None);
    }

    #[test]
    fn trust_returns_alone_and_with_what_contained_it() {
        let put_back = |shape: Shape, clauses: &str, before: &str, present: &str| {
            watching(shape, clauses).restore(Some(before), present).unwrap()
        };
        let folders = "trust:/projects/{here}/trusted";
        let before = r#"{"projects": {"/home/dev/project": {"trusted": true, "old": 1}}}"#;
        let is =
            put_back(Shape::Groups, folders, before, r#"{"history": ["x"], "projects": {"/b": {"trusted": true}}}"#);
        let expected =
            r#"{"history": ["x"], "projects": {"/b": {"trusted": true}, "/home/dev/project": {"trusted": true}}}"#;
        assert_eq!(is, expected);
        let is = put_back(Shape::Groups, folders, before, r#"{"projects": {"/home/dev/project": {"trusted": false}}}"#);
        assert_eq!(is, r#"{"projects": {"/home/dev/project": {"trusted": true}}}"#);
        let list = "trust:/trusted/{here}";
        let before = r#"{"trusted": ["/a", "/home/dev/project"]}"#;
        let is = put_back(Shape::Groups, list, before, r#"{"a": 1}"#);
        assert_eq!(is, r#"{"a": 1, "trusted": ["/home/dev/project"]}"#);
        let is = put_back(Shape::Groups, list, before, r#"{"trusted": ["/b"]}"#);
        assert_eq!(is, r#"{"trusted": ["/b", "/home/dev/project"]}"#);
        let state = "off:/projects/{here}/trust_level=untrusted trust:/hooks/state/{here}/trusted_hash";
        let before = "[hooks.state.\"/home/dev/project/.codex/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n";
        let other = "[mcp_servers.x]\ncommand = \"x\"\n";
        assert_eq!(put_back(Shape::TomlGroups, state, before, other), format!("{other}\n{before}"));
        let kept = before.replace("project", "other");
        assert_eq!(put_back(Shape::TomlGroups, state, before, &kept), format!("{kept}\n{before}"));
        let distrusted = "[projects.\"/home/dev/project\"]\ntrust_level = \"untrusted\"\n";
        let is = put_back(Shape::TomlGroups, state, before, &format!("{before}\n{distrusted}"));
        assert_eq!(is, format!("{before}\n[projects.\"/home/dev/project\"]\n"));
    }
}
