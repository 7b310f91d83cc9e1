use std::path::{Path, PathBuf};

/// The folder of the workspace, wherever the task was started.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// A path below the workspace.
pub(crate) fn path(relative: &str) -> PathBuf {
    root().join(relative)
}
