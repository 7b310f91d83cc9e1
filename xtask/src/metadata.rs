//! The packages by `cargo metadata`: their dependencies and licences.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::program;

/// The resolved dependency graph, reduced to what the checks need.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    /// Package id to the ids it needs at run or build time, without tests.
    pub(crate) needs: BTreeMap<String, Vec<String>>,
    pub(crate) target_directory: String,
}

#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: Option<String>,
    /// Its source; `None` for our own.
    pub(crate) source: Option<String>,
}

impl Metadata {
    /// Asks cargo. Nothing is compiled.
    pub(crate) fn load() -> Result<Self> {
        let text = program::read(program::cargo().args(["metadata", "--format-version", "1", "--locked"]))?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self> {
        let json: Value = serde_json::from_str(text).context("cannot read what `cargo metadata` printed")?;
        let packages = list(&json["packages"])
            .map(|package| Package {
                id: word(&package["id"]),
                name: word(&package["name"]),
                version: word(&package["version"]),
                licence: package["license"].as_str().map(str::to_owned),
                source: package["source"].as_str().map(str::to_owned),
            })
            .collect();
        let needs = list(&json["resolve"]["nodes"])
            .map(|node| {
                let needed = list(&node["deps"]).filter(|dep| !only_for_tests(dep)).map(|dep| word(&dep["pkg"]));
                (word(&node["id"]), needed.collect())
            })
            .collect();
        Ok(Self { packages, needs, target_directory: word(&json["target_directory"]) })
    }

    /// Returns everything a package depends on, including itself. Dependencies of `left_out` are not followed.
    pub(crate) fn closure(&self, name: &str, left_out: &[&str]) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut waiting: Vec<&str> =
            self.packages.iter().filter(|package| package.name == name).map(|package| package.id.as_str()).collect();
        let mut seen = BTreeSet::new();
        while let Some(id) = waiting.pop() {
            if seen.insert(id) {
                found.extend(found_name(&self.packages, id));
                if !found_name(&self.packages, id).is_some_and(|name| left_out.contains(&name)) {
                    waiting.extend(self.needs.get(id).into_iter().flatten().map(String::as_str));
                }
            }
        }
        found
    }
}

fn found_name<'a>(packages: &'a [Package], id: &str) -> Option<&'a str> {
    packages.iter().find(|package| package.id == id).map(|package| package.name.as_str())
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn only_for_tests(dependency: &Value) -> bool {
    let mut kinds = list(&dependency["dep_kinds"]).peekable();
    kinds.peek().is_some() && kinds.all(|kind| kind["kind"] == "dev")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closure_follows_everything_but_test_dependencies() {
        let text = r#"{"target_directory": "t", "packages": [
            {"id": "h", "name": "hook", "version": "1", "license": null, "source": null},
            {"id": "s", "name": "store", "version": "1", "license": "MIT", "source": null},
            {"id": "c", "name": "clap", "version": "4", "license": "MIT", "source": "registry"},
            {"id": "p", "name": "proptest", "version": "1", "license": "MIT", "source": "registry"}],
          "resolve": {"nodes": [
            {"id": "h", "deps": [{"pkg": "s", "dep_kinds": [{"kind": null}, {"kind": "dev"}]},
                                 {"pkg": "p", "dep_kinds": [{"kind": "dev"}]}]},
            {"id": "s", "deps": [{"pkg": "c", "dep_kinds": [{"kind": "build"}]}]},
            {"id": "c", "deps": []}, {"id": "p", "deps": []}]}}"#;
        let metadata = Metadata::parse(text).unwrap();
        assert_eq!(metadata.closure("hook", &[]).into_iter().collect::<Vec<_>>(), ["clap", "hook", "store"]);
        assert!(metadata.closure("absent", &[]).is_empty());
    }
}
