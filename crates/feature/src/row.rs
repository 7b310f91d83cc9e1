//! One entry of the list as the machine sees it, read strictly and in one pass: each known field has a type, and a
//! value of another type is an error at its line. What the machine does not need is checked and not kept.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use stead_model::{FileId, expected_one_of};

use crate::{BlockedOn, Failure, Feature, NeedsHuman, Status, VERIFIERS_BY};

/// What the machine knows about a feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub id: String,
    pub status: Status,
    pub priority: Option<i64>,
    pub depends_on: Vec<String>,
    pub attempts: u64,
    pub retries: u64,
    /// Few features have one, and a long list is read often.
    pub last_failure: Option<Box<Failure>>,
    pub needs_human: Option<Box<NeedsHuman>>,
    pub blocked_on: Option<BlockedOn>,
}

impl Row {
    pub fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            status: Status::Pending,
            priority: None,
            depends_on: Vec::new(),
            attempts: 0,
            retries: 0,
            last_failure: None,
            needs_human: None,
            blocked_on: None,
        }
    }

    /// The question that a person has not answered yet.
    pub fn question(&self) -> Option<&str> {
        let asked = self.needs_human.as_ref().filter(|asked| asked.is_open());
        match (self.status, self.blocked_on) {
            (Status::Blocked, Some(BlockedOn::Human)) => {
                Some(asked.map_or("a person has to decide how to go on", |asked| &asked.question))
            }
            _ => None,
        }
    }
}

impl From<&Feature> for Row {
    fn from(feature: &Feature) -> Self {
        Self {
            id: feature.id.clone(),
            status: feature.state(),
            priority: feature.priority,
            depends_on: feature.depends_on.clone(),
            attempts: feature.attempts,
            retries: feature.retries,
            last_failure: feature.last_failure.clone().map(Box::new),
            needs_human: feature.needs_human.clone().map(Box::new),
            blocked_on: feature.blocked_on,
        }
    }
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Id,
    Ids,
    Text,
    Texts,
    Flag,
    Count,
    Number,
    Object,
}

/// The fields that the list defines. Others are free.
pub(crate) const FIELDS: &[(&str, Kind)] = &[
    ("id", Kind::Id),
    ("title", Kind::Text),
    ("description", Kind::Text),
    ("steps", Kind::Texts),
    ("category", Kind::Text),
    ("labels", Kind::Texts),
    ("priority", Kind::Number),
    ("depends_on", Kind::Ids),
    ("files", Kind::Texts),
    ("verifiers", Kind::Texts),
    (VERIFIERS_BY, Kind::Text),
    ("ui", Kind::Flag),
    ("success_criteria", Kind::Object),
    ("timeout_seconds", Kind::Count),
    ("intent", Kind::Text),
    ("status", Kind::Text),
    ("tested", Kind::Flag),
    ("evidence", Kind::Texts),
    ("attempts", Kind::Count),
    ("retries", Kind::Count),
    ("last_failure", Kind::Object),
    ("needs_human", Kind::Object),
    ("blocked_on", Kind::Text),
];

/// The name of a member: a known field, or any other.
struct Name(Option<(&'static str, Kind)>);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;
        impl Visitor<'_> for Names {
            type Value = Name;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }
            fn visit_str<E>(self, name: &str) -> Result<Name, E> {
                Ok(Name(FIELDS.iter().copied().find(|(known, _)| *known == name)))
            }
        }
        deserializer.deserialize_identifier(Names)
    }
}

/// A value of the right type; only what [`Typed::keeps`] is copied.
#[derive(Debug)]
enum Got {
    Nothing,
    Text(String),
    Flag(bool),
    Number(i64),
    Texts(Vec<String>),
    Object(Map<String, Value>),
}

struct Typed {
    name: &'static str,
    kind: Kind,
}

impl Typed {
    fn keeps(&self) -> bool {
        matches!(self.name, "id" | "depends_on" | "status" | "blocked_on" | "last_failure" | "needs_human")
    }

    fn text(&self, text: &str) -> Got {
        if self.keeps() { Got::Text(text.trim().to_owned()) } else { Got::Nothing }
    }
}

