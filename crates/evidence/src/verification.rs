//! Commands that Stead ran itself, and what the log shows about the tests of a session or of the whole project.

use stead_feature::{Feature, FeatureList};
use stead_model::{Effects, unix_millis};
use stead_store::{CheckEnd, Checked};

use crate::archive::Archive;
use crate::criteria::covered;
use crate::leaned::leaned;
use crate::observe::{features, keep_for, shown, spoken};
use crate::proof::weakness;
use crate::ran::Ran;
use crate::runner::Tools;
use crate::standing::WHOLE;
use crate::summary::summarise;
use crate::{
    About, Bounds, EvidenceError, Ground, Item, Kind, Output, Source, Tree, Trust, Who, Wrote, project_tree,
    standing_of, tree_of,
};

/// How far back the log is searched.
const LINES: usize = 2_000;

/// A command that Stead ran itself.
pub struct Verified<'a> {
    /// The feature whose verifier it is.
    pub feature: Option<&'a Feature>,
    pub command: &'a str,
    /// What it does, read in the project's root.
    pub effects: &'a Effects,
    pub checked: &'a Checked,
    /// What of the output is kept, if not all of it.
    pub output: Option<&'a str>,
    /// The state of the feature's files before it ran.
    pub before: &'a Tree,
    pub source: Source,
    /// A person started what ran it.
    pub supervised: bool,
    pub who: Who,
    /// Knows what its session or run wrote.
    pub wrote: Wrote<'a>,
    pub now: &'a str,
}

/// The result of a run.
pub struct Recorded {
    pub item: Item,
    /// It passed and proves something: a feature, or the whole project.
    pub proves: bool,
    /// Why it is no test run, though it looks like one.
    pub doubt: Option<String>,
}

/// Records a command that Stead ran.
pub fn record_run(ground: &Ground, verified: &Verified<'_>, bounds: &Bounds<'_>) -> Result<Recorded, EvidenceError> {
    let Verified { feature, command, checked, .. } = verified;
    let ran = Ran::of(verified.effects, Tools::of(&ground.root));
    let main = ran.main();
    let doubt = main.and_then(|(at, _)| ran.doubt(at));
    // What is not certain to be a test runner's run is a command like any other.
    let known = main.filter(|_| doubt.is_none());
    let run = known.map(|(_, run)| run);
    let about = run.map_or(About::Check, |run| run.about);
    let runner = run.map_or("", |run| run.runner);
    // A verifier is the person's word; what else claims to be a test must be one.
    let is_counted = !matches!(about, About::Build | About::Lint) && (doubt.is_none() || feature.is_some());
    let counts = summarise(runner, &checked.tail).filter(|_| is_counted);
    let exit = match checked.end {
        CheckEnd::Exit(code) => Some(code),
        CheckEnd::Signal(_) | CheckEnd::Deadline => None,
    };
    let sign = format!("{command}\0{}", feature.map_or("", |feature| feature.id.as_str()));
    let mut item = Item::new(verified.now, Kind::Ran, verified.source, about, &sign);
    item.weak = match checked.end {
        CheckEnd::Signal(signal) => Some(format!("it was killed by signal {signal}")),
        CheckEnd::Deadline => Some("it timed out".into()),
        CheckEnd::Exit(_) => weakness(exit, counts, &checked.tail),
    };
    item.command = Some(shown(command));
    item.dir = Some(String::new());
    item.exit = exit;
    item.counts = counts;
    item.runner = run.map(|run| run.runner.to_owned());
    item.whole =
        known.is_some_and(|(at, run)| run.is_whole && run.about == About::Test && ran.dir(at).as_deref() == Some(""));
    item.output = Some(Output::of(verified.output.unwrap_or(&checked.tail)));
    item.supervised = verified.supervised;
    item.leaned = leaned(ground, verified.effects, &verified.who, verified.wrote, bounds);
    item.who = verified.who.clone();
    let archive = Archive::new(ground);
    let mut logged = item.clone();
    if let Some(feature) = feature {
        item.feature = Some(feature.id.clone());
        let after = tree_of(ground, &feature.files, bounds);
        item.tree = after.hash().map(str::to_owned);
        if item.weak.is_none() {
            item.weak = unsteady(verified.before, &after);
        }
        let took = i64::try_from(checked.took.as_millis()).unwrap_or(i64::MAX);
        let since = unix_millis(verified.now).unwrap_or(0).saturating_sub(took);
        match covered(feature, ground, &checked.tail, since) {
            Some(Ok(percent)) => item.coverage = Some(percent),
            Some(Err(why)) => item.no_coverage = Some(why),
            None => {}
        }
        logged.records.push(archive.keep(&mut item)?);
        logged.id.clone_from(&item.id);
        logged.feature.clone_from(&item.feature);
    }
    let mut proves = feature.is_some() || logged.whole;
    if let Some((at, _)) = known {
        let commands = spoken(&ran, at);
        let others = features(ground).into_iter().filter(|other| feature.is_none_or(|feature| feature.id != other.id));
        for other in others {
            let run = Item { records: Vec::new(), ..logged.clone() };
            let link = keep_for(&archive, ground, &other, &commands, &run, bounds)?;
            proves |= link.is_some();
            logged.records.extend(link);
        }
    }
    // Without a feature it is about the whole project.
    if logged.whole || feature.is_none() {
        logged.tree = project_tree(ground, bounds).hash().map(str::to_owned);
    }
    archive.log(&mut logged)?;
    item.trust = logged.trust;
    Ok(Recorded { proves: proves && item.is_proof(), item, doubt })
}

