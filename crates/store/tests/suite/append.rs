use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use stead_store::{Durability, LINE_LIMIT, Line, Lines, Redacted, StoreError, append_line, replace};

use crate::child::{child, in_small_mount, make_read_only, role};

const PATIENT: Duration = Duration::from_secs(60);

fn append(path: &Path, line: &str) -> Result<(), StoreError> {
    append_line(path, Redacted::json(line), Durability::Quick, PATIENT)
}

fn read(path: &Path) -> (Vec<Line>, u64) {
    let mut lines = Lines::open(path).unwrap();
    let whole = lines.by_ref().map(Result::unwrap).collect();
    (whole, lines.skipped())
}

#[test]
fn a_line_lands_in_a_new_and_in_an_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    append(&log, r#"{"n":1}"#).unwrap();
    append_line(&log, r#"{"n":2}"#, Durability::Synced, Duration::from_secs(10)).unwrap();
    assert_eq!(fs::read_to_string(&log).unwrap(), "{\"n\":1}\n{\"n\":2}\n");
}

#[test]
fn a_torn_line_stays_alone() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    fs::write(&log, "{\"n\":1}\n{\"n\":2,\"te").unwrap();
    append(&log, r#"{"n":3}"#).unwrap();
    assert_eq!(fs::read_to_string(&log).unwrap(), "{\"n\":1}\n{\"n\":2,\"te\n{\"n\":3}\n");
    let (lines, skipped) = read(&log);
    assert_eq!(lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), [r#"{"n":1}"#, r#"{"n":3}"#]);
    assert_eq!(skipped, 1);
}

#[test]
fn what_is_not_one_line_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    assert!(matches!(append(&log, "{}\n"), Err(StoreError::LineBreak { .. })));
    assert!(matches!(append(&log, &"x".repeat(LINE_LIMIT + 1)), Err(StoreError::LineTooLong { .. })));
    assert!(!log.exists());
}

#[test]
fn a_log_is_as_private_as_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    for (dir, allowed) in [(0o700, 0o600), (0o755, 0o644)] {
        let dir_path = folder.path().join(format!("{dir:o}"));
        fs::create_dir(&dir_path).unwrap();
        fs::set_permissions(&dir_path, fs::Permissions::from_mode(dir)).unwrap();
        let log = dir_path.join("log");
        append(&log, "{}").unwrap();
        let mode = fs::metadata(&log).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode & !allowed, 0, "{mode:o} in a folder of {dir:o}");
        assert_eq!(mode & 0o600, 0o600);
    }
}

#[test]
fn a_missing_folder_is_an_error_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let error = append(&folder.path().join("no/log"), "{}").unwrap_err();
    assert!(error.to_string().contains("no/log"), "{error}");
}

#[test]
fn a_pipe_in_place_of_the_log_neither_blocks_nor_takes_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("log");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let before = Instant::now();
    assert!(matches!(append(&pipe, "{}"), Err(StoreError::NotAFile { .. })));
    assert!(matches!(Lines::open(&pipe), Err(StoreError::NotAFile { .. })));
    assert!(before.elapsed() < Duration::from_secs(5));
    let mut reader = File::options().read(true).write(true).open(&pipe).unwrap();
    writeln!(reader, "mark").unwrap();
    let mut got = [0; 5];
    reader.read_exact(&mut got).unwrap();
    assert_eq!(&got, b"mark\n");
}

#[test]
fn patience_ends_and_the_log_is_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    append(&log, "{}").unwrap();
    let holder = File::open(&log).unwrap();
    holder.lock().unwrap();
    let before = Instant::now();
    let error = append_line(&log, "{}", Durability::Quick, Duration::from_millis(60)).unwrap_err();
    assert!(matches!(error, StoreError::Locked { waited_ms: 60, .. }), "{error}");
    assert!(before.elapsed() >= Duration::from_millis(60));
    assert_eq!(fs::read(&log).unwrap(), b"{}\n");
}

#[test]
fn a_line_follows_the_log_that_was_replaced_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    append(&log, r#"{"old":1}"#).unwrap();
    let holder = File::open(&log).unwrap();
    holder.lock().unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| append(&log, r#"{"mine":1}"#));
        std::thread::sleep(Duration::from_millis(80));
        replace(&log, b"{\"new\":1}\n", Durability::Quick).unwrap();
        holder.unlock().unwrap();
        writer.join().unwrap().unwrap();
    });
    assert_eq!(fs::read_to_string(&log).unwrap(), "{\"new\":1}\n{\"mine\":1}\n");
}

