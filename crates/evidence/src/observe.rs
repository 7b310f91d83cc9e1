//! What a hook saw: a shell command that is a test or a build, how it ended, what it said. It decides how far that can be
//! believed and which features it speaks for.

use std::path::{Path, PathBuf};

use stead_store::cover;

use crate::archive::Archive;
use crate::command_line::{CommandLine, Part};
use crate::joint::Joint;
use crate::normal::{bare, normal, program_words};
use crate::proof::weakness;
use crate::runner::{Run, Tools, recognise_part};
use crate::summary::{looks_like_one, summarise};
use crate::{
    About, Bounds, EvidenceError, Feature, FeatureList, Ground, Item, Kind, Output, Source, Tree, Who, project_tree,
    tree_of,
};

/// So many features one run can speak for.
const MOST_FEATURES: usize = 64;

/// Why a run of everything proves no feature.
const UNCOUNTED: &str = "its output counts no tests, so it cannot stand for a feature; name `verifiers` for it";

/// How much of a command a record shows.
const SHOWN: usize = 500;

/// A shell command that has ended.
#[derive(Clone, Debug)]
pub struct Seen<'a> {
    pub command: &'a str,
    /// The folder it was started in.
    pub dir: &'a Path,
    /// `None` where the client does not tell.
    pub exit: Option<i32>,
    pub output: &'a str,
    pub who: Who,
    pub now: &'a str,
}

/// Says at little cost whether a command may be a test or a build. Most commands are neither.
pub fn could_be_evidence(command: &str) -> bool {
    const SIGNS: &[&str] = &[
        "test",
        "spec",
        "jest",
        "mocha",
        "build",
        "check",
        "make",
        "mvn",
        "gradle",
        "cargo",
        "tsc",
        "unit",
        "just ",
        "rake",
        "verify",
        "compile",
        "pest",
        "tox",
        "nox",
        "go vet",
        "go install",
        "mypy",
        "pyright",
        "javac",
        "ninja",
        "npm t",
        "clippy",
        "javac",
        "webpack",
        "rollup",
        "e2e",
    ];
    command.len() <= 64 * 1024 && SIGNS.iter().any(|sign| command.contains(sign))
}

/// Writes down what a hook saw, if it is a test, a build or a feature's verifier, and gives the line of the log.
pub fn observe(ground: &Ground, seen: &Seen<'_>, bounds: &Bounds<'_>) -> Result<Option<Item>, EvidenceError> {
    let line = CommandLine::read(seen.command);
    let tools = Tools::of(&ground.root);
    let known = main_run(&line, tools);
    let features = features(ground);
    // A verifier may be a whole line, which ends as the person meant it who wrote it.
    let typed: Vec<(&Feature, &str)> =
        features.iter().filter_map(|feature| Some((feature, verbatim(feature, seen, &ground.root)?))).collect();
    let whole_line = || {
        let at = line.parts.len().checked_sub(1).filter(|_| !typed.is_empty())?;
        Some((at, Run { runner: "", about: About::Check, is_whole: false }))
    };
    let Some((at, run)) = known.or_else(|| own_check(&line, &features)).or_else(whole_line) else { return Ok(None) };
    let dir = folder(&line, at, seen.dir, &ground.root);
    let part = &line.parts[at];
    let doubt = doubt(&line, at, tools);
    // A failing line failed, whichever of its commands did.
    let exit = seen.exit.filter(|exit| doubt.is_none() || *exit != 0);
    let counts = summarise(run.runner, seen.output).filter(|_| run.about != About::Build);
    let kind = if exit.is_some() { Kind::Observed } else { Kind::Seen };
    let mut item = Item::new(seen.now, kind, Source::Hook, run.about, &format!("{}\0{:?}", seen.command, seen.who));
    item.weak = match doubt {
        Some(doubt) if exit.is_none() => Some(doubt),
        _ => weakness(exit, counts, seen.output),
    };
    item.command = Some(shown(seen.command));
    item.exit = exit;
    item.counts = counts;
    item.runner = Some(run.runner).filter(|runner| !runner.is_empty()).map(str::to_owned);
    item.output = Some(Output::of(seen.output));
    item.who = seen.who.clone();
    item.dir = dir.clone();
    let in_root = dir.as_deref() == Some("");
    item.whole = run.is_whole && in_root;
    let archive = Archive::quick(ground);
    for (feature, verifier) in &typed {
        let mut own = Item { kind: Kind::Observed, exit: seen.exit, command: Some(shown(verifier)), ..item.clone() };
        own.weak = weakness(seen.exit, counts, seen.output);
        keep_with_tree(&archive, ground, feature, own, bounds)?;
    }
    let is_typed = |feature: &Feature| typed.iter().any(|(known, _)| known.id == feature.id);
    let others = features.iter().filter(|feature| !is_typed(feature));
    let others = others.filter(|feature| in_root && speaks_for(feature, part, &run));
    if kind == Kind::Observed {
        for feature in others.take(MOST_FEATURES) {
            keep_for(&archive, ground, feature, part, &item, bounds)?;
        }
        if item.whole && run.about == About::Test {
            item.tree = project_tree(ground, bounds).hash().map(str::to_owned);
        }
    }
    archive.log(&item)?;
    Ok(Some(item))
}

