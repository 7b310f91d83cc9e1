use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Where the list and its entries are in the text.
pub(super) struct Spans {
    /// The list, with its brackets.
    pub(super) list: Range<usize>,
    pub(super) entries: Vec<Entry>,
}

/// Where an entry is.
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) span: Range<usize>,
    pub(super) members: Vec<Member>,
}

/// Where a member is.
pub(super) struct Member {
    pub(super) name: String,
    /// From its opening quote.
    pub(super) key: usize,
    pub(super) value: Range<usize>,
}

impl Spans {
    pub(super) fn of(text: &str) -> serde_json::Result<Self> {
        let (list, entries) = list(text)?;
        let mut found = Vec::with_capacity(entries.len());
        for raw in entries {
            let span = place(text, raw.get());
            let members: Members<'_> = serde_json::from_str(raw.get())?;
            let mut end = span.start + 1;
            let members: Vec<Member> = members
                .0
                .into_iter()
                .map(|(name, raw)| {
                    let value = place(text, raw.get());
                    // Between two values there are only white space, a comma and the name.
                    let key = text[end..value.start].find('"').map_or(end, |at| end + at);
                    end = value.end;
                    Member { name: name.into_owned(), key, value }
                })
                .collect();
            let id = members.iter().rev().find(|member| member.name == "id").map(|member| &text[member.value.clone()]);
            let id = id.map_or(String::new(), |id| match serde_json::from_str::<Cow<'_, str>>(id) {
                Ok(id) => id.trim().to_owned(),
                Err(_) => id.to_owned(),
            });
            found.push(Entry { id, span, members });
        }
        Ok(Self { list, entries: found })
    }
}

/// The span of the list and its entries.
fn list(text: &str) -> serde_json::Result<(Range<usize>, Vec<&RawValue>)> {
    let whole = match text.trim_start().starts_with('[') {
        true => serde_json::from_str::<&RawValue>(text)?,
        false => {
            let members: Members<'_> = serde_json::from_str(text)?;
            let features = members.0.into_iter().rev().find(|(name, _)| name == "features");
            features.map_or(Err(serde::de::Error::custom("it has no `features`")), |(_, raw)| Ok(raw))?
        }
    };
    Ok((place(text, whole.get()), serde_json::from_str(whole.get())?))
}

/// The line of a field of the entry at an index, or of the entry itself.
pub(crate) fn line_of_entry(text: &str, at: usize, field: &str) -> usize {
    let offset = || {
        let (_, entries) = list(text).ok()?;
        let raw = entries.get(at)?;
        let members: Members<'_> = serde_json::from_str(raw.get()).ok()?;
        let value = members.0.iter().rev().find(|(name, _)| name == field).map_or(raw.get(), |(_, value)| value.get());
        Some(place(text, value).start)
    };
    1 + text[..offset().unwrap_or(0)].bytes().filter(|byte| *byte == b'\n').count()
}

/// Where a part of the text is in it.
fn place(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    start..start + part.len()
}

/// The members of an object in their order, each occurrence.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
                let mut all = Vec::new();
                while let Some(member) = members.next_entry()? {
                    all.push(member);
                }
                Ok(Members(all))
            }
        }
        deserializer.deserialize_map(All)
    }
}
