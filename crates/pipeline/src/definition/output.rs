//! Where a stage's result is stored: a tracked path in the project, or the run's own folder.

use std::ops::Range;

use stead_yaml::{Entry, Value};

use super::reading::{Reading, find, place};
use crate::lint::Code;
use crate::prompt::uses;

/// A path below the project with its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    pub pattern: String,
    pub at: Range<usize>,
}

/// Keeps the result in the run's folder, which is also the default.
const INTERNAL: [&str; 3] = ["internal", ".claude", ".agent"];
const VARIABLES: [&str; 3] = ["SESSION", "SESSION_NAME", "ITEM"];

pub(crate) fn output(reading: &mut Reading, entry: &Entry) -> Option<Output> {
    let path = match &entry.value.value {
        Value::Map(entries) => {
            let message = "`output` must be a path; every iteration is kept anyway";
            let finding = reading.findings.deprecation(Code::L014, &entry.key_at, message);
            finding.hint("write `output: <path>`, or run `stead migrate pipelines`");
            find(entries, "path")?
        }
        _ => entry,
    };
    let pattern = reading.text(path)?;
    if INTERNAL.contains(&pattern.trim_end_matches('/')) {
        return None;
    }
    match check(&pattern) {
        Ok(()) => Some(Output { pattern, at: place(path) }),
        Err(why) => {
            let message = format!("invalid output `{pattern}`: {why}");
            let finding = reading.findings.error(Code::L011, &place(path), message);
            finding.hint("use a path below the project root, such as `docs/plan-${SESSION}.md`");
            None
        }
    }
}

fn check(pattern: &str) -> Result<(), String> {
    if let Some(unknown) = uses(pattern).into_iter().find(|found| !VARIABLES.contains(&found.name)) {
        return Err(format!("`${{{}}}` is not available here, only `${{SESSION}}` and `${{ITEM}}`", unknown.name));
    }
    if pattern.contains(['\\', '\0', '\n']) {
        return Err("use `/` as the path separator".into());
    }
    if pattern.starts_with(['/', '~']) || pattern.get(1..2) == Some(":") {
        return Err("it must be relative to the project root".into());
    }
    if pattern.ends_with('/') {
        return Err("it is a folder".into());
    }
    let mut parts = pattern.split('/').filter(|part| !part.is_empty() && *part != ".");
    if parts.clone().any(|part| part == "..") {
        return Err("it leaves the project through `..`".into());
    }
    match parts.next() {
        None => Err("it is the project root itself".into()),
        Some(first) if first.eq_ignore_ascii_case(".git") => Err("it is inside git's own folder".into()),
        Some(first) if first.eq_ignore_ascii_case(".agent") => Err("it is inside Stead's own folder".into()),
        Some(_) => Ok(()),
    }
}

impl Output {
    /// Returns true if each branch of a fanned-out stage gets its own file.
    pub(crate) fn names_the_item(&self) -> bool {
        uses(&self.pattern).iter().any(|found| found.name == "ITEM")
    }

    /// The path for one node. Names of runs and branches are valid file names, so the path stays where it was checked.
    pub(crate) fn resolve(&self, run: &str, branch: Option<&str>) -> String {
        let vars = crate::prompt::Vars {
            session: run.to_owned(),
            item: Some(branch.unwrap_or_default().to_owned()),
            ..Default::default()
        };
        crate::prompt::resolve(&self.pattern, &vars).text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(pattern: &str, why: &str) {
        let told = check(pattern).expect_err(pattern);
        assert!(told.contains(why), "{pattern}: {told}");
    }

    #[test]
    fn outputs_stay_in_the_project() {
        for fit in ["docs/plan-${SESSION}.md", "a.md", "./a/b.md", "ideas/${ITEM}.md", "..a/b", ".agents/x.md"] {
            assert_eq!(check(fit), Ok(()), "{fit}");
        }
        refused("../x", "leaves");
        refused("a/../../x", "leaves");
        refused("/etc/x", "relative");
        refused("~/x", "relative");
        refused("C:/x", "relative");
        refused("a\\b", "`/` as the path separator");
        refused(".git/hooks/x", "git");
        refused("./.AGENT/config.toml", "Stead");
        refused("docs/", "folder");
        refused(".", "root");
        refused("x-${NAME}", "NAME");
    }

    #[test]
    fn the_run_is_named_in_it() {
        let output = Output { pattern: "docs/${SESSION}/${ITEM}.md".into(), at: 0..0 };
        assert_eq!(output.resolve("night", Some("a")), "docs/night/a.md");
        assert!(output.names_the_item());
    }
}
