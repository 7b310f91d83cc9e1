//! A chain whose end the state folder vouches for.

use std::fs;
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use stead_store::{Chain, Cut, Durability, canonical, sha256};

use crate::child::{child, in_small_mount, role};

const PATIENT: Duration = Duration::from_secs(60);

fn chain(folder: &Path) -> Chain {
    Chain {
        log: folder.join("log.jsonl"),
        head: folder.join("log.head"),
        copy: Some(folder.join("state/log.head")),
        link: &["chain"],
    }
}

fn record(n: usize) -> Map<String, Value> {
    json!({"n": n}).as_object().unwrap().clone()
}

fn append(chain: &Chain, n: usize) {
    assert!(chain.append_vouched(record(n), Durability::Quick, PATIENT).unwrap().unvouched.is_none());
}

fn filled(count: usize) -> (tempfile::TempDir, Chain) {
    let folder = tempfile::tempdir().unwrap();
    let chain = chain(folder.path());
    (0..count).for_each(|n| append(&chain, n));
    (folder, chain)
}

/// The numbers that are vouched for, newest first, and why not more.
fn vouched(chain: &Chain) -> (Vec<u64>, Option<Cut>) {
    let mut lines = chain.read_vouched().unwrap();
    let mut found = Vec::new();
    for line in lines.by_ref() {
        let line = line.unwrap();
        if line.is_vouched {
            found.push(line.record["n"].as_u64().unwrap());
        }
    }
    (found, lines.cut())
}

#[track_caller]
fn check(chain: &Chain, expected: &[u64], cut: Option<Cut>) {
    assert_eq!(vouched(chain), (expected.to_vec(), cut));
}

