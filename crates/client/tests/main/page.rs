//! The tables of clients that people read.

use std::fs;
use std::path::Path;

use stead_client::Harness;

#[test]
fn the_readme_has_a_row_for_every_client() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let sources = fs::read_to_string(root.join("crates/client/fixtures/README.md")).unwrap();
    let rows: Vec<_> = readme.lines().skip_while(|line| *line != "## Agents").skip(4).collect();
    for (harness, row) in Harness::ALL.into_iter().zip(&rows) {
        let facts = &harness.client().facts;
        let edits =
            facts.install.project.map_or_else(|| format!("{}`", facts.install.user.path), |path| format!("`{path}`"));
        let typed = facts.commands.typed.replace("{name}", "handoff");
        let recorded = sources.contains(&format!("| `{harness}` | recorded |"));
        let from = if recorded { "recorded" } else { "from its documentation" };
        assert!(row.starts_with(&format!("| {} | `{harness}` | `", facts.title)), "{harness}: {row}");
        assert!(row.contains(&edits) && row.ends_with(&format!("| `{typed}` | {from} |")), "{harness}: {row}");
    }
    assert_eq!(rows.iter().take_while(|line| line.starts_with('|')).count(), Harness::ALL.len());
}
