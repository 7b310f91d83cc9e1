use std::fs;
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use stead_store::{Chain, Durability, canonical, sha256};

use crate::child::{child, role};

const PATIENT: Duration = Duration::from_secs(60);

fn chain(folder: &Path) -> Chain {
    Chain {
        log: folder.join("log.jsonl"),
        head: folder.join("log.head"),
        copy: Some(folder.join("state/log.head")),
        link: &["metadata", "dev.stead"],
    }
}

fn record(n: usize) -> Map<String, Value> {
    let value = json!({"n": n, "text": "ü\u{1}", "metadata": {"other": 1.5, "dev.stead": {"v": 1}}});
    value.as_object().unwrap().clone()
}

fn filled(count: usize) -> (tempfile::TempDir, Chain) {
    let folder = tempfile::tempdir().unwrap();
    let chain = chain(folder.path());
    for n in 0..count {
        assert_eq!(append(&chain, n), n as u64 + 1);
    }
    (folder, chain)
}

fn append_all(chain: &Chain, numbers: impl Iterator<Item = usize>) {
    for n in numbers {
        append(chain, n);
    }
}

fn append(chain: &Chain, n: usize) -> u64 {
    chain.append(record(n), Durability::Quick, PATIENT).unwrap().seq
}

fn flaws(chain: &Chain) -> Vec<String> {
    chain.verify().unwrap().flaws.iter().map(ToString::to_string).collect()
}

