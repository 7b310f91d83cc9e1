//! Wire fields that never make a payload unreadable. A client that sends an object where a string stood yesterday must
//! not silence a gate: the field is then simply unknown.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A string, or nothing. Borrows where the JSON has no escapes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text<'a>(pub(crate) Option<Cow<'a, str>>);

impl<'a> Text<'a> {
    /// The text, unless it is missing or empty.
    pub(crate) fn filled(self) -> Option<Cow<'a, str>> {
        self.0.filter(|text| !text.is_empty())
    }
}

/// A boolean, or nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flag(pub(crate) Option<bool>);

impl Flag {
    pub(crate) fn is_set(self) -> bool {
        self.0 == Some(true)
    }
}

macro_rules! swallow {
    () => {
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }

        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }

        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }

        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Some(Cow::Borrowed(text))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Some(Cow::Owned(text.to_owned()))))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Text(None))
    }

    swallow!();
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct FlagVisitor;

impl<'de> Visitor<'de> for FlagVisitor {
    type Value = Flag;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Flag(Some(flag)))
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(Flag(None))
    }

    swallow!();
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FlagVisitor)
    }
}

/// A JSON object as its members in order, values unread. Anything else counts as empty. Of a repeated key the last
/// one counts, as in the clients' own parsers.
#[derive(Debug, Default)]
pub(crate) struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    pub(crate) fn of(json: &'a str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    pub(crate) fn raw(&self, key: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.get())
    }

    pub(crate) fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        text_of(self.raw(key)?)
    }

    pub(crate) fn flag(&self, key: &str) -> bool {
        self.raw(key) == Some("true")
    }
}

/// Reads a JSON string; anything else is `None`.
pub(crate) fn text_of(json: &str) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Text<'_>>(json).ok()?.0
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::with_capacity(8);
        while let Some((key, value)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
            members.push((key.0.unwrap_or_default(), value));
        }
        Ok(Members(members))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_another_type_is_unknown_not_an_error() {
        for odd in ["null", "1", "-1", "1.5", "true", "[1,{}]", r#"{"a":[]}"#] {
            assert!(serde_json::from_str::<Text<'_>>(odd).unwrap().0.is_none(), "{odd}");
        }
        for odd in ["null", "1", r#""true""#, "[]", "{}"] {
            assert!(!serde_json::from_str::<Flag>(odd).unwrap().is_set(), "{odd}");
        }
    }

    #[test]
    fn members_take_the_last_of_a_repeated_key() {
        let members = Members::of(r#"{"a":"one","b":true,"a":"t\u0077o"}"#);
        assert_eq!(members.text("a").unwrap(), "two");
        assert!(members.flag("b"));
        assert_eq!(members.text("c"), None);
        assert_eq!(Members::of("[1]").text("a"), None);
    }
}