fn edit(chain: &Chain, change: impl FnOnce(&mut Vec<String>)) {
    let mut lines: Vec<String> = fs::read_to_string(&chain.log).unwrap().lines().map(str::to_owned).collect();
    change(&mut lines);
    fs::write(&chain.log, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

/// A line with the right hash that follows the last one.
fn forged(chain: &Chain, n: usize) -> String {
    let text = fs::read_to_string(&chain.log).unwrap();
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let seq = last["chain"]["seq"].as_u64().unwrap() + 1;
    let mut line = json!({"n": n, "chain": {"seq": seq, "prev": last["chain"]["hash"]}});
    let hash = sha256(canonical(&line));
    line["chain"]["hash"] = hash.into();
    line.to_string()
}

#[test]
fn all_lines_of_a_chain_are_vouched_for() {
    let (_folder, chain) = filled(0);
    check(&chain, &[], Some(Cut::Elsewhere));
    append(&chain, 0);
    check(&chain, &[0], None);
    (1..4).for_each(|n| append(&chain, n));
    check(&chain, &[3, 2, 1, 0], None);
    assert_eq!(chain.verify().unwrap().flaws, []);
}

#[test]
fn what_is_changed_cuts_off_what_is_before_it() {
    let broken = Some(Cut::Broken);
    let case = |change: &dyn Fn(&mut Vec<String>), expected: &[u64], cut: Option<Cut>| {
        let (_folder, chain) = filled(4);
        edit(&chain, |lines| change(lines));
        check(&chain, expected, cut);
    };
    case(&|lines| lines[1] = lines[1].replace("\"n\":1", "\"n\":7"), &[3, 2], broken);
    case(&|lines| drop(lines.remove(2)), &[3], broken);
    case(&|lines| lines.truncate(2), &[], broken);
    case(&|lines| lines.swap(1, 2), &[3, 2], broken);
    case(&|lines| lines.insert(2, "{\"n\":9}".into()), &[3, 2, 1, 0], None);
    case(&|lines| lines.insert(2, "{torn".into()), &[3, 2, 1, 0], None);
    case(&|lines| lines.insert(1, lines[3].clone()), &[3, 2, 1, 0], None);
    case(&Vec::clear, &[], broken);
}

#[test]
fn a_forged_line_never_becomes_part_of_the_chain() {
    let (_folder, chain) = filled(3);
    let line = forged(&chain, 99);
    edit(&chain, |lines| lines.push(line));
    check(&chain, &[2, 1, 0], None);
    append(&chain, 3);
    check(&chain, &[3, 2, 1, 0], None);
    // Not even with the head beside the log.
    let line = forged(&chain, 98);
    let value: Value = serde_json::from_str(&line).unwrap();
    edit(&chain, |lines| lines.push(line));
    let head = json!({"seq": value["chain"]["seq"], "hash": value["chain"]["hash"], "length": 1});
    fs::write(&chain.head, head.to_string()).unwrap();
    check(&chain, &[], Some(Cut::Head));
    append(&chain, 4);
    check(&chain, &[4, 3, 2, 1, 0], None);
}

#[test]
fn heads_that_are_missing_or_old_vouch_for_nothing() {
    let (_folder, chain) = filled(3);
    let copy = chain.copy.clone().unwrap();
    let old = [&chain.log, &chain.head, &copy].map(|path| fs::read(path).unwrap());
    (3..5).for_each(|n| append(&chain, n));
    let new = [&chain.log, &chain.head, &copy].map(|path| fs::read(path).unwrap());
    fs::remove_file(&chain.head).unwrap();
    check(&chain, &[], Some(Cut::Head));
    fs::write(&chain.head, &new[1]).unwrap();
    // The log alone, and the log with its head, set back.
    fs::write(&chain.log, &old[0]).unwrap();
    check(&chain, &[], Some(Cut::Broken));
    fs::write(&chain.head, &old[1]).unwrap();
    check(&chain, &[], Some(Cut::Head));
    // The next line does not make up for it.
    append(&chain, 9);
    check(&chain, &[9], Some(Cut::Broken));
    fs::write(&copy, "{torn").unwrap();
    check(&chain, &[], Some(Cut::Damaged));
    append(&chain, 10);
    check(&chain, &[10], None);
    fs::remove_file(&copy).unwrap();
    check(&chain, &[], Some(Cut::Elsewhere));
    append(&chain, 11);
    check(&chain, &[11], None);
    let none = Chain { copy: None, ..chain };
    check(&none, &[], Some(Cut::NoState));
}

/// A person who knows why may take the log as it is.
#[test]
fn an_accepted_log_is_vouched_for_again() {
    let (_folder, chain) = filled(3);
    fs::remove_file(chain.copy.as_ref().unwrap()).unwrap();
    check(&chain, &[], Some(Cut::Elsewhere));
    chain.accept().unwrap();
    check(&chain, &[2, 1, 0], None);
}

/// A writer that is killed between any two of its writes leaves a log that is read and goes on.
#[test]
fn a_writer_that_stops_at_any_point_loses_nothing() {
    for count in [0, 3] {
        let (_folder, chain) = filled(count);
        let copy = chain.copy.clone().unwrap();
        let next = copy.with_extension("next");
        let files = [&next, &chain.log, &chain.head, &copy];
        let before = files.map(|path| fs::read(path).ok());
        append(&chain, count);
        let after = files.map(|path| fs::read(path).unwrap());
        for done in 0..=files.len() {
            for (at, path) in files.into_iter().enumerate() {
                match (at < done, &before[at]) {
                    (true, _) => fs::write(path, &after[at]).unwrap(),
                    (false, Some(bytes)) => fs::write(path, bytes).unwrap(),
                    // The first append writes the start of both ends before its line.
                    (false, None) if at >= 2 => {
                        let start = json!({"seq": 0, "hash": "0".repeat(64), "length": 0});
                        fs::write(path, start.to_string()).unwrap();
                    }
                    (false, None) => drop(fs::remove_file(path)),
                }
            }
            let whole: Vec<u64> = (0..count as u64 + u64::from(done >= 2)).rev().collect();
            check(&chain, &whole, None);
            append(&chain, 50);
            check(&chain, &[&[50][..], &whole].concat(), None);
            assert_eq!(chain.verify().unwrap().flaws, [], "{count} {done}");
        }
    }
}

#[test]
fn sixteen_writers_keep_one_chain() {
    const WRITERS: usize = 16;
    const LINES: usize = 40;
    if let Some((folder, writer)) = role() {
        let first = writer.parse::<usize>().unwrap() * LINES;
        (first..first + LINES).for_each(|n| append(&chain(&folder), n));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let start = |writer: usize| {
        child("vouched::sixteen_writers_keep_one_chain", folder.path(), &writer.to_string()).spawn().unwrap()
    };
    let children: Vec<_> = (0..WRITERS).map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let (mut found, cut) = vouched(&chain(folder.path()));
    found.sort_unstable();
    assert_eq!(cut, None);
    assert!(found.into_iter().eq(0..(WRITERS * LINES) as u64));
    assert_eq!(chain(folder.path()).verify().unwrap().flaws, []);
}

#[test]
fn killed_writers_leave_a_chain_that_goes_on() {
    if let Some((folder, _)) = role() {
        (0..usize::MAX).for_each(|n| append(&chain(&folder), n));
    }
    let folder = tempfile::tempdir().unwrap();
    let chain = chain(folder.path());
    let mut known = 0;
    for round in 0..8 {
        let start = || child("vouched::killed_writers_leave_a_chain_that_goes_on", folder.path(), "").spawn().unwrap();
        let mut children: Vec<_> = (0..2).map(|_| start()).collect();
        std::thread::sleep(Duration::from_millis(40 + round * 7));
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let (found, cut) = vouched(&chain);
        let lines = fs::read_to_string(&chain.log).unwrap_or_default();
        let whole = lines.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok()).count();
        assert!(cut.is_none() || whole == 0, "round {round}: {cut:?}");
        assert_eq!(found.len(), whole, "round {round}");
        assert!(found.len() >= known);
        append(&chain, 0);
        known = found.len() + 1;
    }
    assert!(known > 50, "the children hardly wrote");
}

#[cfg(unix)]
#[test]
fn without_a_writable_state_folder_a_line_is_written_and_not_vouched_for() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("state"), "a file in the way").unwrap();
    let chain = chain(folder.path());
    let appended = chain.append_vouched(record(1), Durability::Quick, PATIENT).unwrap();
    assert!(appended.unvouched.is_some());
    assert_eq!(fs::read_to_string(&chain.log).unwrap().lines().count(), 1);
    assert_eq!(vouched(&chain).0, [] as [u64; 0]);
}

