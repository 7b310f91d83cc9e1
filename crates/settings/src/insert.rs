use serde_json::{Map, Value, json};
use stead_model::Shape;

use crate::json_text::{self, Step};
use crate::line::entry_command;
use crate::position::{Position, positions};
use crate::remove::remove_places;
use crate::{OurLine, SettingsError, document, toml_text};

/// A line to insert.
#[derive(Clone, Debug, PartialEq)]
pub struct NewLine<'a> {
    /// The client's own event name.
    pub event: &'a str,
    pub matcher: Option<&'a str>,
    /// The entry as the client wants it; for [`Shape::Whole`] the whole file as a string.
    pub entry: Value,
}

/// Inserts lines and returns the new text. A line that is already there is not touched. A different line of ours for
/// the same event is replaced in its position, because clients remember a person's trust by position. A new one goes
/// after the person's own. Lines of ours for the same harness that are no longer wanted are removed.
pub fn insert(shape: Shape, text: Option<&str>, lines: &[NewLine<'_>]) -> Result<String, SettingsError> {
    let text = text.unwrap_or_default();
    if shape == Shape::Whole {
        return insert_whole(text, lines);
    }
    let (mark, body) = match text.strip_prefix(document::BOM) {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let wanted: Vec<OurLine> = lines.iter().map(|line| wanted(shape, line)).collect();
    let done =
        if document::is_toml(shape) { insert_toml(shape, body, &wanted) } else { insert_json(shape, body, &wanted) }?;
    let done = remove_outdated(shape, &done, &wanted)?;
    Ok(format!("{mark}{done}"))
}

/// The line as it will be parsed.
fn wanted(shape: Shape, line: &NewLine<'_>) -> OurLine {
    let mut group = Map::new();
    let mut entry = line.entry.clone();
    match shape {
        Shape::TomlList => {
            let mut table = Map::new();
            table.insert("event".to_owned(), json!(line.event));
            table.extend(line.matcher.map(|matcher| ("matcher".to_owned(), json!(matcher))));
            table.extend(entry.as_object().cloned().unwrap_or_default());
            entry = Value::Object(table);
        }
        Shape::Flat => {
            if let (Some(matcher), Some(map)) = (line.matcher, entry.as_object_mut()) {
                map.entry("matcher").or_insert_with(|| json!(matcher));
            }
        }
        _ => group.extend(line.matcher.map(|matcher| ("matcher".to_owned(), json!(matcher)))),
    }
    let harness = entry_command(&entry).map(|(_, harness)| harness).unwrap_or_default();
    OurLine { harness, event: line.event.to_owned(), group, entry }
}

fn insert_whole(text: &str, lines: &[NewLine<'_>]) -> Result<String, SettingsError> {
    let is_foreign = !text.trim().is_empty() && crate::line::whole_harness(text).is_none();
    match lines.first().and_then(|line| line.entry.as_str()) {
        Some(whole) if !is_foreign => Ok(whole.to_owned()),
        _ => Err(SettingsError::Structure { place: "/".to_owned(), expected: "a file that Stead wrote" }),
    }
}

/// What to do about one wanted line.
enum Way {
    Keep,
    /// Replaces the entry, or its whole group if the matcher differs too.
    Entry(Vec<Step>),
    Group(Vec<Step>),
    Append,
}

fn way(shape: Shape, document: &Value, line: &OurLine, all: &[OurLine]) -> Way {
    let found = positions(shape, document);
    let own: Vec<&Position> =
        found.iter().filter(|place| place.line.harness == line.harness && place.line.event == line.event).collect();
    if own.iter().any(|place| place.line == *line) {
        return Way::Keep;
    }
    if let Some(place) = own.iter().find(|place| place.line.matcher() == line.matcher()) {
        let has_groups = !matches!(shape, Shape::Flat | Shape::TomlList);
        return if has_groups && place.line.group != line.group && is_alone(document, place) {
            Way::Group(place.path[..place.path.len() - 2].to_vec())
        } else {
            Way::Entry(place.path.clone())
        };
    }
    let is_wanted = |place: &Position| {
        all.iter().any(|other| other.event == place.line.event && other.matcher() == place.line.matcher())
    };
    match own.iter().find(|place| !is_wanted(place) && is_alone(document, place)) {
        Some(place) if matches!(shape, Shape::Flat | Shape::TomlList) => Way::Entry(place.path.clone()),
        Some(place) => Way::Group(place.path[..place.path.len() - 2].to_vec()),
        None => Way::Append,
    }
}

/// Returns true if a line's group contains nothing else; always true where there are no groups.
fn is_alone(document: &Value, place: &Position) -> bool {
    let list = &place.path[..place.path.len() - 1];
    let is_grouped = place.path.len() >= 4;
    !is_grouped || value_at(document, list).and_then(Value::as_array).is_none_or(|entries| entries.len() == 1)
}

fn value_at<'a>(document: &'a Value, path: &[Step]) -> Option<&'a Value> {
    path.iter().try_fold(document, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Index(index) => value.get(index),
    })
}

