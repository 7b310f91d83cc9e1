//! What a client can read by its address: packets, intents and traces.

use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::commands::Commands;
use crate::visible::{all_visible, visible};

/// Things of one kind, each with an address of its own.
struct Kind {
    scheme: &'static str,
    title: &'static str,
    mime: &'static str,
    /// The command that lists them, and the field of its answer with the list; empty if the answer is the list.
    list: &'static [&'static str],
    field: &'static str,
    /// The field of an entry that describes it.
    about: &'static str,
    /// The command that shows one; its id follows.
    show: &'static [&'static str],
}

const KINDS: &[Kind] = &[
    Kind {
        scheme: "packet",
        title: "Packet",
        mime: "text/markdown",
        list: &["packet", "list", "--json"],
        field: "items",
        about: "purpose",
        show: &["packet", "show", "--"],
    },
    Kind {
        scheme: "intent",
        title: "Intent",
        mime: "application/json",
        list: &["intent", "list", "--json"],
        field: "items",
        about: "name",
        show: &["intent", "show", "--json", "--"],
    },
    Kind {
        scheme: "trace",
        title: "Trace",
        mime: "application/json",
        list: &[
            "memory", "query", "--json", "--uncounted", "--level", "metadata", "--k", "100", "--max-tokens", "20000",
        ],
        field: "items",
        // Not its text: clients show lists to models as if the server spoke.
        about: "type",
        show: &["memory", "get", "--json", "--level", "full", "--"],
    },
];

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = |kind: &Kind| {
        let template = ResourceTemplate::new(format!("{}://{{id}}", kind.scheme), kind.scheme);
        template.with_title(kind.title).with_mime_type(kind.mime)
    };
    KINDS.iter().map(template).collect()
}

/// Everything there is. A kind that cannot be listed, such as intents in a project without them, is left out.
pub(crate) fn list(commands: &dyn Commands) -> Vec<Resource> {
    let mut found = Vec::new();
    for kind in KINDS {
        let answer = commands.run(&owned(kind.list), None).ok().and_then(|answer| answer.json).unwrap_or_default();
        let entries = if kind.field.is_empty() { &answer } else { &answer[kind.field] };
        for entry in entries.as_array().into_iter().flatten() {
            let Some(id) = entry["id"].as_str() else { continue };
            let resource = Resource::new(format!("{}://{}", kind.scheme, encoded(id)), id).with_mime_type(kind.mime);
            found.push(match entry[kind.about].as_str() {
                Some(about) => resource.with_description(about),
                None => resource,
            });
        }
    }
    found
}

pub(crate) fn read(uri: &str, commands: &dyn Commands) -> Result<ReadResourceResult, ErrorData> {
    let (scheme, id) = uri.split_once("://").unwrap_or_default();
    let Some(kind) = KINDS.iter().find(|kind| kind.scheme == scheme) else {
        let known: Vec<String> = KINDS.iter().map(|kind| format!("{}://ID", kind.scheme)).collect();
        let why = format!("`{uri}` is not an address of this server; expected {}", known.join(" or "));
        return Err(not_found(why, uri));
    };
    let mut words = owned(kind.show);
    words.push(decoded(id));
    let answer = commands.run(&words, None).map_err(|why| not_found(why, uri))?;
    let text = answer.json.map_or_else(|| visible(&answer.text), |json| all_visible(json).to_string());
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(kind.mime)]))
}

fn not_found(why: String, uri: &str) -> ErrorData {
    ErrorData::resource_not_found(why, Some(json!({"uri": uri})))
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// An id as a part of an address.
fn encoded(id: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let parts = id.bytes().map(|byte| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    parts.collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        let code = others.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &others[2..];
            }
            None => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_survives_its_address() {
        for id in ["INT-001", "a b/c?d#e", "ä%20", "%", "%zz", ""] {
            assert_eq!(decoded(&encoded(id)), id);
        }
        assert_eq!(encoded("a b"), "a%20b");
        assert_eq!(decoded("a%2"), "a%2");
    }
}
