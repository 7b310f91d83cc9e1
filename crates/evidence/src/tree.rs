//! The state of a set of files as one hash: each file's path and git's hash of its content, in order of the paths.
//! Missing files count. It reads within limits and reports if they are exceeded.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::Path;

use stead_pattern::{Pattern, has_wildcard};

use crate::ground::{Bounds, Ground};
use crate::named_file::NamedFiles;
use crate::tree_cache::TreeCache;

/// The state of a set of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// The hash, and how many of the files exist.
    Known { hash: String, files: usize },
    /// It could not be computed within the limits.
    TooMuch { why: String },
}

impl Tree {
    /// The hash, if it covers at least one file.
    pub fn hash(&self) -> Option<&str> {
        match self {
            Self::Known { hash, files } if *files > 0 => Some(hash),
            _ => None,
        }
    }
}

/// Computes the state of the files that a feature names; without any, of the whole project.
pub fn tree_of(ground: &Ground, files: &[String], bounds: &Bounds<'_>) -> Tree {
    match list(ground, files, bounds) {
        Ok(files) => hash(ground, files, bounds),
        Err(why) => Tree::TooMuch { why },
    }
}

/// The files that a feature names, by their paths below the root; `None` for one that is missing.
pub(crate) type Files = BTreeMap<String, Option<Metadata>>;

/// Lists the files that a feature names.
pub(crate) fn list(ground: &Ground, files: &[String], bounds: &Bounds<'_>) -> Result<Files, String> {
    let named = NamedFiles::new(files);
    let mut found = Found { ground, named: &named, bounds, files: BTreeMap::new(), seen: 0, too_much: None };
    // Files below a folder that is searched anyway are found there.
    let mut roots: Vec<String> = named.patterns.wanted().filter_map(|pattern| pattern.search_root()).collect();
    roots.sort_unstable();
    roots.dedup();
    let inner = |outer: &str, path: &str| {
        outer.is_empty() || path.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
    };
    for root in roots.iter().filter(|root| !roots.iter().any(|outer| outer != *root && inner(outer, root))) {
        let start = ground.root.join(root);
        match fs::symlink_metadata(&start) {
            Ok(data) if data.is_dir() => found.walk(&start, root),
            Ok(data) if !root.is_empty() => found.take(root.clone(), Some(data)),
            _ => {}
        }
    }
    // A literal path is expected to exist; the matches of a pattern have no expected names.
    for pattern in named.patterns.wanted() {
        if let Pattern::Anchored(path) = pattern
            && !has_wildcard(path)
            && let Some(path) = pattern.search_root()
            && fs::symlink_metadata(ground.root.join(&path)).is_err()
        {
            found.take(path, None);
        }
    }
    found.too_much.map_or(Ok(found.files), Err)
}

/// Returns true if a file, by its path below the root, counts for the state of a feature's files.
pub fn holds(ground: &Ground, files: &[String], path: &str) -> bool {
    !ground.is_own(&ground.root.join(path)) && NamedFiles::new(files).holds(path)
}

/// Returns true if files below a folder, or matches of a pattern, may count for the state of a feature's files.
pub fn may_hold_below(files: &[String], path: &str) -> bool {
    let named = NamedFiles::new(files);
    let mut fixed = path.split('/').take_while(|part| !has_wildcard(part));
    fixed.all(|part| part != ".agent" && named.enters(part)) && named.patterns.can_match_below(path)
}

/// Computes the state of the whole project.
pub fn project_tree(ground: &Ground, bounds: &Bounds<'_>) -> Tree {
    tree_of(ground, &[], bounds)
}

struct Found<'a> {
    ground: &'a Ground,
    named: &'a NamedFiles,
    bounds: &'a Bounds<'a>,
    files: Files,
    /// How many folder entries were read.
    seen: usize,
    too_much: Option<String>,
}

impl Found<'_> {
    fn walk(&mut self, start: &Path, base: &str) {
        let mut open = vec![(start.to_owned(), base.to_owned())];
        while let Some((folder, below)) = open.pop() {
            if self.too_much.is_some() {
                return;
            }
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
                let Ok(data) = entry.metadata() else { continue };
                self.seen += 1;
                if self.seen.is_multiple_of(512) && !(self.bounds.go_on)() {
                    self.too_much = Some("listing its files takes too long for a hook call".into());
                    return;
                }
                if data.is_dir() {
                    if self.named.enters(&name) && !self.ground.is_own(&entry.path()) {
                        open.push((entry.path(), path));
                    }
                } else {
                    self.take(path, Some(data));
                }
            }
        }
    }

    fn take(&mut self, path: String, data: Option<Metadata>) {
        if !self.named.holds(&path) || self.ground.is_own(&self.ground.root.join(&path)) {
            return;
        }
        self.files.insert(path, data);
        if self.files.len() > self.bounds.files {
            self.too_much = Some(format!("it has more than {} files", self.bounds.files));
        }
    }
}

