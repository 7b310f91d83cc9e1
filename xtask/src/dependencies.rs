//! `cargo xtask dependencies`: licences, bans and sources of every package in `Cargo.lock`, by the rules of
//! `deny.toml`. cargo-deny reads the same file; building it takes longer than the whole test run, so it is not needed.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use toml::Table;

use crate::arguments::Arguments;
use crate::licence;
use crate::metadata::{Metadata, Package};
use crate::repository;

/// How cargo names the sources it calls the default registry; a fork comes from `git+` or another kind.
const REGISTRY: &str = "registry+";

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    arguments.finish()?;
    check()?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn check() -> Result<()> {
    let text = std::fs::read_to_string(repository::path("deny.toml")).context("cannot read `deny.toml`")?;
    let rules = Rules::parse(&text)?;
    let packages = Metadata::load()?.packages;
    let problems: Vec<_> = packages.iter().flat_map(|package| rules.problems(package)).collect();
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    println!("{} packages comply with deny.toml", packages.len());
    Ok(())
}

struct Rules {
    licences: Vec<String>,
    /// Names with reasons.
    banned: Vec<(String, String)>,
}

impl Rules {
    fn parse(text: &str) -> Result<Self> {
        let table: Table = text.parse().context("cannot read `deny.toml`")?;
        let list = |section: &str, key: &str| table.get(section)?.get(key)?.as_array();
        let licences = list("licenses", "allow").context("`licenses.allow` is not a list")?;
        let banned = list("bans", "deny").context("`bans.deny` is not a list")?;
        let word = |value: &toml::Value, key: &str| value.get(key)?.as_str().map(str::to_owned);
        Ok(Self {
            licences: licences.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect(),
            banned: banned
                .iter()
                .map(|ban| Some((word(ban, "name")?, word(ban, "reason")?)))
                .collect::<Option<_>>()
                .context("each of `bans.deny` needs `name` and `reason`")?,
        })
    }

    fn problems(&self, package: &Package) -> Vec<String> {
        let mut problems = Vec::new();
        let named = format!("`{} {}`", package.name, package.version);
        match &package.licence {
            None => problems.push(format!("{named} states no licence")),
            Some(licence) if !licence::is_met(licence, &self.licences) => {
                problems.push(format!("{named} is under `{licence}`, which deny.toml does not allow"));
            }
            Some(_) => {}
        }
        if let Some((_, reason)) = self.banned.iter().find(|(name, _)| *name == package.name) {
            problems.push(format!("{named} is banned: {reason}"));
        }
        if package.source.as_deref().is_some_and(|source| !source.starts_with(REGISTRY)) {
            problems.push(format!("{named} does not come from the registry"));
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = r#"
        [licenses]
        allow = ["MIT"]
        [bans]
        deny = [{ name = "left-pad", reason = "pad by hand" }]
    "#;

    #[track_caller]
    fn check(name: &str, licence: Option<&str>, source: Option<&str>, expected: &[&str]) {
        let package = Package {
            id: String::new(),
            name: name.into(),
            version: "1.0.0".into(),
            licence: licence.map(str::to_owned),
            source: source.map(str::to_owned),
        };
        assert_eq!(Rules::parse(RULES).unwrap().problems(&package), expected);
    }

    #[test]
    fn packages_within_the_rules_pass() {
        check("good", Some("MIT"), Some(REGISTRY), &[]);
        check("ours", Some("MIT OR Apache-2.0"), None, &[]);
    }

    #[test]
    fn packages_outside_the_rules_are_told_apart() {
        check("shy", None, Some(REGISTRY), &["`shy 1.0.0` states no licence"]);
        check("gnu", Some("GPL-3.0"), None, &["`gnu 1.0.0` is under `GPL-3.0`, which deny.toml does not allow"]);
        check("left-pad", Some("MIT"), None, &["`left-pad 1.0.0` is banned: pad by hand"]);
        check(
            "fork",
            Some("MIT"),
            Some("git+https://example.org/fork"),
            &["`fork 1.0.0` does not come from the registry"],
        );
    }

    #[test]
    fn rules_without_reasons_are_refused() {
        assert!(Rules::parse("[licenses]\nallow=[]\n[bans]\ndeny=[{name=\"x\"}]").is_err());
    }
}
