//! What the walk reports to the action record: operations and gaps.

use std::path::{Path, PathBuf};

use stead_model::{Access, Content, Gap, GitKind, GitOp, How, Op, Run, RunOutput, Target, Untracked};

use crate::effect::{Ground, Last, Record};
use crate::glob;
use crate::path::absolute;

use crate::parse::syntax::{Output, mark};
use crate::walk::Walk;
use crate::walk::program::{Reach, brief, candidates, program_name, readable};

/// The largest file that is read because a command uses its text.
const FILE: usize = 256 * 1024;
/// Files that are read for one call.
const FILES: usize = 24;
/// Files whose new text is remembered.
const WRITTEN: usize = 256;
/// The maximum number of words of one program that are recorded.
const WORDS: usize = 1_000;
/// Programs whose variables are told, and programs that are told at all.
const RUNS: usize = 64;
const MOST_RUNS: usize = 1_024;
/// The maximum length of a word that is taken for a path.
const LONGEST: usize = 4_096;

/// The action record, and where its paths are resolved.
pub(crate) struct Report<'r> {
    pub(crate) record: Record,
    pub(crate) ground: Ground<'r>,
}

/// What a command wrote into a file.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    /// Its whole content.
    Text(String),
    /// Text appended to its earlier content.
    Added(String),
    Unknown,
    /// Something that this command downloaded.
    Downloaded,
}

