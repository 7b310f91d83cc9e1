//! What a run leaned on besides the code that it tests: the files that tell its runner what to run, and its program if
//! that lies in the project. Whoever writes these decides what a green run means.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stead_model::{Effects, Op};
use stead_store::{read_capped, real_path, sha256};

use crate::definition::{Definition, INTERPRETERS, definitions};
use crate::named_file::is_generated_folder;
use crate::runner::{Tools, recognise};
use crate::{Bounds, Ground, Who};

/// How many files a record lists.
const MOST: usize = 48;

/// How large such a file may be, and how many folder entries are looked at for it.
const LARGEST: usize = 4 * 1024 * 1024;
const ENTRIES: usize = 10_000;

/// A file that a run leaned on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaned {
    /// Below the project's root.
    pub path: String,
    pub sha256: String,
    /// The session or run that made the evidence had written it before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_session: bool,
}

/// Of these paths below the root, those that a session or run wrote.
pub type Wrote<'a> = &'a dyn Fn(&Who, &[&str]) -> Vec<String>;

impl Leaned {
    /// The path, and that the session wrote it.
    pub fn describe(&self) -> String {
        if self.by_session { format!("{} (changed in this session)", self.path) } else { self.path.clone() }
    }

    /// Returns true if the file is another one now.
    pub fn has_changed(&self, ground: &Ground) -> bool {
        hash(&ground.root.join(&self.path)).as_ref() != Some(&self.sha256)
    }

    /// Names the files that the session wrote; `None` if it wrote none of them.
    pub fn note<'a>(all: impl IntoIterator<Item = &'a Self>) -> Option<String> {
        let own: BTreeSet<String> = all.into_iter().filter(|file| file.by_session).map(Self::describe).collect();
        (!own.is_empty()).then(|| format!("leaned on: {}", own.into_iter().collect::<Vec<_>>().join(", ")))
    }
}

/// Lists what the programs of a call leaned on, in order of the paths.
pub(crate) fn leaned(
    ground: &Ground,
    effects: &Effects,
    who: &Who,
    wrote: Wrote<'_>,
    bounds: &Bounds<'_>,
) -> Vec<Leaned> {
    let mut found = Found { root: &ground.root, bounds, files: BTreeSet::new(), seen: 0 };
    for run in &effects.runs {
        let Some(Op::Run { argv, dir, .. }) = effects.list.get(run.effect).map(|effect| &effect.op) else { continue };
        if argv.is_empty() || run.elsewhere || dir.contains('…') {
            continue;
        }
        found.take_run(argv, &stead_model::clean(Path::new(dir)), Tools::of(&ground.root));
    }
    let files = found.files.into_iter().take(MOST);
    let mut files: Vec<Leaned> = files
        .filter_map(|path| Some(Leaned { sha256: hash(&ground.root.join(&path))?, path, by_session: false }))
        .collect();
    if files.is_empty() {
        return files;
    }
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let written = wrote(who, &paths);
    for file in &mut files {
        file.by_session = written.contains(&file.path);
    }
    files
}

fn hash(path: &Path) -> Option<String> {
    read_capped(path, LARGEST).ok()?.map(sha256)
}

struct Found<'a> {
    root: &'a Path,
    bounds: &'a Bounds<'a>,
    /// Below the root.
    files: BTreeSet<String>,
    seen: usize,
}

