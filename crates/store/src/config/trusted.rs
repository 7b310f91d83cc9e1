use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::file::read_capped;
use crate::{ItemKind, Trust};

const LIMIT: usize = 1024 * 1024;

/// The file about what a person trusts in a project. `None` if there is no folder outside the project to keep it in.
pub fn trust_file(root: &Path, env: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    Trust::of(root, env).file()
}

/// Returns true if a person trusts a settings file of the project, or it was written here: it may then loosen a default.
pub(crate) fn is_trusted_config(root: &Path, file: &Path, env: &dyn Fn(&str) -> Option<OsString>) -> bool {
    let Ok(Some(text)) = read_capped(file, LIMIT) else { return false };
    let name = file.strip_prefix(root).unwrap_or(file).to_string_lossy();
    Trust::of(root, env).is_trusted(ItemKind::Config, &name, &text)
}
