//! YAML as a tree whose parts know their line and column, read within bounds.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_saphyr::options::DuplicateKeyPolicy;
use serde_saphyr::{Options, Spanned};

/// A guard file is a page; more is a mistake or an attack.
const LIMIT: usize = 128 * 1024;
const DEPTH: usize = 24;
const NODES: usize = 10_000;

/// A line and a column, from 1; 0 when not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) place: Place,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Whole(i64),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) place: Place,
}

/// Why a text is no YAML that is read here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct YamlFault {
    pub(crate) place: Place,
    pub(crate) message: String,
}

impl Node {
    /// Says in words what it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "a truth value",
            Value::Whole(_) | Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }

    /// The text of a single value, numbers and truth values included.
    pub(crate) fn scalar(&self) -> Option<String> {
        match &self.value {
            Value::Text(text) => Some(text.clone()),
            Value::Bool(value) => Some(value.to_string()),
            Value::Whole(value) => Some(value.to_string()),
            Value::Number(value) => Some(value.to_string()),
            _ => None,
        }
    }

    pub(crate) fn entries(&self) -> &[(Key, Self)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.entries().iter().find(|(key, _)| key.name == name).map(|(_, value)| value)
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Whole(value) => (*value).into(),
            Value::Number(value) => (*value).into(),
            Value::Text(text) => text.as_str().into(),
            Value::List(items) => items.iter().map(Self::json).collect(),
            Value::Map(entries) => {
                serde_json::Value::Object(entries.iter().map(|(key, value)| (key.name.clone(), value.json())).collect())
            }
        }
    }
}

/// Reads a guard file.
pub(crate) fn parse(text: &str) -> Result<Node, YamlFault> {
    if text.len() > LIMIT {
        let message = format!("it has {} bytes, more than the {LIMIT} that are read", text.len());
        return Err(YamlFault { place: Place::default(), message });
    }
    let read: Result<Spanned<Part>, _> = serde_saphyr::from_str_with_options(text, options(LIMIT, NODES));
    read.map(node).map_err(|error| fault(&error))
}

/// Reads a document that is guarded, without places; `None` when it does not parse.
pub(crate) fn plain(text: &str) -> Option<serde_json::Value> {
    const DOCUMENT: usize = 4 << 20;
    if text.len() > DOCUMENT {
        return None;
    }
    let read: Result<Spanned<Part>, _> = serde_saphyr::from_str_with_options(text, options(DOCUMENT, 20 * NODES));
    read.ok().map(|part| node(part).json())
}

fn options(limit: usize, nodes: usize) -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: DEPTH,
            max_nodes: nodes,
            max_events: 4 * nodes,
            max_aliases: 100,
            max_anchors: 100,
            max_documents: 1,
            max_total_scalar_bytes: 2 * limit,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        strict_booleans: true,
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: nodes,
            max_replay_stack_depth: 16,
        },
    }
}

fn fault(error: &serde_saphyr::Error) -> YamlFault {
    let place = error
        .location()
        .map_or_else(Place::default, |at| Place { line: at.line() as usize, column: at.column() as usize });
    let told = error.without_snippet().to_string();
    let first = told.lines().next().unwrap_or_default();
    // The place is told beside the message, not in it.
    let message = first.split(" at line ").next().unwrap_or(first).trim_end_matches([' ', ':', ',']);
    YamlFault { place, message: in_own_words(message) }
}

/// Faults of limits that were set here are told in the words of those who meet them.
fn in_own_words(message: &str) -> String {
    let lower = message.to_ascii_lowercase();
    let named = |word: &str| lower.contains(word);
    if named("duplicate") {
        let key = message.split_once("key: ").map(|(_, rest)| rest.split(", set ").next().unwrap_or(rest).trim());
        return key.map_or_else(|| "a key is given twice".to_owned(), |key| format!("`{key}` is given twice"));
    }
    if named("alias") || named("anchor") {
        return "its aliases stand for more than is read".to_owned();
    }
    if named("depth") || named("recursion") || named("nest") {
        return format!("it is nested deeper than {DEPTH}");
    }
    if named("budget") {
        return "it has more parts than are read".to_owned();
    }
    message.to_owned()
}

