use serde_json::Value;
use stead_model::Shape;

use crate::json_text::{self, Step};
use crate::position::{Position, positions};
use crate::{SettingsError, document, toml_text};

/// Removes Stead's lines, and the groups and keys that become empty. `None` if there are none; the empty text for a
/// file that is entirely ours.
pub fn remove(shape: Shape, text: &str) -> Result<Option<String>, SettingsError> {
    let (mark, body) = match text.strip_prefix(document::BOM) {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let found = positions(shape, &document::read(shape, body)?);
    if found.is_empty() {
        return Ok(None);
    }
    if shape == Shape::Whole {
        return Ok(Some(String::new()));
    }
    Ok(Some(format!("{mark}{}", remove_places(shape, body, found)?)))
}

/// Returns true if nothing is set in a text: no members, or only the version that the shape requires.
pub fn is_bare(shape: Shape, text: &str) -> bool {
    match document::read(shape, text) {
        Ok(Value::Object(map)) => map.keys().all(|key| shape == Shape::Flat && key == "version"),
        Ok(Value::String(text)) => text.trim().is_empty(),
        _ => false,
    }
}

/// Removes lines from last to first, so that the paths of the others stay valid.
pub(crate) fn remove_places(shape: Shape, text: &str, places: Vec<Position>) -> Result<String, SettingsError> {
    let mut text = text.to_owned();
    for place in places.into_iter().rev() {
        text = if document::is_toml(shape) {
            let document = document::read(shape, &text)?;
            // A key that becomes empty disappears with its last table, so only the group matters.
            let path = if shape == Shape::TomlList { place.path } else { emptied(&document, &place.path, 3) };
            toml_text::remove(&text, &toml_text::range_of(&text, &path)?)
        } else {
            let document = document::read(shape, &text)?;
            json_text::remove(&text, &emptied(&document, &place.path, 1))?
        };
    }
    Ok(text)
}

/// The path of the outermost container, at least `floor` steps deep, that contains nothing but the item at `path`.
pub(crate) fn emptied(document: &Value, path: &[Step], floor: usize) -> Vec<Step> {
    let mut path = path.to_vec();
    while path.len() > floor {
        let parent = &path[..path.len() - 1];
        let value = parent.iter().try_fold(document, |value, step| match step {
            Step::Key(key) => value.get(key),
            Step::Index(index) => value.get(index),
        });
        let holds_only_this = match (value, path.last()) {
            (Some(Value::Array(list)), _) => list.len() == 1,
            // A group without hooks is empty, whatever other keys it has.
            (Some(Value::Object(_)), Some(Step::Key(key))) if key == "hooks" && path.len() > 1 => true,
            (Some(Value::Object(map)), _) => map.len() == 1,
            _ => false,
        };
        if !holds_only_this {
            break;
        }
        path.pop();
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(shape: Shape, text: &str, expected: Option<&str>) {
        assert_eq!(remove(shape, text).unwrap().as_deref(), expected, "{text}");
    }

    const OURS: &str = r#"{"command":"stead hook claude Stop"}"#;

    #[test]
    fn only_our_lines_and_what_they_leave_empty_go() {
        check(Shape::Groups, "{}", None);
        check(Shape::Groups, &format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{OURS}]}}]}}}}"#), Some("{}"));
        check(
            Shape::Groups,
            &format!(r#"{{"a":1,"hooks":{{"Stop":[{{"hooks":[{OURS}]}}]}},"b":2}}"#),
            Some(r#"{"a":1,"b":2}"#),
        );
        check(
            Shape::Groups,
            &format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{{"command":"x"}},{OURS}]}}],"Empty":[]}}}}"#),
            Some(r#"{"hooks":{"Stop":[{"hooks":[{"command":"x"}]}],"Empty":[]}}"#),
        );
        check(Shape::BareGroups, &format!(r#"{{"Stop":[{{"hooks":[{OURS}]}}]}}"#), Some("{}"));
        check(
            Shape::Flat,
            &format!(r#"{{"version":1,"hooks":{{"stop":[{OURS},{{"command":"x"}}]}}}}"#),
            Some(r#"{"version":1,"hooks":{"stop":[{"command":"x"}]}}"#),
        );
    }

    #[test]
    fn comments_around_our_lines_stay() {
        check(
            Shape::Flat,
            &format!("{{\"hooks\":{{\"stop\":[\n  {{\"a\":1}}, // mine\n  {OURS} // theirs\n]}}}}"),
            Some("{\"hooks\":{\"stop\":[\n  {\"a\":1} // mine\n // theirs\n]}}"),
        );
        check(
            Shape::Flat,
            &format!("{{\"hooks\":{{\"stop\":[ // mine\n  {OURS}, {{\"a\":1}}]}}}}"),
            Some("{\"hooks\":{\"stop\":[ // mine\n {\"a\":1}]}}"),
        );
    }

    #[test]
    fn toml_tables_go_with_their_blank_line() {
        let ours = "[[hooks]]\nevent = \"Stop\"\ncommand = \"stead hook kimi Stop\"\n";
        let theirs = "[[hooks]]\nevent = \"Stop\"\ncommand = \"x\"\n";
        check(Shape::TomlList, &format!("a = 1\n\n{ours}"), Some("a = 1\n"));
        check(Shape::TomlList, &format!("{theirs}\n{ours}\n# end\n[b]\n"), Some(&format!("{theirs}\n# end\n[b]\n")));
        check(Shape::TomlList, theirs, None);
        let groups = "[[hooks.Stop]]\n\n[[hooks.Stop.hooks]]\ncommand = \"stead hook codex Stop\"\n";
        check(Shape::TomlGroups, &format!("a = 1\n\n{groups}[b]\n"), Some("a = 1\n[b]\n"));
        check(
            Shape::TomlGroups,
            &format!("{groups}\n[[hooks.Stop.hooks]]\ncommand = \"x\"\n"),
            Some("[[hooks.Stop]]\n\n[[hooks.Stop.hooks]]\ncommand = \"x\"\n"),
        );
    }

    #[test]
    fn a_file_that_is_ours_goes_whole() {
        check(Shape::Whole, "// calls stead hook opencode\nx", Some(""));
        check(Shape::Whole, "// somebody else's plugin\n", None);
    }
}
