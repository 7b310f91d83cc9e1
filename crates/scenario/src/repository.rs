use std::path::{Path, PathBuf};

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().and_then(Path::parent).unwrap_or(manifest)
}

/// Where the clients are installed. Not cargo's own folder of the day: a client is the same for every build.
pub(crate) fn clients() -> PathBuf {
    root().join("target/clients")
}

/// The page about what was proven.
pub(crate) fn page() -> PathBuf {
    root().join("docs/harnesses.md")
}