fn place<T>(spanned: &Spanned<T>) -> Place {
    Place { line: spanned.referenced.line() as usize, column: spanned.referenced.column() as usize }
}

/// The tree as the reader of YAML hands it out.
enum Part {
    Single(Value),
    List(Vec<Spanned<Part>>),
    Map(Vec<(Spanned<String>, Spanned<Part>)>),
}

fn node(spanned: Spanned<Part>) -> Node {
    let place = place(&spanned);
    let value = match spanned.value {
        Part::Single(value) => value,
        Part::List(items) => Value::List(items.into_iter().map(node).collect()),
        Part::Map(entries) => Value::Map(
            entries
                .into_iter()
                .map(|(key, value)| (Key { place: self::place(&key), name: key.value }, node(value)))
                .collect(),
        ),
    };
    Node { value, place }
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartVisitor)
    }
}

struct PartVisitor;

impl<'de> Visitor<'de> for PartVisitor {
    type Value = Part;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Part, E> {
        Ok(Part::Single(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Part, E> {
        Ok(Part::Single(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Part, E> {
        Ok(Part::Single(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Part, E> {
        Ok(Part::Single(Value::Whole(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Part, E> {
        Ok(Part::Single(i64::try_from(value).map_or(Value::Number(value as f64), Value::Whole)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Part, E> {
        Ok(Part::Single(Value::Number(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Part, E> {
        Ok(Part::Single(Value::Text(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Part, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Part::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Part, A::Error> {
        let mut map: Vec<(Spanned<String>, Spanned<Part>)> = Vec::new();
        while let Some((key, value)) = entries.next_entry::<Spanned<String>, Spanned<Part>>()? {
            if map.iter().any(|(known, _)| known.value == key.value) {
                return Err(A::Error::custom(format!("`{}` is given twice", key.value)));
            }
            map.push((key, value));
        }
        Ok(Part::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parts_know_their_place() {
        let root = parse("id: a\nmatch:\n  writes: [\"x\", y]\n").unwrap();
        let writes = root.get("match").unwrap().get("writes").unwrap();
        assert_eq!(writes.place, Place { line: 3, column: 11 });
        let Value::List(items) = &writes.value else { panic!("no list") };
        assert_eq!(items[1].place, Place { line: 3, column: 17 });
        assert_eq!(root.entries()[1].0.place, Place { line: 2, column: 1 });
    }

    #[test]
    fn words_stay_words() {
        let root = parse("mode: off\nsay: yes\nn: 3\nt: true\n").unwrap();
        assert_eq!(root.get("mode").unwrap().value, Value::Text("off".into()));
        assert_eq!(root.get("say").unwrap().value, Value::Text("yes".into()));
        assert_eq!(root.get("n").unwrap().value, Value::Whole(3));
        assert_eq!(root.get("t").unwrap().value, Value::Bool(true));
    }

    #[test]
    fn bombs_are_refused() {
        let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
        for n in 1..12 {
            let of = format!("*a{},", n - 1).repeat(9);
            bomb.push_str(&format!("a{n}: &a{n} [{}]\n", of.trim_end_matches(',')));
        }
        for text in
            [bomb, "[".repeat(5_000), "- ".repeat(3_000), "a: 1\n".repeat(100_000), "a: 1\na: 2".into(), "a: [1".into()]
        {
            assert!(parse(&text).is_err(), "{:.40}", text);
            assert!(plain(&text).is_none(), "{:.40}", text);
        }
    }

    #[test]
    fn limits_are_told_in_own_words() {
        let check = |text: &str, expected: &str| {
            assert_eq!(parse(text).unwrap_err().message, expected, "{text:.40}");
        };
        check("a: 1\na: 2\n", "`a` is given twice");
        check(&format!("a: {}{}", "[".repeat(60), "]".repeat(60)), "it is nested deeper than 24");
        check(&"- - ".repeat(60), "it is nested deeper than 24");
        let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
        for n in 1..12 {
            bomb.push_str(&format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(",")));
        }
        check(&bomb, "its aliases stand for more than is read");
        check(&"- x\n".repeat(20_000), "it has more parts than are read");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "([a-z:\\-\\[\\]{}&*|>#'\" \n\t!é]|a: |\n- ){0,60}") {
            let _ = parse(&text);
        }
    }
}
