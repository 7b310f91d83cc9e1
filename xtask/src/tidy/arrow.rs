use toml::{Table, Value};

use super::{Finding, Tree};

/// Which rooms a room may use. A new room gets its line here together with its row in ARCHITECTURE.md.
const ARROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("pattern", &[]),
    ("yaml", &[]),
    ("client", &["model"]),
    ("settings", &["model"]),
    ("shell", &["model"]),
    ("store", &["model", "client"]),
    ("guard", &["model", "pattern", "yaml", "client", "settings", "shell"]),
    ("feature", &["model", "store"]),
    ("evidence", &["model", "pattern", "shell", "store", "feature"]),
    ("code", &[]),
    ("ledger", &["model", "pattern", "yaml", "store", "code"]),
    ("hook", &["model", "client", "shell", "guard", "store", "settings", "context", "feature", "evidence", "ledger"]),
    (
        "memory",
        &[
            "model", "pattern", "yaml", "store", "shell", "guard", "code", "ledger", "feature", "evidence", "context",
            "hook",
        ],
    ),
    ("install", &["model", "pattern", "client", "settings", "shell", "store"]),
    ("mcp", &["model", "shell", "store"]),
    ("context", &["model", "store"]),
    ("pipeline", &["model", "client", "yaml", "store", "context", "shell", "feature", "evidence"]),
    ("migrate", &["model", "yaml", "store", "context", "pipeline"]),
    (
        "cli",
        &[
            "model", "pattern", "client", "settings", "shell", "guard", "store", "hook", "install", "context",
            "feature", "evidence", "code", "ledger", "memory", "pipeline", "migrate", "mcp",
        ],
    ),
    ("testkit", &["model", "client", "settings", "shell", "store", "hook", "install"]),
    ("scenario", &["model", "client", "testkit"]),
    ("fuzz", &["model", "client", "shell", "guard", "store", "hook", "context", "ledger"]),
];

/// A crate for tests only, which must not be shipped.
const FOR_TESTS: &str = "testkit";

/// Dependencies between rooms point one way, in tests too.
pub(super) fn arrows_point_one_way(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        let mut parts = file.path.split('/');
        let (Some("crates"), Some(room), Some("Cargo.toml"), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let Some((_, may_use)) = ARROWS.iter().find(|(name, _)| *name == room) else {
            findings.push(Finding::whole(&file.path, format!("room `{room}` has no line in xtask/src/tidy/arrow.rs")));
            continue;
        };
        let manifest: Table = match file.text.parse() {
            Ok(manifest) => manifest,
            Err(error) => {
                findings.push(Finding::whole(&file.path, format!("cannot read it: {error}")));
                continue;
            }
        };
        for (used, tests_only) in rooms_used(&manifest) {
            let allowed = may_use.contains(&used.as_str()) || (used == FOR_TESTS && tests_only);
            if !allowed {
                let line = file
                    .text
                    .lines()
                    .position(|line| line.starts_with(&format!("stead-{used}")))
                    .map_or(0, |at| at + 1);
                findings.push(Finding::at(&file.path, line, format!("`{room}` may not use `{used}`")));
            }
        }
    }
    findings
}

/// The crates a manifest names, and whether only its tests use them.
fn rooms_used(manifest: &Table) -> Vec<(String, bool)> {
    let mut used = Vec::new();
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(|table| table.values());
    for table in targets.filter_map(Value::as_table).chain([manifest]) {
        for (section, tests_only) in
            [("dependencies", false), ("build-dependencies", false), ("dev-dependencies", true)]
        {
            for name in table.get(section).and_then(Value::as_table).into_iter().flat_map(Table::keys) {
                if let Some(room) = name.strip_prefix("stead-") {
                    used.push((room.to_owned(), tests_only));
                }
            }
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use super::super::tree::check;
    use super::*;

    #[test]
    fn an_arrow_against_the_table_is_found() {
        let rule = arrows_point_one_way;
        check(rule, "crates/model/Cargo.toml", "[dependencies]\nstead-store.workspace = true\n", &[2]);
        check(rule, "crates/shell/Cargo.toml", "[dependencies]\nstead-model.workspace = true\n", &[]);
        check(rule, "crates/shell/Cargo.toml", "[dependencies]\nstead-client.workspace = true\n", &[2]);
        check(rule, "crates/client/Cargo.toml", "[build-dependencies]\nstead-shell.workspace = true\n", &[2]);
        check(rule, "crates/hook/Cargo.toml", "[target.'cfg(unix)'.dependencies]\nstead-cli.workspace = true\n", &[2]);
        check(rule, "crates/store/Cargo.toml", "[dependencies]\nserde.workspace = true\n", &[]);
    }

    #[test]
    fn the_testkit_is_for_tests() {
        let rule = arrows_point_one_way;
        check(rule, "crates/cli/Cargo.toml", "[dev-dependencies]\nstead-testkit.workspace = true\n", &[]);
        check(rule, "crates/cli/Cargo.toml", "[dependencies]\nstead-testkit.workspace = true\n", &[2]);
        check(rule, "crates/model/Cargo.toml", "[dev-dependencies]\nstead-shell.workspace = true\n", &[2]);
    }

    #[test]
    fn a_room_without_a_line_is_found() {
        check(arrows_point_one_way, "crates/attic/Cargo.toml", "[package]\n", &[0]);
        check(arrows_point_one_way, "crates/model/Cargo.toml", "not toml", &[0]);
    }
}