impl Found<'_> {
    fn take_run(&mut self, argv: &[String], dir: &Path, tools: Tools<'_>) {
        let program = base(&argv[0]);
        if argv[0].contains(['/', '\\']) {
            self.take(&dir.join(&argv[0]));
        }
        let words = &argv[1..];
        if is_interpreter(program) {
            words.iter().filter(|word| !word.starts_with('-')).for_each(|word| self.take(&dir.join(word)));
            if let Some(module) = words.iter().position(|word| word == "-m").and_then(|at| words.get(at + 1)) {
                let path = dir.join(module.replace('.', "/"));
                self.take(&path.with_extension("py"));
                self.take(&path.join("__main__.py"));
            }
        }
        let runner = recognise(argv, tools).map_or("", |run| run.runner);
        for row in definitions(program, runner) {
            self.take_definition(row, words, dir);
        }
    }

    fn take_definition(&mut self, row: &Definition, words: &[String], dir: &Path) {
        let mut starts = vec![dir.to_owned()];
        starts.extend(values(words, row.folders).map(|folder| dir.join(folder)));
        for file in values(words, row.flags) {
            self.take(&dir.join(file));
        }
        for start in starts {
            let start = stead_model::clean(&start);
            if self.inside(&start).is_none() {
                continue;
            }
            let folders: Vec<&Path> = start.ancestors().take_while(|folder| self.inside(folder).is_some()).collect();
            for folder in folders {
                row.files.iter().for_each(|name| self.take_named(folder, name));
            }
            if !row.below.is_empty() {
                self.search_below(&start, row.below);
            }
        }
    }

    /// A file by its name in a folder; one `*` in it stands for any text.
    fn take_named(&mut self, folder: &Path, name: &str) {
        let Some((start, end)) = name.split_once('*') else { return self.take(&folder.join(name)) };
        let (inner, start) = start.rsplit_once('/').unwrap_or(("", start));
        let folder = if inner.is_empty() { folder.to_owned() } else { folder.join(inner) };
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten().take(ENTRIES) {
            let name = entry.file_name();
            let is_it =
                |name: &str| name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end);
            if name.to_str().is_some_and(is_it) {
                self.take(&entry.path());
            }
        }
    }

    /// Files of these names in any folder below; generated and hidden folders are left out.
    fn search_below(&mut self, start: &Path, names: &[&str]) {
        let mut open = vec![start.to_owned()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                self.seen += 1;
                if self.seen > ENTRIES || self.seen.is_multiple_of(512) && !(self.bounds.go_on)() {
                    return;
                }
                let name = entry.file_name();
                let Some(name) = name.to_str() else { continue };
                if names.contains(&name) {
                    self.take(&entry.path());
                } else if entry.file_type().is_ok_and(|kind| kind.is_dir())
                    && !name.starts_with('.')
                    && !is_generated_folder(name)
                {
                    open.push(entry.path());
                }
            }
        }
    }

    fn take(&mut self, path: &Path) {
        let path = stead_model::clean(path);
        let Some(inside) = self.inside(&path).filter(|inside| !inside.is_empty()) else { return };
        if fs::metadata(&path).is_ok_and(|data| data.is_file()) {
            self.files.insert(inside);
        }
    }

    /// The path below the root, which a link may spell differently.
    fn inside(&self, path: &Path) -> Option<String> {
        let below = path.strip_prefix(self.root).ok().map(Path::to_owned);
        let real = || -> Option<PathBuf> {
            let (folder, name) = if path.is_dir() { (path, None) } else { (path.parent()?, path.file_name()) };
            let folder = real_path(folder).ok()?.strip_prefix(real_path(self.root).ok()?).ok()?.to_owned();
            Some(name.map_or(folder.clone(), |name| folder.join(name)))
        };
        Some(below.or_else(real)?.to_string_lossy().replace('\\', "/"))
    }
}

/// The values of these flags, as the next word or behind `=`.
fn values<'a>(words: &'a [String], flags: &'a [&str]) -> impl Iterator<Item = &'a str> {
    words.iter().enumerate().filter_map(move |(at, word)| match word.split_once('=') {
        Some((flag, value)) if flags.contains(&flag) => Some(value),
        _ if flags.contains(&word.as_str()) => words.get(at + 1).map(String::as_str),
        _ => None,
    })
}

fn base(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

/// Programs that run the file that they are given. Versions in the name make no difference.
fn is_interpreter(program: &str) -> bool {
    let bare = program.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
    INTERPRETERS.contains(&program) || INTERPRETERS.contains(&bare)
}

#[cfg(test)]
mod tests;
