use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use stead_store::Durability;

use super::*;
use crate::trace::{Budget, CallFacts, ContributorKind, FileChange, Ledger, Side, build};

const PATIENCE: Duration = Duration::from_secs(5);

/// A project whose files change by calls that the ledger sees, and by people whom it does not see.
pub(super) struct Place {
    folder: tempfile::TempDir,
    time: std::cell::Cell<i64>,
}

impl Place {
    pub(super) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), time: std::cell::Cell::new(1_800_000_000_000) }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(super) fn ledger(&self) -> Ledger {
        Ledger::of(&self.folder.path().join("intents"), None)
    }

    fn text(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.root().join(path)).ok()
    }

    /// Changes a file behind the ledger's back.
    pub(super) fn put(&self, path: &str, text: &str) {
        std::fs::create_dir_all(self.root()).unwrap();
        std::fs::write(self.root().join(path), text).unwrap();
    }

    pub(super) fn remove(&self, path: &str) {
        std::fs::remove_file(self.root().join(path)).unwrap();
    }

    /// Changes files by one call.
    pub(super) fn call(&self, session: &str, files: &[(&str, &str)]) {
        let side = |text: Option<String>| text.map_or(Side::Absent, |text| Side::Bytes(text.into_bytes()));
        let change = |(path, text): &(&str, &str)| {
            let before = side(self.text(path));
            self.put(path, text);
            FileChange { path: (*path).into(), from: None, before, after: side(Some((*text).into())) }
        };
        let changes: Vec<FileChange> = files.iter().map(change).collect();
        self.append(session, &changes);
    }

    fn append(&self, session: &str, changes: &[FileChange]) {
        self.time.set(self.time.get() + 1000);
        let person = session == "person";
        let facts = CallFacts {
            timestamp: stead_model::rfc3339(self.time.get()),
            contributor: if person { ContributorKind::Human } else { ContributorKind::Ai },
            session: (!person).then(|| session.to_owned()),
            intent: (!person).then(|| format!("INT-{session}")),
            ..CallFacts::default()
        };
        if let Some(record) = build(&facts, changes, Budget::COMMAND) {
            self.ledger().append(&record, Durability::Quick, PATIENCE).unwrap();
        }
    }

    /// The session behind each line: `person` for a known person, `-` if it is unknown.
    pub(super) fn blame(&self, path: &str) -> Vec<String> {
        let books = Books::open(&self.ledger(), &self.folder.path().join("cache")).unwrap();
        let (root, text) = (self.root(), self.text(path).unwrap());
        let history = Folder(root.clone());
        let inquiry = Inquiry::new(&books, &history, &root, path, &text, HashMap::new());
        let name = |answer: Answer| match (answer.class, answer.held) {
            (Class::Agent, Some(held)) => held.record.session().unwrap().to_owned(),
            (Class::Human, _) => "person".to_owned(),
            _ => "-".to_owned(),
        };
        let all: Vec<String> = inquiry.all().into_iter().map(name).collect();
        // Searches are limited, so one of them may know less.
        for (line, expected) in all.iter().enumerate().step_by(7) {
            let single = Inquiry::new(&books, &history, &root, path, &text, HashMap::new());
            let said = name(single.answer(line));
            assert!(
                said == *expected || [said.as_str(), expected].contains(&"-"),
                "{path}:{} alone: {said}, not {expected}",
                line + 1
            );
        }
        all
    }

    #[track_caller]
    fn check(&self, path: &str, expected: &[&str]) {
        assert_eq!(self.blame(path), expected, "{path}: {:?}", self.text(path));
    }
}

/// Finds texts in the files of a folder, as git would.
struct Folder(PathBuf);

impl History for Folder {
    fn ancestry(&self, _: &[&str]) -> Option<Ancestry> {
        None
    }

    fn occurrences(&self, texts: &[&str]) -> Option<Vec<(String, String)>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.0).unwrap().flatten() {
            let path = entry.file_name().into_string().unwrap();
            for line in std::fs::read_to_string(entry.path()).unwrap().lines() {
                if texts.contains(&line.trim()) {
                    found.push((path.clone(), line.to_owned()));
                }
            }
        }
        Some(found)
    }
}

