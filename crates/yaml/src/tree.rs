use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_saphyr::options::DuplicateKeyPolicy;
use serde_saphyr::{Options, Spanned};

use crate::fault::YamlFault;

/// A definition is a page of text; more is a mistake or an attack.
pub const LIMIT: usize = 256 * 1024;
pub(crate) const DEPTH: usize = 32;
pub(crate) const NODES: usize = 20_000;
pub(crate) const ALIASES: usize = 200;

/// A line and a column, from 1; 0 when not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// A value and where it stands in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    pub value: Value,
    pub at: Range<usize>,
    pub place: Position,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Whole(i128),
    Number(f64),
    Text(String),
    List(Vec<Tree>),
    Map(Vec<Entry>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub key: String,
    pub key_at: Range<usize>,
    pub key_place: Position,
    pub value: Tree,
}

impl Tree {
    /// Says in a word what the value is, for messages.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "a boolean",
            Value::Whole(_) | Value::Number(_) => "a number",
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }

    /// The text of a plain value; numbers and truth values as they are usually written.
    pub fn scalar(&self) -> Option<String> {
        match &self.value {
            Value::Text(text) => Some(text.clone()),
            Value::Bool(value) => Some(value.to_string()),
            Value::Whole(value) => Some(value.to_string()),
            Value::Number(value) => Some(value.to_string()),
            _ => None,
        }
    }

    /// The entries of a mapping; none for anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    pub fn json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Whole(value) => match (i64::try_from(*value), u64::try_from(*value)) {
                (Ok(value), _) => value.into(),
                (_, Ok(value)) => value.into(),
                _ => (*value as f64).into(),
            },
            Value::Number(value) => (*value).into(),
            Value::Text(text) => text.as_str().into(),
            Value::List(items) => items.iter().map(Self::json).collect(),
            Value::Map(entries) => entries.iter().map(|entry| (entry.key.clone(), entry.value.json())).collect(),
        }
    }
}

/// Reads a definition.
pub fn parse(text: &str) -> Result<Tree, YamlFault> {
    if text.len() > LIMIT {
        let message = format!("it has {} bytes; the limit is {LIMIT}", text.len());
        return Err(YamlFault { line: 0, column: 0, message, hint: None });
    }
    read(text, options(LIMIT, NODES, ALIASES))
}

/// Reads a definition in which every value stands where it is used, so that it can be edited as text: anchors and
/// aliases are refused.
pub fn parse_plain(text: &str) -> Result<Tree, YamlFault> {
    match parse(text)? {
        tree if !text.contains(['&', '*']) => Ok(tree),
        _ => read(text, options(LIMIT, NODES, 0)),
    }
}

fn read(text: &str, options: Options) -> Result<Tree, YamlFault> {
    let read: Result<Spanned<Part>, _> = serde_saphyr::from_str_with_options(text, options);
    read.map(|spanned| tree(spanned, text)).map_err(|error| YamlFault::of(&error))
}

/// Reads somebody else's document, which may be larger than a definition, without places; `None` if it does not parse.
pub fn parse_document(text: &str) -> Option<serde_json::Value> {
    const DOCUMENT: usize = 4 << 20;
    if text.len() > DOCUMENT {
        return None;
    }
    let read: Result<Spanned<Part>, _> =
        serde_saphyr::from_str_with_options(text, options(DOCUMENT, 10 * NODES, ALIASES));
    read.ok().map(|part| tree(part, text).json())
}

fn options(limit: usize, nodes: usize, aliases: usize) -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: DEPTH,
            max_nodes: nodes,
            max_events: 4 * nodes,
            max_aliases: aliases,
            max_anchors: aliases,
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

/// The tree as the reader of YAML hands it out.
enum Part {
    Plain(Value),
    List(Vec<Spanned<Part>>),
    Map(Vec<(Spanned<String>, Spanned<Part>)>),
}

fn tree(spanned: Spanned<Part>, text: &str) -> Tree {
    let (at, place) = (range(&spanned, text), place(&spanned));
    let value = match spanned.value {
        Part::Plain(value) => value,
        Part::List(items) => Value::List(items.into_iter().map(|item| tree(item, text)).collect()),
        Part::Map(entries) => Value::Map(entries.into_iter().map(|(key, value)| entry(key, value, text)).collect()),
    };
    Tree { value, at, place }
}

fn entry(key: Spanned<String>, value: Spanned<Part>, text: &str) -> Entry {
    let (key_at, key_place) = (range(&key, text), place(&key));
    Entry { key: key.value, key_at, key_place, value: tree(value, text) }
}

fn place<T>(spanned: &Spanned<T>) -> Position {
    Position { line: spanned.referenced.line() as usize, column: spanned.referenced.column() as usize }
}

