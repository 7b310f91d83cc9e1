//! Puts the pinned clients below `target/clients`, each in a folder of its own. Nothing is installed for the machine,
//! and a second call does nothing.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::client::{Client, NODE};
use crate::repository;

/// Installs the clients and the Node that some of them need.
pub fn install(clients: &[&Client]) -> Result<()> {
    let is_known = cfg!(all(target_os = "linux", target_arch = "x86_64"));
    ensure!(is_known, "the clients are pinned for Linux on x86-64, which this machine is not");
    put("node", &[NODE], &[])?;
    for client in clients {
        put(client.harness.name(), client.packages, client.npm)?;
        if let Some(adapter) = client.acp.as_ref().and_then(|acp| acp.adapter) {
            // Without a client of its own: it starts the pinned one.
            put(&client.adapter_folder(), &[adapter], &["--omit=optional"])?;
        }
    }
    Ok(())
}

fn put(name: &str, packages: &[&str], arguments: &[&str]) -> Result<()> {
    let folder = repository::clients().join(name);
    if packages.iter().all(|package| is_there(&folder, package)) {
        println!("{name}: {} is installed", packages[0]);
        return Ok(());
    }
    println!("{name}: installing {}", packages.join(" "));
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot empty `{}`", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    // Without a manifest of its own npm would look for one further up.
    fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
    if arguments == ["pack"] {
        return packages.iter().try_for_each(|package| unpack(&folder, package));
    }
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact"]).args(arguments).args(packages);
    let output = npm.current_dir(&folder).output().context("cannot start `npm`; it comes with Node.js")?;
    if !output.status.success() {
        bail!("npm could not install {}\n{}", packages.join(" "), String::from_utf8_lossy(&output.stderr));
    }
    match packages.iter().find(|package| !is_there(&folder, package)) {
        Some(package) => bail!("npm said it installed `{package}`, but it is not there"),
        None => Ok(()),
    }
}

/// Puts one package there, without what it depends on.
fn unpack(folder: &Path, package: &str) -> Result<()> {
    let (name, _) = package.rsplit_once('@').context("a package has a version")?;
    let into = folder.join("node_modules").join(name);
    fs::create_dir_all(&into).with_context(|| format!("cannot make `{}`", into.display()))?;
    let packed = Command::new("npm").args(["pack", "--silent", package]).current_dir(folder).output()?;
    let file = String::from_utf8_lossy(&packed.stdout).trim().to_owned();
    ensure!(packed.status.success(), "npm could not get {package}\n{}", String::from_utf8_lossy(&packed.stderr));
    let mut tar = Command::new("tar");
    tar.args(["-xzf", &file, "--strip-components=1", "-C"]).arg(&into).current_dir(folder);
    ensure!(tar.status()?.success(), "cannot unpack `{file}`");
    Ok(())
}

/// Asks npm's own record, which it writes last, whether a package is there in its version.
fn is_there(folder: &Path, package: &str) -> bool {
    let record = fs::read_to_string(folder.join("node_modules/.package-lock.json")).unwrap_or_default();
    records(&record, package) || is_unpacked(folder, package)
}

/// A package that was put there alone is in nobody's record.
fn is_unpacked(folder: &Path, package: &str) -> bool {
    let Some((name, version)) = package.rsplit_once('@') else { return false };
    let own = fs::read_to_string(folder.join("node_modules").join(name).join("package.json")).unwrap_or_default();
    let own: Value = serde_json::from_str(&own).unwrap_or_default();
    !folder.join("node_modules/.package-lock.json").exists() && own["version"] == version
}

fn records(record: &str, package: &str) -> bool {
    let Some((name, version)) = package.rsplit_once('@') else { return false };
    let record: Value = serde_json::from_str(record).unwrap_or_default();
    record["packages"][format!("node_modules/{name}")]["version"] == version
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_there_in_its_version() {
        let record = r#"{"packages": {"node_modules/@a/b": {"version": "1.2.3"}}}"#;
        assert!(records(record, "@a/b@1.2.3"));
        assert!(!records(record, "@a/b@1.2.4"));
        assert!(!records(record, "b@1.2.3"));
        assert!(!records("", "@a/b@1.2.3"));
    }
}
