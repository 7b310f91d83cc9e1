use std::ffi::OsStr;

use toml::de::{DeTable, DeValue};

use super::key::{Key, Kind};
use super::{Layer, Origin, Problem, Value};

/// One value that a layer sets.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) key: &'static str,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

/// What one layer sets, and what is wrong with it.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) settings: Vec<Setting>,
    pub(crate) problems: Vec<Problem>,
    /// It is the user's file by the environment, and the project knows this person by another one.
    pub(crate) is_other_user: bool,
}

/// Returns the defaults that ship with the program.
pub(crate) fn defaults() -> Vec<Setting> {
    parse_file(&Origin::layer(Layer::Default), include_str!("defaults.toml")).settings
}

/// Reads a settings file. A syntax error discards the whole layer, a wrong value only itself.
pub(crate) fn parse_file(origin: &Origin, text: &str) -> Parsed {
    // Some editors write a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut parsed = Parsed::default();
    match DeTable::parse(text) {
        Ok(table) => walk("", table.get_ref(), &mut |name, span, value| {
            let line = (origin.layer != Layer::Default).then(|| line_of(text, span));
            parsed.put(name, value, Origin { line, ..origin.clone() });
        }),
        Err(error) => {
            let line = error.span().map(|span| line_of(text, span.start));
            parsed
                .problems
                .push(Problem::error(&Origin { line, ..origin.clone() }, error.message().replace('\n', ", ")));
        }
    }
    parsed
}

/// Reads one environment variable.
pub(crate) fn parse_variable(key: &'static Key, variable: String, typed: &OsStr) -> Parsed {
    let origin = Origin { variable: Some(variable), ..Origin::layer(Layer::Env) };
    match typed.to_str() {
        Some(typed) => read(key, typed, origin),
        None => Parsed { problems: vec![Problem::error(&origin, "the value is not UTF-8")], ..Parsed::default() },
    }
}

/// Reads one `key=value` of a command line.
pub(crate) fn parse_flag(flag: &str) -> Parsed {
    let origin = Origin::layer(Layer::Flag);
    let Some((name, typed)) = flag.split_once('=') else {
        let problem =
            Problem::error(&origin, format!("`{flag}` has no `=`")).hinted("write it as `record.sessions=false`");
        return Parsed { problems: vec![problem], ..Parsed::default() };
    };
    match Key::find(name.trim()) {
        Some(key) => read(key, typed, origin),
        None => Parsed {
            problems: vec![Problem { severity: stead_model::Severity::Error, ..unknown(name.trim(), &origin) }],
            ..Parsed::default()
        },
    }
}

fn read(key: &'static Key, typed: &str, origin: Origin) -> Parsed {
    let mut parsed = Parsed::default();
    match key.read(typed) {
        Ok(value) => parsed.settings.push(Setting { key: key.name, value, origin }),
        Err(why) => parsed.problems.push(wrong(key, typed, &why, &origin)),
    }
    parsed
}

impl Parsed {
    fn put(&mut self, name: &str, value: &DeValue<'_>, origin: Origin) {
        let Some(key) = Key::find(name) else {
            self.problems.push(unknown(name, &origin));
            return;
        };
        let (typed, value) = match value {
            DeValue::Boolean(value) => (value.to_string(), Some(Value::Bool(*value))),
            DeValue::Integer(value) if key.kind == Kind::Number => {
                (value.to_string(), u64::from_str_radix(value.as_str(), value.radix()).ok().map(Value::Number))
            }
            DeValue::String(value) => (value.to_string(), Some(Value::Text(value.to_string()))),
            DeValue::Array(values) if key.kind == Kind::PersonalList => {
                let texts = values.iter().map(|value| value.get_ref().as_str().map(str::to_owned));
                ("this list".to_owned(), texts.collect::<Option<_>>().map(Value::List))
            }
            other => (format!("a value of type {}", other.type_str()), None),
        };
        match value.ok_or_else(|| key.expected().to_owned()).and_then(|value| key.check(value)) {
            Ok(value) => self.settings.push(Setting { key: key.name, value, origin }),
            Err(why) => self.problems.push(wrong(key, &typed, &why, &origin)),
        }
    }
}

/// Visits every leaf with its dotted name and the position of its key. A known name ends the descent, so a table where
/// a value belongs is a wrong value and not a set of unknown names.
fn walk(prefix: &str, table: &DeTable<'_>, visit: &mut dyn FnMut(&str, usize, &DeValue<'_>)) {
    for (key, value) in table.iter() {
        let name = if prefix.is_empty() { key.get_ref().to_string() } else { format!("{prefix}.{}", key.get_ref()) };
        match value.get_ref() {
            DeValue::Table(inner) if Key::find(&name).is_none() => walk(&name, inner, visit),
            leaf => visit(&name, key.span().start, leaf),
        }
    }
}

fn unknown(name: &str, origin: &Origin) -> Problem {
    let problem = Problem::warning(origin, format!("unknown setting `{name}`"));
    match Key::nearest(name) {
        Some(nearest) => problem.hinted(format!("did you mean `{nearest}`?")),
        None => problem.hinted("`stead config list` shows all settings"),
    }
}

fn wrong(key: &Key, typed: &str, why: &str, origin: &Origin) -> Problem {
    Problem::error(origin, format!("`{}` cannot be `{typed}`: {why}", key.name))
}

/// Counts lines from 1.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
}