/// Keeps a run with a feature that it speaks for.
pub(crate) fn keep_for(
    archive: &Archive<'_>,
    ground: &Ground,
    feature: &Feature,
    part: &Part,
    item: &Item,
    bounds: &Bounds<'_>,
) -> Result<(), EvidenceError> {
    let mut own = item.clone();
    if feature.verifiers.is_empty() && own.is_uncounted() {
        own.weak = own.weak.or(Some(UNCOUNTED.into()));
    }
    // The verifier as it is written, so that it is found again however it was typed.
    if let Some(verifier) = verifier(feature, part) {
        own.command = Some(shown(&verifier));
    }
    keep_with_tree(archive, ground, feature, own, bounds)
}

fn keep_with_tree(
    archive: &Archive<'_>,
    ground: &Ground,
    feature: &Feature,
    mut own: Item,
    bounds: &Bounds<'_>,
) -> Result<(), EvidenceError> {
    own.feature = Some(feature.id.clone());
    match tree_of(ground, &feature.files, bounds) {
        Tree::TooMuch { why } => own.weak = own.weak.or(Some(why)),
        tree => own.tree = tree.hash().map(str::to_owned),
    }
    archive.keep(&mut own)
}

/// The verifier of more than one command that was typed as it is written, where Stead would run it; `None` where the
/// client does not tell how it ended.
fn verbatim<'f>(feature: &'f Feature, seen: &Seen<'_>, root: &Path) -> Option<&'f str> {
    seen.exit?;
    let mut verifiers = feature.verifiers.iter().map(String::as_str);
    let found = verifiers.find(|verifier| verifier.trim() == seen.command.trim() && normal(verifier).is_none())?;
    let real = |dir: &Path| dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    // Some clients tell the folder that the line has led to.
    let line = CommandLine::read(found);
    let first = line.parts.first().map(|part| part.words.as_slice());
    let led_to = first.filter(|words| words.len() == 2 && words[0] == "cd").map(|words| root.join(&words[1]));
    let dir = real(seen.dir);
    (dir == real(root) || led_to.is_some_and(|to| dir == real(&to))).then_some(found)
}

pub(crate) fn shown(command: &str) -> String {
    let command = cover(command).text;
    let end = command.floor_char_boundary(SHOWN);
    if end < command.len() { format!("{}…", &command[..end]) } else { command.into_owned() }
}

/// A list that cannot be read names no features; the run is logged all the same.
pub(crate) fn features(ground: &Ground) -> Vec<Feature> {
    FeatureList::read(&ground.features).ok().flatten().map(|list| list.features).unwrap_or_default()
}

/// The run that the line is about: its last test run, else its last build.
fn main_run(line: &CommandLine, tools: Tools<'_>) -> Option<(usize, Run)> {
    let runs: Vec<(usize, Run)> =
        line.parts.iter().enumerate().filter_map(|(at, part)| Some((at, recognise_part(part, tools)?))).collect();
    let test = runs.iter().rev().find(|(_, run)| run.about == About::Test);
    test.or(runs.last()).copied()
}

/// A program that nobody knows as a test, but some feature as its verifier.
fn own_check(line: &CommandLine, features: &[Feature]) -> Option<(usize, Run)> {
    let is_one = |part: &Part| features.iter().any(|feature| verifier(feature, part).is_some());
    let at = line.parts.iter().rposition(is_one)?;
    Some((at, Run { runner: "", about: About::Check, is_whole: false }))
}

/// The verifier of a feature that this command is.
fn verifier(feature: &Feature, part: &Part) -> Option<String> {
    let own = bare(part);
    feature.verifiers.iter().find(|verifier| normal(verifier).is_some_and(|words| words == own)).cloned()
}

