use std::collections::BTreeSet;

use super::rust_text::{RustText, line_of};
use super::tree::File;
use super::{Finding, Tree};

/// One folder below for each client.
const CLIENTS: &str = "crates/client/src/";

/// The roster, and the drivers of those that the scenarios run.
const ROSTERS: &[&str] = &["crates/client/src/lib.rs", "crates/scenario/src/client.rs"];

/// Texts that contain a name but do not mean the client: a file, the allowed text, and why.
const OTHER_THINGS: &[(&str, &str, &str)] = &[
    ("crates/migrate/src/import", "Continuous-", "another project, whose files are imported"),
    ("crates/migrate/src/import/", "ralph-loop.local.md", "a file of another tool"),
    ("crates/migrate/src/import/", "handoffs", "a folder of another tool"),
    ("crates/cli/src/command/migrate.rs", "ralph-loop.local.md", "a file of another tool"),
    ("crates/migrate/src/older_run.rs", "pipeline-runs", "a folder of another tool"),
    ("crates/cli/src/command/migrate.rs", "pipeline-runs", "a folder of another tool"),
    ("crates/store/src/adopt.rs", "progress", "a folder of an earlier design"),
    ("crates/store/src/config/defaults.toml", "role_skill", "a file of an earlier design"),
    ("crates/store/schema/config.json", "role_skill", "a file of an earlier design"),
    ("crates/pipeline/src/definition/output.rs", "INTERNAL", "where older stages kept their files"),
    ("crates/memory/eval/traces.jsonl", "perl -", "an option of another program"),
    ("xtask/src/bench/", "", "measures the calls of one client"),
    ("xtask/src/fuzz.rs", "boundary", "one client's payloads seed the shared parser"),
];

/// A client is named only in its own folder and in the roster. All other code uses the roster, so that a new client
/// needs no further edit. Pages, fixtures and tests are exempt.
pub(super) fn clients_are_named_in_their_folder(tree: &Tree) -> Vec<Finding> {
    let names = names(tree);
    if names.is_empty() {
        return vec![Finding::whole(CLIENTS, "there is no client".to_owned())];
    }
    let shipped: BTreeSet<_> = tree.shipped().map(|(file, _)| file.path.as_str()).collect();
    let mut findings = Vec::new();
    for file in
        tree.files.iter().filter(|file| !is_free(file) && (file.rust.is_none() || shipped.contains(&*file.path)))
    {
        let text = file.rust.as_ref().map_or_else(|| file.text.clone(), |rust| rust.shipped_source.clone());
        for name in names.iter().filter(|name| !is_own(&file.path, name)) {
            for at in places(&text, name).filter(|at| counts(file.rust.as_ref(), &text, *at, name)) {
                let line = line_of(&text, at);
                if !is_other_thing(&file.path, text.lines().nth(line - 1).unwrap_or_default()) {
                    let reason = format!("names the client `{name}`; use `stead_client::Harness` or its table");
                    findings.push(Finding::at(&file.path, line, reason));
                }
            }
        }
    }
    findings
}

fn names(tree: &Tree) -> BTreeSet<&str> {
    let below = tree.files.iter().filter_map(|file| file.path.strip_prefix(CLIENTS));
    below.filter_map(|path| path.split_once('/')).map(|(folder, _)| folder).collect()
}

/// Pages and recorded texts may name clients; lists of packages and of symbols are generated.
fn is_free(file: &File) -> bool {
    let parts = ["docs", "fixtures", "snapshots", "seeds", "tests"];
    let ends = [".md", ".lock", "hot-symbols.txt", "hot-constants.ld"];
    ends.iter().any(|end| file.path.ends_with(end)) || file.path.split('/').any(|part| parts.contains(&part))
}

fn is_own(path: &str, name: &str) -> bool {
    let rest = path.strip_prefix(CLIENTS).and_then(|rest| rest.strip_prefix(name));
    rest.is_some_and(|rest| rest.starts_with('/'))
        || ROSTERS.contains(&path)
        || path == format!("crates/scenario/src/client/{name}.rs")
}

