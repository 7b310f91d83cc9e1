//! Another reader of the shell as a witness: every program that tree-sitter finds in the tables is found by ours.

use std::collections::BTreeSet;

use tree_sitter::{Node, Parser};

use crate::parse::parse;
use crate::parse::syntax::{Command, GroupKind, Part, Redirect, Script, Word, mark};

/// The tables, as their source texts.
const TABLES: &[&str] = &[
    include_str!("../../../../guard/src/protection/tests/allowed.rs"),
    include_str!("../../../../guard/src/protection/tests/denied.rs"),
    include_str!("../../../../guard/src/protection/tests/disguise.rs"),
    include_str!("../../../tests/effect/benign.rs"),
    include_str!("../../../tests/effect/git.rs"),
    include_str!("../../../tests/effect/inline.rs"),
    include_str!("../../../tests/effect/network.rs"),
    include_str!("../../../tests/effect/reads.rs"),
    include_str!("../../../tests/effect/removals.rs"),
    include_str!("../../../tests/effect/runs.rs"),
    include_str!("../../../tests/effect/writes.rs"),
];

/// Names that are no programs to us, and why.
const DIFFERENT: &[(&str, &str)] = &[("time", "a word of the shell's own, taken off like `if`")];

/// The commands in raw strings of a source text, one per line, without what a table says behind ` => `.
fn rows(source: &str) -> Vec<String> {
    let mut rows = Vec::new();
    for part in source.split("r#\"").chain(source.split("r##\"")).skip(1) {
        let Some(end) = part.find("\"#") else { continue };
        let lines = part[..end].lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
        rows.extend(lines.map(|line| {
            line.split_once(" => ").map_or(line.trim_end_matches(" =>"), |(row, _)| row).replace('⏎', "\n")
        }));
    }
    rows
}

fn theirs(node: Node<'_>, text: &str, names: &mut BTreeSet<String>) {
    if node.kind() == "command_name"
        && let Ok(name) = node.utf8_text(text.as_bytes())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c))
    {
        names.insert(name.to_owned());
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        theirs(child, text, names);
    }
}

fn ours(script: &Script, names: &mut BTreeSet<String>) {
    for command in script.0.iter().flat_map(|item| &item.pipeline) {
        let redirects = match command {
            Command::Simple(simple) => {
                names.extend(simple.words.first().and_then(Word::plain).and_then(mark::literal));
                let assigned = simple.assignments.iter().flat_map(|assignment| assignment.value.words());
                simple.words.iter().chain(assigned).for_each(|word| in_word(word, names));
                &simple.redirects
            }
            Command::Group(group) => {
                ours(&group.body, names);
                if let GroupKind::For { values, .. } = &group.kind {
                    values.iter().for_each(|word| in_word(word, names));
                }
                &group.redirects
            }
        };
        for redirect in redirects {
            let (Redirect::Read(word) | Redirect::Text(word) | Redirect::Write { target: word, .. }) = redirect;
            in_word(word, names);
        }
    }
}

fn in_word(word: &Word, names: &mut BTreeSet<String>) {
    for part in &word.0 {
        match part {
            Part::Substitution { script, .. } | Part::Process(script) => ours(script, names),
            Part::Arithmetic(word) | Part::Altered { operand: word, .. } => in_word(word, names),
            Part::Variable { instead: Some((_, word)), .. } => in_word(word, names),
            Part::Variable { .. } | Part::Text(_) | Part::Unknown => {}
        }
    }
}

#[test]
fn every_program_that_another_reader_finds_is_found() {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).expect("the grammar fits the library");
    let (mut read, mut torn, mut wrong) = (0, 0, Vec::new());
    for row in TABLES.iter().flat_map(|table| rows(table)) {
        let tree = parser.parse(&row, None).expect("no deadline was set");
        if tree.root_node().has_error() {
            torn += 1;
            continue;
        }
        let (mut expected, mut found) = (BTreeSet::new(), BTreeSet::new());
        theirs(tree.root_node(), &row, &mut expected);
        ours(&parse(&row, 0).expect("not too deep").script, &mut found);
        let missing: Vec<&String> =
            expected.difference(&found).filter(|name| !DIFFERENT.iter().any(|(known, _)| known == *name)).collect();
        if !missing.is_empty() {
            wrong.push(format!("{row}\n    {missing:?}"));
        }
        read += 1;
    }
    assert!(read > 1_000 && torn * 10 < read, "{read} rows were read, {torn} could not be");
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}