#[test]
fn sixteen_writers_lose_nothing_and_tear_nothing() {
    const WRITERS: usize = 16;
    const LINES: usize = 500;
    if let Some((folder, writer)) = role() {
        for n in 0..LINES {
            let line = format!(r#"{{"writer":{writer},"n":{n},"pad":"{}"}}"#, "x".repeat(n % 97 * 11));
            append(&folder.join("log"), &line).unwrap();
        }
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let test = "append::sixteen_writers_lose_nothing_and_tear_nothing";
    let children: Vec<_> =
        (0..WRITERS).map(|writer| child(test, folder.path(), &writer.to_string()).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let (lines, skipped) = read(&folder.path().join("log"));
    assert_eq!((lines.len(), skipped), (WRITERS * LINES, 0));
    let mut next = [0; WRITERS];
    for line in lines {
        let value: serde_json::Value = serde_json::from_str(&line.text).unwrap();
        let writer = value["writer"].as_u64().unwrap() as usize;
        assert_eq!(value["n"], next[writer], "writer {writer}");
        next[writer] += 1;
    }
}

#[test]
fn a_killed_writer_loses_no_line_it_was_told_is_there() {
    if let Some((folder, round)) = role() {
        for n in 0.. {
            append(&folder.join("log"), &format!(r#"{{"round":{round},"n":{n}}}"#)).unwrap();
            // The parent counts what was acknowledged.
            println!("ack");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    for round in 0..12 {
        let test = "append::a_killed_writer_loses_no_line_it_was_told_is_there";
        let mut child = child(test, folder.path(), &round.to_string()).stdout(Stdio::piped()).spawn().unwrap();
        let output = child.stdout.take().unwrap();
        let counter = std::thread::spawn(move || {
            let text = io::read_to_string(output).unwrap();
            text.lines().filter(|line| *line == "ack").count()
        });
        std::thread::sleep(Duration::from_millis(40 + round * 7));
        child.kill().unwrap();
        child.wait().unwrap();
        let acknowledged = counter.join().unwrap();
        let kept: Vec<_> = read(&log)
            .0
            .into_iter()
            .map(|line| serde_json::from_str::<serde_json::Value>(&line.text).unwrap())
            .filter(|value| value["round"] == round)
            .collect();
        assert!(kept.len() >= acknowledged && kept.len() <= acknowledged + 1, "{} of {acknowledged}", kept.len());
        assert!(kept.iter().enumerate().all(|(n, value)| value["n"] == n));
    }
    assert!(read(&log).0.len() > 100, "the children hardly wrote");
}

#[test]
fn a_full_disk_leaves_whole_lines() {
    let Some((folder, _)) = role() else {
        return in_small_mount("append::a_full_disk_leaves_whole_lines", "size=64k");
    };
    let log = folder.join("log");
    let line = format!(r#"{{"pad":"{}"}}"#, "x".repeat(3000));
    let mut whole = 0;
    let error = loop {
        match append(&log, &line) {
            Ok(()) => whole += 1,
            Err(error) => break error,
        }
    };
    assert!(
        matches!(&error, StoreError::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull),
        "{error:?}"
    );
    assert!(error.hint().is_some());
    assert!(whole > 10, "{whole}");
    assert_eq!(fs::read_to_string(&log).unwrap(), format!("{line}\n").repeat(whole));
    // Without the undo there would be no room left for a short line either, or it would join the torn one.
    append(&log, "{}").unwrap();
    assert_eq!(fs::read_to_string(&log).unwrap(), format!("{}{{}}\n", format!("{line}\n").repeat(whole)));
}

#[test]
fn a_read_only_disk_is_a_clear_error() {
    let Some((folder, _)) = role() else {
        return in_small_mount("append::a_read_only_disk_is_a_clear_error", "size=64k");
    };
    let log = folder.join("log");
    append(&log, "{}").unwrap();
    make_read_only(&folder);
    let error = append(&log, "{}").unwrap_err();
    assert!(
        matches!(&error, StoreError::Io { source, .. } if source.kind() == io::ErrorKind::ReadOnlyFilesystem),
        "{error:?}"
    );
    assert!(error.hint().unwrap().contains("read-only"));
    assert!(append(&folder.join("new"), "{}").is_err());
    assert_eq!(fs::read(&log).unwrap(), b"{}\n");
}