/// Returns why the state of the files is not the tested one.
fn unsteady(before: &Tree, after: &Tree) -> Option<String> {
    match (before, after) {
        (_, Tree::TooMuch { why }) => Some(why.clone()),
        (_, Tree::Known { files: 0, .. }) => Some("the feature names no files that exist".into()),
        (before, after) if before != after => Some("the feature's files changed while it ran".into()),
        _ => None,
    }
}

/// How many test runs a session, or one agent in it, made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestsRan {
    /// At least one test passed or failed.
    pub ran: usize,
    /// All tests passed, and Stead observed it.
    pub passed: usize,
}

/// Counts the test runs of a session; with an agent, only those of that agent. An unknown session has none.
pub fn tests_ran(ground: &Ground, session: &str, agent: Option<&str>) -> Result<TestsRan, EvidenceError> {
    let mut count = TestsRan::default();
    if session.is_empty() {
        return Ok(count);
    }
    let own = |item: &Item| {
        item.who.session.as_deref() == Some(session) && (agent.is_none() || item.who.agent.as_deref() == agent)
    };
    let is_vouched = |item: &Item| item.trust == Trust::Vouched;
    for item in Archive::quick(ground).recent()?.take(LINES).filter(|item| own(item) && is_vouched(item)) {
        let ran = match item.counts {
            Some(counts) => counts.ran(),
            // A feature's verifiers are tests, whatever runner they use.
            None => {
                let is_verifier = matches!(item.about, About::Check | About::Lint) && item.feature.is_some();
                let is_test = item.about == About::Test || is_verifier;
                is_test && item.output.as_ref().is_some_and(|output| !output.is_empty())
            }
        };
        count.ran += usize::from(ran && matches!(item.about, About::Test | About::Check | About::Lint));
        count.passed += usize::from(ran && item.is_proof());
    }
    Ok(count)
}

/// Whether the current project was tested as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verification {
    /// The proof: one run of the whole suite, or the proofs of all features.
    pub proof: Vec<Item>,
    /// Why it is not; empty if it is.
    pub why_not: String,
    /// The command that would prove it.
    pub next: String,
}

