use std::fmt;

use serde_json::Value;

/// Where a text stood in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The number of the request, from 1.
    pub request: usize,
    pub role: Role,
    /// The place in the request's body, as a JSON pointer.
    pub place: String,
}

/// Who says a text in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    System,
    Developer,
    User,
    Assistant,
    /// The result of a tool call.
    Tool,
    /// The description of a tool.
    Offer,
    Other,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Offer => "offer",
            Self::Other => "other",
        }
    }

    fn of_name(name: &str) -> Self {
        match name {
            "system" => Self::System,
            "developer" => Self::Developer,
            "user" => Self::User,
            "assistant" | "model" => Self::Assistant,
            "tool" | "function" => Self::Tool,
            _ => Self::Other,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Finds a text in a request's body.
pub(super) fn sightings(request: usize, body: &Value, text: &str) -> Vec<Sighting> {
    let quoted = Value::from(text).to_string();
    let mut search = Search { request, text, quoted: quoted.trim_matches('"'), found: Vec::new() };
    search.walk(body, Role::Other, &mut String::new());
    search.found
}

struct Search<'a> {
    request: usize,
    text: &'a str,
    /// The text as it stands within JSON that is itself a text, such as a tool's arguments.
    quoted: &'a str,
    found: Vec<Sighting>,
}

impl Search<'_> {
    fn walk(&mut self, value: &Value, role: Role, place: &mut String) {
        match value {
            Value::String(text) if text.contains(self.text) || text.contains(self.quoted) => {
                self.found.push(Sighting { request: self.request, role, place: place.clone() });
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.step(item, role, place, &index.to_string());
                }
            }
            Value::Object(members) => {
                let role = if role == Role::System { role } else { own_role(value).unwrap_or(role) };
                for (key, member) in members {
                    let role = if place.is_empty() { part_role(key).unwrap_or(role) } else { role };
                    self.step(member, role, place, key);
                }
            }
            _ => {}
        }
    }

    fn step(&mut self, value: &Value, role: Role, place: &mut String, key: &str) {
        let length = place.len();
        place.push('/');
        place.push_str(key);
        self.walk(value, role, place);
        place.truncate(length);
    }
}

/// The role that an object states of itself. A tool's result may come in a user's message.
fn own_role(object: &Value) -> Option<Role> {
    let kind = object["type"].as_str().unwrap_or_default();
    if kind == "tool_result" || kind.ends_with("_call_output") || object.get("functionResponse").is_some() {
        return Some(Role::Tool);
    }
    if kind == "tool_use" || kind.ends_with("_call") || object.get("functionCall").is_some() {
        return Some(Role::Assistant);
    }
    object["role"].as_str().map(Role::of_name)
}

/// The role of a part of the body that is no message.
fn part_role(key: &str) -> Option<Role> {
    match key {
        "system" | "systemInstruction" | "instructions" => Some(Role::System),
        "tools" => Some(Role::Offer),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(body: Value, expected: &[(Role, &str)]) {
        let found = sightings(1, &body, "say \"X\"");
        let shown: Vec<_> = found.iter().map(|one| (one.role, one.place.as_str())).collect();
        assert_eq!(shown, expected, "{body}");
    }

    #[test]
    fn a_text_is_found_with_its_role() {
        let text = "please say \"X\" now";
        check(json!({"system": [{"type": "text", "text": text}]}), &[(Role::System, "/system/0/text")]);
        check(
            json!({"systemInstruction": {"role": "user", "parts": [{"text": text}]}}),
            &[(Role::System, "/systemInstruction/parts/0/text")],
        );
        check(
            json!({"messages": [{"role": "user", "content": [{"type": "tool_result", "content": text}]}]}),
            &[(Role::Tool, "/messages/0/content/0/content")],
        );
        check(
            json!({"messages": [{"role": "tool", "content": text}, {"role": "system", "content": text}]}),
            &[(Role::Tool, "/messages/0/content"), (Role::System, "/messages/1/content")],
        );
        check(
            json!({"contents": [{"role": "user", "parts": [{"functionResponse": {"response": {"error": text}}}]}]}),
            &[(Role::Tool, "/contents/0/parts/0/functionResponse/response/error")],
        );
        check(
            json!({"input": [{"type": "function_call_output", "output": text}, {"role": "developer", "content": text}]}),
            &[(Role::Tool, "/input/0/output"), (Role::Developer, "/input/1/content")],
        );
        check(json!({"tools": [{"description": text}]}), &[(Role::Offer, "/tools/0/description")]);
    }

    #[test]
    fn a_text_within_quoted_json_is_found() {
        let quoted = json!({"error": "say \"X\""}).to_string();
        check(json!({"messages": [{"role": "tool", "content": quoted}]}), &[(Role::Tool, "/messages/0/content")]);
        check(json!({"messages": [{"role": "tool", "content": "say X"}]}), &[]);
    }
}
