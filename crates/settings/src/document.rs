//! A settings text as a plain value, whatever its syntax.

use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ParseResult};
use serde_json::{Map, Value};
use stead_model::{Shape, Syntax};

use crate::SettingsError;

/// The byte order mark that some editors write.
pub(crate) const BOM: char = '\u{feff}';

pub(crate) fn is_toml(shape: Shape) -> bool {
    matches!(shape, Shape::TomlGroups | Shape::TomlList)
}

/// Parses a text. An empty text is an empty document; of a repeated key the last one counts, as in the clients.
pub(crate) fn read(shape: Shape, text: &str) -> Result<Value, SettingsError> {
    match shape {
        Shape::Whole => Ok(Value::String(text.strip_prefix(BOM).unwrap_or(text).to_owned())),
        Shape::TomlGroups | Shape::TomlList => read_as(Syntax::Toml, text),
        Shape::Groups | Shape::BareGroups | Shape::Flat => read_as(Syntax::Json, text),
    }
}

/// Parses a text of this syntax.
pub(crate) fn read_as(syntax: Syntax, text: &str) -> Result<Value, SettingsError> {
    let text = text.strip_prefix(BOM).unwrap_or(text);
    match syntax {
        Syntax::Toml => read_toml(text),
        Syntax::Json => {
            let parsed = parse_json(text)?;
            Ok(parsed.value.map_or_else(|| Value::Object(Map::new()), Value::from))
        }
    }
}

/// Parses JSON with comments and trailing commas; anything looser is an error, because the clients reject it.
pub(crate) fn parse_json(text: &str) -> Result<ParseResult<'_>, SettingsError> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    jsonc_parser::parse_to_ast(text, &collect, &options)
        .map_err(|error| SettingsError::at(text, error.range().start, lower_first(&error.kind().to_string())))
}

pub(crate) fn parse_toml(text: &str) -> Result<toml_edit::DocumentMut, SettingsError> {
    text.parse::<toml_edit::DocumentMut>().map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        SettingsError::at(text, offset, error.message().replace('\n', ", "))
    })
}

fn read_toml(text: &str) -> Result<Value, SettingsError> {
    let document = parse_toml(text)?;
    Ok(table_value(document.as_table()))
}

fn table_value(table: &dyn toml_edit::TableLike) -> Value {
    Value::Object(table.iter().map(|(key, item)| (key.to_owned(), item_value(item))).collect())
}

fn item_value(item: &toml_edit::Item) -> Value {
    match item {
        toml_edit::Item::None => Value::Null,
        toml_edit::Item::Value(value) => plain_value(value),
        toml_edit::Item::Table(table) => table_value(table),
        toml_edit::Item::ArrayOfTables(tables) => Value::Array(tables.iter().map(|table| table_value(table)).collect()),
    }
}

fn plain_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::String(text.value().clone()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(*number.value()),
        toml_edit::Value::Boolean(flag) => Value::Bool(*flag.value()),
        toml_edit::Value::Datetime(moment) => Value::String(moment.value().to_string()),
        toml_edit::Value::Array(list) => Value::Array(list.iter().map(plain_value).collect()),
        toml_edit::Value::InlineTable(table) => table_value(table),
    }
}

fn lower_first(message: &str) -> String {
    let mut chars = message.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(shape: Shape, text: &str, expected: &str) {
        let shown = match read(shape, text) {
            Ok(value) => value.to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn texts_become_values() {
        check(Shape::Groups, "", "{}");
        check(Shape::Groups, "\u{feff}// only words\n", "{}");
        check(Shape::Groups, "{\"a\": 1, /* x */ \"a\": [2,],}", r#"{"a":[2]}"#);
        check(Shape::TomlList, "", "{}");
        check(Shape::TomlGroups, "a = 1\n[[hooks.Stop]]\nx = \"y\"\n", r#"{"a":1,"hooks":{"Stop":[{"x":"y"}]}}"#);
        check(Shape::Whole, "any { text", r#""any { text""#);
    }

    #[test]
    fn bad_texts_say_where() {
        check(Shape::Groups, "{\n  \"a\": }", "line 2, column 8: unexpected close brace");
        check(Shape::Groups, "{\"é\": 1 \"b\": 2}", "line 1, column 8: expected comma");
        check(Shape::Groups, "{a: 1}", "line 1, column 2: expected string for object property");
        check(Shape::TomlList, "a = 1\nb = = 2\n", "line 2, column 5: extra `=`, expected nothing");
    }
}