impl<'de> DeserializeSeed<'de> for Typed {
    type Value = Got;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Got, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Typed {
    type Value = Got;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            Kind::Id => "a string or a number",
            Kind::Ids => "a list of ids",
            Kind::Text => "a string",
            Kind::Texts => "a list of strings",
            Kind::Flag => "`true` or `false`",
            Kind::Count => "a number from 0",
            Kind::Number => "a whole number",
            Kind::Object => "an object",
        };
        write!(f, "{what} in `{}`", self.name)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Got, E> {
        match self.kind {
            Kind::Id => Err(E::invalid_type(de::Unexpected::Unit, &self)),
            _ => Ok(Got::Nothing),
        }
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Got, E> {
        match self.kind {
            Kind::Text | Kind::Id => Ok(self.text(text)),
            Kind::Texts => Ok(Got::Nothing),
            Kind::Ids => Ok(Got::Texts(vec![text.trim().to_owned()])),
            _ => Err(E::invalid_type(de::Unexpected::Str(text), &self)),
        }
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Got, E> {
        match self.kind {
            Kind::Flag => Ok(Got::Flag(flag)),
            _ => Err(E::invalid_type(de::Unexpected::Bool(flag), &self)),
        }
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Got, E> {
        match self.kind {
            Kind::Number => Ok(Got::Number(number)),
            Kind::Count if number >= 0 => Ok(Got::Number(number)),
            Kind::Id => Ok(Got::Text(number.to_string())),
            Kind::Ids => Ok(Got::Texts(vec![number.to_string()])),
            _ => Err(E::invalid_type(de::Unexpected::Signed(number), &self)),
        }
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Got, E> {
        match i64::try_from(number) {
            Ok(number) => self.visit_i64(number),
            Err(_) => Err(E::invalid_type(de::Unexpected::Unsigned(number), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Got, A::Error> {
        let one = match self.kind {
            Kind::Texts => Kind::Text,
            Kind::Ids => Kind::Id,
            _ => return Err(de::Error::invalid_type(de::Unexpected::Seq, &self)),
        };
        let mut texts = Vec::new();
        while let Some(item) = items.next_element_seed(Typed { name: self.name, kind: one })? {
            if let Got::Text(text) = item {
                texts.push(text);
            }
        }
        Ok(Got::Texts(texts))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Got, A::Error> {
        if self.kind != Kind::Object {
            return Err(de::Error::invalid_type(de::Unexpected::Map, &self));
        }
        if !self.keeps() {
            while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Got::Nothing);
        }
        let mut object = Map::new();
        while let Some((name, value)) = members.next_entry()? {
            object.insert(name, value);
        }
        Ok(Got::Object(object))
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Rows)
    }
}

struct Rows;

impl<'de> Visitor<'de> for Rows {
    type Value = Row;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a feature, which is an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Row, A::Error> {
        let mut row = Row::new("");
        let (mut word, mut tested) = (String::new(), false);
        while let Some(Name(known)) = members.next_key()? {
            let Some((name, kind)) = known else {
                members.next_value::<IgnoredAny>()?;
                continue;
            };
            match (name, members.next_value_seed(Typed { name, kind })?) {
                ("id", Got::Text(id)) => {
                    FileId::check(&id).map_err(|why| de::Error::custom(format!("invalid id `{id}`: {why}")))?;
                    row.id = id;
                }
                ("status", Got::Text(status)) => {
                    Status::of(&status, false)
                        .ok_or_else(|| unknown(name, &status, Status::ALL.iter().map(|s| s.word())))?;
                    word = status;
                }
                ("tested", Got::Flag(flag)) => tested = flag,
                ("priority", Got::Number(number)) => row.priority = Some(number),
                ("attempts", Got::Number(number)) => row.attempts = number.unsigned_abs(),
                ("retries", Got::Number(number)) => row.retries = number.unsigned_abs(),
                ("depends_on", Got::Texts(ids)) => row.depends_on = ids,
                ("blocked_on", Got::Text(on)) if on.is_empty() => {}
                ("blocked_on", Got::Text(on)) => {
                    let known = || BlockedOn::ALL.iter().map(|on| on.word());
                    row.blocked_on = Some(BlockedOn::named(&on).ok_or_else(|| unknown(name, &on, known()))?);
                }
                ("last_failure", Got::Object(object)) => row.last_failure = Some(Box::new(object_of(name, object)?)),
                ("needs_human", Got::Object(object)) => row.needs_human = Some(Box::new(object_of(name, object)?)),
                _ => {}
            }
        }
        if row.id.is_empty() {
            return Err(de::Error::custom("a feature has no `id`"));
        }
        row.status = Status::of(&word, tested).unwrap_or(Status::Pending);
        Ok(row)
    }
}

fn object_of<T: de::DeserializeOwned, E: de::Error>(name: &str, object: Map<String, Value>) -> Result<T, E> {
    T::deserialize(Value::Object(object)).map_err(|error| E::custom(format!("`{name}`: {error}")))
}

fn unknown<E: de::Error>(name: &str, word: &str, known: impl Iterator<Item = &'static str>) -> E {
    E::custom(format!("unknown {name} `{word}`; {}", expected_one_of(known)))
}