/// A full disk leaves whole lines, all of them vouched for, and the next append goes on.
#[test]
fn a_full_disk_cuts_no_line() {
    let Some((folder, _)) = role() else {
        return in_small_mount("vouched::a_full_disk_cuts_no_line", "size=128k");
    };
    let chain = chain(&folder);
    let long = json!({"n": 7, "pad": "x".repeat(3000)}).as_object().unwrap().clone();
    let mut whole = 0;
    while chain.append_vouched(long.clone(), Durability::Quick, PATIENT).is_ok_and(|added| added.unvouched.is_none()) {
        whole += 1;
    }
    assert!(whole > 10, "{whole}");
    check(&chain, &vec![7; whole], None);
    assert!(fs::read_to_string(&chain.log).unwrap().ends_with("}\n"));
    append(&chain, 8);
    check(&chain, &[&[8][..], &vec![7; whole]].concat(), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// No byte of any of the files makes a line count that was not written, or in another wording.
    #[test]
    fn a_changed_byte_never_adds_anything(file in 0_usize..4, at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let (_folder, chain) = filled(4);
        // A line that is not vouched for, which nothing may bring in.
        let line = forged(&chain, 99);
        edit(&chain, |lines| lines.push(line));
        let copy = chain.copy.clone().unwrap();
        let path = [chain.log.clone(), chain.head.clone(), copy.with_extension("next"), copy][file].clone();
        let mut bytes = fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        fs::write(&path, bytes).unwrap();
        let (found, _) = vouched(&chain);
        prop_assert!([3, 2, 1, 0].starts_with(&found), "{found:?}");
    }
}
