//! Ties a trace to a file, or to a syntax node in it, by the hashes that the ledger uses.

use std::path::Path;

use stead_code::{Budget, Language, Node, file_hash, nodes};
use stead_store::read_capped;

use crate::{Anchor, MemoryError};

/// The longest file that is hashed.
const LONGEST: usize = 16 * 1024 * 1024;

/// What is meant inside a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside<'a> {
    Nothing,
    Line(usize),
    Node(&'a str),
}

/// Splits `FILE`, `FILE:LINE` and `FILE:NODE`; `is_file` says which paths are files.
pub fn split_anchor<'a>(typed: &'a str, is_file: &dyn Fn(&str) -> bool) -> (&'a str, Option<&'a str>) {
    if is_file(typed) {
        return (typed, None);
    }
    let mut cuts = typed.match_indices(':').map(|(at, _)| at);
    let found = cuts.find(|at| is_file(&typed[..*at]));
    found.map_or((typed, None), |at| (&typed[..at], Some(&typed[at + 1..])))
}

/// Describes a file as it is now. `path` is relative to `root`; `inside` is a line or the name of a node.
pub fn anchor(root: &Path, path: &str, inside: Option<&str>) -> Result<Anchor, MemoryError> {
    let invalid = |why: String| MemoryError::Invalid { what: "file", value: path.to_owned(), why };
    let bytes = read_capped(&root.join(path), LONGEST)?.ok_or_else(|| invalid("there is no such file".to_owned()))?;
    let mut anchor = Anchor { path: path.to_owned(), hash: Some(file_hash(&bytes).to_string()), ..Anchor::default() };
    let inside = match inside.map(|inside| (inside, inside.parse())) {
        None => Inside::Nothing,
        Some((_, Ok(line))) => Inside::Line(line),
        Some((name, Err(_))) => Inside::Node(name),
    };
    if inside == Inside::Nothing {
        return Ok(anchor);
    }
    let text = String::from_utf8_lossy(&bytes);
    let language = Language::of(path, &text);
    let all = language.and_then(|language| nodes(language, &text, &Budget::default()).ok()).unwrap_or_default();
    let node = match inside {
        Inside::Line(line) if line == 0 || line > text.lines().count() => {
            return Err(invalid(format!("it has no line {line}")));
        }
        // A line outside of any node is tied to the file.
        Inside::Line(line) => innermost(&all, line),
        Inside::Node(name) => Some(named(&all, name).map_err(invalid)?),
        Inside::Nothing => None,
    };
    if let Some(node) = node {
        anchor.node = Some(node.name.clone());
        anchor.node_hash = Some(node.normal.unwrap_or(node.raw).to_string());
    }
    Ok(anchor)
}

fn innermost(all: &[Node], line: usize) -> Option<&Node> {
    let around = all.iter().filter(|node| !node.name.is_empty() && node.start <= line && line <= node.end);
    around.min_by_key(|node| node.end - node.start)
}

fn named<'a>(all: &'a [Node], name: &str) -> Result<&'a Node, String> {
    let is_end = |node: &&Node| node.name.strip_suffix(name).is_some_and(|rest| rest.ends_with("::"));
    let whole: Vec<&Node> = all.iter().filter(|node| node.name == name).collect();
    let found = if whole.is_empty() { all.iter().filter(is_end).collect() } else { whole };
    match found.as_slice() {
        [node] => Ok(node),
        [] => Err(format!("nothing in it is called `{name}`")),
        more => Err(format!("{} parts of it are called `{name}`; name a line instead", more.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "const A: u8 = 1;\n\nstruct Door;\n\nimpl Door {\n    fn open(&self) -> u8 {\n        A\n    }\n}\n\nfn open() {}\n";

    fn check(inside: Option<&str>, expected: Result<Option<&str>, &str>) {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("door.rs"), TEXT).unwrap();
        let found = anchor(root.path(), "door.rs", inside);
        match (&found, expected) {
            (Ok(found), Ok(node)) => {
                assert_eq!(found.node.as_deref(), node, "{inside:?}");
                assert_eq!(found.hash.as_deref(), Some(file_hash(TEXT.as_bytes()).to_string().as_str()));
                assert_eq!(found.node_hash.is_some(), node.is_some());
            }
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            other => panic!("{inside:?}: {other:?}"),
        }
    }

    #[test]
    fn a_file_a_line_and_a_name() {
        check(None, Ok(None));
        check(Some("7"), Ok(Some("Door::open")));
        check(Some("1"), Ok(Some("A")));
        check(Some("2"), Ok(None));
        check(Some("99"), Err("it has no line 99"));
        check(Some("0"), Err("it has no line 0"));
        check(Some("Door::open"), Ok(Some("Door::open")));
        check(Some("open"), Ok(Some("open")));
        check(Some("close"), Err("nothing in it is called `close`"));
    }

    #[test]
    fn a_path_may_contain_colons() {
        let is_file = |path: &str| matches!(path, "a.rs" | "odd:name.rs");
        let check = |typed: &str, path: &str, inside: Option<&str>| {
            assert_eq!(split_anchor(typed, &is_file), (path, inside), "{typed}");
        };
        check("a.rs", "a.rs", None);
        check("a.rs:12", "a.rs", Some("12"));
        check("a.rs:Type::method", "a.rs", Some("Type::method"));
        check("odd:name.rs", "odd:name.rs", None);
        check("odd:name.rs:3", "odd:name.rs", Some("3"));
        check("missing.rs:3", "missing.rs:3", None);
    }
}
