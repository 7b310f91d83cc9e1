//! Stead's own MCP tools, as the commands they stand for. What a tool takes is listed once, here: the server derives
//! the schema of its input from it, and the hook the effects of a call.

mod tools;

use serde_json::Value;
use stead_model::{Op, SteadCall, SteadProgram, SteadWord};

pub use tools::OWN_TOOLS;

/// The name under which the server is registered in clients.
pub const OWN_SERVER: &str = "stead";

/// An MCP tool that stands for a command of Stead.
#[derive(Debug)]
pub struct OwnTool {
    pub name: &'static str,
    pub words: &'static [Word],
}

/// A word of a tool's command, or several.
#[derive(Debug)]
pub enum Word {
    /// Always the same.
    Is(&'static str),
    /// A field as a word of its own, once for each of its texts.
    Value(Field),
    /// An option with a field as its value, once for each of its texts.
    Option(&'static str, Field),
    /// An option whose name is the field's value.
    Choice(Field),
    /// Two fields, joined by a colon.
    Pair(Field, Field),
}

/// A field of a tool's input.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    pub kind: FieldKind,
    pub need: Need,
}

/// What a field contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Text,
    /// A whole number in these bounds.
    Number(u64, u64),
    Texts,
    OneOf(&'static [&'static str]),
}

/// Whether a field may be omitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    Optional,
    Required,
    /// Required, but the command itself says what is missing, because it knows what there is to choose from.
    ByCommand,
}

impl OwnTool {
    pub fn find(name: &str) -> Option<&'static Self> {
        OWN_TOOLS.iter().find(|tool| tool.name == name)
    }

    /// Finds the tool that a client is about to call. If a client does not report the server, the name of the tool
    /// decides; a plugin may put its own name in front of the server's.
    pub fn called(server: &str, tool: &str) -> Option<&'static Self> {
        let is_own = server.is_empty() || server.rsplit(['_', '-', ':', '/']).next() == Some(OWN_SERVER);
        Self::find(tool).filter(|_| is_own)
    }

    /// Its fields, in order.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> + use<> {
        self.words.iter().flat_map(|word| match word {
            Word::Is(_) => vec![],
            Word::Value(field) | Word::Option(_, field) | Word::Choice(field) => vec![field],
            Word::Pair(first, second) => vec![first, second],
        })
    }

    /// The words of the command, after `stead`. Fails with what is wrong with the input.
    pub fn command(&self, input: &Value) -> Result<Vec<String>, String> {
        let known: Vec<&str> = self.fields().map(|field| field.name).collect();
        let empty = serde_json::Map::new();
        let given = match input {
            Value::Null => &empty,
            Value::Object(given) => given,
            _ => return Err("the input is not an object".to_owned()),
        };
        if let Some(other) = given.keys().find(|name| !known.contains(&name.as_str())) {
            let expected = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(format!("unknown field `{other}`; expected {expected}"));
        }
        let texts = |field: &Field| field.texts(given.get(field.name).filter(|value| !value.is_null()));
        let mut words = Vec::new();
        for word in self.words {
            match word {
                Word::Is(word) => words.push((*word).to_owned()),
                Word::Value(field) => words.extend(texts(field)?),
                Word::Option(name, field) => {
                    words.extend(texts(field)?.into_iter().map(|text| format!("{name}={text}")));
                }
                Word::Choice(field) => words.extend(texts(field)?.into_iter().map(|text| format!("--{text}"))),
                Word::Pair(first, second) => {
                    let (first, second) = (texts(first)?, texts(second)?);
                    words.extend(first.iter().zip(second).map(|(first, second)| format!("{first}:{second}")));
                }
            }
        }
        Ok(words)
    }

    /// The call as an effect. If the input is wrong, the server refuses it, so that the command alone remains.
    pub(crate) fn effect(&self, input: &str) -> Op {
        let input = serde_json::from_str(input).unwrap_or(Value::Null);
        let bare = || {
            let words = self.words.iter().map_while(|word| match word {
                Word::Is(word) => Some((*word).to_owned()),
                _ => None,
            });
            words.collect()
        };
        let words: Vec<String> = self.command(&input).unwrap_or_else(|_| bare());
        let certain = |text: String| SteadWord { certain: text.len(), guessed: false, text };
        Op::Stead(SteadCall { words: words.into_iter().map(certain).collect(), program: SteadProgram::Named })
    }
}

