use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use memchr::memmem;
use stead_store::{Durability, Exact, StoreError, read_capped, replace_creating};

use super::entry::Precedent;

/// The version of the file. One of another version is not used.
const VERSION: &str = "1";

const HEAD: &str = "stead-precedents";
const END: &str = "end\n";

/// The largest file.
const LARGEST: usize = 256 * 1024;

/// How many precedents one key has.
const MOST: usize = 4;

/// The compiled precedents of a project: `cache/precedents`. A missing, torn, older or foreign file counts as empty.
#[derive(Clone, Debug)]
pub struct Precedents {
    text: String,
}

impl Precedents {
    /// The path below the project root. Like the policy, it does not move with the layout.
    pub const FILE: &str = ".agent/cache/precedents";

    pub fn path(root: &Path) -> PathBuf {
        root.join(Self::FILE)
    }

    /// Reads the file; `None` if it cannot be used.
    pub fn read(root: &Path) -> Option<Self> {
        let bytes = read_capped(&Self::path(root), LARGEST).ok().flatten()?;
        let text = String::from_utf8(bytes).ok()?;
        let is_ours = text.strip_prefix(HEAD)?.strip_prefix('\t')?.strip_prefix(VERSION)?.starts_with('\t');
        (is_ours && text.ends_with(&format!("\n{END}"))).then_some(Self { text })
    }

    /// What it was compiled from, as [`Self::write`] was told.
    pub fn source(&self) -> &str {
        self.text.lines().next().and_then(|head| head.rsplit('\t').next()).unwrap_or_default()
    }

    /// Replaces the file. Of each key the first precedents are kept, and of all of them those that fit.
    pub fn write(root: &Path, source: &str, entries: &[(String, Precedent)]) -> Result<(), StoreError> {
        let mut room = LARGEST - 1_000;
        let mut by_key: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (key, precedent) in entries {
            let lines = by_key.entry(key).or_default();
            let line = precedent.render(key).filter(|line| lines.len() < MOST && line.len() < room);
            if let Some(line) = line {
                room -= line.len() + 1;
                lines.push(line);
            }
        }
        let mut text = format!("{HEAD}\t{VERSION}\t{source}\n");
        for line in by_key.values().flatten() {
            text.push_str(line);
            text.push('\n');
        }
        text.push_str(END);
        replace_creating(&Self::path(root), Exact::Redacted.bytes(&text), Durability::Quick)
    }

    /// The precedents under a key, in the order in which they were written.
    pub fn under(&self, key: &str) -> Vec<Precedent> {
        let start = format!("\n{key}\t");
        let found = memmem::find_iter(self.text.as_bytes(), &start).map(|at| &self.text[at + start.len()..]);
        found.filter_map(|rest| Precedent::parse(rest.split('\n').next().unwrap_or_default())).collect()
    }

    /// All precedents whose key has a prefix, with the rest of the key.
    pub fn with_prefix<'p>(&'p self, prefix: &'p str) -> impl Iterator<Item = (&'p str, Precedent)> + 'p {
        let found = self.lines().filter_map(move |(key, fields)| Some((key.strip_prefix(prefix)?, fields)));
        found.filter_map(|(rest, fields)| Some((rest, Precedent::parse(fields)?)))
    }

    fn lines(&self) -> impl Iterator<Item = (&str, &str)> {
        self.text.lines().skip(1).filter_map(|line| line.split_once('\t'))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn precedent(number: usize) -> Precedent {
        Precedent {
            ts: "2026-11-17T09:00:00.000Z".into(),
            id: format!("{number:08}"),
            kind: "violation".into(),
            what: format!("what happened {number}"),
            ..Precedent::default()
        }
    }

    #[test]
    fn only_a_whole_file_of_this_version_is_read() {
        let root = tempfile::tempdir().unwrap();
        assert!(Precedents::read(root.path()).is_none());
        let entries: Vec<(String, Precedent)> = (0..6).map(|number| ("path:a".to_owned(), precedent(number))).collect();
        Precedents::write(root.path(), "12 0 7", &entries).unwrap();
        let read = Precedents::read(root.path()).unwrap();
        assert_eq!(read.source(), "12 0 7");
        let ids = |key: &str| read.under(key).into_iter().map(|one| one.id).collect::<Vec<_>>();
        assert_eq!(ids("path:a"), ["00000000", "00000001", "00000002", "00000003"]);
        assert_eq!((ids("path:"), ids("path:ab"), ids("end")), (vec![], vec![], vec![]));
        assert_eq!(read.with_prefix("path:").map(|(rest, _)| rest).next(), Some("a"));
        let text = fs::read_to_string(Precedents::path(root.path())).unwrap();
        let check = |text: &str| {
            fs::write(Precedents::path(root.path()), text).unwrap();
            assert!(Precedents::read(root.path()).is_none(), "{text}");
        };
        for cut in 0..text.len() {
            check(&text[..cut]);
        }
        check(&text.replace("precedents\t1", "precedents\t2"));
        check(&text.replace("stead-pre", "other-pre"));
        fs::write(Precedents::path(root.path()), vec![b'x'; LARGEST + 1]).unwrap();
        assert!(Precedents::read(root.path()).is_none());
    }

    #[test]
    fn it_stays_small() {
        let root = tempfile::tempdir().unwrap();
        let long = |number: usize| Precedent { what: "x".repeat(5_000), ..precedent(number) };
        let entries: Vec<_> = (0..5_000).map(|number| (format!("path:{number}"), long(number))).collect();
        Precedents::write(root.path(), "", &entries).unwrap();
        let read = Precedents::read(root.path()).unwrap();
        assert!(!read.under("path:0").is_empty() && read.under("path:4999").is_empty());
    }
}
