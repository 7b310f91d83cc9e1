//! Puts back what an edit took away from Stead, and leaves the rest of the edit as it is.

use serde_json::Value;
use stead_model::Shape;

use crate::json_text::{self, Step};
use crate::{NewLine, Problem, document, insert, judge_edit, our_lines};

/// The present text with our lines and the watched values of the text before. `None` if they cannot be put into it.
pub fn restore(shape: Shape, watch: &str, variables: &[&str], before: Option<&str>, present: &str) -> Option<String> {
    let mut text = present.to_owned();
    let was = before.and_then(|text| document::read(shape, text).ok());
    for problem in judge_edit(shape, watch, variables, before, present) {
        match problem {
            Problem::TurnsOff { pointer, .. } | Problem::Changed { pointer } => {
                let value = was.as_ref().and_then(|was| was.pointer(&pointer));
                text = set(shape, &text, &pointer, value)?;
            }
            Problem::LineLost { .. } | Problem::LineMoved { .. } => {}
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
    judge_edit(shape, watch, variables, before, &text).is_empty().then_some(text)
}

/// The text with a value at a pointer, or without one there.
fn set(shape: Shape, text: &str, pointer: &str, value: Option<&Value>) -> Option<String> {
    if document::is_toml(shape) {
        return set_toml(text, pointer, value);
    }
    let document = document::read(shape, text).ok()?;
    let path = steps(&document, pointer)?;
    match value {
        Some(value) if document.pointer(pointer).is_some() => json_text::replace(text, &path, value).ok(),
        Some(value) => {
            let (Some(Step::Key(key)), parents) = path.split_last().map(|(last, rest)| (Some(last), rest))? else {
                return None;
            };
            json_text::add_member(text, parents, key, value).ok()
        }
        None => json_text::remove(text, &path).ok(),
    }
}

fn steps(document: &Value, pointer: &str) -> Option<Vec<Step>> {
    let mut at = Some(document);
    let step = |part: &str| {
        let step = match at {
            Some(Value::Array(_)) => Step::Index(part.parse().ok()?),
            _ => Step::key(part),
        };
        at = match (&step, at) {
            (Step::Index(index), Some(Value::Array(list))) => list.get(*index),
            (Step::Key(key), Some(Value::Object(map))) => map.get(key),
            _ => None,
        };
        Some(step)
    };
    pointer.split('/').skip(1).map(step).collect()
}

fn set_toml(text: &str, pointer: &str, value: Option<&Value>) -> Option<String> {
    let mut document = document::parse_toml(text).ok()?;
    let parts: Vec<&str> = pointer.split('/').skip(1).collect();
    let (last, parents) = parts.split_last()?;
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    for part in parents {
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
    use super::*;

    const WATCH: &str = "off:/disableAllHooks=true same:/env/PATH";
    const OURS: &str = "{\n  \"theme\": \"dark\",\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"stead hook claude Stop\"\n          }\n        ]\n      }\n    ]\n  }\n}\n";

    #[track_caller]
    fn check(shape: Shape, watch: &str, before: &str, present: &str, keeps: &[&str]) {
        let restored = restore(shape, watch, &[], Some(before), present).unwrap();
        assert_eq!(judge_edit(shape, watch, &[], Some(before), &restored), [], "{restored}");
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
            restore(Shape::TomlList, off, &[], Some(toml), "[features]\nhooks = false\n").as_deref(),
            Some(toml)
        );
        let absent = restore(Shape::TomlList, off, &[], Some(""), "[features]\nhooks = false\n");
        assert_eq!(absent.as_deref(), Some("[features]\n"));
        let created = restore(Shape::Groups, WATCH, &[], None, "{\"a\": 1, \"disableAllHooks\": true}");
        assert_eq!(created.as_deref(), Some("{\"a\": 1}"));
    }

    #[test]
    fn what_no_client_could_read_is_not_guessed() {
        assert_eq!(restore(Shape::Groups, WATCH, &[], Some(OURS), "{ broken"), None);
        assert_eq!(restore(Shape::Groups, WATCH, &[], Some(OURS), "{\"hooks\": []}"), None);
    }
}