impl Walk<'_> {
    /// Reports that a file is written.
    pub(crate) fn writes(&mut self, word: &str, how: How, content: Content, shown: &str) {
        self.note_write(word, how, false, content, shown);
    }

    /// Reports that files appear in a folder, or change somewhere below it.
    pub(crate) fn writes_into(&mut self, word: &str, shown: &str) {
        self.note_write(word, How::Into, true, Content::Unknown, shown);
    }

    /// Reports that a file, or all in a folder, is written.
    pub(crate) fn note_write(&mut self, word: &str, how: How, tree: bool, content: Content, shown: &str) {
        let content = known(content);
        // Something new in the project root can be anywhere in it.
        let how = if how == How::Into && tree && self.is_wide(word) { How::Somewhere } else { how };
        if how == How::Somewhere && tree {
            self.note_gap(shown, "which files it changes is not known");
        }
        self.doubt(word, shown);
        self.remember(word, how, &content);
        let last = if how == How::Link { Last::Kept } else { Last::Followed };
        for target in self.targets(word, last, tree, shown) {
            self.tell(Op::Write { target, how, content: content.clone() }, shown);
        }
    }

    /// Records the file that a redirection wrote, with what was printed into it.
    pub(crate) fn redirected(&mut self, word: &str, kind: Output, text: Option<&str>, shown: &str) {
        let how = match kind {
            Output::Append => How::Append,
            Output::Replace | Output::Other => How::Replace,
        };
        let content = match (kind, text) {
            (Output::Replace | Output::Append, Some(text)) => Content::Text(text.to_owned()),
            _ => Content::Unknown,
        };
        self.note_write(word, how, false, content, shown);
    }

    /// Reports a deletion.
    pub(crate) fn removes(&mut self, word: &str, reach: Reach, shown: &str) {
        self.doubt(word, shown);
        self.remember(word, How::Replace, &Content::Unknown);
        for target in self.targets(word, Last::Kept, reach == Reach::Deep, shown) {
            self.tell(Op::Delete(target), shown);
        }
    }

    /// What a program in another language changes under a name that is not known may be anything that it names.
    fn doubt(&mut self, word: &str, shown: &str) {
        if !self.given.codes.is_empty() && word.contains(mark::UNKNOWN) {
            self.gap(shown, "part of a path is not known");
        }
    }

    /// Records a rename.
    pub(crate) fn note_move(&mut self, from: &str, to: &str, shown: &str) {
        self.doubt(from, shown);
        self.doubt(to, shown);
        let added = matches!(self.written(from), Some(Written::Added(_)));
        let downloaded = self.is_download(from);
        let text = if added { self.file_text(from) } else { self.written_text(from) };
        if self.made_folder(from) {
            self.makes_folder(to);
        }
        self.remember(from, How::Replace, &Content::Unknown);
        match text {
            Some(text) => self.remember(to, How::Replace, &Content::Text(text)),
            None if downloaded => self.saves_download(to),
            None => self.remember(to, How::Replace, &Content::Unknown),
        }
        // What does not exist yet was created by this command: by `mkdir` if it is a folder.
        let folder = self.is_folder(from).unwrap_or_else(|| from.ends_with('/') || self.made_folder(from));
        let targets = self.targets(to, Last::Kept, folder, shown);
        let sources = self.targets(from, Last::Kept, folder, shown);
        for from in &sources {
            for to in &targets {
                self.tell(Op::Rename { from: from.clone(), to: to.clone() }, shown);
            }
        }
        // If only one end is known, something still appears there or is removed there.
        if sources.is_empty() {
            for target in targets {
                self.tell(Op::Write { target, how: How::Replace, content: Content::Unknown }, shown);
            }
        } else if targets.is_empty() {
            for source in sources {
                self.tell(Op::Delete(source), shown);
            }
        }
    }

    /// Records that a file is read and shown.
    pub(crate) fn reads(&mut self, word: &str, tree: bool, shown: &str) {
        self.accesses(word, tree, Access::Shown, shown);
    }

    /// Records that a file is read in some way.
    pub(crate) fn accesses(&mut self, word: &str, tree: bool, access: Access, shown: &str) {
        if is_device(word) {
            return;
        }
        let tree = tree && self.is_folder(word).unwrap_or_else(|| looks_like_folder(word));
        let mut targets = self.targets(word, Last::Followed, tree, shown);
        if let Some(origin) = self.origin(word) {
            targets.extend(self.targets_of(&origin, Last::Followed, tree, shown));
        }
        for target in targets {
            self.tell(Op::Read { target, access }, shown);
        }
    }

    /// Records a program with its words.
    pub(crate) fn runs(&mut self, argv: &[String]) {
        let words: Vec<String> = argv.iter().take(WORDS).map(|word| readable(word)).collect();
        let dir = self.cwds.first().map(|cwd| readable(cwd)).unwrap_or_default();
        let shown = brief(&words);
        if argv.len() > WORDS {
            self.gap(&shown, "it has too many words");
        }
        let placed = self.report.record.place(Op::Run { argv: words, dir }, &readable(&shown));
        let Some(effect) = placed else { return };
        let noted = self.report.record.runs_noted();
        let many = noted >= RUNS;
        let run = Run {
            effect,
            by: self.run,
            hidden: self.outcome.ends,
            output: self.outcome.output,
            passes_on: self.outcome.passes_on,
            elsewhere: self.cwds.len() > 1,
            env: if many { Vec::new() } else { self.environment() },
            cleared: self.cleared.iter().map(|name| readable(name)).collect(),
            doubt: self.doubts.first().cloned().or_else(|| many.then(|| "the call runs too many programs".to_owned())),
        };
        if noted < MOST_RUNS {
            self.run = Some(self.report.record.push_run(run));
        }
        if self.outcome.output == RunOutput::Captured {
            self.captured = argv.first().map(|first| program_name(first));
        }
    }

    /// Records what git does beyond reading.
    pub(crate) fn does_git(&mut self, verb: &str, kind: GitKind, shown: &str) {
        self.tell_git(verb, kind, None, shown);
    }

    fn tell_git(&mut self, verb: &str, kind: GitKind, untracked: Option<Untracked>, shown: &str) {
        let dir = self.cwds.first().map(|cwd| readable(cwd)).unwrap_or_default();
        self.tell(Op::Git(GitOp { verb: verb.to_owned(), kind, dir, untracked }), shown);
    }

    /// Records that git removes the untracked files below a folder.
    pub(crate) fn takes_untracked(&mut self, verb: &str, kind: GitKind, folder: &str, ignored: bool, shown: &str) {
        let target = self.targets(folder, Last::Followed, true, shown).into_iter().next();
        self.tell_git(verb, kind, target.map(|target| Untracked { target, ignored }), shown);
    }

    /// Records a network connection.
    pub(crate) fn calls_out(&mut self, program: &str, host: Option<String>, shown: &str) {
        self.tell(Op::Network { program: program.to_owned(), host }, shown);
    }

    /// Records that a part was too long or too deeply nested to read.
    pub(crate) fn give_up(&mut self) {
        self.report.record.give_up("a part is too long or too deeply nested to read");
    }

    /// Records a gap, with what the current program is given.
    pub(crate) fn gap(&mut self, what: &str, why: &str) {
        self.gap_with(what, why, Vec::new());
    }

    /// Records a gap about a recorded effect: what the program is given is already known.
    fn note_gap(&mut self, what: &str, why: &str) {
        let part = readable(what);
        self.report.record.gap_in(Gap { part, why: why.to_owned(), run: self.run, is_listed: true, ..Gap::default() });
    }

    /// Records that a program does what is typed into it.
    pub(crate) fn gap_typed(&mut self, what: &str) {
        let part = readable(what).chars().take(100).collect();
        let why = "what is typed into it is not known".to_owned();
        self.report.record.gap_in(Gap { part, why, run: self.run, is_typed: true, ..Gap::default() });
    }

    /// Records a gap for a text that a program is given or runs.
    pub(crate) fn gap_with(&mut self, what: &str, why: &str, texts: Vec<String>) {
        let part: String = readable(what).chars().take(100).collect();
        let given = self.given.clone();
        let words =
            given.words.iter().flat_map(|word| candidates(word)).chain(given.assigned.iter().map(String::as_str));
        // A program in another language sees the variables that this command set.
        let variables = self.variables.iter().filter(|_| !given.codes.is_empty()).flat_map(|(_, values)| values);
        let words = words.chain(variables.map(String::as_str));
        let paths = words.flat_map(|word| self.named(word)).collect();
        let texts = given.codes.iter().cloned().chain(texts).map(|text| readable(&text)).collect();
        let (why, run) = (why.to_owned(), self.run);
        self.report.record.gap_in(Gap { part, why, paths, texts, run, ..Gap::default() });
    }

    /// The paths that a word may name, without reading the disk. A completely unknown word names none.
    fn named(&self, word: &str) -> Vec<Target> {
        let unknown = |c: char| matches!(c, mark::UNKNOWN | mark::FETCHED | '/');
        if word.is_empty() || word.len() > LONGEST || is_device(word) || word.chars().all(unknown) {
            return Vec::new();
        }
        let ground = &self.report.ground;
        let paths = self.paths(word).into_iter().zip(&self.cwds);
        let target = |(path, cwd): (Option<PathBuf>, &String)| match path {
            Some(path) if glob::is_open(word) => Some(ground.open(&signs(&path))),
            Some(path) => Some(ground.lexical(&path)),
            None => self.guess(cwd, word),
        };
        paths.filter_map(target).collect()
    }

    pub(crate) fn tell(&mut self, op: Op, shown: &str) {
        self.report.record.push(op, &readable(shown));
    }

    /// Makes a word absolute, once for each folder the command may be in. `None` if part of it is unknown.
    pub(crate) fn paths(&self, word: &str) -> Vec<Option<PathBuf>> {
        let rooted = word.starts_with(['/', '~']);
        let path = |cwd: &String| {
            let known = !word.contains(mark::UNKNOWN) && (rooted || !cwd.contains(mark::UNKNOWN));
            known.then(|| absolute(word, Path::new(cwd), self.home()))
        };
        self.cwds.iter().map(path).collect()
    }

    /// Returns true if a word names a folder; `None` if that is unknown.
    pub(crate) fn is_folder(&self, word: &str) -> Option<bool> {
        if word.contains(mark::is_mark) || word.len() > LONGEST {
            return None;
        }
        self.report.ground.is_folder(&self.paths(word).into_iter().next()??)
    }

    /// Returns true if this command made a folder of that name.
    fn made_folder(&self, word: &str) -> bool {
        let path = self.paths(word).into_iter().next().flatten();
        path.is_some_and(|path| self.folders.contains(&path.to_string_lossy().into_owned()))
    }

    /// Remembers a folder that this command makes.
    pub(crate) fn makes_folder(&mut self, word: &str) {
        if self.folders.len() < WRITTEN && !word.contains(mark::is_mark) {
            let paths = self.paths(word).into_iter().flatten().map(|path| path.to_string_lossy().into_owned());
            self.folders.extend(paths.collect::<Vec<_>>());
        }
    }

    /// Remembers that this command makes a folder another tree of the project.
    pub(crate) fn makes_tree(&self, word: &str) {
        self.paths(word).into_iter().flatten().for_each(|path| self.report.ground.makes_tree(path));
    }

    /// Remembers that a folder becomes another tree of the project, if what is copied there is one.
    pub(crate) fn copies_tree(&self, source: &str, to: &str) {
        let ground = &self.report.ground;
        if self.paths(source).iter().flatten().any(|path| ground.root_of(path).as_ref() == Some(path)) {
            self.makes_tree(to);
        }
    }

    /// Returns true if a word names the project's root or a folder above it.
    pub(crate) fn is_wide(&self, word: &str) -> bool {
        let paths = self.paths(word);
        let mut roots = self.root().into_iter().chain(self.place.tree);
        roots.any(|root| paths.iter().flatten().any(|path| root.starts_with(path)))
    }

    /// The targets a word means; a link that this command made is followed.
    fn targets(&mut self, word: &str, last: Last, tree: bool, shown: &str) -> Vec<Target> {
        let (word, except) = self.without_sign(word);
        let mut targets = self.targets_of(&word, last, tree, shown);
        if let Some(real) = self.followed(&word, last) {
            targets.extend(self.targets_of(&real, last, tree, shown));
        }
        if !except.is_empty() {
            let wide = targets.iter_mut().filter(|target| target.tree || target.glob);
            wide.for_each(|target| target.except.clone_from(&except));
        }
        targets
    }

    /// The targets a word means, in every folder the command may be in.
    fn targets_of(&mut self, word: &str, last: Last, tree: bool, shown: &str) -> Vec<Target> {
        if word.is_empty() || word == "-" || is_device(word) {
            return Vec::new();
        }
        if word.len() > LONGEST {
            self.gap(shown, "a path is too long");
            return Vec::new();
        }
        if self.report.record.is_full() {
            self.report.record.give_up("there are more effects than are told");
            return Vec::new();
        }
        let mut targets = Vec::new();
        for (path, cwd) in self.paths(word).into_iter().zip(self.cwds.clone()) {
            match path {
                Some(path) if glob::is_open(word) => {
                    targets.push(self.report.ground.open(&signs(&path)));
                    // Some of all files: those that contain a text, or differ.
                    if word.chars().eq([mark::MANY; 2]) {
                        self.note_gap(shown, "which files are meant is not known");
                    }
                }
                Some(path) => targets.extend(self.report.ground.targets(&path, last)),
                None => {
                    targets.extend(self.guess(&cwd, word));
                    self.note_gap(shown, "part of a path is not known");
                }
            }
        }
        targets.into_iter().map(|target| Target { tree, ..target }).collect()
    }

    /// The path that a word of which a part is unknown may mean.
    fn guess(&self, cwd: &str, word: &str) -> Option<Target> {
        let whole = if word.starts_with(['/', '~']) { word.to_owned() } else { format!("{cwd}/{word}") };
        // An unknown prefix is usually the project; the rest of the path is what counts.
        let head = whole.strip_prefix(mark::UNKNOWN).or_else(|| word.strip_prefix(mark::UNKNOWN));
        let path = match head {
            None => absolute(&whole, Path::new("/"), self.home()),
            Some(rest) => {
                let rest = rest.split_once('/').map_or("", |(_, rest)| rest).trim_start_matches("../");
                if rest.chars().all(|c| c == '/' || mark::is_mark(c)) {
                    return None;
                }
                absolute(rest, self.root()?, None)
            }
        };
        Some(Target { guessed: true, ..self.report.ground.open(&signs(&path)) })
    }

    /// Stores the new content of a file for later commands.
    fn remember(&mut self, word: &str, how: How, content: &Content) {
        if self.files.len() >= WRITTEN || word.contains(mark::is_mark) || matches!(how, How::Attributes | How::Link) {
            return;
        }
        for path in self.paths(word).into_iter().flatten() {
            let path = path.to_string_lossy().into_owned();
            let before = self.files.iter().rev().find(|(known, _)| *known == path).map(|(_, text)| text.clone());
            let text = match (content, how) {
                (Content::Text(text), How::Append) => match before {
                    Some(Written::Text(before)) => Written::Text(before + text),
                    Some(Written::Added(before)) => Written::Added(before + text),
                    Some(known @ (Written::Unknown | Written::Downloaded)) => known,
                    None => Written::Added(text.clone()),
                },
                (Content::Text(text), _) => Written::Text(text.clone()),
                (Content::Unknown | Content::Replacements(_), _) => Written::Unknown,
            };
            self.files.push((path, text));
        }
    }

    /// Stores what is known of a file that this command wrote.
    pub(crate) fn remember_as(&mut self, word: &str, written: Written) {
        if self.files.len() < WRITTEN && !word.contains(mark::is_mark) {
            let paths = self.paths(word).into_iter().flatten();
            let files: Vec<_> = paths.map(|path| (path.to_string_lossy().into_owned(), written.clone())).collect();
            self.files.extend(files);
        }
    }

    /// What this command itself wrote into a file, if anything.
    pub(crate) fn written(&self, word: &str) -> Option<&Written> {
        let path = self.paths(word).into_iter().next()??.to_string_lossy().into_owned();
        self.files.iter().rev().find(|(known, _)| *known == path).map(|(_, text)| text)
    }

    /// The whole content of a file after this command wrote it, if known.
    pub(crate) fn written_text(&self, word: &str) -> Option<String> {
        match self.written(word)? {
            Written::Text(text) => Some(text.clone()),
            Written::Added(_) | Written::Unknown | Written::Downloaded => None,
        }
    }

    /// The text of a file in the project or a temporary folder, as it will be when the command reads it.
    pub(crate) fn file_text(&mut self, word: &str) -> Option<String> {
        if word.contains(mark::is_mark) || word.len() > LONGEST {
            return None;
        }
        let added = match self.written(word) {
            Some(Written::Text(text)) => return Some(text.clone()),
            Some(Written::Unknown | Written::Downloaded) => return None,
            Some(Written::Added(text)) => Some(text.clone()),
            None => None,
        };
        let origin = self.origin(word);
        if let Some(text) = origin.as_deref().and_then(|origin| self.written_text(origin)) {
            return Some(text + &added.unwrap_or_default());
        }
        let path = self.paths(origin.as_deref().unwrap_or(word)).into_iter().next()??;
        if self.scripts >= FILES || !self.is_near(&path) {
            return None;
        }
        self.scripts += 1;
        match (self.facts.read(&path), added) {
            (text, None) => text.filter(|text| text.len() <= FILE),
            (Some(text), Some(added)) => Some(text + &added).filter(|text| text.len() <= FILE),
            // A file that does not exist yet starts with the appended text.
            (None, added) => added.filter(|_| self.facts.is_folder(&path).is_none()),
        }
    }

    /// Returns true if a file is in the project or a temporary folder.
    pub(crate) fn is_near(&self, path: &Path) -> bool {
        let temporary = ["TMPDIR", "TEMP", "TMP"].iter().filter_map(|name| (self.place.env)(name)).map(PathBuf::from);
        let mut folders = temporary.chain(["/tmp", "/var/tmp", "/private/tmp"].map(PathBuf::from));
        self.root().is_some_and(|root| path.starts_with(root))
            || folders.any(|folder| folder.is_absolute() && path.starts_with(folder))
    }
}

/// Says by its name alone whether a word is a folder.
pub(crate) fn looks_like_folder(word: &str) -> bool {
    word.ends_with('/') || matches!(word, "." | "..") || !word.rsplit('/').next().is_some_and(|name| name.contains('.'))
}

/// A text with a part that is unknown is unknown.
fn known(content: Content) -> Content {
    match content {
        Content::Text(text) if text.contains(mark::is_mark) => Content::Unknown,
        other => other,
    }
}

/// Paths such as `/dev/null` that are not regular files.
fn is_device(word: &str) -> bool {
    word.strip_prefix("/dev/").is_some_and(|name| {
        matches!(name, "null" | "stdin" | "stdout" | "stderr" | "tty" | "zero" | "full" | "random" | "urandom")
            || name.starts_with("fd/")
            || name.starts_with("tcp/")
            || name.starts_with("udp/")
    })
}

/// Formats a path with its wildcards.
fn signs(path: &Path) -> PathBuf {
    let text: String = path
        .to_string_lossy()
        .chars()
        .filter(|c| *c != mark::FETCHED)
        .map(|c| match c {
            mark::ONE => '?',
            c if mark::is_mark(c) => '*',
            c => c,
        })
        .collect();
    PathBuf::from(text)
}
