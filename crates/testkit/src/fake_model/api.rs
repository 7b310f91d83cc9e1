use serde_json::Value;

use super::answer::Answer;
use super::response::Response;
use super::{anthropic, chat, generate, responses};

/// The interfaces that the server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Api {
    Messages,
    Responses,
    Chat,
    Generate { stream: bool },
}

/// What a request wants, by method and path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    Converse(Api),
    CountTokens,
    ListModels,
    /// A look whether anybody is there.
    Probe,
    Unknown,
}

/// A request for an answer, reduced to what the script needs to choose one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Asked {
    /// What stands in user messages, in order.
    pub(super) user_texts: Vec<String>,
    pub(super) offered: Vec<Offered>,
    /// The conversation as it stands; equal for a request that is sent again.
    pub(super) conversation: String,
    /// The newest message.
    pub(super) last: String,
    /// Present when the answer must be JSON: its schema, or null.
    pub(super) schema: Option<Value>,
}

/// A tool that the client offers to the model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Offered {
    pub(super) name: String,
    pub(super) namespace: Option<String>,
    /// The schema of its input; `None` for a tool that takes plain text.
    pub(super) schema: Option<Value>,
}

impl Route {
    pub(super) fn of(method: &str, path: &str) -> Self {
        let end = path.rsplit('/').next().unwrap_or_default();
        match (method, end) {
            ("HEAD", _) => Self::Probe,
            ("GET", "models") => Self::ListModels,
            ("POST", "count_tokens") => Self::CountTokens,
            ("POST", "messages") => Self::Converse(Api::Messages),
            ("POST", "responses") => Self::Converse(Api::Responses),
            ("POST", "completions") if path.ends_with("/chat/completions") => Self::Converse(Api::Chat),
            ("POST", end) => match end.split_once(':').map(|(_, verb)| verb) {
                Some("generateContent") => Self::Converse(Api::Generate { stream: false }),
                Some("streamGenerateContent") => Self::Converse(Api::Generate { stream: true }),
                Some("countTokens") => Self::CountTokens,
                _ => Self::Unknown,
            },
            _ => Self::Unknown,
        }
    }
}

impl Api {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Responses => "responses",
            Self::Chat => "chat",
            Self::Generate { .. } => "generate",
        }
    }

    pub(super) fn asked(self, body: &Value) -> Asked {
        match self {
            Self::Messages => anthropic::asked(body),
            Self::Responses => responses::asked(body),
            Self::Chat => chat::asked(body),
            Self::Generate { .. } => generate::asked(body),
        }
    }

    pub(super) fn render(self, body: &Value, answer: &Answer) -> Response {
        match self {
            Self::Messages => anthropic::render(body, answer),
            Self::Responses => responses::render(body, answer),
            Self::Chat => chat::render(body, answer),
            Self::Generate { stream: true } => generate::render_stream(answer),
            Self::Generate { stream: false } => generate::render(answer),
        }
    }
}

impl Asked {
    /// Reads a list of messages whose content stands under one of `text_keys`.
    pub(super) fn of_messages(messages: &Value, text_keys: &[&str]) -> Self {
        let list = messages.as_array().map(Vec::as_slice).unwrap_or_default();
        let user_texts = list.iter().filter(|message| matches!(message["role"].as_str(), Some("user") | None));
        let user_texts =
            user_texts.flat_map(|message| text_keys.iter().flat_map(|key| texts(&message[*key]))).collect();
        Self {
            user_texts,
            conversation: messages.to_string(),
            last: list.last().map(Value::to_string).unwrap_or_default(),
            ..Self::default()
        }
    }
}

/// The texts of a content that is a string, or a list of blocks with a `text`.
fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    }
}

/// The elements of a list, or none.
pub(super) fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(method: &str, path: &str, expected: Route) {
        assert_eq!(Route::of(method, path), expected, "{method} {path}");
    }

    #[test]
    fn paths_name_what_is_wanted() {
        check("POST", "/v1/messages", Route::Converse(Api::Messages));
        check("POST", "/v1/messages/count_tokens", Route::CountTokens);
        check("POST", "/v1/responses", Route::Converse(Api::Responses));
        check("POST", "/v1/chat/completions", Route::Converse(Api::Chat));
        check("POST", "/v1/completions", Route::Unknown);
        check("POST", "/v1beta/models/m:generateContent", Route::Converse(Api::Generate { stream: false }));
        check("POST", "/v1beta/models/m:streamGenerateContent", Route::Converse(Api::Generate { stream: true }));
        check("POST", "/v1beta/models/m:countTokens", Route::CountTokens);
        check("GET", "/v1/models", Route::ListModels);
        check("HEAD", "/", Route::Probe);
        check("GET", "/telemetry", Route::Unknown);
        check("PUT", "/v1/messages", Route::Unknown);
    }
}
