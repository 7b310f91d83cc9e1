//! What an agent or a person sends with a handoff: a JSON object, or Markdown with the packet's headings. Nothing is
//! lost: what fits no section goes to the notes.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::packet::{Fences, Heading, commands, heading, item_path, item_text, sections};
use crate::{ContextError, Packet};

/// The parts of a packet that were sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contribution {
    pub sections: BTreeMap<Heading, String>,
    /// The sender's own sections, as title and text.
    pub others: Vec<(String, String)>,
    pub confirmed: Vec<String>,
    pub suggested: Vec<String>,
    pub validators: Vec<String>,
    pub verify: Option<String>,
    pub promise: Option<String>,
    pub max_iterations: Option<u32>,
    /// Unknown keys; their values are in the notes.
    pub unknown: Vec<String>,
}

impl Contribution {
    /// Reads a document. An empty one contributes nothing.
    pub fn parse(text: &str) -> Result<Self, ContextError> {
        let text = text.trim_start_matches('\u{feff}');
        match text.trim_start().chars().next() {
            None => Ok(Self::default()),
            Some('{') => Self::from_json(text),
            Some(_) => Ok(Self::from_markdown(text)),
        }
    }

    fn from_json(text: &str) -> Result<Self, ContextError> {
        let object: Map<String, Value> = serde_json::from_str(text).map_err(|error| ContextError::DocumentJson {
            line: error.line(),
            column: error.column(),
            message: error.to_string().split(" at line").next().unwrap_or_default().to_owned(),
        })?;
        let mut sent = Self::default();
        for (key, value) in &object {
            match key.as_str() {
                "relevant_files_confirmed" | "confirmed" | "relevant_files" | "files" => match value {
                    Value::Object(lists) if lists.keys().all(|list| list == "confirmed" || list == "suggested") => {
                        for (list, paths) in lists {
                            let target = if list == "confirmed" { &mut sent.confirmed } else { &mut sent.suggested };
                            target.extend(paths_of(list, paths)?);
                        }
                    }
                    value => sent.confirmed.extend(paths_of(key, value)?),
                },
                "relevant_files_suggested" | "suggested" => sent.suggested.extend(paths_of(key, value)?),
                "validators" => sent.validators = texts(key, value)?,
                "verify" => sent.verify = texts(key, value)?.into_iter().next(),
                "promise" | "loop_promise" | "promises" => {
                    sent.promise = Some(texts(key, value)?.join("|")).filter(|promise| !promise.is_empty());
                }
                "max_iterations" | "loop_max_iterations" => sent.max_iterations = number(key, value)?,
                "failed" => {
                    let lines: Vec<_> = texts(key, value)?.iter().map(|text| format!("- Failed: {text}")).collect();
                    sent.add(Heading::Notes, &lines.join("\n"));
                }
                _ => match Heading::guess(key) {
                    Some(heading) => sent.add(heading, &prose(value)),
                    None => {
                        sent.unknown.push(key.clone());
                        sent.add(Heading::Notes, &format!("- {key}: {}", prose(value)));
                    }
                },
            }
        }
        Ok(sent)
    }

    fn from_markdown(text: &str) -> Self {
        let mut sent = Self::default();
        let body = match Packet::parse(text) {
            Ok(packet) => {
                sent.confirmed = packet.confirmed();
                sent.suggested = packet.suggested();
                sent.validators = packet.validators();
                sent.verify = packet.verify().map(str::to_owned);
                sent.promise = packet.promise().map(str::to_owned);
                sent.max_iterations = packet.max_iterations();
                packet.document().body().to_owned()
            }
            Err(_) => text.to_owned(),
        };
        let found = sections(&body);
        // The heading level of the packet's sections, whichever the sender chose.
        let known = found.iter().filter(|section| Heading::guess(section.title).is_some());
        let rank = known.map(|section| section.level).min().unwrap_or(2);
        let tops: Vec<_> = found.iter().filter(|section| section.level <= rank).collect();
        let preface = &body[..tops.first().map_or(body.len(), |section| section.heading.start)];
        sent.add(Heading::Context, preface);
        for section in tops.iter().filter(|section| section.level == rank) {
            let content = &body[section.content.clone()];
            match Heading::guess(section.title) {
                Some(Heading::RelevantFiles) => sent.take_files(content),
                Some(Heading::Validators) => sent.take_validators(content),
                Some(heading) => sent.add(heading, content),
                None if content.trim().is_empty() => {}
                None => sent.others.push((section.title.to_owned(), embedded(content))),
            }
        }
        for section in tops.iter().filter(|section| section.level < rank) {
            let end = found.iter().find(|next| next.heading.start >= section.content.start && next.level <= rank);
            let own = &body[section.content.start..end.map_or(section.content.end, |next| next.heading.start)];
            sent.add(Heading::Context, own);
        }
        sent
    }