fn group_of(line: &OurLine) -> Value {
    let mut group = line.group.clone();
    group.insert("hooks".to_owned(), json!([line.entry]));
    Value::Object(group)
}

fn insert_json(shape: Shape, body: &str, wanted: &[OurLine]) -> Result<String, SettingsError> {
    let mut text = json_text::with_object(body)?;
    let read = |text: &str| document::read(shape, text);
    expect_object(Some(&read(&text)?), "/")?;
    if shape == Shape::Flat && read(&text)?.get("version").is_none() {
        text = json_text::add_member(&text, &[], "version", &json!(1))?;
    }
    let base = if shape == Shape::BareGroups { Vec::new() } else { vec![Step::key("hooks")] };
    if !base.is_empty() && !wanted.is_empty() {
        let document = read(&text)?;
        match document.get("hooks") {
            Some(hooks) => expect_object(Some(hooks), "/hooks")?,
            None => text = json_text::add_member(&text, &[], "hooks", &json!({}))?,
        }
    }
    for line in wanted {
        let document = read(&text)?;
        let item = if shape == Shape::Flat { line.entry.clone() } else { group_of(line) };
        text = match way(shape, &document, line, wanted) {
            Way::Keep => continue,
            Way::Entry(path) => json_text::replace(&text, &path, &line.entry)?,
            Way::Group(path) => json_text::replace(&text, &path, &item)?,
            Way::Append => {
                let list: Vec<Step> = base.iter().cloned().chain([Step::key(&line.event)]).collect();
                match value_at(&document, &list) {
                    None => json_text::add_member(&text, &base, &line.event, &json!([item]))?,
                    Some(Value::Array(_)) => json_text::add_item(&text, &list, &item)?,
                    Some(_) => {
                        let place = format!("/hooks/{}", line.event);
                        return Err(SettingsError::Structure { place, expected: "a list" });
                    }
                }
            }
        };
    }
    Ok(text)
}

fn expect_object(value: Option<&Value>, place: &str) -> Result<(), SettingsError> {
    match value {
        Some(Value::Object(_)) | None => Ok(()),
        Some(_) => Err(SettingsError::Structure { place: place.to_owned(), expected: "an object" }),
    }
}

fn insert_toml(shape: Shape, body: &str, wanted: &[OurLine]) -> Result<String, SettingsError> {
    let mut text = body.to_owned();
    let newline = json_text::newline(body);
    for line in wanted {
        let document = document::read(shape, &text)?;
        let outer = format!("hooks.{}", toml_text::key_text(&line.event));
        let group = Value::Object(line.group.clone());
        let rendered = match shape {
            Shape::TomlList => toml_text::render("hooks", &line.entry, newline),
            _ => {
                let entry = toml_text::render(&format!("{outer}.hooks"), &line.entry, newline);
                format!("{}{newline}{entry}", toml_text::render(&outer, &group, newline))
            }
        };
        text = match way(shape, &document, line, wanted) {
            Way::Keep => continue,
            Way::Append => toml_text::append(&text, &rendered),
            Way::Group(path) => toml_text::replace(&text, &toml_text::range_of(&text, &path)?, &rendered),
            Way::Entry(path) => {
                let header = if shape == Shape::TomlList { "hooks".to_owned() } else { format!("{outer}.hooks") };
                let entry = toml_text::render(&header, &line.entry, newline);
                toml_text::replace(&text, &toml_text::range_of(&text, &path)?, &entry)
            }
        };
        document::parse_toml(&text).map_err(|_| toml_text::not_tables(&["hooks"]))?;
    }
    Ok(text)
}

/// Removes lines of the wanted lines' harnesses that are not wanted, and duplicates of those that are.
fn remove_outdated(shape: Shape, text: &str, wanted: &[OurLine]) -> Result<String, SettingsError> {
    let document = document::read(shape, text)?;
    let mut open: Vec<&OurLine> = wanted.iter().collect();
    let outdated = positions(shape, &document).into_iter().filter(|place| {
        if let Some(index) = open.iter().position(|line| **line == place.line) {
            open.remove(index);
            return false;
        }
        wanted.iter().any(|line| line.harness == place.line.harness)
    });
    remove_places(shape, text, outdated.collect())
}
