use std::fs;
use std::path::{Path, PathBuf};

type Reader = fn(&[u8]);

/// The readers, by the name of their folder in `seeds`.
const READERS: &[(&str, Reader)] = &[
    ("code", crate::code),
    ("effect", crate::effect),
    ("jsonl", crate::jsonl),
    ("ledger", crate::ledger),
    ("packet", crate::packet),
    ("redact", crate::redact),
    ("shell", crate::shell),
];

/// Every seed as it is, cut short at each of its ends, and with one byte changed: what a fuzzer tries first.
fn variants(seed: &[u8]) -> Vec<Vec<u8>> {
    let mut variants = vec![seed.to_vec(), Vec::new()];
    for part in 1..8 {
        let at = seed.len() * part / 8;
        variants.push(seed[..at].to_vec());
        variants.push(seed[at..].to_vec());
        if let Some(byte) = seed.get(at) {
            let mut changed = seed.to_vec();
            changed[at] = byte ^ 0x80;
            variants.push(changed);
        }
    }
    variants
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} has no seed", folder.display());
    files
}

fn give(folder: &Path, readers: &[Reader]) {
    for file in files(folder) {
        for input in variants(&fs::read(&file).unwrap()) {
            // A panic names only the reader's line; the file is what a person needs to find the input again.
            let outcome = std::panic::catch_unwind(|| readers.iter().for_each(|reader| reader(&input)));
            assert!(outcome.is_ok(), "{} as {:?}", file.display(), String::from_utf8_lossy(&input));
        }
    }
}

fn here(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

#[test]
fn every_reader_stands_its_seeds() {
    let mut folders: Vec<_> = fs::read_dir(here("seeds")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    folders.sort();
    assert_eq!(folders, READERS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for (name, reader) in READERS {
        give(&here("seeds").join(name), &[*reader]);
    }
}

/// Every client's decoder reads the payloads of every other, too.
#[test]
fn every_decoder_stands_the_recorded_payloads() {
    for client in fs::read_dir(here("../client/fixtures")).unwrap().map(|entry| entry.unwrap().path()) {
        if client.is_dir() {
            give(&client, &[crate::client, crate::boundary]);
        }
    }
}