impl Field {
    /// The texts of a value; none if it is omitted.
    fn texts(&self, value: Option<&Value>) -> Result<Vec<String>, String> {
        let name = self.name;
        let Some(value) = value else {
            return match self.need {
                Need::Required => Err(format!("`{name}` is missing")),
                Need::Optional | Need::ByCommand => Ok(Vec::new()),
            };
        };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        match self.kind {
            FieldKind::Text => text(value).map(|text| vec![text]).ok_or(format!("`{name}` must be a string")),
            FieldKind::Number(least, most) => {
                let number = value.as_u64().filter(|number| (least..=most).contains(number));
                let number = number.map(|number| vec![number.to_string()]);
                number.ok_or(format!("`{name}` must be a whole number from {least} to {most}"))
            }
            FieldKind::Texts => {
                let texts: Option<Vec<String>> = value.as_array().and_then(|list| list.iter().map(text).collect());
                texts.ok_or(format!("`{name}` must be a list of strings"))
            }
            FieldKind::OneOf(names) => {
                let chosen = text(value).filter(|text| names.contains(&text.as_str()));
                chosen.map(|text| vec![text]).ok_or(format!("`{name}` must be one of {}", names.join(", ")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_input_becomes_the_words_of_a_command() {
        let check = |tool: &str, input: Value, expected: Result<&str, &str>| {
            let words = OwnTool::find(tool).unwrap().command(&input).map(|words| words.join(" "));
            assert_eq!(words, expected.map(str::to_owned).map_err(str::to_owned), "{tool} {input}");
        };
        check("select_active_intent", json!({"intent_id": "INT-1"}), Ok("intent select --json -- INT-1"));
        check(
            "select_active_intent",
            json!({"mutation_class": "refactor", "intent_id": "INT-1"}),
            Ok("intent select --json --class=refactor -- INT-1"),
        );
        check("select_active_intent", Value::Null, Ok("intent select --json --"));
        check("select_active_intent", json!({"intent_id": null}), Ok("intent select --json --"));
        check("select_active_intent", json!({"intent_id": 1}), Err("`intent_id` must be a string"));
        check("select_active_intent", json!([]), Err("the input is not an object"));
        check(
            "select_active_intent",
            json!({"id": "x"}),
            Err("unknown field `id`; expected mutation_class, intent_id"),
        );
        check("why_line", json!({"file": "src/a.rs", "line": 3}), Ok("why --json -- src/a.rs:3"));
        check("why_line", json!({"file": "src/a.rs"}), Err("`line` is missing"));
        check("query_traces", json!({}), Ok("memory query --json --"));
        check(
            "query_traces",
            json!({"text": "--lexical", "type": "violation", "max_tokens": 300, "level": "metadata"}),
            Ok("memory query --json --level=metadata --max-tokens=300 --type=violation -- --lexical"),
        );
        check("query_traces", json!({"k": 0}), Err("`k` must be a whole number from 1 to 100"));
        check(
            "store_trace",
            json!({"type": "decision", "what_happened": "keep v1", "files": ["a.rs", "b.rs:3"]}),
            Ok("memory store --json --type=decision --what=keep v1 --file=a.rs --file=b.rs:3"),
        );
        check("extract_patterns", Value::Null, Ok("memory patterns --json --max-tokens 2000"));
        check("extract_patterns", json!({"x": 1}), Err("unknown field `x`; expected none"));
        check("create_guard", json!({"pattern_id": "--accept"}), Ok("memory propose --json -- --accept"));
        check(
            "report_feature",
            json!({"feature_id": "f", "outcome": "config=gate.self_protection=false"}),
            Err("`outcome` must be one of implemented, passed, failed"),
        );
    }

    #[test]
    fn the_server_is_known_by_its_name() {
        let check = |server: &str, expected: bool| {
            assert_eq!(OwnTool::called(server, "check_action").is_some(), expected, "{server}");
        };
        check("stead", true);
        check("plugin_tools_stead", true);
        check("", true);
        check("instead", false);
        check("github", false);
    }

    #[test]
    fn every_name_is_portable() {
        for tool in OWN_TOOLS {
            let is_portable = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            assert!(is_portable(tool.name) && tool.fields().all(|field| is_portable(field.name)), "{tool:?}");
        }
    }

    proptest! {
        /// A text never becomes an option: what precedes `--` consists of our own words.
        #[test]
        fn no_text_becomes_an_option(at in 0..OWN_TOOLS.len(), text in "-{0,2}[a-zC=. ]{0,12}", number in 0..9u64) {
            let tool = &OWN_TOOLS[at];
            let mut input = serde_json::Map::new();
            for field in tool.fields() {
                input.insert(field.name.to_owned(), match field.kind {
                    FieldKind::Text => json!(text),
                    FieldKind::Number(least, _) => json!(least + number),
                    FieldKind::Texts => json!([text, text]),
                    FieldKind::OneOf(names) => json!(names[0]),
                });
            }
            let words = tool.command(&Value::Object(input)).unwrap();
            let options: Vec<&str> = tool.words.iter().flat_map(|word| match word {
                Word::Is(word) | Word::Option(word, _) => vec![*word],
                Word::Choice(Field { kind: FieldKind::OneOf(names), .. }) => names.to_vec(),
                _ => vec![],
            }).collect();
            for word in words.iter().take_while(|word| *word != "--") {
                let name = word.split('=').next().unwrap();
                prop_assert!(options.contains(&name) || options.contains(&name.trim_start_matches('-')), "{words:?}");
            }
        }
    }
}
