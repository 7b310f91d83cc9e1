//! Finds the commands with which a project checks itself, from its files. It runs none of them.

use std::path::Path;

use serde_json::Value;
use stead_store::read_capped;

const LIMIT: usize = 256 * 1024;

/// A command that checks the work, and the file it was found in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Validator {
    pub command: String,
    pub because: &'static str,
}

/// Lists the checks of a project; the most comprehensive one comes first.
pub(crate) fn detect_validators(root: &Path) -> Vec<Validator> {
    let mut found = Vec::new();
    let mut add = |command: String, because: &'static str| found.push(Validator { command, because });
    let has = |name: &str| root.join(name).is_file();
    let text = |name: &str| read_capped(&root.join(name), LIMIT).ok().flatten().and_then(|b| String::from_utf8(b).ok());
    // The project's own check commands come before its language's defaults.
    for name in ["justfile", "Justfile", ".justfile"] {
        if let Some(text) = text(name) {
            targets(&text).into_iter().for_each(|target| add(format!("just {target}"), "justfile"));
            break;
        }
    }
    for name in ["GNUmakefile", "makefile", "Makefile"] {
        if let Some(text) = text(name) {
            targets(&text).into_iter().for_each(|target| add(format!("make {target}"), "Makefile"));
            break;
        }
    }
    if has("Cargo.toml") {
        add("cargo test".into(), "Cargo.toml");
    }
    if let Some(package) = text("package.json") {
        let runner = [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun"), ("bun.lockb", "bun")];
        let runner = runner.into_iter().find(|(lock, _)| has(lock)).map_or("npm", |(_, runner)| runner);
        for script in scripts(&package) {
            // `bun test` would be bun's own runner, not the script.
            let command = match script {
                "test" if runner != "bun" => format!("{runner} test"),
                script => format!("{runner} run {script}"),
            };
            add(command, "package.json");
        }
    }
    if has("deno.json") || has("deno.jsonc") {
        add("deno test".into(), "deno.json");
    }
    let mentions = |name: &str, word: &str| text(name).is_some_and(|text| text.contains(word));
    if has("pytest.ini")
        || has("conftest.py")
        || ["pyproject.toml", "setup.cfg", "tox.ini"].iter().any(|f| mentions(f, "pytest"))
    {
        add("pytest".into(), "pytest");
    } else if (has("pyproject.toml") || has("setup.py")) && root.join("tests").is_dir() {
        add("python -m unittest".into(), "tests");
    }
    if has("go.mod") {
        add("go test ./...".into(), "go.mod");
    }
    if has("gradlew") {
        add("./gradlew test".into(), "gradlew");
    }
    if has("pom.xml") {
        add("mvn test".into(), "pom.xml");
    }
    if has("mix.exs") {
        add("mix test".into(), "mix.exs");
    }
    if has(".rspec") {
        add("bundle exec rspec".into(), ".rspec");
    }
    found
}

/// The recipes of a justfile or Makefile that check something, broadest first.
fn targets(text: &str) -> Vec<&'static str> {
    let defined = |name: &str| {
        text.lines().any(|line| {
            let head = line.split(':').next().unwrap_or_default();
            line.contains(':')
                && !line[head.len()..].starts_with(":=")
                && !line.starts_with([' ', '\t', '#'])
                && head.split_whitespace().next().map(|word| word.trim_start_matches('@')) == Some(name)
        })
    };
    ["ci", "check", "test", "lint"].into_iter().filter(|name| defined(name)).collect()
}

fn scripts(package: &str) -> Vec<&'static str> {
    let Ok(package) = serde_json::from_str::<Value>(package) else { return Vec::new() };
    let script = |name: &str| package["scripts"][name].as_str().filter(|script| !script.contains("no test specified"));
    ["test", "check", "lint", "typecheck", "build"].into_iter().filter(|name| script(name).is_some()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let found: Vec<_> = detect_validators(folder.path()).into_iter().map(|found| found.command).collect();
        assert_eq!(found, expected, "{files:?}");
    }

    #[test]
    fn projects_say_how_they_are_checked() {
        check(&[], &[]);
        check(&[("Cargo.toml", "")], &["cargo test"]);
        check(&[("package.json", r#"{"scripts":{"test":"jest","lint":"x"}}"#)], &["npm test", "npm run lint"]);
        check(&[("package.json", r#"{"scripts":{"test":"x"}}"#), ("pnpm-lock.yaml", "")], &["pnpm test"]);
        check(&[("package.json", r#"{"scripts":{"test":"x"}}"#), ("yarn.lock", "")], &["yarn test"]);
        check(&[("package.json", r#"{"scripts":{"test":"x"}}"#), ("bun.lock", "")], &["bun run test"]);
        check(&[("package.json", r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#)], &[]);
        check(&[("package.json", "nonsense")], &[]);
        check(&[("pyproject.toml", "[tool.pytest.ini_options]")], &["pytest"]);
        check(&[("setup.py", ""), ("tests/a.py", "")], &["python -m unittest"]);
        check(
            &[("go.mod", ""), ("Makefile", "TEST := 1\n.PHONY: test\ntest: build\n\tgo test\n")],
            &["make test", "go test ./..."],
        );
        check(
            &[("justfile", "set shell := ['sh']\n@ci: test\ntest filter='':\n  x\n"), ("Cargo.toml", "")],
            &["just ci", "just test", "cargo test"],
        );
        check(&[("Makefile", "\tcheck: no\n#test:\ntest := x\n")], &[]);
        check(&[("gradlew", ""), ("pom.xml", ""), ("mix.exs", "")], &["./gradlew test", "mvn test", "mix test"]);
    }
}
