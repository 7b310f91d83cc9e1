//! JSON read member by member, so that one unexpected field does not make a payload unreadable. If a client sends an
//! object instead of a string, a duplicate key or half a surrogate pair, only that field is unknown, and gates still
//! work.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON object as its members in order, values unparsed. Of duplicate keys the last one counts, as in the clients'
/// own parsers.
#[derive(Debug, Default)]
pub struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// Reads an object; fails on malformed JSON and on anything but an object.
    pub fn read(json: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str(json)
    }

    /// Reads an object; anything else counts as empty.
    pub fn of(json: &'a str) -> Self {
        Self::read(json).unwrap_or_default()
    }

    pub(crate) fn raw(&self, key: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.get())
    }

    /// The member as an object; empty if it is missing or something else.
    pub(crate) fn members(&self, key: &str) -> Self {
        self.raw(key).map(Self::of).unwrap_or_default()
    }

    pub(crate) fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        text_of(self.raw(key)?)
    }

    /// The text, unless it is missing or empty.
    pub(crate) fn filled(&self, key: &str) -> Option<Cow<'a, str>> {
        self.text(key).filter(|text| !text.is_empty())
    }

    /// The first of several members, named as `one|other`, that exists.
    pub(crate) fn any_raw(&self, keys: &str) -> Option<&'a str> {
        keys.split('|').find_map(|key| self.raw(key))
    }

    /// The first of several members, named as `one|other`, that contains text.
    pub(crate) fn any_text(&self, keys: &str) -> Option<Cow<'a, str>> {
        keys.split('|').find_map(|key| self.text(key))
    }

    /// Returns true if one of several members, named as `one|other`, is `true`.
    pub(crate) fn flag(&self, keys: &str) -> bool {
        keys.split('|').any(|key| self.raw(key) == Some("true"))
    }
}

/// Reads a JSON string; anything else is `None`. Borrows if the JSON has no escapes.
pub(crate) fn text_of(json: &str) -> Option<Cow<'_, str>> {
    if !json.trim_start().starts_with('"') {
        return None;
    }
    if let Some(inner) = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'))
        && inner.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\')
    {
        return Some(Cow::Borrowed(inner));
    }
    let text = serde_json::from_str::<Text<'_>>(json).or_else(|_| serde_json::from_str::<Lossy>(json).map(Text::from));
    text.ok().map(|text| text.0)
}

/// Reads a JSON list as its items, unparsed; anything else is empty.
pub(crate) fn items_of(json: &str) -> Vec<&str> {
    let items: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
    items.into_iter().map(RawValue::get).collect()
}

struct Text<'a>(Cow<'a, str>);

/// Reads a string with unpaired surrogates, which JavaScript clients can send; each becomes a replacement character.
struct Lossy(String);

impl From<Lossy> for Text<'_> {
    fn from(text: Lossy) -> Self {
        Self(Cow::Owned(text.0))
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct LossyVisitor;

impl Visitor<'_> for LossyVisitor {
    type Value = Lossy;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Lossy(String::from_utf8_lossy(bytes).into_owned()))
    }
}

impl<'de> Deserialize<'de> for Lossy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(LossyVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::with_capacity(16);
        while let Some((key, value)) = map.next_entry::<&'de RawValue, &'de RawValue>()? {
            members.push((text_of(key.get()).unwrap_or_default(), value));
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
            assert_eq!(text_of(odd), None, "{odd}");
        }
        let members = Members::read(r#"{"a":"true","b":1,"c":null}"#).unwrap();
        assert!(!members.flag("a") && !members.flag("b") && !members.flag("c"));
    }

    #[test]
    fn members_take_the_last_of_a_repeated_key() {
        let members = Members::of(r#"{"a":"one","b":true,"a":"t\u0077o"}"#);
        assert_eq!(members.text("a").unwrap(), "two");
        assert!(members.flag("b"));
        assert_eq!(members.text("c"), None);
        assert_eq!(Members::of("[1]").text("a"), None);
    }

    #[test]
    fn half_a_surrogate_pair_hides_nothing() {
        let members = Members::read(r#"{"a\udc00":1,"path":"x\ud800/y"}"#).unwrap();
        let path = members.text("path").unwrap();
        assert!(path.starts_with('x') && path.ends_with("/y"), "{path}");
    }

    #[test]
    fn depth_is_no_obstacle() {
        let deep = format!(r#"{{"a":"x","deep":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(Members::read(&deep).unwrap().text("a").unwrap(), "x");
    }

    #[test]
    fn only_objects_are_read() {
        for other in ["", " ", "[]", "1", "null", r#""x""#, "{", r#"{"a":}"#, "{} {}"] {
            assert!(Members::read(other).is_err(), "{other}");
        }
    }
}
