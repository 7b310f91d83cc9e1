use serde_json::{Value, json};

/// What the model says to one request, with the calls in the client's own tools.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Answer {
    pub(super) text: Option<String>,
    pub(super) calls: Vec<NativeCall>,
    pub(super) input_tokens: u64,
    /// Unique within one server.
    pub(super) id: String,
}

/// A call of a tool that the client offered.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NativeCall {
    pub(super) name: String,
    /// Where the client groups tools, the group.
    pub(super) namespace: Option<String>,
    pub(super) input: Input,
}

/// Tools take an object, or plain text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Input {
    Object(Value),
    Text(String),
}

impl Answer {
    pub(super) const OUTPUT_TOKENS: u64 = 10;

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    pub(super) fn call_id(&self, index: usize) -> String {
        format!("call_{}_{index}", self.id)
    }

    /// The text, where there is one or where an answer would otherwise be empty.
    pub(super) fn spoken(&self) -> Option<&str> {
        match &self.text {
            Some(text) => Some(text),
            None if self.calls.is_empty() => Some(""),
            None => None,
        }
    }

    /// The answer as it stands in the log.
    pub(super) fn summary(&self) -> Value {
        let calls = self.calls.iter().map(|call| json!({"name": call.name, "input": call.input.value()}));
        let calls: Vec<_> = calls.collect();
        json!({"text": self.text, "calls": calls})
    }
}

impl Input {
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Object(value) => value.clone(),
            Self::Text(text) => json!(text),
        }
    }
}
