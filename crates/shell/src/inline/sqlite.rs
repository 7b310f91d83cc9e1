//! Python's `sqlite3`: the database that a program opens, and statements that open another one.

use stead_model::{Content, How};

use crate::inline::arguments::Arguments;
use crate::inline::eval::Eval;
use crate::inline::value::Value;

/// Opening a database may change it, unless its address says that it is only read.
pub(crate) fn connect(eval: &mut Eval<'_>, database: &Value) -> Value {
    for text in database.texts() {
        let (path, options) = text.split_once('?').unwrap_or((&text, ""));
        let path = path.strip_prefix("file:").unwrap_or(path);
        let has = |option: &str| text.starts_with("file:") && options.split('&').any(|known| known == option);
        match path {
            ":memory:" | "" => {}
            _ if has("mode=memory") => {}
            _ if has("mode=ro") || has("immutable=1") => eval.looks(&Value::text(path)),
            _ => drop(eval.write(&Value::text(path), How::Edit, Content::Unknown)),
        }
    }
    // From here on methods named like those of a connection are ones.
    eval.modules.push("sqlite3".to_owned());
    Value::Unknown
}

/// Methods of a connection; `None` for those that stay within its database.
pub(crate) fn method(eval: &mut Eval<'_>, name: &str, arguments: &Arguments) -> Option<Value> {
    let opens = |text: &str| {
        let lower = text.to_lowercase();
        lower.contains("attach") || lower.contains("vacuum")
    };
    let what = match name {
        "execute" | "executescript" | "executemany" => match arguments.at(0) {
            Value::Text { any, .. } if !any.iter().any(|text| opens(text)) => return None,
            Value::Text { .. } => "an SQL statement that may open another database",
            _ => "an SQL statement that is not known",
        },
        "load_extension" => "an extension of a database",
        _ => return None,
    };
    eval.gap(what);
    Some(Value::Unknown)
}
