//! What a hook saw: a shell command that is a test or a build, how it ended, what it said. It decides how far that can be
//! believed and which features it speaks for.

use std::path::Path;

use stead_feature::{Feature, FeatureList};
use stead_model::Effects;
use stead_store::redact;

use crate::archive::Archive;
use crate::leaned::leaned;
use crate::proof::weakness;
use crate::ran::{At, Ran};
use crate::runner::{Run, Tools, other_runners};
use crate::summary::summarise;
use crate::verifier::{Command, last_dir, single};
use crate::{
    About, Bounds, EvidenceError, Ground, Item, Kind, Output, RecordLink, Source, Tree, Who, Wrote, project_tree,
    tree_of,
};

/// So many features one run can speak for.
const MOST_FEATURES: usize = 64;

/// Why a run of everything proves no feature.
const UNCOUNTED: &str = "its output counts no tests, so it cannot stand for a feature; name `verifiers` for it";

/// How much of a command a record shows.
const SHOWN: usize = 500;

/// Why a run that was only seen to start takes earlier evidence away.
const UNREPORTED: &str = "it was started, and its client did not report that it succeeded";

/// When a hook saw a shell command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Before it, in a client that reports the end of a command only if it succeeds.
    Started,
    Ended,
}

/// A shell command that a hook saw.
#[derive(Clone)]
pub struct Seen<'a> {
    pub phase: Phase,
    /// As it was typed: it is shown, and compared with verifiers of several commands.
    pub command: &'a str,
    /// What it does, read in the folder it was started in.
    pub effects: &'a Effects,
    /// The folder it was started in.
    pub dir: &'a Path,
    /// `None` where the client does not tell.
    pub exit: Option<i32>,
    pub output: &'a str,
    pub who: Who,
    /// Knows what its session wrote.
    pub wrote: Wrote<'a>,
    pub now: &'a str,
}

/// Says at little cost whether a command may be a test or a build. Most commands are neither.
pub fn could_be_evidence(command: &str) -> bool {
    const SIGNS: &[&str] = &[
        "test", "spec", "jest", "mocha", "build", "check", "make", "mvn", "gradle", "cargo", "tsc", "unit", "just ",
        "rake", "verify", "compile", "pest", "tox", "nox", "go vet", "go install", "mypy", "pyright", "javac", "ninja",
        "npm t", "clippy", "webpack", "rollup", "e2e", "coverage", "lint", "biome", "flake8", "phpcs", "phpstan",
        "rubocop", // What these run stands in a file.
        ".sh", "npm run", "yarn ", "bun run", "composer ",
    ];
    let has = |sign: &str| command.contains(sign);
    command.len() <= 64 * 1024 && (SIGNS.iter().any(|sign| has(sign)) || other_runners().any(has))
}

/// Writes down what a hook saw, if it is a test, a build or a feature's verifier, and gives the line of the log.
pub fn observe(ground: &Ground, seen: &Seen<'_>, bounds: &Bounds<'_>) -> Result<Option<Item>, EvidenceError> {
    let tools = Tools::of(&ground.root);
    let ran = Ran::of(seen.effects, tools);
    let features = features(ground);
    // A verifier may be a whole line, which ends as the person meant it who wrote it.
    let typed: Vec<(&Feature, &str)> =
        features.iter().filter_map(|feature| Some((feature, verbatim(feature, seen, tools)?))).collect();
    let check = Run { runner: "", about: About::Check, is_whole: false };
    let whole_line = || Some((ran.last().filter(|_| !typed.is_empty())?, check));
    let own_check = || {
        let is_like = |command: &Command| {
            let mut all = features.iter().flat_map(|feature| verifiers(feature, command));
            all.any(|text| single(text, tools).is_some_and(|verifier| verifier.is_like(command)))
        };
        let at = ran.find(is_like)?;
        Some((at, check))
    };
    let Some((at, run)) = ran.main().or_else(own_check).or_else(whole_line) else { return Ok(None) };
    let dir = ran.dir(at);
    let doubt = ran.doubt(at);
    // A failing line failed, whichever of its commands did.
    let exit = seen.exit.filter(|exit| doubt.is_none() || *exit != 0);
    let counts = summarise(run.runner, seen.output).filter(|_| !matches!(run.about, About::Build | About::Lint));
    let is_start = seen.phase == Phase::Started;
    if is_start && doubt.is_some() && typed.is_empty() {
        // Its end would not restore what its start takes away.
        return Ok(None);
    }
    let kind = if exit.is_some() || is_start && doubt.is_none() { Kind::Observed } else { Kind::Seen };
    let mut item = Item::new(seen.now, kind, Source::Hook, run.about, &format!("{}\0{:?}", seen.command, seen.who));
    item.weak = match doubt {
        _ if is_start => Some(UNREPORTED.to_owned()),
        Some(doubt) if exit.is_none() => Some(doubt),
        _ => weakness(exit, counts, seen.output),
    };
    item.command = Some(shown(seen.command));
    item.exit = exit;
    item.counts = counts;
    item.runner = Some(run.runner).filter(|runner| !runner.is_empty()).map(str::to_owned);
    item.output = Some(Output::of(seen.output));
    item.who = seen.who.clone();
    item.whole = run.is_whole && dir.as_deref() == Some("");
    item.dir = dir;
    item.leaned = leaned(ground, seen.effects, &seen.who, seen.wrote, bounds);
    let archive = Archive::quick(ground);
    let mut kept = Vec::new();
    for (feature, verifier) in &typed {
        let mut own = Item { kind: Kind::Observed, exit: seen.exit, command: Some(shown(verifier)), ..item.clone() };
        own.weak = if is_start { own.weak } else { weakness(seen.exit, counts, seen.output) };
        kept.push(keep_with_tree(&archive, ground, feature, own, bounds));
    }
    let is_typed = |feature: &Feature| typed.iter().any(|(known, _)| known.id == feature.id);
    if kind == Kind::Observed {
        let commands = spoken(&ran, at);
        for feature in features.iter().filter(|feature| !is_typed(feature)).take(MOST_FEATURES) {
            kept.extend(keep_for(&archive, ground, feature, &commands, &item, bounds).transpose());
        }
        if item.whole && run.about == About::Test {
            item.tree = project_tree(ground, bounds).hash().map(str::to_owned);
        }
    }
    // What could be kept is listed, whatever could not.
    let (links, failed): (Vec<_>, Vec<_>) = kept.into_iter().partition(Result::is_ok);
    item.records = links.into_iter().flatten().collect();
    archive.log(&mut item)?;
    failed.into_iter().next().map_or(Ok(Some(item)), |failed| failed.map(|_| None))
}

