use super::rust_text::line_of;
use super::{Finding, Tree};

/// Folders of one machine, and of how the work on this repository is organised. Written in halves, so that this list
/// does not find itself.
const TRACES: &[&str] = &[
    concat!("/ro", "ot/."),
    concat!("/wo", "rk/main"),
    concat!("/wo", "rk/shared"),
    concat!("../sha", "red"),
    concat!("sha", "red/seeds"),
    concat!("sha", "red/reference"),
    concat!("sha", "red/fixtures"),
    concat!("/tmp/tar", "get-"),
    concat!("/tmp/ste", "ad/"),
];

/// Hosts that may occur in a URL that looks like a package registry.
const PUBLIC: &[&str] = &["crates.io", "static.crates.io", "index.crates.io", "registry.npmjs.org"];

/// Nothing in the repository says on which machine or with which mirror it was made.
pub(super) fn nothing_of_a_machine_leaks(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        for trace in TRACES {
            for (at, _) in file.text.match_indices(trace) {
                let reason = format!("`{trace}` exists on one machine only");
                findings.push(Finding::at(&file.path, line_of(&file.text, at), reason));
            }
        }
        for (at, host) in hosts(&file.text) {
            if is_mirror(host) {
                let reason = format!("`{host}` looks like one company's package registry");
                findings.push(Finding::at(&file.path, line_of(&file.text, at), reason));
            }
        }
    }
    findings
}

fn hosts(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices("://").map(|(at, _)| {
        let rest = &text[at + 3..];
        let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '@');
        let end = rest.find(|c| !is_host(c)).unwrap_or(rest.len());
        (at, rest[..end].rsplit('@').next().unwrap_or_default())
    })
}

fn is_mirror(host: &str) -> bool {
    let suspicious = ["registry", "mirror", "proxy", "artifactory", "nexus"].iter().any(|word| host.contains(word));
    let private = [".internal", ".corp", ".lan"].iter().any(|end| host.ends_with(end));
    (suspicious || private) && !PUBLIC.contains(&host)
}

/// `Cargo.lock` and cargo's settings know one registry.
pub(super) fn packages_come_from_crates_io(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        let lock = file.path.ends_with("Cargo.lock");
        let config = file.path.ends_with(".cargo/config.toml");
        for (index, line) in file.text.lines().enumerate() {
            let foreign =
                lock && line.starts_with("source = ") && !line.contains("github.com/rust-lang/crates.io-index");
            let replaced = config && (line.trim_start().starts_with("[source") || line.contains("replace-with"));
            if foreign || replaced {
                findings.push(Finding::at(&file.path, index + 1, "packages come from crates.io"));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tree::check;
    use super::*;

    #[test]
    fn traces_of_a_machine_are_found() {
        let rule = nothing_of_a_machine_leaks;
        check(rule, "README.md", concat!("see\n/ro", "ot/.cargo\n"), &[2]);
        check(rule, "crates/shell/src/a.rs", concat!("// ../sha", "red/design.md\n"), &[1]);
        check(rule, "README.md", concat!("https://regis", "try.example.com/crates\n"), &[1]);
        check(rule, "README.md", concat!("http://user@packages.example.inter", "nal:8080/\n"), &[1]);
        check(rule, "README.md", "https://docs.rs/serde and https://crates.io/\n", &[]);
        check(rule, "README.md", "the shared nouns, a root folder\n", &[]);
    }

    #[test]
    fn packages_from_elsewhere_are_found() {
        let rule = packages_come_from_crates_io;
        check(rule, "Cargo.lock", "source = \"git+https://github.com/x/y\"\n", &[1]);
        check(rule, "Cargo.lock", "source = \"registry+https://github.com/rust-lang/crates.io-index\"\n", &[]);
        check(rule, ".cargo/config.toml", "[source.crates-io]\nreplace-with = \"m\"\n", &[1, 2]);
        check(rule, ".cargo/config.toml", "[build]\n", &[]);
    }
}