fn is_other_thing(path: &str, line: &str) -> bool {
    OTHER_THINGS.iter().any(|(file, text, _)| path.starts_with(file) && line.contains(text))
}

/// The positions of a name as a word, in any case. An underscore separates words, as in the name of a variable.
fn places<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> {
    let lower = text.to_ascii_lowercase();
    let is_part = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let found: Vec<_> = lower.match_indices(name).map(|(at, _)| at).collect();
    let bytes = lower.into_bytes();
    found.into_iter().filter(move |at| {
        !is_part(at.checked_sub(1).and_then(|before| bytes.get(before))) && !is_part(bytes.get(at + name.len()))
    })
}

/// Returns true if a word means the client. Some names are ordinary words too: in Rust one counts in a string, in code
/// as a variant of the roster's enum, and in a comment as a proper name or in backticks.
fn counts(rust: Option<&RustText>, text: &str, at: usize, name: &str) -> bool {
    let Some(rust) = rust else { return true };
    let is_in = |reading: &str| reading.as_bytes().get(at).is_some_and(|byte| *byte != b' ');
    let before = &text[..at];
    if is_in(&rust.code) {
        before.ends_with("Harness::")
    } else if is_in(&rust.comments) {
        let is_quoted = before.ends_with('`') && text[at + name.len()..].starts_with('`');
        is_quoted || before.ends_with('.') || text[at..].starts_with(|c: char| c.is_ascii_uppercase())
    } else {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, lines: &[usize]) {
        let roster = [("crates/client/src/claude/mod.rs", ""), ("crates/client/src/cursor/mod.rs", "")];
        let tree = Tree::samples(&[roster[0], roster[1], (path, text)]);
        let found: Vec<_> = clients_are_named_in_their_folder(&tree).iter().map(|finding| finding.line).collect();
        assert_eq!(found, lines, "{path}:\n{text}");
    }

    #[test]
    fn a_name_is_found_in_every_form() {
        check("crates/guard/src/a.rs", "const A: &[&str] = &[\"claude\",\n\"cursor\"];\n", &[1, 2]);
        check("crates/shell/src/a.rs", "const A: &str = \".cursor/hooks.json\";\n", &[1]);
        check("crates/shell/src/a.rs", "\n// Claude wants this\n", &[2]);
        check("crates/hook/src/a.rs", "match x {\n    Harness::Cursor => 1,\n}\n", &[2]);
        check("crates/cli/src/a.rs", "/// One of `claude`\nconst A: &str = \"CLAUDE_DIR\";\n", &[1, 2]);
        check("crates/store/schema/a.json", "{\"enum\": [\"claude\"]}\n", &[1]);
        check("crates/store/src/a.toml", "[provider.claude]\n", &[1]);
        check("crates/client/src/dialect.rs", "// As in `cursor`\n", &[1]);
        check("crates/client/src/claude/payload.rs", "// Not like Cursor\n", &[1]);
    }

    #[test]
    fn words_examples_and_own_files_are_free() {
        check("crates/shell/src/a.rs", "let cursor = 0; // the cursor moves on\nuse std::io::Cursor;\n", &[]);
        check("crates/cli/src/a.rs", "#[cfg(test)]\nmod tests { const A: &str = \"claude\"; }\n", &[]);
        check("crates/cli/tests/a.rs", "const A: &str = \"claude\";\n", &[]);
        check("crates/client/src/claude/payload.rs", "// Claude\n", &[]);
        check("crates/client/src/lib.rs", "mod claude;\nroster! { Claude = claude, }\n", &[]);
        check("crates/scenario/src/client/claude.rs", "harness: Harness::Claude,\n", &[]);
        check("crates/scenario/src/client/claude.rs", "harness: Harness::Cursor,\n", &[1]);
        check("docs/a.md", "claude\n", &[]);
        check("crates/store/src/adopt.rs", "is_dir(\".claude/progress\")\n", &[]);
        check("crates/store/src/adopt.rs", "is_dir(\".claude/other\")\n", &[1]);
        check("crates/cli/src/a.rs", "const A: &str = \"precursor claudette\";\n", &[]);
    }
}