#[test]
fn lines_are_followed_wherever_they_go() {
    let place = Place::new();
    place.put("a.txt", "human one\nhuman two\n");
    place.call("s1", &[("a.txt", "human one\nagent one\nagent two\n}\nhuman two\n")]);
    place.check("a.txt", &["-", "s1", "s1", "s1", "-"]);
    place.put("a.txt", "new\n  agent two\n\nhuman two\n\tagent one\r\n");
    place.check("a.txt", &["-", "s1", "-", "-", "s1"]);
    // Renamed, then split.
    place.put("b.txt", "agent one\nagent two\n}\nhuman one\n");
    place.remove("a.txt");
    place.check("b.txt", &["s1", "s1", "s1", "-"]);
    place.put("b.txt", "agent one\nhuman one\n");
    place.put("c.txt", "agent two\n}\n");
    place.check("b.txt", &["s1", "-"]);
    place.check("c.txt", &["s1", "s1"]);
}

#[test]
fn what_a_person_types_again_stays_the_persons() {
    let place = Place::new();
    place.call("s1", &[("a.txt", "agent one\nagent two\n")]);
    place.put("b.txt", "agent one\n");
    place.check("a.txt", &["s1", "s1"]);
    place.check("b.txt", &["-"]);
    // Twice in the same file: one of them is not the agent's.
    place.put("a.txt", "agent one\nagent two\nmine\nagent one\n");
    place.check("a.txt", &["-", "s1", "-", "-"]);
    // Gone from its place, and in two others.
    place.put("c.txt", "agent one\n");
    place.put("a.txt", "agent two\n");
    place.check("b.txt", &["-"]);
    place.check("c.txt", &["-"]);
}

#[test]
fn a_text_that_the_agent_removed_is_not_its_own_any_more() {
    let place = Place::new();
    place.call("s1", &[("a.txt", "agent one\nagent two\n")]);
    place.call("s1", &[("a.txt", "agent two\n")]);
    place.put("a.txt", "agent one\nagent two\n");
    place.check("a.txt", &["-", "s1"]);
    place.call("s1", &[("a.txt", "agent two\n")]);
    place.call("s1", &[("a.txt", "agent two\nagent one\n")]);
    place.check("a.txt", &["s1", "-"]);
}

#[test]
fn who_moves_or_indents_a_line_did_not_write_it() {
    let place = Place::new();
    place.put("a.txt", "human one\nhuman two\nhuman three\n");
    place.call("s1", &[("a.txt", "if agent condition {\n    human two\n    human one\n}\nhuman three\n")]);
    place.check("a.txt", &["s1", "-", "-", "-", "-"]);
    // Between two files, by one call and by two.
    place.put("b.txt", "human four\nhuman five\n");
    place.call("s1", &[("b.txt", "human four\n"), ("c.txt", "human five\nagent five\n")]);
    place.check("c.txt", &["-", "s1"]);
    place.call("s1", &[("d.txt", "agent six\nhuman four\n")]);
    place.call("s1", &[("b.txt", "")]);
    place.check("d.txt", &["s1", "-"]);
    // Another session moves what the first wrote.
    place.call("s2", &[("c.txt", "  agent five\nother words\nhuman five\n")]);
    place.check("c.txt", &["s1", "s2", "-"]);
}

#[test]
fn a_text_of_two_owners_is_unknown() {
    let place = Place::new();
    place.call("s1", &[("a.txt", "shared text\nfirst own\n")]);
    place.call("s2", &[("b.txt", "second own\nshared text\n")]);
    place.put("c.txt", "shared text\n");
    place.put("a.txt", "x\nshared text\n");
    place.check("a.txt", &["-", "-"]);
    place.check("c.txt", &["-"]);
    place.put("a.txt", "x\nshared text\nfirst own\n");
    place.check("a.txt", &["-", "s1", "s1"]);
}

#[test]
fn a_second_copy_beside_a_persons_line_is_not_mistaken() {
    let place = Place::new();
    place.put("a.txt", "call the thing\nhuman one\n");
    place.call("s1", &[("a.txt", "call the thing\nhuman one\ncall the thing\n")]);
    place.check("a.txt", &["-", "-", "-"]);
    place.put("a.txt", "call the thing\nhuman one changed\n");
    place.check("a.txt", &["-", "-"]);
}

#[test]
fn a_known_person_is_named() {
    let place = Place::new();
    place.call("s1", &[("a.txt", "agent one\n")]);
    place.call("person", &[("a.txt", "agent one\nperson one\n")]);
    place.call("s1", &[("a.txt", "agent one\nperson one\nagent two\n")]);
    place.put("a.txt", "other\nperson one\nagent two\nagent one\n");
    place.check("a.txt", &["-", "person", "s1", "s1"]);
}

