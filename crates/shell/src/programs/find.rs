//! `find` and `fd`: searches that may act on what they find.

use stead_model::{Content, How, ITSELF};

use crate::glob;

use crate::programs::table;
use crate::walk::listing;
use crate::walk::program::{self, Reach, brief, program_name};
use crate::walk::{Call, Stop, Walk};

/// Follows a search.
pub(crate) fn judge(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<(), Stop> {
    if name.starts_with("fd") {
        return fd(walk, call);
    }
    let search = Search::read(call.argv);
    let shown = brief(call.argv);
    for target in &search.outputs {
        walk.writes(target, How::Replace, Content::Unknown, &shown);
    }
    let mut found = search.patterns();
    let except = search.left_out.iter().filter_map(|pattern| walk.left_out(pattern)).collect();
    if let Some(sign) = walk.sign(except) {
        found.iter_mut().for_each(|pattern| pattern.push(sign));
    }
    let all = search.written.is_empty() && search.paths.is_empty() && !search.shallow && search.excluded.is_empty();
    let (gone, reach) = if all { (&search.starts, Reach::Deep) } else { (&found, Reach::Flat) };
    for pattern in gone.iter().filter(|_| search.deletes && !search.empty_folders) {
        walk.removes(pattern, reach, &shown);
    }
    for command in &search.commands {
        let first = command.first().map(|first| program_name(first)).unwrap_or_default();
        if all && table::is_remover(&first) {
            walk.runs(command);
            search.starts.iter().for_each(|start| walk.removes(start, Reach::Deep, &shown));
            continue;
        }
        for pattern in &found {
            let filled: Vec<String> = command.iter().map(|word| word.replace("{}", pattern)).collect();
            program::judge(walk, &Call { argv: &filled, ..*call })?;
        }
    }
    Ok(())
}

/// The maximum number of starting points and names; a search with more is reported by its starting points.
const PATTERNS: usize = 16;

/// What a `find` call says.
#[derive(Default)]
pub(crate) struct Search {
    starts: Vec<String>,
    /// Patterns the path must match.
    paths: Vec<String>,
    /// The patterns of the name as they were written.
    written: Vec<String>,
    /// What is skipped.
    excluded: String,
    /// The same as patterns, where all that is meant is known to be left out.
    left_out: Vec<String>,
    /// What the tests of every branch so far leave out.
    omitted: Option<Vec<String>>,
    /// Only folders with nothing in them are meant.
    empty_folders: bool,
    shallow: bool,
    deletes: bool,
    commands: Vec<Vec<String>>,
    outputs: Vec<String>,
}

/// The tests between two `-o`.
#[derive(Default)]
struct Branch {
    names: Vec<String>,
    paths: Vec<String>,
    negated: bool,
    prunes: bool,
    /// What its negated tests leave out.
    omitted: Vec<String>,
    empty: bool,
    folders: bool,
    /// It has tests of which nothing is known here.
    limited: bool,
}

impl Search {
    pub(crate) fn read(argv: &[String]) -> Self {
        let mut search = Self::default();
        let mut words = argv.iter().skip(1).skip_while(|word| matches!(word.as_str(), "-L" | "-H" | "-P")).peekable();
        while let Some(start) = words.next_if(|word| !word.starts_with(['-', '(', '!'])) {
            search.starts.push(start.clone());
        }
        if search.starts.is_empty() {
            search.starts.push(".".to_owned());
        }
        let mut branch = Branch::default();
        let mut alternatives = false;
        while let Some(word) = words.next() {
            match word.as_str() {
                "!" | "-not" => {
                    branch.negated = true;
                    continue;
                }
                "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-regex" => {
                    let value = words.next().cloned().unwrap_or_default();
                    if branch.negated {
                        search.pass_over(&value);
                        branch.omitted.extend(omitted(word, &value, false));
                    } else if matches!(word.as_str(), "-name" | "-iname") {
                        branch.names.push(value);
                    } else {
                        branch.paths.push(value);
                    }
                }
                "-prune" => branch.prunes = true,
                "-empty" => {
                    branch.empty = !branch.negated;
                    branch.limited = true;
                }
                "-type" => branch.folders = words.next().is_some_and(|sort| sort == "d" && !branch.negated),
                "-print" | "-print0" | "-a" | "-and" | "-depth" | "-mount" | "-xdev" => {}
                "-o" | "-or" | "," => {
                    alternatives = true;
                    search.close(std::mem::take(&mut branch));
                }
                "-maxdepth" => search.shallow = words.next().is_some_and(|depth| depth == "1" || depth == "0"),
                "-delete" => search.deletes = true,
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    let command = words.by_ref().take_while(|word| *word != ";" && *word != "+").cloned().collect();
                    search.commands.push(command);
                }
                "-fprint" | "-fprintf" | "-fls" | "-fprint0" => search.outputs.extend(words.next().cloned()),
                test => branch.limited |= test.starts_with('-'),
            }
            branch.negated = false;
        }
        branch.prunes = false;
        search.empty_folders = branch.empty && branch.folders && !alternatives;
        search.close(branch);
        search.left_out.extend(search.omitted.take().unwrap_or_default());
        search
    }

    /// Takes the tests of one branch: what it prunes is skipped, the rest is looked for.
    fn close(&mut self, branch: Branch) {
        if branch.prunes {
            branch.names.iter().chain(&branch.paths).for_each(|value| self.pass_over(value));
            // Of two tests both must hold.
            if branch.limited {
                return;
            }
            if let ([name], []) = (branch.names.as_slice(), branch.paths.as_slice()) {
                self.left_out.extend(omitted("-name", name, true));
            } else if let ([], [path]) = (branch.names.as_slice(), branch.paths.as_slice()) {
                self.left_out.extend(omitted("-path", path, true));
            }
            return;
        }
        // Only what every branch excludes is excluded.
        match &mut self.omitted {
            Some(omitted) => omitted.retain(|pattern| branch.omitted.contains(pattern)),
            None => self.omitted = Some(branch.omitted),
        }
        self.written.extend(branch.names);
        self.paths.extend(branch.paths);
    }

    /// What the search excludes, as patterns.
    pub(crate) fn left_out(self) -> Vec<String> {
        self.left_out
    }

    /// The patterns that cover everything the search may find.
    pub(crate) fn patterns(&self) -> Vec<String> {
        let any = format!("{0}{0}", glob::MANY);
        let mut patterns = Vec::new();
        for start in &self.starts {
            let start = start.trim_end_matches('/').trim_start_matches("./");
            let head = match start {
                "." => String::new(),
                start => format!("{start}/"),
            };
            let deep = if self.shallow { String::new() } else { format!("{any}/") };
            match (self.written.is_empty(), self.paths.is_empty()) {
                // Hidden names are found as well.
                (true, true) if self.shallow => {
                    patterns.extend([format!("{head}{}", glob::MANY), format!("{head}.{}", glob::MANY)]);
                }
                // Twice, it is every file of the project; once, some of them.
                (true, true) if head.is_empty() && self.excluded.is_empty() => patterns.push(format!("{any}/{any}")),
                (true, true) => patterns.push(format!("{head}{any}")),
                (false, _) => {
                    let names = self.written.iter().map(|name| name.chars().map(open).collect::<String>());
                    patterns.extend(names.map(|name| format!("{head}{deep}{name}")));
                }
                (true, false) => {
                    let paths = self.paths.iter().map(|path| path.trim_start_matches("./").replace('*', &any));
                    patterns.extend(paths.map(|path| path.replace(&format!("{any}/{any}"), &any)));
                }
            }
        }
        if patterns.len() > PATTERNS {
            return self.starts.iter().map(|start| format!("{}/{any}", start.trim_end_matches('/'))).collect();
        }
        patterns
    }

    fn pass_over(&mut self, value: &str) {
        self.excluded.push_str(&value.to_lowercase());
        self.excluded.push(' ');
    }
}