/// The commands that a run stands for: itself, and the only test that it or the call runs.
pub(crate) fn spoken(ran: &Ran<'_>, at: At) -> Vec<Command> {
    let only = ran.only_test().filter(|only| *only != at && ran.doubt(*only).is_none());
    [Some(at), only].into_iter().flatten().map(|at| ran.command(at)).collect()
}

/// Keeps a run with a feature that it speaks for: one whose verifier it is, or one without verifiers if it ran
/// everything. `None` if it speaks for something else.
pub(crate) fn keep_for(
    archive: &Archive<'_>,
    ground: &Ground,
    feature: &Feature,
    commands: &[Command],
    item: &Item,
    bounds: &Bounds<'_>,
) -> Result<Option<RecordLink>, EvidenceError> {
    let tools = Tools::of(&ground.root);
    let mut own = item.clone();
    if feature.verifiers.is_empty() {
        if item.about != About::Test || !item.whole {
            return Ok(None);
        }
        if own.is_uncounted() {
            own.weak = own.weak.or(Some(UNCOUNTED.into()));
        }
    } else {
        // The verifier as it is written, so that it is found again however it was typed.
        let Some(verifier) = commands.iter().find_map(|command| verifier(feature, command, tools)) else {
            return Ok(None);
        };
        own.command = Some(shown(verifier));
    }
    keep_with_tree(archive, ground, feature, own, bounds).map(Some)
}

fn keep_with_tree(
    archive: &Archive<'_>,
    ground: &Ground,
    feature: &Feature,
    mut own: Item,
    bounds: &Bounds<'_>,
) -> Result<RecordLink, EvidenceError> {
    own.feature = Some(feature.id.clone());
    match tree_of(ground, &feature.files, bounds) {
        Tree::TooMuch { why } => own.weak = own.weak.or(Some(why)),
        tree => own.tree = tree.hash().map(str::to_owned),
    }
    archive.keep(&mut own)
}

/// The verifier that was typed as it is written, where Stead would run it; `None` where the client does not tell how it
/// ended. A verifier of one program is found by that.
fn verbatim<'f>(feature: &'f Feature, seen: &Seen<'_>, tools: Tools<'_>) -> Option<&'f str> {
    if seen.phase == Phase::Ended {
        seen.exit?;
    }
    let mut verifiers = feature.verifiers.iter().map(String::as_str);
    let found = verifiers.find(|verifier| verifier.trim() == seen.command.trim())?;
    let is_at = |dir: &Path| {
        let real = |dir: &Path| dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        real(seen.dir) == real(dir)
    };
    match single(found, tools) {
        // Some clients tell the folder that the line has led to.
        Some(Command { dir, .. }) => dir.filter(|dir| !dir.is_empty() && is_at(&tools.root.join(dir))).map(|_| found),
        None => {
            let led_to = || last_dir(found, tools).is_some_and(|dir| is_at(&tools.root.join(dir)));
            (is_at(tools.root) || led_to()).then_some(found)
        }
    }
}

/// A command as records show it: without secrets, and not too long.
pub fn shown(command: &str) -> String {
    let command = redact(command);
    let end = command.floor_char_boundary(SHOWN);
    if end < command.len() { format!("{}…", &command[..end]) } else { command.into_owned() }
}

/// A list that cannot be read names no features; the run is logged all the same.
pub(crate) fn features(ground: &Ground) -> Vec<Feature> {
    FeatureList::read(&ground.features).ok().flatten().map(|list| list.features).unwrap_or_default()
}

/// The verifier of a feature that this command is.
fn verifier<'f>(feature: &'f Feature, command: &Command, tools: Tools<'_>) -> Option<&'f str> {
    verifiers(feature, command).find(|verifier| single(verifier, tools).as_ref() == Some(command))
}

/// The verifiers that may be this command: reading one costs more than a look for the program's name.
fn verifiers<'f>(feature: &'f Feature, command: &Command) -> impl Iterator<Item = &'f str> {
    let name = command.words.first().and_then(|word| word.rsplit('/').next()).unwrap_or_default().to_owned();
    feature.verifiers.iter().map(String::as_str).filter(move |verifier| verifier.contains(&name))
}

#[cfg(test)]
mod tests;