/// Changes the lines of a log as somebody with an editor would.
fn edit(chain: &Chain, change: impl FnOnce(&mut Vec<String>)) {
    let mut lines: Vec<String> = fs::read_to_string(&chain.log).unwrap().lines().map(str::to_owned).collect();
    change(&mut lines);
    fs::write(&chain.log, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

/// Gives a changed line the right hash.
fn sealed(mut line: Value) -> String {
    let link = line["metadata"]["dev.stead"].as_object_mut().unwrap();
    link.remove("hash");
    let hash = sha256(canonical(&line));
    line["metadata"]["dev.stead"]["hash"] = hash.into();
    line.to_string()
}

#[track_caller]
fn check(change: impl FnOnce(&mut Vec<String>), expected: &[&str]) {
    let (_folder, chain) = filled(6);
    edit(&chain, change);
    assert_eq!(flaws(&chain), expected);
}

#[test]
fn a_whole_chain_verifies() {
    let (_folder, chain) = filled(0);
    assert_eq!(chain.verify().unwrap(), Default::default());
    let (_folder, chain) = filled(6);
    let verified = chain.verify().unwrap();
    assert_eq!((verified.lines, verified.flaws.len(), verified.torn.len()), (6, 0, 0));
    let text = fs::read_to_string(&chain.log).unwrap();
    let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(first["metadata"]["dev.stead"]["prev"], "0".repeat(64));
    assert_eq!(first["metadata"]["other"], 1.5);
    let second: Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    assert_eq!(second["metadata"]["dev.stead"]["prev"], first["metadata"]["dev.stead"]["hash"]);
    assert_eq!(second["metadata"]["dev.stead"]["seq"], 2);
}

#[test]
fn each_kind_of_change_is_found_at_its_line() {
    check(|lines| lines[2] = lines[2].replace("\"n\":2", "\"n\":7"), &["line 3: edit"]);
    check(|lines| lines[2].truncate(20), &["line 3: edit"]);
    check(|lines| lines[5].truncate(20), &["line 7: truncation"]);
    check(|lines| drop(lines.remove(2)), &["line 3: deletion"]);
    check(|lines| drop(lines.drain(1..4)), &["line 2: deletion (3 lines)"]);
    check(|lines| drop(lines.remove(0)), &["line 1: deletion"]);
    check(|lines| lines.truncate(4), &["line 5: truncation (2 lines)"]);
    check(Vec::clear, &["line 1: truncation (6 lines)"]);
    check(|lines| lines.swap(2, 3), &["line 4: reorder"]);
    check(|lines| lines[0..5].rotate_left(1), &["line 5: reorder"]);
    check(|lines| lines[1..6].rotate_right(1), &["line 2: reorder"]);
    check(|lines| lines.insert(2, lines[4].clone()), &["line 3: insertion"]);
    check(|lines| lines.insert(2, r#"{"n":9}"#.to_owned()), &["line 3: insertion"]);
    let rehashed = |lines: &mut Vec<String>| {
        let mut line: Value = serde_json::from_str(&lines[2]).unwrap();
        line["n"] = 7.into();
        lines[2] = sealed(line);
    };
    check(rehashed, &["line 3: edit"]);
}

#[test]
fn a_chain_that_was_computed_again_is_found_by_its_end() {
    let (_folder, chain) = filled(4);
    edit(&chain, |lines| {
        let mut prev = "0".repeat(64);
        for line in lines {
            let mut value: Value = serde_json::from_str(line).unwrap();
            value["n"] = 9.into();
            value["metadata"]["dev.stead"]["prev"] = prev.into();
            *line = sealed(value);
            let value: Value = serde_json::from_str(line).unwrap();
            prev = value["metadata"]["dev.stead"]["hash"].as_str().unwrap().to_owned();
        }
    });
    assert_eq!(flaws(&chain), ["line 4: rewrite"]);
    fs::remove_file(&chain.head).unwrap();
    fs::remove_file(chain.copy.as_ref().unwrap()).unwrap();
    assert_eq!(flaws(&chain), ["line 4: no head"]);
}

#[test]
fn a_gap_stays_visible_after_more_lines() {
    let (_folder, chain) = filled(6);
    edit(&chain, |lines| lines.truncate(4));
    assert_eq!(append(&chain, 6), 7);
    assert_eq!(append(&chain, 7), 8);
    assert_eq!(flaws(&chain), ["line 5: deletion (2 lines)"]);
}

#[test]
fn a_folder_restored_to_an_earlier_state_is_found_by_the_copy() {
    let (_folder, chain) = filled(3);
    let saved = [&chain.log, &chain.head].map(|path| fs::read(path).unwrap());
    append_all(&chain, 3..6);
    fs::write(&chain.log, &saved[0]).unwrap();
    fs::write(&chain.head, &saved[1]).unwrap();
    assert_eq!(flaws(&chain), ["line 4: rollback (3 lines)"]);
    // New lines do not hide it.
    append_all(&chain, 9..14);
    assert_eq!(flaws(&chain), ["line 4: rollback (3 lines)"]);
    chain.accept().unwrap();
    assert_eq!(flaws(&chain), [""; 0]);
}

#[test]
fn a_removed_folder_is_found_by_the_copy() {
    let (_folder, chain) = filled(3);
    fs::remove_file(&chain.log).unwrap();
    fs::remove_file(&chain.head).unwrap();
    assert_eq!(flaws(&chain), ["line 1: rollback (3 lines)"]);
}

#[test]
fn a_head_that_was_not_written_is_mended() {
    let (_folder, chain) = filled(3);
    let old = fs::read(&chain.head).unwrap();
    append(&chain, 3);
    // As if the process had been killed after its line.
    fs::write(&chain.head, &old).unwrap();
    assert_eq!(flaws(&chain), [""; 0]);
    assert_eq!(append(&chain, 4), 5);
    assert_eq!(flaws(&chain), [""; 0]);
    fs::write(&chain.head, &old).unwrap();
    assert_eq!(flaws(&chain), ["line 5: insertion"]);
    for damaged in [&b"{torn"[..], b"", b"{\"seq\":\"x\"}"] {
        fs::write(&chain.head, damaged).unwrap();
        append(&chain, 6);
        assert_eq!(flaws(&chain), [""; 0]);
    }
}

#[test]
fn torn_and_foreign_bytes_do_not_break_the_chain() {
    let (_folder, chain) = filled(2);
    let torn = fs::read_to_string(&chain.log).unwrap() + "{\"n\":2,\"te";
    fs::write(&chain.log, torn).unwrap();
    assert_eq!(append(&chain, 2), 3);
    let verified = chain.verify().unwrap();
    assert_eq!((verified.lines, verified.flaws.len(), verified.torn), (3, 0, vec![3]));
    let mut junk = fs::read(&chain.log).unwrap();
    junk.extend_from_slice(&[0xff, b'\n', b'\n']);
    junk.extend(vec![b'x'; 2_500_000]);
    junk.push(b'\n');
    fs::write(&chain.log, junk).unwrap();
    assert_eq!(append(&chain, 3), 4);
    assert_eq!(chain.verify().unwrap().torn, [3, 5, 7]);
    assert_eq!(flaws(&chain), [""; 0]);
}

#[test]
fn eight_writers_keep_one_chain() {
    const WRITERS: usize = 8;
    const LINES: usize = 200;
    if let Some((folder, writer)) = role() {
        let first = writer.parse::<usize>().unwrap() * LINES;
        append_all(&chain(&folder), first..first + LINES);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let start = |writer: usize| {
        child("chain::eight_writers_keep_one_chain", folder.path(), &writer.to_string()).spawn().unwrap()
    };
    for mut child in (0..WRITERS).map(start).collect::<Vec<_>>() {
        assert!(child.wait().unwrap().success());
    }
    let chain = chain(folder.path());
    let verified = chain.verify().unwrap();
    assert_eq!((verified.lines, verified.flaws.len(), verified.torn.len()), (WRITERS * LINES, 0, 0));
    let mut all: Vec<u64> = fs::read_to_string(&chain.log)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["n"].as_u64().unwrap())
        .collect();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..(WRITERS * LINES) as u64));
}

#[test]
fn a_killed_writer_leaves_a_chain_that_goes_on() {
    if let Some((folder, _)) = role() {
        append_all(&chain(&folder), 0..);
    }
    let folder = tempfile::tempdir().unwrap();
    let chain = chain(folder.path());
    for round in 0..12 {
        let mut children: Vec<_> = (0..2)
            .map(|_| child("chain::a_killed_writer_leaves_a_chain_that_goes_on", folder.path(), "").spawn().unwrap())
            .collect();
        std::thread::sleep(Duration::from_millis(40 + round * 7));
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert_eq!(flaws(&chain), [""; 0], "round {round}");
        append(&chain, 0);
        assert_eq!(flaws(&chain), [""; 0], "round {round}");
    }
    assert!(chain.verify().unwrap().lines > 100, "the children hardly wrote");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever happens to whole lines is found, unless nothing changed.
    #[test]
    fn lines_cannot_be_rearranged_unseen(picks in prop::collection::vec(0_usize..5, 0..7)) {
        let (_folder, chain) = filled(5);
        edit(&chain, |lines| *lines = picks.iter().map(|pick| lines[*pick].clone()).collect());
        let same = picks == [0, 1, 2, 3, 4];
        prop_assert_eq!(flaws(&chain).is_empty(), same, "{:?}", picks);
    }

    #[test]
    fn any_bytes_can_be_checked_and_appended_to(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let folder = tempfile::tempdir().unwrap();
        let chain = chain(folder.path());
        fs::write(&chain.log, &bytes).unwrap();
        fs::write(&chain.head, &bytes).unwrap();
        let _ = chain.verify().unwrap();
        append(&chain, 1);
    }
}
