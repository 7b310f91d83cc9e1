use stead_store::{RedactStream, Redacted, holds_secret, redact_head, redact_tail, secrets_in};

/// Any text is redacted, once and for all; JSON stays JSON; pieces give text.
pub fn redact(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let once = stead_store::redact(&text).into_owned();
    assert_eq!(stead_store::redact(&once).as_str(), once);
    let _ = (holds_secret(data), secrets_in(&text), redact_head(&text, 40), redact_tail(&text, 40));
    let json = Redacted::line(&serde_json::json!({"text": text, "password": text}));
    assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok());
    let mut stream = RedactStream::default();
    let half = data.len() / 2;
    let _ = (stream.take(&data[..half]), stream.take(&data[half..]), stream.finish());
}
