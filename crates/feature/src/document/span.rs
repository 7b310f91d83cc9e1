use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Where the list and its entries are in the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Spans {
    /// The list, with its brackets.
    pub(crate) list: Range<usize>,
    pub(crate) entries: Vec<Range<usize>>,
}

/// Where an entry is.
pub(super) struct Entry {
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
    pub(crate) fn of(text: &str) -> serde_json::Result<Self> {
        let whole = match text.trim_start().starts_with('[') {
            true => serde_json::from_str::<&RawValue>(text)?,
            false => {
                let members: Members<'_> = serde_json::from_str(text)?;
                let features = members.0.into_iter().rev().find(|(name, _)| name == "features");
                features.map_or(Err(serde::de::Error::custom("it has no `features`")), |(_, raw)| Ok(raw))?
            }
        };
        let entries: Vec<&RawValue> = serde_json::from_str(whole.get())?;
        let entries = entries.iter().map(|raw| place(text, raw.get())).collect();
        Ok(Self { list: place(text, whole.get()), entries })
    }
}

impl Entry {
    pub(super) fn at(text: &str, span: &Range<usize>) -> serde_json::Result<Self> {
        let members: Members<'_> = serde_json::from_str(&text[span.clone()])?;
        let mut end = span.start + 1;
        let members = members.0.into_iter().map(|(name, raw)| {
            let value = place(text, raw.get());
            // Between two values there are only white space, a comma and the name.
            let key = text[end..value.start].find('"').map_or(end, |at| end + at);
            end = value.end;
            Member { name: name.into_owned(), key, value }
        });
        Ok(Self { members: members.collect(), span: span.clone() })
    }
}

/// The line of a field of the entry at an index, or of the entry itself.
pub(crate) fn line_of_entry(text: &str, at: usize, field: &str) -> usize {
    let offset = || {
        let span = Spans::of(text).ok()?.entries.get(at)?.clone();
        let entry = Entry::at(text, &span).ok()?;
        Some(
            entry
                .members
                .iter()
                .rev()
                .find(|member| member.name == field)
                .map_or(span.start, |member| member.value.start),
        )
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
