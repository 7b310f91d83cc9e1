//! Tools that fetch a page or search the web: which hosts they connect to.

use serde_json::Value;
use stead_model::Op;

use crate::command::host_of;
use crate::effect::Record;
use crate::effect::tool_name::words;

/// Keys whose text is an address.
const ADDRESSES: &[&str] = &["address", "href", "link", "uri", "url", "urls"];

/// The maximum number of recorded addresses of one call.
const MOST: usize = 32;

/// Records a network connection of a tool, if its name or its input indicates one.
pub(crate) fn note(record: &mut Record, tool: &str, input: &str) {
    let names = words(tool);
    let is = |name: &str| names.iter().any(|word| word == name);
    let talks =
        is("fetch") || is("web") && (is("search") || is("read") || is("open")) || is("webfetch") || is("websearch");
    let mentions = ADDRESSES.iter().any(|key| input.contains(key)) && input.contains("://");
    if !talks && !mentions {
        return;
    }
    let mut hosts = Vec::new();
    if let Ok(Value::Object(members)) = serde_json::from_str::<Value>(input) {
        for (key, value) in &members {
            let named = ADDRESSES.contains(&key.to_ascii_lowercase().as_str());
            if named || talks {
                collect(value, &mut hosts);
            }
        }
    }
    let host = |address: &String| Op::Network { program: tool.to_owned(), host: host_of(address) };
    hosts.iter().for_each(|address| record.push(host(address), address));
    if hosts.is_empty() && talks {
        record.push(Op::Network { program: tool.to_owned(), host: None }, tool);
    }
}

/// Collects the addresses in a text, or in a list of texts.
fn collect(value: &Value, hosts: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let apart = |c: char| c.is_whitespace() || "\"'<>()[]`,".contains(c);
            let found = text.split(apart).filter(|piece| piece.contains("://") && !piece.starts_with("file://"));
            hosts.extend(found.take(MOST.saturating_sub(hosts.len())).map(str::to_owned));
        }
        Value::Array(items) => items.iter().take(MOST).for_each(|item| collect(item, hosts)),
        _ => {}
    }
}
