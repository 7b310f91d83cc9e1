use std::io::{self, Write};

use serde_json::Value;

/// What goes back over the wire. Every answer closes the connection: the smallest promise a server can make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Response {
    pub(super) status: u16,
    content_type: &'static str,
    pub(super) body: String,
}

impl Response {
    pub(super) fn json(value: &Value) -> Self {
        Self::status(200, value)
    }

    pub(super) fn status(status: u16, value: &Value) -> Self {
        Self { status, content_type: "application/json", body: value.to_string() }
    }

    /// An error in words that all four interfaces understand.
    pub(super) fn error(status: u16, message: &str) -> Self {
        let error = serde_json::json!({"type": "invalid_request_error", "message": message, "code": status});
        Self::status(status, &serde_json::json!({"type": "error", "error": error}))
    }

    /// Server-sent events, each with its name where the interface uses names.
    pub(super) fn events(events: &[(Option<&str>, Value)]) -> Self {
        let mut body = String::new();
        for (name, data) in events {
            if let Some(name) = name {
                body.push_str(&format!("event: {name}\n"));
            }
            body.push_str(&format!("data: {data}\n\n"));
        }
        Self { status: 200, content_type: "text/event-stream", body }
    }

    /// Adds a line that some interfaces end their stream with.
    pub(super) fn and_done(mut self) -> Self {
        self.body.push_str("data: [DONE]\n\n");
        self
    }

    pub(super) fn write(&self, writer: &mut impl Write, with_body: bool) -> io::Result<()> {
        let Self { status, content_type, body } = self;
        let reason = if *status == 200 { "OK" } else { "Error" };
        write!(
            writer,
            "HTTP/1.1 {status} {reason}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\
             Cache-Control: no-cache\r\nConnection: close\r\n\r\n",
            body.len()
        )?;
        if with_body {
            writer.write_all(body.as_bytes())?;
        }
        writer.flush()
    }
}
