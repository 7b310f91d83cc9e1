use serde_json::Value;
use stead_hook::Boundary;

/// The scanner finds the same end however the bytes arrive, and the end that a JSON reader finds.
pub fn boundary(data: &[u8]) {
    let whole = Boundary::new().find(data);
    let step = data.first().map_or(1, |byte| usize::from(byte % 7) + 1);
    let mut scanner = Boundary::new();
    let mut pieces = None;
    let mut end = 0;
    while pieces.is_none() && end < data.len() {
        end = (end + step).min(data.len());
        pieces = scanner.find(&data[..end]);
    }
    assert_eq!(pieces, whole, "in pieces of {step}");
    let mut values = serde_json::Deserializer::from_slice(data).into_iter::<Value>();
    if let Some(Ok(Value::Object(_) | Value::Array(_))) = values.next() {
        assert_eq!(whole, Some(values.byte_offset()));
    }
}