/// A run speaks for a feature whose verifier it is; for a feature without verifiers, if it ran everything.
pub(crate) fn speaks_for(feature: &Feature, part: &Part, run: &Run) -> bool {
    if !feature.verifiers.is_empty() {
        return verifier(feature, part).is_some();
    }
    run.about == About::Test && run.is_whole
}

/// Where a part of the line runs, below the root; `None` where that cannot be told or lies outside.
fn folder(line: &CommandLine, at: usize, start: &Path, root: &Path) -> Option<String> {
    let mut dir: PathBuf = start.to_owned();
    for part in &line.parts[..at] {
        match part.words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["cd" | "pushd", to] if !to.contains(['$', '~', '*']) && *to != "-" => dir = dir.join(to),
            ["cd" | "pushd" | "popd", ..] => return None,
            _ => {}
        }
    }
    let dir = stead_model::clean(&dir);
    let below = dir.strip_prefix(root).ok().map(Path::to_owned);
    // The root may be spelt through a link.
    let below =
        below.or_else(|| dir.canonicalize().ok()?.strip_prefix(root.canonicalize().ok()?).ok().map(Path::to_owned))?;
    Some(below.to_string_lossy().replace('\\', "/"))
}

/// Says why the line's end is not the run's own, or its output may be somebody else's.
fn doubt(line: &CommandLine, at: usize, tools: Tools<'_>) -> Option<String> {
    if line.is_opaque {
        return Some("the command around it is more than can be followed".into());
    }
    if line.parts[at].is_diverted {
        return Some("its output went elsewhere".into());
    }
    let fails_in_pipes = line.parts[..at].iter().any(|part| {
        part.words.first().is_some_and(|word| word == "set") && part.words.iter().any(|word| word == "pipefail")
    });
    for (index, part) in line.parts.iter().enumerate() {
        let why = match part.joint {
            Joint::Or => Some("`||` hides how it ended"),
            Joint::Background if index >= at => Some("`&` hides how it ended"),
            Joint::Pipe if index >= at && !fails_in_pipes => Some("the pipe hides how it ended"),
            Joint::Then if index >= at && index + 1 < line.parts.len() => {
                Some("the command behind it hides how it ended")
            }
            _ => None,
        };
        if let Some(why) = why {
            return Some(why.into());
        }
        if index != at && !is_harmless(part, fails_in_pipes && index > at, tools) {
            let program = part.words.first().map_or("a variable", String::as_str);
            return Some(format!("`{}` beside it may have written the summary", shown(program)));
        }
    }
    None
}

/// Programs that write nothing a summary could be mistaken for.
const QUIET: &[&str] = &[
    "cd", "pushd", "popd", "export", "set", "source", ".", "true", ":", "mkdir", "rm", "touch", "cp", "mv", "ls",
    "pwd", "which", "sleep", "date", "wait", "unset", "nvm", "fnm", "rbenv", "pyenv", "ulimit", "umask", "chmod",
    "test", "[", "clear",
];

/// Programs that only pass on what they are given.
const FILTERS: &[&str] = &["tail", "head", "tee", "cat", "grep", "less", "sort", "wc"];

fn is_harmless(part: &Part, is_filter: bool, tools: Tools<'_>) -> bool {
    let words = program_words(part);
    let Some(program) = words.first() else { return true };
    let is_run = || recognise_part(part, tools).is_some();
    let verb = words.get(1).map(String::as_str).unwrap_or_default();
    match program.as_str() {
        "echo" | "printf" => !looks_like_one(&words[1..].join(" ").replace("\\n", "\n").replace("\\t", "\t")),
        "git" => !matches!(verb, "log" | "show" | "diff" | "grep" | "cat-file" | "blame" | "reflog"),
        "npm" | "pnpm" | "yarn" | "bun" => matches!(verb, "ci" | "install" | "i" | "add") || is_run(),
        "pip" | "pip3" | "uv" | "poetry" | "bundle" | "composer" | "go" | "mix" | "deno" | "cargo" => {
            matches!(
                verb,
                "install" | "sync" | "mod" | "get" | "deps.get" | "fetch" | "fmt" | "clean" | "update" | "add"
            ) || is_run()
        }
        program => {
            QUIET.contains(&program)
                || (is_filter && FILTERS.contains(&program) && !words[1..].iter().any(|word| word.contains(['.', '/'])))
                || is_run()
        }
    }
}

#[cfg(test)]
mod tests;