#[test]
fn syntax_tells_after_formatting_and_renaming() {
    let place = Place::new();
    let human = "fn human_one(first: u32) -> u32 { first + 1111 }\n";
    place.put("a.rs", human);
    let agent = "fn agent_one(second: u32) -> u32 { let third = second + 2222; third }\n";
    place.call("s1", &[("a.rs", &format!("{human}{agent}"))]);
    let formatted = "fn human_one(first: u32) -> u32 {\n    first + 1111\n}\n\nfn agent_one(second: u32) -> u32 {\n    let third = second + 2222;\n    third\n}\n";
    place.put("a.rs", formatted);
    place.check("a.rs", &["-", "-", "-", "-", "s1", "s1", "s1", "s1"]);
    place.put("a.rs", &formatted.replace("third", "renamed"));
    place.check("a.rs", &["-", "-", "-", "-", "s1", "s1", "s1", "s1"]);
    // Changed, it is not the same any more.
    place.put("a.rs", &formatted.replace("2222", "3333"));
    place.check("a.rs", &["-"; 8]);
    // An agent that formats writes nothing.
    place.put("a.rs", &format!("{human}{agent}"));
    place.call("s2", &[("a.rs", formatted)]);
    place.check("a.rs", &["-", "-", "-", "-", "s1", "s1", "s1", "s1"]);
}

#[test]
fn a_node_that_was_written_in_part_does_not_tell() {
    let place = Place::new();
    place.put("a.py", "def human_one(value):\n    total = value + 1111\n    return total * 2222\n");
    place.call("s1", &[("a.py", "def human_one(value):\n    total = value + 3333\n    return total * 2222\n")]);
    place.put("a.py", "def human_one( value ):\n    total = (value + 3333)\n    return (total * 2222)\n");
    place.check("a.py", &["-", "-", "-"]);
}

#[test]
fn a_final_record_replaces_its_provisional_one() {
    let place = Place::new();
    place.call("s1", &[("a.txt", "agent one\n")]);
    let source = &place.ledger().sources()[0];
    let mut last = Ledger::read(source).unwrap().next().unwrap().unwrap().record;
    let id = std::mem::replace(&mut last.id, "b3c6f6f0-0000-4000-8000-000000000001".into());
    last.metadata.stead.as_mut().unwrap().of = Some(id);
    place.ledger().append(&last, Durability::Quick, PATIENCE).unwrap();
    place.put("a.txt", "agent one\nagent one\n");
    place.check("a.txt", &["-", "-"]);
}

#[test]
fn the_index_is_made_again_when_it_does_not_fit() {
    let place = Place::new();
    let write = |from: usize, to: usize| {
        for n in from..to {
            let text: String = (0..100).map(|line| format!("agent {n} line {line}\n")).collect();
            place.call("s1", &[(&format!("f{n}.txt"), &text)]);
        }
    };
    let index = place.folder.path().join("cache").join(Books::INDEX);
    let bytes = || std::fs::read(std::fs::read_dir(&index).unwrap().next().unwrap().unwrap().path()).unwrap();
    write(0, 3);
    place.check("f1.txt", &["s1"; 100]);
    assert!(!index.exists());
    write(3, 300);
    place.check("f1.txt", &["s1"; 100]);
    let first = bytes();
    // What is appended is found without the index, and then with it.
    write(300, 302);
    place.check("f301.txt", &["s1"; 100]);
    assert_eq!(bytes(), first);
    write(302, 600);
    place.check("f599.txt", &["s1"; 100]);
    place.check("f0.txt", &["s1"; 100]);
    assert!(bytes().len() > first.len());
    for broken in [Vec::new(), first[..first.len() / 2].to_vec(), vec![7; first.len()]] {
        std::fs::write(std::fs::read_dir(&index).unwrap().next().unwrap().unwrap().path(), broken).unwrap();
        place.check("f1.txt", &["s1"; 100]);
    }
    // Another ledger in the same place.
    let path = place.ledger().path().to_owned();
    let text = std::fs::read_to_string(&path).unwrap();
    let rest: String = text.lines().skip(300).map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, format!("{rest}{{\"torn")).unwrap();
    place.check("f1.txt", &["-"; 100]);
    place.check("f599.txt", &["s1"; 100]);
}