    /// Takes paths from a list; everything that a sender lists counts as confirmed, unless it is below `Suggested`.
    fn take_files(&mut self, content: &str) {
        let mut suggested = false;
        for line in content.lines() {
            let text = line.trim();
            if let Some(title) = text.strip_prefix('#') {
                suggested = title.trim_matches(['#', ' ']).eq_ignore_ascii_case("suggested");
            }
            let path = item_path(text);
            let list = if suggested { &mut self.suggested } else { &mut self.confirmed };
            list.extend(path.filter(|path| !list.iter().any(|known| known == path)).map(str::to_owned));
        }
    }

    /// Takes the commands, and keeps what else is said as text.
    fn take_validators(&mut self, content: &str) {
        let found = commands(content);
        // Their lines come back with the list of all commands.
        let is_only_commands = |line: &str| {
            let text = item_text(line).unwrap_or(line.trim());
            found.iter().any(|command| text == format!("`{command}`"))
        };
        let rest: Vec<&str> = content.lines().filter(|line| !is_only_commands(line)).collect();
        self.add(Heading::Validators, &rest.join("\n"));
        for command in found {
            if !self.validators.contains(&command) {
                self.validators.push(command);
            }
        }
    }

    /// Appends to a section.
    pub fn add(&mut self, heading: Heading, text: &str) {
        let text = embedded(text);
        if text.is_empty() {
            return;
        }
        let section = self.sections.entry(heading).or_default();
        if !section.is_empty() {
            section.push_str("\n\n");
        }
        section.push_str(&text);
    }
}

/// A text that can be put into a section without ending it: its headings are demoted and its fences closed.
pub(crate) fn embedded(text: &str) -> String {
    let mut out = String::new();
    let mut fences = Fences::default();
    for line in text.trim_matches(['\n', '\r']).lines() {
        if !fences.covers(line) && heading(line).is_some_and(|(level, _)| level <= 3) {
            out.push_str("#### ");
            out.push_str(line.trim_start_matches('#').trim_start());
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    let mut out = out.trim_end().to_owned();
    if let Some(closing) = fences.closing() {
        out.push('\n');
        out.push_str(&closing);
    }
    out
}

/// Paths: texts, or objects with a `path`, as in `{"path": "src/a.rs", "why": "…"}`.
fn paths_of(key: &str, value: &Value) -> Result<Vec<String>, ContextError> {
    let path = |item: &Value| item.get("path").or(item.get("file")).cloned().unwrap_or_else(|| item.clone());
    match value {
        Value::Array(items) => texts(key, &items.iter().map(path).collect()),
        other => texts(key, &path(other)),
    }
}

/// A text, or a list of texts.
fn texts(key: &str, value: &Value) -> Result<Vec<String>, ContextError> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let all = match value {
        Value::Null => Some(Vec::new()),
        Value::Array(items) => items.iter().map(text).collect(),
        other => text(other).map(|text| vec![text]),
    };
    let wrong = || ContextError::DocumentValue { key: key.to_owned(), expected: "a string or a list of strings" };
    Ok(all.ok_or_else(wrong)?.into_iter().filter(|text| !text.is_empty()).collect())
}

fn number(key: &str, value: &Value) -> Result<Option<u32>, ContextError> {
    match value {
        Value::Null => Ok(None),
        Value::Number(_) | Value::String(_) => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let wrong = |_| ContextError::DocumentValue { key: key.to_owned(), expected: "an integer" };
            text.trim().parse().map(Some).map_err(wrong)
        }
        _ => Err(ContextError::DocumentValue { key: key.to_owned(), expected: "an integer" }),
    }
}

