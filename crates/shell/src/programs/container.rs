//! Commands in a container or on another machine: the program is reported as run, and what it does to a mounted folder is
//! reported for the folder on this machine.

use stead_model::{Gap, How, Op, Target};

use crate::effect::Record;
use crate::programs::interpreter::apart;
use crate::programs::table::{self, Given, Program};
use crate::walk::program::{self, Reach, brief, program_name, readable};
use crate::walk::unknown_name;
use crate::walk::{Call, Stop, Walk};

/// A mounted folder, and its path in the container.
struct Mount {
    ours: String,
    theirs: String,
    read_only: bool,
}

/// What is run where.
struct Inner<'a> {
    /// The image or service, whose own program may take the words.
    image: Option<&'a str>,
    /// The program that takes the words instead.
    entry: Option<&'a str>,
    words: &'a [String],
    mounts: Vec<Mount>,
    folder: Option<&'a str>,
    /// Another shell reads the words, on another machine.
    is_remote: bool,
}

/// Reports what a command does in its container.
pub(crate) fn note(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<(), Stop> {
    let Some(inner) = read(walk, name, call.argv) else { return Ok(()) };
    let mut words = inner.words.to_vec();
    if let Some(entry) = inner.entry {
        words.insert(0, entry.to_owned());
    } else if let Some(image) = inner.image.filter(|_| !words.first().is_some_and(|word| is_program(word))) {
        // An image with the name of a program gets the words itself.
        let last = image.rsplit('/').next().unwrap_or_default().split([':', '@']).next().unwrap_or_default();
        let mut own = vec![last.to_owned()];
        own.extend(words.iter().cloned());
        walk.runs(&own);
    }
    if words.is_empty() {
        return Ok(());
    }
    within(walk, call, &inner, &words)
}

/// Walks the command as if it ran here, and keeps the programs it runs and its effects on mounted folders.
fn within(walk: &mut Walk<'_>, call: &Call<'_>, inner: &Inner<'_>, words: &[String]) -> Result<(), Stop> {
    let folder = inner.folder.map_or_else(|| "/".to_owned(), |folder| ours(&inner.mounts, folder));
    let cwds = std::mem::replace(&mut walk.cwds, vec![folder]);
    let outer = std::mem::take(&mut walk.report.record);
    let (known, aliases, printed) = (walk.variables.len(), walk.aliases.len(), walk.printed.take());
    let files = walk.files.len();
    let result = match inner.is_remote {
        true => apart(walk, call, |walk| walk.text(&words.join(" "))),
        false => program::judge(walk, &Call { argv: words, texts: &[], feed: call.feed, has_file: false }),
    };
    walk.cwds = cwds;
    walk.variables.truncate(known);
    walk.aliases.truncate(aliases);
    walk.files.truncate(files);
    walk.printed = printed;
    let told: Record = std::mem::replace(&mut walk.report.record, outer);
    let shown = brief(call.argv);
    let told = told.finish(stead_model::Coverage::Full);
    if told.gave_up {
        walk.give_up();
    }
    for effect in told.list {
        match effect.op {
            Op::Run { argv, .. } => walk.runs(&argv),
            Op::Read { target, access } => {
                if let Some((path, _)) = place(inner, &target) {
                    walk.accesses(&path, target.tree, access, &shown);
                }
            }
            Op::Write { target, how, content } => {
                if let Some((path, false)) = place(inner, &target) {
                    walk.note_write(&path, how, target.tree, content, &shown);
                }
            }
            Op::Delete(target) => {
                if let Some((path, false)) = place(inner, &target) {
                    walk.removes(&path, if target.tree { Reach::Deep } else { Reach::Flat }, &shown);
                }
            }
            Op::Rename { from, to } => match (place(inner, &from), place(inner, &to)) {
                (Some((from, false)), Some((to, false))) => walk.note_move(&from, &to, &shown),
                (Some((from, false)), None) => walk.removes(&from, Reach::Deep, &shown),
                (None, Some((to, false))) => {
                    walk.note_write(&to, How::Replace, false, stead_model::Content::Unknown, &shown);
                }
                _ => {}
            },
            Op::Git(git) => {
                if inner.folder.is_some_and(|folder| inner.mounts.iter().any(|mount| mount.below(folder).is_some())) {
                    walk.does_git(&git.verb, git.kind, &shown);
                }
            }
            op @ Op::Stead(_) => walk.tell(op, &shown),
            op @ Op::Sql { .. } => walk.tell(op, &shown),
            op @ Op::RunDownload { .. } if inner.is_remote => walk.tell(op, &shown),
            Op::Network { .. } | Op::RunDownload { .. } | Op::Mcp { .. } | Op::Spawn { .. } => {}
        }
    }
    for gap in told.gaps {
        let paths = gap.paths.into_iter().filter_map(|target| {
            let (path, fixed) = place(inner, &target)?;
            (!fixed).then(|| Target { path: readable(&path), ..target })
        });
        let run = walk.run;
        walk.report.record.gap_in(Gap { part: shown.clone(), paths: paths.collect(), run, ..gap });
    }
    result
}

impl Mount {
    /// The rest of a path of theirs that lies in the mount.
    fn below<'p>(&self, path: &'p str) -> Option<&'p str> {
        below(path, &self.theirs)
    }
}

fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A path of theirs as it is called here.
fn ours(mounts: &[Mount], path: &str) -> String {
    let mount = mounts.iter().filter_map(|mount| Some((mount, mount.below(path)?)));
    match mount.max_by_key(|(mount, _)| mount.theirs.len()) {
        Some((mount, "")) => mount.ours.clone(),
        Some((mount, rest)) => format!("{}{rest}", mount.ours.trim_end_matches('/')),
        None => path.to_owned(),
    }
}

/// Where a target lies here, with signs for its patterns, and whether it may only be read; `None` for what stays in the
/// container.
fn place(inner: &Inner<'_>, target: &Target) -> Option<(String, bool)> {
    let mount = inner.mounts.iter().filter(|mount| mount.below(&target.path).is_some());
    let found = mount.max_by_key(|mount| mount.theirs.len());
    // Relative paths were seen from our side already.
    let at_home = || inner.mounts.iter().find(|mount| below(&target.path, &mount.ours).is_some());
    let (path, read_only) = match (found, at_home()) {
        (Some(mount), _) => (ours(&inner.mounts, &target.path), mount.read_only),
        (None, Some(mount)) => (target.path.clone(), mount.read_only),
        (None, None) => return None,
    };
    Some((if target.glob { crate::walk::listing::open(&path) } else { path }, read_only))
}

/// Returns true if a word is rather a program than what an image's own program is given.
fn is_program(word: &str) -> bool {
    let name = program_name(word);
    word.starts_with('/')
        || unknown_name::is_telling(&name)
        || table::is_read_only(&name)
        || table::is_interpreter(&name)
}

/// Takes a call apart; `None` if it runs nothing.
fn read<'a>(walk: &Walk<'_>, name: &str, argv: &'a [String]) -> Option<Inner<'a>> {
    let program = Program::of_call(name, argv).filter(Program::runs_words)?;
    let given = Given::read(&program, argv);
    let image = given.words.get(program.verbs).copied().filter(|_| program.has_word("image"));
    let words = given.inner.strip_prefix(&["--".to_owned()][..]).unwrap_or(given.inner);
    let folder = given.values("chdir").last();
    let entry = given.values("entrypoint").last();
    let runs = image.is_some() || entry.is_some() || !words.is_empty();
    let is_remote = program.has_word("run-text");
    runs.then(|| Inner { image, entry, words, mounts: mounts(walk, &given), folder, is_remote })
}

fn mounts(walk: &Walk<'_>, given: &Given<'_>) -> Vec<Mount> {
    let mut mounts = Vec::new();
    let mut add = |ours: &str, theirs: &str, read_only: bool| {
        // A name without a slash is a volume, not a folder of ours.
        let folder = ours.starts_with(['/', '~', '.']);
        let path = walk.paths(ours).into_iter().next().flatten();
        if let Some(path) = path.filter(|_| folder && theirs.starts_with('/')) {
            mounts.push(Mount { ours: path.to_string_lossy().into_owned(), theirs: theirs.to_owned(), read_only });
        }
    };
    for value in given.values("volume") {
        let mut parts = value.split(':');
        if let (Some(ours), Some(theirs)) = (parts.next(), parts.next()) {
            add(ours, theirs, parts.next().is_some_and(|mode| mode.split(',').any(|word| word == "ro")));
        }
    }
    for value in given.values("mount") {
        let field = |names: &[&str]| {
            value
                .split(',')
                .filter_map(|part| part.split_once('='))
                .find(|(name, _)| names.contains(name))
                .map(|(_, v)| v)
        };
        if let (Some(ours), Some(theirs)) = (field(&["source", "src"]), field(&["target", "destination", "dst"])) {
            add(ours, theirs, value.split(',').any(|part| matches!(part, "readonly" | "ro" | "readonly=true")));
        }
    }
    mounts
}
