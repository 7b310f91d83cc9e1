use super::eval::Eval;
use super::value::Value;

/// A module's attribute that has a value.
pub(super) fn attribute(eval: &Eval<'_>, module: &str, name: &str) -> Option<Value> {
    match (module, name) {
        ("os", "curdir") => Some(Value::text(".")),
        ("os" | "os.path" | "path", "sep") => Some(Value::text("/")),
        ("process.env", name) => match eval.variable(&Value::text(name)) {
            Value::Unknown => None,
            value => Some(value),
        },
        _ => None,
    }
}
