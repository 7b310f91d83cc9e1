//! Methods of texts and lists that only compute.

use crate::{decode, glob};

use crate::inline::arguments::Arguments;
use crate::inline::value::{UNKNOWN, Value};

/// Computes a method; `None` for one that we do not know.
pub(crate) fn method(value: &Value, name: &str, arguments: &Arguments) -> Option<Value> {
    Some(match (value, name) {
        (
            Value::Text { .. },
            "strip" | "trim" | "decode" | "encode" | "toString" | "to_s" | "resolve" | "absolute" | "normalize"
            | "freeze" | "chomp" | "as_posix" | "expand_path" | "to_path" | "String" | "valueOf",
        ) => decoded(value, name, arguments),
        (Value::Text { .. }, "lower" | "toLowerCase" | "downcase") => value.map(str::to_lowercase),
        (Value::Text { .. }, "upper" | "toUpperCase" | "upcase") => value.map(str::to_uppercase),
        (Value::Text { .. }, "reverse") => value.map(|text| text.chars().rev().collect()),
        (Value::Text { .. }, "hex") => value.clone(),
        (Value::Text { .. }, "replace" | "replaceAll" | "gsub" | "sub" | "tr") => {
            let (old, new) = (arguments.at(0).known()?, arguments.at(1).known()?);
            if old.is_empty() {
                return None;
            }
            if name == "tr" {
                return decode::translate(old, new, value.known()?).map(Value::text);
            }
            value.map(|text| if name == "sub" { text.replacen(old, new, 1) } else { text.replace(old, new) })
        }
        (Value::Text { .. }, "concat") => arguments.list.iter().fold(value.clone(), |value, next| value.join("", next)),
        (Value::Text { .. }, "join") => {
            let Value::List(items) = arguments.at(0) else { return None };
            joined(items, value.known()?)
        }
        (Value::Text { .. }, "format") => format(value, arguments),
        (Value::Text { .. }, "split") => {
            let text = value.known()?;
            let parts: Vec<Value> = match arguments.at(0).known() {
                Some("") => text.chars().map(|c| Value::text(c.to_string())).collect(),
                Some(sign) => text.split(sign).map(Value::text).collect(),
                None => text.split_whitespace().map(Value::text).collect(),
            };
            Value::List(parts)
        }
        (Value::Text { .. }, "unpack" | "unpack1") => decode::base64(value.known()?).map(Value::text)?,
        (Value::List(items), "join") => joined(items, arguments.at(0).known().unwrap_or(",")),
        (Value::List(items), "reverse") => Value::List(items.iter().rev().cloned().collect()),
        (Value::List(items), "pack") => packed(items, arguments.at(0).known()?)?,
        (Value::List(_), "concat") => arguments.list.iter().fold(value.clone(), |value, next| value.plus(next)),
        (Value::List(items), "slice" | "drop") => {
            let from = arguments.at(0).known().and_then(|from| from.parse::<usize>().ok()).unwrap_or(0);
            Value::List(items.iter().skip(from).cloned().collect())
        }
        (Value::List(_), "first" | "shift") => value.part(0),
        (Value::List(_), "last" | "pop" | "at" | "find" | "sample") => value.held(),
        (Value::List(_), "sort" | "flat" | "copy" | "toSorted" | "uniq" | "sorted" | "to_a") => value.clone(),
        (Value::List(_), "entries") => value.pairs(),
        (Value::List(items), "each_with_index") => {
            Value::List(items.iter().map(|item| Value::List(vec![item.clone(), Value::Unknown])).collect())
        }
        (Value::Fields(_), "items" | "entries" | "each_pair" | "to_a") => value.pairs(),
        (Value::Fields(_), "keys" | "each_key") => Value::List(vec![value.clone().one_of()]),
        (Value::Fields(_), "values" | "each_value") => Value::List(vec![value.held()]),
        (Value::Fields(_), "get" | "fetch" | "pop" | "setdefault") => match arguments.at(0).known() {
            Some(key) => value.field_of(key).unwrap_or_else(|| arguments.at(1).clone()),
            None => value.held(),
        },
        (Value::Fields(_), "copy") => value.clone(),
        // Which of the files that a pattern matches are left, nobody knows.
        (_, "select" | "filter" | "reject") if value.texts().iter().any(|text| glob::is_open(text)) => return None,
        (_, "forEach" | "map" | "each" | "select" | "filter" | "reject") => value.clone(),
        _ => return None,
    })
}

