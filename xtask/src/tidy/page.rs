use super::{Finding, Tree};

/// The commands that the README must contain.
const COMMANDS: &[&str] = &["cargo run --release -- demo", "cargo xtask test"];

pub(super) fn readme_has_the_two_commands(tree: &Tree) -> Vec<Finding> {
    let text = tree.file("README.md").map_or("", |file| file.text.as_str());
    let missing = COMMANDS.iter().filter(|command| !text.contains(*command));
    missing.map(|command| Finding::whole("README.md", format!("does not name `{command}`"))).collect()
}

/// Pages with a maximum length, in lines.
const SHORT: &[(&str, usize)] = &[("ARCHITECTURE.md", 200), ("AGENTS.md", 60)];

pub(super) fn pages_stay_short(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, limit) in SHORT {
        match tree.file(path).map(|file| file.text.lines().count()) {
            None => findings.push(Finding::whole(path, "is missing")),
            Some(lines) if lines >= *limit => {
                findings.push(Finding::whole(path, format!("{lines} lines; it must stay under {limit}")));
            }
            Some(_) => {}
        }
    }
    findings
}

const FORMATS: &str = "docs/formats/";

/// Every page about a format is in the index of formats, and the index names no page that is not there.
pub(super) fn formats_are_listed(tree: &Tree) -> Vec<Finding> {
    let index_path = format!("{FORMATS}README.md");
    let Some(index) = tree.file(&index_path) else {
        return vec![Finding::whole(&index_path, "is missing")];
    };
    let pages =
        tree.files.iter().filter_map(|file| file.path.strip_prefix(FORMATS)).filter(|page| *page != "README.md");
    let unlisted = pages.filter(|page| !index.text.contains(&format!("({page})")));
    let mut findings: Vec<_> =
        unlisted.map(|page| Finding::whole(&format!("{FORMATS}{page}"), format!("is not in {index_path}"))).collect();
    for (at, line) in index.text.lines().enumerate() {
        for link in line.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.ends_with(".md") && !link.contains('/') && tree.file(&format!("{FORMATS}{link}")).is_none() {
                findings.push(Finding::at(&index_path, at + 1, format!("there is no page `{link}`")));
            }
        }
    }
    findings
}

/// Every crate has its row in the table of ARCHITECTURE.md.
pub(super) fn crates_are_in_the_table(tree: &Tree) -> Vec<Finding> {
    let text = tree.file("ARCHITECTURE.md").map_or("", |file| file.text.as_str());
    let manifests =
        tree.files.iter().filter(|file| file.path.starts_with("crates/") && file.path.ends_with("/Cargo.toml"));
    manifests
        .filter(|file| !text.lines().any(|line| line.starts_with(&format!("| `{}`", file.room()))))
        .map(|file| Finding::whole(&file.path, format!("`{}` has no row in ARCHITECTURE.md", file.room())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tree::check;
    use super::*;

    #[track_caller]
    fn counts(rule: fn(&Tree) -> Vec<Finding>, files: &[(&str, &str)], expected: usize) {
        let findings = rule(&Tree::samples(files));
        assert_eq!(findings.len(), expected, "{findings:?}");
    }

    #[test]
    fn a_readme_without_its_commands_is_found() {
        counts(readme_has_the_two_commands, &[], 2);
        check(readme_has_the_two_commands, "README.md", "`cargo xtask test`", &[0]);
        check(readme_has_the_two_commands, "README.md", "cargo run --release -- demo\ncargo xtask test\n", &[]);
    }

    #[test]
    fn long_or_missing_pages_are_found() {
        let long = "x\n".repeat(200);
        counts(pages_stay_short, &[("ARCHITECTURE.md", "x"), ("AGENTS.md", "x")], 0);
        counts(pages_stay_short, &[("ARCHITECTURE.md", &long), ("AGENTS.md", &long)], 2);
        counts(pages_stay_short, &[("AGENTS.md", "x")], 1);
    }

    #[test]
    fn formats_and_their_index_agree() {
        let index = "docs/formats/README.md";
        counts(formats_are_listed, &[(index, "- [root](root.json.md)"), ("docs/formats/root.json.md", "")], 0);
        counts(formats_are_listed, &[(index, ""), ("docs/formats/root.json.md", "")], 1);
        counts(formats_are_listed, &[(index, "- [root](root.json.md)")], 1);
        counts(formats_are_listed, &[], 1);
    }

    #[test]
    fn a_crate_without_a_row_is_found() {
        let manifest = ("crates/shell/Cargo.toml", "");
        counts(crates_are_in_the_table, &[manifest, ("ARCHITECTURE.md", "| `shell` | judges |\n")], 0);
        counts(crates_are_in_the_table, &[manifest, ("ARCHITECTURE.md", "`shell` judges\n")], 1);
    }
}