fn range<T>(spanned: &Spanned<T>, text: &str) -> Range<usize> {
    let span = spanned.referenced.span();
    let start = span.byte_offset().unwrap_or(0) as usize;
    let end = start + span.byte_len().unwrap_or(0) as usize;
    start.min(text.len())..end.min(text.len())
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
        Ok(Part::Plain(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Part, E> {
        Ok(Part::Plain(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Part, E> {
        Ok(Part::Plain(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Part, E> {
        Ok(Part::Plain(Value::Whole(value.into())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Part, E> {
        Ok(Part::Plain(Value::Whole(value.into())))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Part, E> {
        Ok(Part::Plain(Value::Whole(value)))
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<Part, E> {
        i128::try_from(value)
            .map(|value| Part::Plain(Value::Whole(value)))
            .map_err(|_| E::custom("number is too large"))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Part, E> {
        Ok(Part::Plain(Value::Number(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Part, E> {
        Ok(Part::Plain(Value::Text(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<Part, E> {
        Ok(Part::Plain(Value::Text(value)))
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

    #[track_caller]
    fn refused(text: &str, message: &str) {
        let fault = parse(text).expect_err(text);
        assert!(fault.message.contains(message), "{fault:?}");
    }

    #[test]
    fn every_part_knows_its_place() {
        let text = "name: wörk\nguard:\n  max: 5 # five\n  list: [a, \"b\"]\nlong: |\n  x\n  y\n";
        let Value::Map(entries) = parse(text).unwrap().value else { panic!("no map") };
        let shown: Vec<_> =
            entries.iter().map(|entry| (&text[entry.key_at.clone()], &text[entry.value.at.clone()])).collect();
        assert_eq!(shown[0], ("name", "wörk"));
        assert_eq!(shown[1].0, "guard");
        let Value::Map(inner) = &entries[1].value.value else { panic!("no map") };
        assert_eq!((&text[inner[0].value.at.clone()], &inner[0].value.value), ("5", &Value::Whole(5)));
        let Value::List(list) = &inner[1].value.value else { panic!("no list") };
        assert_eq!(&text[list[1].at.clone()], "\"b\"");
        assert_eq!(entries[2].value.value, Value::Text("x\ny\n".into()));
        assert_eq!(entries[1].key_place, Position { line: 2, column: 1 });
        assert_eq!(inner[0].value.place, Position { line: 3, column: 8 });
        assert_eq!(list[1].place, Position { line: 4, column: 13 });
    }

    #[test]
    fn a_document_becomes_json() {
        let text = "a: [1, -2, 18446744073709551615, 1.5, ~, yes, true]\nb: {c: d}\n";
        let expected = serde_json::json!({"a": [1, -2, u64::MAX, 1.5, null, "yes", true], "b": {"c": "d"}});
        assert_eq!(parse_document(text), Some(expected));
        assert!(parse_document(&"[".repeat(5_000)).is_none());
        assert!(parse_document("a: 1\na: 2").is_none());
        let large = "- x\n".repeat(100_000);
        assert!(parse(&large).is_err() && parse_document(&large).is_some());
    }

    #[test]
    fn bombs_and_rubbish_are_refused() {
        let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
        for n in 1..12 {
            let of = format!("*a{},", n - 1).repeat(9);
            bomb.push_str(&format!("a{n}: &a{n} [{}]\n", of.trim_end_matches(',')));
        }
        refused(&bomb, "its aliases expand to too much");
        refused(&"[".repeat(5_000), "nested deeper than 32 levels");
        refused(&"- ".repeat(3_000), "nested deeper than 32 levels");
        refused(&format!("[{}]", "1,".repeat(30_000)), "more than 20000 values");
        refused(&(0..300).map(|n| format!("a{n}: &a{n} 1\n")).collect::<String>(), "more than 200 anchors");
        refused(&format!("a: &a 1\nb: [{}]", "*a,".repeat(300)), "more than 200 aliases");
        refused(&"a: 1\n".repeat(100_000), "; the limit is ");
        refused("a: 1\nb: 2\na: 3\n", "`a` is given twice");
        refused("a: &x [*x]\n", "recursive alias");
        refused("? [a]\n: 1\n", "a key must be a plain string");
        refused("? {a: 1}\n: 1\n", "a key must be a plain string");
        refused("~: 1\n", "a key must be a plain string");
        refused("a: !!binary '*'\n", "`!!binary`");
        refused("a: [1\n", "");
        refused("a: 1\n---\nb: 2\n", "several documents");
        refused("a: *nowhere\n", "undefined alias");
        assert_eq!(parse("a: 1\na: 3\n").unwrap_err().line, 2);
    }

    #[test]
    fn a_plain_text_has_no_anchors() {
        for text in ["a: 1\nb: &x 2\n", "a: &x 1\nb: *x\n", "a:\n  - &x {c: d}\n"] {
            let fault = parse_plain(text).expect_err(text);
            assert_eq!(fault.message, "it uses an anchor or an alias", "{text}");
            assert!(fault.line > 0, "{text}: {fault:?}");
            assert!(parse(text).is_ok());
        }
        assert!(parse_plain("a: '*x' # & more\nb: x&y\nc: a*b\n").is_ok());
    }

    #[test]
    fn words_stay_words() {
        let Value::Map(entries) = parse("a: yes\nb: on\nc: 1.5\nd: ~\ne: 'true'\n").unwrap().value else { panic!() };
        let values: Vec<_> = entries.iter().map(|entry| &entry.value.value).collect();
        assert_eq!(values[0], &Value::Text("yes".into()));
        assert_eq!(values[1], &Value::Text("on".into()));
        assert_eq!(values[2], &Value::Number(1.5));
        assert_eq!(values[3], &Value::Null);
        assert_eq!(values[4], &Value::Text("true".into()));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "([a-z:\\-\\[\\]{}&*|>#'\" \n\t!é]|a: |\n- ){0,80}") {
            let _ = parse(&text);
        }
    }
}