/// What a test excludes for certain: a name or a path, with all below where it is pruned.
fn omitted(test: &str, value: &str, pruned: bool) -> Vec<String> {
    let folded = test.starts_with("-i").then(|| value.to_lowercase()).filter(|folded| folded != value);
    folded.iter().map(String::as_str).chain([value]).filter_map(|value| excluded(test, value, pruned)).collect()
}

fn excluded(test: &str, value: &str, pruned: bool) -> Option<String> {
    if test == "-regex" {
        return None;
    }
    // A folder of that name is entered unless it is pruned.
    let itself = if pruned { String::new() } else { ITSELF.to_string() };
    if matches!(test, "-name" | "-iname") {
        return Some(format!("{itself}**/{value}"));
    }
    // `*infra*` holds for every path with such a name in it.
    if let Some(name) = value.strip_prefix('*').and_then(|rest| rest.strip_suffix('*')).filter(|name| !name.is_empty())
        && !name.contains(['*', '/'])
    {
        return Some(format!("**/*{name}*"));
    }
    let (path, itself) = match value.strip_suffix("/*") {
        Some(folder) => (folder, String::new()),
        // A star crosses folders here.
        None if value.ends_with('*') => (value, String::new()),
        None => (value, itself),
    };
    match (path.strip_prefix("*/"), path.strip_prefix('*')) {
        (Some(rest), _) => (!rest.contains('*')).then(|| format!("{itself}**/{rest}")),
        (None, Some(ending)) => (!ending.contains(['*', '/'])).then(|| format!("{itself}**/*{ending}")),
        (None, None) => (!path.trim_end_matches('*').contains('*')).then(|| format!("{itself}{path}")),
    }
}

/// In a pattern of `find` the signs stand for what the shell would fill in.
fn open(c: char) -> char {
    match c {
        '*' => glob::MANY,
        '?' => glob::ONE,
        other => other,
    }
}

/// `fd` skips hidden names by default, so only a named folder counts.
fn fd(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let Some(at) = call.argv.iter().position(|word| matches!(word.as_str(), "-x" | "-X" | "--exec" | "--exec-batch"))
    else {
        return Ok(());
    };
    let command: Vec<String> = call.argv[at + 1..].to_vec();
    let found = listing::of("fd", &call.argv[..at]).unwrap_or_default();
    for pattern in found.lines().take(PATTERNS) {
        let mut filled: Vec<String> = command.iter().map(|word| word.replace("{}", pattern)).collect();
        if filled == command {
            filled.push(pattern.to_owned());
        }
        program::judge(walk, &Call { argv: &filled, ..*call })?;
    }
    Ok(())
}