fn hash(ground: &Ground, files: Files, bounds: &Bounds<'_>) -> Tree {
    let mut cache = TreeCache::open(&ground.cache, files.len());
    let mut whole = sha1_smol::Sha1::new();
    let (mut existing, mut bytes) = (0, 0u64);
    for (path, data) in &files {
        let content = match data {
            None => "missing".to_owned(),
            Some(data) => {
                existing += 1;
                match cache.known(path, data) {
                    Some(hash) => hash,
                    None => {
                        bytes = bytes.saturating_add(data.len());
                        if bytes > bounds.bytes || (existing % 64 == 0 && !(bounds.go_on)()) {
                            // The hashes so far are cached for the next time.
                            cache.save();
                            return Tree::TooMuch { why: "reading its files takes too long for a hook call".into() };
                        }
                        let hash = content(&ground.root.join(path), data);
                        cache.learn(path, data, &hash);
                        hash
                    }
                }
            }
        };
        whole.update(format!("{path}\0{content}\n").as_bytes());
    }
    cache.save();
    Tree::Known { hash: whole.digest().to_string(), files: existing }
}

/// Git's hash of a file's content. For a link, both the link and its target count, unless the target is a folder or a
/// special file.
fn content(path: &Path, data: &Metadata) -> String {
    if data.is_symlink() {
        let to = fs::read_link(path).map(|to| to.to_string_lossy().into_owned()).unwrap_or_default();
        let behind = fs::metadata(path).ok().filter(Metadata::is_file);
        return format!("link {to} {}", behind.map(|data| blob(path, data.len())).unwrap_or_default());
    }
    if data.is_file() { blob(path, data.len()) } else { "special".into() }
}