/// Any JSON value as Markdown: lists become lists, the rest is rendered as text.
fn prose(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let item = |item: &Value| format!("- {}", prose(item).trim().replace('\n', "\n  "));
            items.iter().map(item).collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn json_fills_the_sections() {
        let sent = Contribution::parse(
            r###"{"intent":"Do it","decisions":["one","two\nlines"],"next_prompt":"Go","validators":"cargo test",
            "failed":["three"],"max_iterations":3,"files":["a.rs"],"mood":{"x":1},"plan":"## Notes\n```\n## code"}"###,
        )
        .unwrap();
        assert_eq!(sent.sections[&Heading::Decisions], "- one\n- two\n  lines");
        assert_eq!(sent.sections[&Heading::NextPrompt], "Go");
        assert_eq!(sent.sections[&Heading::Notes], "- Failed: three\n\n- mood: {\"x\":1}");
        assert_eq!(sent.sections[&Heading::Plan], "#### Notes\n```\n## code\n```");
        assert_eq!((sent.unknown, sent.max_iterations), (vec!["mood".to_owned()], Some(3)));
        assert_eq!((sent.validators, sent.confirmed), (vec!["cargo test".to_owned()], vec!["a.rs".to_owned()]));
    }

    #[test]
    fn markdown_fills_the_sections() {
        let sent = Contribution::parse(
            "First words.\n\n# Whole title\n\nmore\n\n## Goal\nDo it\n### Detail\nx\n## Relevant Files\n- `a.rs` why\n### Suggested\n* b.rs\n\
            ## Next Prompt\nGo\n## Mine\nown\n",
        )
        .unwrap();
        assert_eq!(sent.sections[&Heading::Context], "First words.\n\nmore");
        assert_eq!(sent.sections[&Heading::Intent], "Do it\n#### Detail\nx");
        assert_eq!(sent.sections[&Heading::NextPrompt], "Go");
        assert_eq!((sent.confirmed, sent.suggested), (vec!["a.rs".to_owned()], vec!["b.rs".to_owned()]));
        assert_eq!(sent.others, [("Mine".to_owned(), "own".to_owned())]);
        let plain = Contribution::parse("just words\n").unwrap();
        assert_eq!(plain.sections[&Heading::Context], "just words");
    }

    #[test]
    fn the_commands_of_the_validators_are_taken() {
        let sent = Contribution::parse(
            "## Validators / Exit Criteria\n- `cargo test`\n- `just lint` is clean\n\nThe page loads.\n\
             ## Relevant Files\n1. `src/a.rs:12` the parser\n- src/b.rs:3-9\n",
        )
        .unwrap();
        assert_eq!(sent.validators, ["cargo test", "just lint"]);
        assert_eq!(sent.sections[&Heading::Validators], "- `just lint` is clean\n\nThe page loads.");
        assert_eq!(sent.confirmed, ["src/a.rs", "src/b.rs"]);
    }

    #[test]
    fn json_takes_lists_where_one_value_is_usual() {
        let sent = Contribution::parse(
            r#"{"promise":["DONE","BLOCKED"],"relevant_files":{"confirmed":["a"],"suggested":["b"]},"files":[{"path":"c:1","why":"x"}]}"#,
        );
        let mut sent = sent.unwrap();
        sent.confirmed.sort();
        assert_eq!(sent.promise.as_deref(), Some("DONE|BLOCKED"));
        assert_eq!((sent.confirmed, sent.suggested), (vec!["a".to_owned(), "c:1".to_owned()], vec!["b".to_owned()]));
    }

    #[test]
    fn a_whole_packet_can_be_sent() {
        let sent = Contribution::parse("---\nvalidators: [\"x\"]\nverify: y\n---\n# Intent\nz\n").unwrap();
        assert_eq!((sent.validators, sent.verify.as_deref()), (vec!["x".to_owned()], Some("y")));
        assert_eq!(sent.sections[&Heading::Intent], "z");
    }

    #[test]
    fn nonsense_is_an_error_with_its_place() {
        assert_eq!(Contribution::parse(" \n").unwrap(), Contribution::default());
        let said = |text: &str| Contribution::parse(text).unwrap_err().to_string();
        assert!(said("{\n\"a\":").starts_with("the document is not valid JSON: line 2, column 4: EOF"));
        assert_eq!(
            said(r#"{"validators":{}}"#),
            "`validators` in the document should be a string or a list of strings"
        );
        assert_eq!(said(r#"{"max_iterations":-1}"#), "`max_iterations` in the document should be an integer");
    }

    #[test]
    fn headings_with_a_tab_are_demoted_too() {
        assert_eq!(embedded("###\tOne\n#### Two\n#Three"), "#### One\n#### Two\n#Three");
    }

    proptest! {
        #[test]
        fn nothing_that_is_sent_ends_a_section(text in "(?s)([#`~\\- \\n\\t]|.){0,120}") {
            if let Ok(sent) = Contribution::parse(&text) {
                for section in sent.sections.values().chain(sent.others.iter().map(|(_, text)| text)) {
                    prop_assert!(sections(section).iter().all(|inner| inner.level > 3), "{section:?}");
                    prop_assert_eq!(crate::packet::unclosed_fence(section), None);
                }
            }
        }
    }
}
