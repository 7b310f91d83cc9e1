use std::path::Path;
use std::time::Duration;

use toml_edit::{DocumentMut, Item, Table};

use super::Value;
use super::key::Key;
use super::parse::line_of;
use crate::amend::take_turn;
use crate::file::{create_parents, read_capped, replace};
use crate::{Durability, Exact, StoreError};

const LIMIT: usize = 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(5);

/// What an edit did to a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edited {
    Changed,
    /// The file already had this value and was not touched.
    Unchanged,
}

/// Sets one value in a settings file and creates the file if needed. Comments, order and spacing of the rest are kept.
pub fn set_value(path: &Path, key: &str, typed: &str) -> Result<Edited, StoreError> {
    set_values(path, &[(key, typed)])
}

/// Sets several values at once: all of them or none.
pub(crate) fn set_values(path: &Path, typed: &[(&str, &str)]) -> Result<Edited, StoreError> {
    let checked = typed.iter().map(|(key, typed)| check(key, typed)).collect::<Result<Vec<_>, _>>()?;
    create_parents(path)?;
    edit(path, |document| checked.into_iter().try_for_each(|(key, value)| put(document, key, value, path)))
}

/// Checks whether a value may be set, without setting it.
fn check(key: &str, typed: &str) -> Result<(&'static Key, Value), StoreError> {
    let key = Key::named(key)?;
    match key.read(typed) {
        Ok(value) => Ok((key, value)),
        Err(why) => Err(StoreError::WrongValue { key: key.name.to_owned(), value: typed.to_owned(), why }),
    }
}

fn put(document: &mut DocumentMut, key: &'static Key, value: Value, path: &Path) -> Result<(), StoreError> {
    let (table, name) = section(document, key.name, path)?;
    let mut new = match value {
        Value::Bool(value) => toml_edit::Value::from(value),
        // The value was checked to be far below the limit.
        Value::Number(value) => toml_edit::Value::from(i64::try_from(value).unwrap_or(i64::MAX)),
        Value::Text(value) => toml_edit::Value::from(value),
        Value::List(values) => toml_edit::Value::from_iter(values),
    };
    match table.get_mut(name) {
        Some(item) => {
            if let Some(old) = item.as_value() {
                let same = |old: &toml_edit::Value, new: &toml_edit::Value| {
                    old.as_bool() == new.as_bool()
                        && old.as_str() == new.as_str()
                        && old.as_integer() == new.as_integer()
                        && texts(old) == texts(new)
                };
                if same(old, &new) {
                    return Ok(());
                }
                *new.decor_mut() = old.decor().clone();
            }
            *item = Item::Value(new);
        }
        None => {
            table.insert(name, Item::Value(new));
        }
    }
    Ok(())
}

/// The texts of a list.
fn texts(value: &toml_edit::Value) -> Option<Vec<&str>> {
    value.as_array().map(|all| all.iter().filter_map(toml_edit::Value::as_str).collect())
}

/// Removes one value from a settings file, so that the layers below apply again.
pub fn unset_value(path: &Path, key: &str) -> Result<Edited, StoreError> {
    let key = Key::named(key)?;
    if !path.exists() {
        return Ok(Edited::Unchanged);
    }
    edit(path, |document| {
        let (section, name) = split(key.name);
        match section {
            None => {
                document.remove(name);
            }
            Some(section) => {
                if let Some(table) = document.get_mut(section).and_then(Item::as_table_like_mut) {
                    table.remove(name);
                }
            }
        }
        Ok(())
    })
}

/// Changes the file's document with the given function, one process at a time.
fn edit(path: &Path, change: impl FnOnce(&mut DocumentMut) -> Result<(), StoreError>) -> Result<Edited, StoreError> {
    let _turn = take_turn(path, PATIENCE)?;
    let bytes = read_capped(path, LIMIT)?;
    let syntax = |line, message: &str| StoreError::ConfigSyntax {
        path: path.to_owned(),
        line,
        message: message.replace('\n', ", "),
    };
    let text = match &bytes {
        Some(bytes) => std::str::from_utf8(bytes).map_err(|_| syntax(1, "the file is not UTF-8 text"))?,
        None => "",
    };
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        syntax(error.span().map_or(1, |span| line_of(text, span.start)), error.message())
    })?;
    change(&mut document)?;
    let new = document.to_string();
    if bytes.is_some() && new == text {
        return Ok(Edited::Unchanged);
    }
    replace(path, Exact::Edited.bytes(&new), Durability::Synced)?;
    Ok(Edited::Changed)
}

fn split(key: &str) -> (Option<&str>, &str) {
    match key.split_once('.') {
        Some((section, name)) => (Some(section), name),
        None => (None, key),
    }
}

/// Finds the table a key belongs to; adds the section at the end if it is missing.
fn section<'a>(
    document: &'a mut DocumentMut,
    key: &'static str,
    path: &Path,
) -> Result<(&'a mut dyn toml_edit::TableLike, &'static str), StoreError> {
    let (section, name) = match key.split_once('.') {
        Some((section, name)) => (section, name),
        None => {
            keep_heading(document, key);
            return Ok((document.as_table_mut(), key));
        }
    };
    if !document.contains_key(section) {
        let mut table = Table::new();
        table.decor_mut().set_prefix(take_ending(document));
        document.insert(section, Item::Table(table));
    }
    match document[section].as_table_like_mut() {
        Some(table) => Ok((table, name)),
        None => Err(StoreError::NotATable { path: path.to_owned(), key: key.to_owned() }),
    }
}

/// Takes the comments after the last entry, to put them before a new section and a blank line.
fn take_ending(document: &mut DocumentMut) -> String {
    let mut ending = document.trailing().as_str().unwrap_or_default().to_owned();
    document.set_trailing("");
    if (!ending.is_empty() || !document.is_empty()) && !ending.ends_with("\n\n") {
        ending.push('\n');
    }
    ending
}

/// Keeps the comments of a file that has nothing but comments above its first key.
fn keep_heading(document: &mut DocumentMut, key: &str) {
    if document.is_empty() {
        let heading = take_ending(document);
        document.insert(key, toml_edit::value(false));
        if let Some(mut key) = document.key_mut(key) {
            key.leaf_decor_mut().set_prefix(heading);
        }
    }
}