/// `toString('base64')` and `decode('hex')` say an encoding; the rest leaves the text as it is.
fn decoded(value: &Value, name: &str, arguments: &Arguments) -> Value {
    match (name, arguments.at(0).known()) {
        ("decode" | "encode", Some(encoding)) if !encoding.to_lowercase().starts_with("ut") => {
            value.known().and_then(|text| by_name(text, encoding)).map_or(Value::Unknown, Value::text)
        }
        ("strip" | "trim" | "chomp", _) => value.map(|text| text.trim().to_owned()),
        _ => value.clone(),
    }
}

/// Decodes by the name of the encoding.
pub(crate) fn by_name(text: &str, encoding: &str) -> Option<String> {
    match encoding.to_lowercase().replace('-', "_").as_str() {
        "rot13" | "rot_13" => Some(decode::rot13(text)),
        "hex" | "hex_codec" => decode::hex(text),
        "base64" | "base64_codec" | "base64url" => decode::base64(text),
        "utf8" | "utf_8" | "ascii" | "latin1" | "binary" => Some(text.to_owned()),
        _ => None,
    }
}

/// Joins the items of a list.
pub(crate) fn joined(items: &[Value], sign: &str) -> Value {
    let mut items = items.iter();
    match items.next() {
        Some(first) => items.fold(first.clone(), |value, next| value.join(sign, next)),
        None => Value::text(""),
    }
}

/// Joins the parts of a path.
pub(crate) fn path(items: &[Value]) -> Value {
    joined(items, "/")
}

/// Fills `%s` and `%d`.
pub(crate) fn percent(format: &Value, items: &[Value]) -> Value {
    let Some(format) = format.known() else { return Value::Unknown };
    let mut value = Value::text("");
    let mut parts = format.split('%');
    value = value.join("", &Value::text(parts.next().unwrap_or_default()));
    let mut items = items.iter();
    for part in parts {
        let (next, rest) = match part.strip_prefix(['s', 'd', 'i', 'r']) {
            Some(rest) => (items.next().cloned().unwrap_or(Value::Unknown), rest),
            None => (Value::text(UNKNOWN.to_string()), part.get(1..).unwrap_or_default()),
        };
        value = value.join("", &next).join("", &Value::text(rest));
    }
    value
}

/// Fills `{}`, `{0}` and `{name}`.
fn format(format: &Value, arguments: &Arguments) -> Value {
    let Some(format) = format.known() else { return Value::Unknown };
    let mut parts = format.split('{');
    let mut value = Value::text(parts.next().unwrap_or_default());
    for (place, part) in parts.enumerate() {
        let (hole, rest) = part.split_once('}').unwrap_or((part, ""));
        let next = match hole.parse::<usize>() {
            Ok(number) => arguments.at(number),
            Err(_) if hole.is_empty() => arguments.at(place),
            Err(_) => arguments.named(hole).unwrap_or(&Value::Unknown),
        };
        value = value.join("", next).join("", &Value::text(rest));
    }
    value
}

fn packed(items: &[Value], kind: &str) -> Option<Value> {
    let text = items.first()?.known()?;
    match kind.chars().next()? {
        'H' => decode::hex(text).map(Value::text),
        'm' => decode::base64(text).map(Value::text),
        'c' | 'C' | 'U' | 'W' => {
            let codes: Option<String> = items.iter().map(|item| char::from_u32(item.known()?.parse().ok()?)).collect();
            codes.map(Value::text)
        }
        _ => None,
    }
}

/// The letters of character codes.
pub(crate) fn letters(items: &[Value]) -> Option<Value> {
    let code = |item: &Value| {
        let text = item.known()?;
        let number = match text.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => text.parse().ok()?,
        };
        char::from_u32(number).filter(|c| !('\u{F0000}'..='\u{F0007}').contains(c))
    };
    items.iter().map(code).collect::<Option<String>>().map(Value::text)
}
