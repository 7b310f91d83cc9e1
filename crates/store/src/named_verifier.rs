//! The person's own verifiers: `verifiers.toml` in their config folder gives names to commands, so that a project can ask
//! for one without knowing what it runs.

use std::path::Path;

use crate::error::At;
use crate::{StoreError, read_capped};

/// The file below the config folder.
const FILE: &str = "verifiers.toml";

/// The largest file that is read.
const LIMIT: usize = 1024 * 1024;

/// Finds the command of a named verifier; `None` if there is none with this name.
pub fn named_verifier(config: &Path, name: &str) -> Result<Option<String>, StoreError> {
    let path = config.join(FILE);
    let Some(bytes) = read_capped(&path, LIMIT)? else { return Ok(None) };
    let wrong = |why: String| std::io::Error::new(std::io::ErrorKind::InvalidData, why);
    let text = String::from_utf8(bytes).map_err(|error| wrong(error.to_string())).at("read", &path)?;
    let table: toml::Table = toml::from_str(&text).map_err(|error| wrong(error.to_string())).at("read", &path)?;
    match table.get(name) {
        None => Ok(None),
        Some(toml::Value::String(command)) if !command.trim().is_empty() => Ok(Some(command.clone())),
        Some(_) => Err(wrong(format!("`{name}` is not a command"))).at("read", &path),
    }
}