fn blob(path: &Path, length: u64) -> String {
    let Ok(file) = File::open(path) else { return "unreadable".into() };
    let mut file = file.take(length);
    let mut hash = sha1_smol::Sha1::new();
    hash.update(format!("blob {length}\0").as_bytes());
    // No larger than needed: it is filled with zeros first.
    let mut block = vec![0; usize::try_from(length + 1).unwrap_or(usize::MAX).min(64 * 1024)];
    loop {
        match file.read(&mut block) {
            Ok(0) => return hash.digest().to_string(),
            Ok(count) => hash.update(&block[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return "unreadable".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Project(tempfile::TempDir);

    impl Project {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.0.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn ground(&self) -> Ground {
            let root = self.0.path().to_owned();
            let room = |name: &str| root.join(".agent").join(name);
            let (features, indexes, cache) = (room("features"), room("context/indexes"), room("cache"));
            Ground { features, indexes, cache, root, state: None }
        }

        fn tree(&self, files: &[&str]) -> Tree {
            let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            tree_of(&self.ground(), &files, &Bounds::command())
        }
    }

    #[test]
    fn any_change_of_the_files_changes_the_hash() {
        let project = Project::new();
        project.write("src/a.rs", "one");
        project.write("src/b.rs", "two");
        project.write("other.txt", "x");
        let before = project.tree(&["src/**"]);
        assert!(matches!(before, Tree::Known { files: 2, .. }), "{before:?}");
        project.write("other.txt", "y");
        assert_eq!(project.tree(&["src/**"]), before);
        let changes: [&dyn Fn(); 4] = [
            &|| project.write("src/a.rs", "ONE"),
            &|| project.write("src/c.rs", ""),
            &|| fs::remove_file(project.0.path().join("src/b.rs")).unwrap(),
            &|| fs::rename(project.0.path().join("src/a.rs"), project.0.path().join("src/z.rs")).unwrap(),
        ];
        let mut last = before.clone();
        for change in changes {
            change();
            let now = project.tree(&["src/**"]);
            assert_ne!(now, last);
            last = now;
        }
        project.write("src/a.rs", "one");
        project.write("src/b.rs", "two");
        fs::remove_file(project.0.path().join("src/c.rs")).unwrap();
        fs::remove_file(project.0.path().join("src/z.rs")).unwrap();
        assert_eq!(project.tree(&["src/**"]), before, "the same content is the same state");
    }

    #[test]
    fn what_is_missing_counts_but_carries_nothing() {
        let project = Project::new();
        let none = project.tree(&["src/a.rs"]);
        assert!(matches!(none, Tree::Known { files: 0, .. }) && none.hash().is_none());
        project.write("src/a.rs", "");
        let there = project.tree(&["src/a.rs"]);
        assert_ne!(none, there);
        assert_eq!(there, project.tree(&["./src/a.rs", "src/a.rs"]));
        assert_ne!(there, project.tree(&["src/a.rs", "src/b.rs"]));
        assert_eq!(project.tree(&["nothing/**"]), project.tree(&["nowhere/*.rs"]));
    }

    #[test]
    fn what_programs_fill_is_left_out_unless_named() {
        let project = Project::new();
        project.write("a.py", "x");
        let before = project.tree(&[]);
        for made in
            ["target/debug/x", "__pycache__/a.pyc", "a.pyc", ".git/index", ".agent/cache/x", ".agent/features/f"]
        {
            project.write(made, "x");
        }
        assert_eq!(project.tree(&[]), before);
        let named = project.tree(&["target"]);
        assert!(matches!(named, Tree::Known { files: 1, .. }), "{named:?}");
    }

    #[cfg(unix)]
    #[test]
    fn links_count_with_what_they_lead_to() {
        let project = Project::new();
        project.write("real", "one");
        fs::create_dir(project.0.path().join("src")).unwrap();
        std::os::unix::fs::symlink("../real", project.0.path().join("src/link")).unwrap();
        let before = project.tree(&["src"]);
        project.write("real", "two");
        assert_ne!(project.tree(&["src"]), before);
        std::os::unix::fs::symlink(project.0.path(), project.0.path().join("src/loop")).unwrap();
        assert!(project.tree(&["src"]).hash().is_some());
    }

    #[test]
    fn bounds_hold_and_a_second_try_goes_further() {
        let project = Project::new();
        for number in 0..400 {
            project.write(&format!("src/{number}"), &"x".repeat(1000));
        }
        fs::create_dir_all(project.0.path().join(".agent/cache")).unwrap();
        let ground = project.ground();
        let few = Bounds { files: 10, ..Bounds::command() };
        assert!(matches!(tree_of(&ground, &[], &few), Tree::TooMuch { .. }));
        let little = Bounds { bytes: 250_000, ..Bounds::command() };
        assert!(matches!(tree_of(&ground, &[], &little), Tree::TooMuch { .. }));
        let last = (0..4).map(|_| {
            std::thread::sleep(crate::tree_cache::RACY);
            tree_of(&ground, &[], &little)
        });
        assert!(last.into_iter().any(|tree| tree.hash().is_some()));
    }

    #[test]
    fn changes_are_told_from_what_does_not_count() {
        let project = Project::new();
        let ground = project.ground();
        let list = |files: &[&str]| files.iter().map(|file| (*file).to_owned()).collect::<Vec<_>>();
        for (files, path, expected) in [
            (&["src/**"][..], "src/a.rs", true),
            (&["src/**"], "docs/a.md", false),
            (&[], "docs/a.md", true),
            (&[], "target/debug/a", false),
            (&[], "target", false),
            (&[], ".agent/features/feature-list.json", false),
            (&["src", "!src/gen"], "src/gen/a.rs", false),
            (&[], "a.pyc", false),
            (&["*.rs"], "src/deep/a.rs", true),
            (&["./*.rs"], "src/deep/a.rs", false),
            (&["target"], "target/a.rs", true),
            (&["*.rs", "target/keep"], "target/keep", true),
            (&["*.rs", "target/keep"], "target/debug/a.rs", false),
        ] {
            assert_eq!(holds(&ground, &list(files), path), expected, "{files:?} {path}");
        }
        for (files, path, expected) in [
            (&["src/**"][..], "src", true),
            (&["src/a/**"], "src", true),
            (&["src/**"], "src/a/*.rs", true),
            (&["src/**"], "docs", false),
            (&["src/**"], "", true),
            (&[], "docs/*", true),
            (&[], "target", false),
            (&["target"], "target", true),
            (&["*.rs"], "src", true),
            (&["./*.rs"], "src", false),
        ] {
            assert_eq!(may_hold_below(&list(files), path), expected, "{files:?} {path}");
        }
    }
}