impl Verification {
    pub fn is_fresh(&self) -> bool {
        !self.proof.is_empty()
    }
}

/// Checks whether the current project was tested: by a run of the whole suite, or feature by feature.
pub fn fresh_verification(ground: &Ground, bounds: &Bounds<'_>) -> Result<Verification, EvidenceError> {
    let list = FeatureList::read(&ground.features).unwrap_or_default();
    let features = list.map(|list| list.features).unwrap_or_default();
    let each = !features.is_empty() && features.iter().all(|feature| !feature.verifiers.is_empty());
    let next = if each { "stead verify --all" } else { WHOLE };
    let mut answer = Verification { next: next.to_owned(), ..Verification::default() };
    let is_whole = |item: &Item| item.whole && item.about == About::Test && item.kind.is_own();
    let mut foreign = None;
    let mut whole = Archive::quick(ground).recent()?.take(LINES).filter(is_whole).filter(|item| {
        let is_vouched = item.trust == Trust::Vouched;
        if !is_vouched && foreign.is_none() && item.has_passed() {
            foreign = Some(item.clone());
        }
        is_vouched
    });
    if let Some(newest) = whole.next() {
        match project_tree(ground, bounds) {
            Tree::TooMuch { why } => answer.why_not = format!("the project cannot be compared with its tests: {why}"),
            tree => {
                let ts = newest.ts.clone();
                let mut all = std::iter::once(newest).chain(whole);
                let fresh = all.find(|item| item.tree.is_some() && item.tree.as_deref() == tree.hash());
                match fresh {
                    Some(item) if item.is_proof() => answer.proof = vec![item],
                    Some(item) => {
                        let why = item.weak.clone().unwrap_or_else(|| item.outcome());
                        answer.why_not = format!("`{}` failed: {why}", item.command.as_deref().unwrap_or_default());
                        return Ok(answer);
                    }
                    None => answer.why_not = format!("files changed since the tests of {ts}"),
                }
            }
        }
    } else {
        drop(whole);
        answer.why_not = match foreign {
            Some(item) => {
                format!("the run of the whole test suite at {} is {}", item.ts, item.objection().unwrap_or_default())
            }
            None => "no run of the whole test suite was recorded".into(),
        };
    }
    if !answer.is_fresh() && !features.is_empty() {
        let standings: Result<Vec<_>, _> =
            features.iter().map(|feature| standing_of(ground, feature, bounds)).collect();
        let standings = standings?;
        if standings.iter().all(crate::Standing::is_proven) {
            answer.proof = standings.into_iter().flat_map(|standing| standing.proof).collect();
            answer.why_not.clear();
        }
    }
    Ok(answer)
}

/// Why a command is not proven to succeed for the current state of the project; `None` if Stead ran it since.
pub fn command_proof(ground: &Ground, command: &str, bounds: &Bounds<'_>) -> Result<Option<String>, EvidenceError> {
    let is_run =
        |item: &Item| item.source == Source::Verify && item.command.as_deref().map(str::trim) == Some(command.trim());
    let mut foreign = None;
    let newest = Archive::quick(ground).recent()?.take(LINES).filter(is_run).find(|item| {
        foreign = foreign.take().or_else(|| item.foreign().map(str::to_owned));
        item.trust == Trust::Vouched
    });
    let Some(newest) = newest else {
        let why = foreign.map(|why| format!("; one is foreign: {why}")).unwrap_or_default();
        return Ok(Some(format!("no run of `{command}` was recorded{why}")));
    };
    Ok(match project_tree(ground, bounds) {
        Tree::TooMuch { why } => Some(format!("the project cannot be compared with its evidence: {why}")),
        tree if newest.tree.is_none() || newest.tree.as_deref() != tree.hash() => {
            Some(format!("files changed since it ran at {}", newest.ts))
        }
        _ if newest.exit != Some(0) => Some(format!("it failed: {}", newest.outcome())),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
