//! Whether a feature is proven now, and what is missing.

use std::cell::OnceCell;

use stead_feature::{Feature, FeatureList, Proven};

use crate::archive::{Archive, Records};
use crate::browser;
use crate::criteria::unmet_criteria;
use crate::observe::shown;
use crate::runner::Tools;
use crate::verifier::single;
use crate::{Bounds, EvidenceError, Ground, Item, Kind, Leaned, Tree, Trust, tree_of};

/// What proves features that have no verifiers.
pub(crate) const WHOLE: &str = "stead verify -- <the project's test command>";

/// A feature and its evidence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    pub feature: String,
    /// What Stead observed or ran on the current files, and that passed. Empty unless it is enough.
    pub proof: Vec<Item>,
    /// What passed before the files changed.
    pub stale: Vec<Item>,
    /// What agents and people added. It supports a claim, but does not prove it.
    pub claimed: Vec<Item>,
    /// Runs that this checkout's log does not vouch for. They support a claim, too.
    pub foreign: Vec<Item>,
    /// What the newest run leaned on.
    pub leaned: Vec<Leaned>,
    /// Why the feature is not proven, as a continuation of `feature x`; empty if it is.
    pub why_not: String,
    /// The command that would prove it.
    pub next: String,
}

impl Standing {
    /// Returns true if the feature is proven.
    pub fn is_proven(&self) -> bool {
        !self.proof.is_empty()
    }

    /// One word for it: `fresh`, `stale`, `foreign` or `missing`.
    pub fn name(&self) -> &'static str {
        match (self.is_proven(), self.stale.is_empty(), self.foreign.iter().any(Item::has_passed)) {
            (true, ..) => "fresh",
            (false, false, _) => "stale",
            (false, true, true) => "foreign",
            (false, true, false) => "missing",
        }
    }
}

/// Why a feature may not become tested.
#[derive(Debug, thiserror::Error)]
pub enum NotProven {
    #[error("`{feature}` {why}")]
    Unproven {
        feature: String,
        why: String,
        /// The command that would prove it.
        next: String,
        /// It was proven before its files changed.
        is_stale: bool,
    },
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
}

/// Decides whether a feature may become tested. Guards, commands, the engine and the machine all ask this function.
pub fn proof_of(ground: &Ground, feature: &Feature, bounds: &Bounds<'_>) -> Result<Proven, NotProven> {
    let standing = standing_of(ground, feature, bounds)?;
    let evidence = standing.proof.iter().map(|item| item.id.clone()).collect();
    Proven::attest(&feature.id, evidence).ok_or_else(|| NotProven::Unproven {
        feature: feature.id.clone(),
        why: match Leaned::note(&standing.leaned) {
            Some(note) => format!("{} ({note})", standing.why_not),
            None => standing.why_not,
        },
        next: standing.next,
        is_stale: !standing.stale.is_empty(),
    })
}

/// Computes the state of a feature of the project's list.
pub fn standing(ground: &Ground, feature: &str, bounds: &Bounds<'_>) -> Result<Standing, EvidenceError> {
    let list = FeatureList::require(&ground.features)?;
    standing_of(ground, list.find(feature)?, bounds)
}

/// Computes the state of a feature. With verifiers, the latest run of each on the current files must have passed;
/// without any, a run of the whole test suite.
pub fn standing_of(ground: &Ground, feature: &Feature, bounds: &Bounds<'_>) -> Result<Standing, EvidenceError> {
    let Records { items, failures } = Archive::quick(ground).records(&feature.id, bounds)?;
    let next = if feature.verifiers.is_empty() { WHOLE.to_owned() } else { format!("stead verify {}", feature.id) };
    let mut standing = Standing { feature: feature.id.clone(), next, ..Standing::default() };
    standing.claimed = items.iter().filter(|item| matches!(item.kind, Kind::Claimed | Kind::Person)).cloned().collect();
    let is_vouched = |item: &&Item| item.trust == Trust::Vouched;
    let runs = || items.iter().filter(|item| item.kind.is_own());
    standing.foreign = runs().filter(|item| !is_vouched(item)).cloned().collect();
    // What failed counts by the log, though its record be gone.
    let mut own: Vec<&Item> = runs().filter(is_vouched).chain(&failures).collect();
    own.sort_by(|one, other| other.id.cmp(&one.id));
    standing.leaned = own.first().map(|item| item.leaned.clone()).unwrap_or_default();
    if !own.iter().any(|item| item.is_proof()) {
        standing.why_not = nothing_good(&own, &standing);
        return Ok(standing);
    }
    let now = match tree_of(ground, &feature.files, bounds) {
        Tree::TooMuch { why } => {
            standing.why_not = format!("cannot be compared with its evidence: {why}; name fewer `files`");
            return Ok(standing);
        }
        tree => tree.hash().map(str::to_owned),
    };
    let Some(now) = now else {
        standing.why_not = "names no files that exist".into();
        return Ok(standing);
    };
    let is_fresh = |item: &&Item| item.tree.as_deref() == Some(&now);
    standing.stale = own.iter().filter(|item| item.is_proof() && !is_fresh(item)).map(|item| (*item).clone()).collect();
    let fresh: Vec<&Item> = own.iter().copied().filter(|item| is_fresh(item)).collect();
    let seen = standing.claimed.iter().filter(is_vouched).filter(|item| item.tree.as_deref() == Some(&now));
    let found = proof(feature, &fresh, Tools::of(&ground.root)).and_then(|proof| {
        if let Some(why) = unmet_criteria(feature, proof.iter()) {
            return Err(format!("was tested, but {why}"));
        }
        match feature.ui && !browser::is_shown(ground, feature, fresh.iter().copied().chain(seen)) {
            true => Err(browser::MISSING.to_owned()),
            false => Ok(proof),
        }
    });
    match found {
        Ok(proof) => {
            standing.leaned = proof.iter().flat_map(|item| item.leaned.iter().cloned()).collect();
            standing.leaned.sort_by(|one, other| one.path.cmp(&other.path));
            standing.leaned.dedup();
            standing.proof = proof;
        }
        Err(why) if fresh.is_empty() => {
            let last = standing.stale.first().map(|item| item.ts.clone()).unwrap_or_default();
            standing.why_not = format!("changed since its evidence of {last}").trim_end().to_owned();
            drop(why);
        }
        Err(why) => {
            if why == browser::MISSING {
                standing.next = format!("stead evidence add {} --file <screenshot>", feature.id);
            }
            standing.why_not = why;
        }
    }
    Ok(standing)
}

/// Features that the list calls tested, and for which no run in this checkout's log speaks, only foreign ones: their ids,
/// and why these are foreign. Files are not compared.
pub fn foreign_features(ground: &Ground, list: &FeatureList) -> Result<Vec<(String, String)>, EvidenceError> {
    let mut found = Vec::new();
    for feature in list.features.iter().filter(|feature| feature.tested) {
        let items = Archive::quick(ground).items(&feature.id)?;
        let foreign = items.iter().filter(|item| item.has_passed()).find_map(Item::foreign);
        if let Some(why) = foreign.filter(|_| !items.iter().any(Item::is_proof)) {
            found.push((feature.id.clone(), why.to_owned()));
        }
    }
    Ok(found)
}

/// Collects the proof, or returns what is missing. `fresh` has the newest first.
fn proof(feature: &Feature, fresh: &[&Item], tools: Tools<'_>) -> Result<Vec<Item>, String> {
    if feature.verifiers.is_empty() {
        // A run without a test count disproves nothing either.
        let whole = || fresh.iter().filter(|item| item.whole);
        let newest = whole().find(|item| item.is_proof() || !item.is_uncounted()).or_else(|| whole().next());
        return match newest {
            Some(item) if item.is_proof() => Ok(vec![(*item).clone()]),
            Some(item) => Err(bad(item)),
            None => Err("has no run of the whole suite on its current files".into()),
        };
    }
    feature
        .verifiers
        .iter()
        .map(|verifier| {
            // Another spelling of the same command counts as well, if it was the last.
            let own = OnceCell::new();
            let own = || own.get_or_init(|| single(verifier, tools)).as_ref();
            let is_run = |item: &&&Item| {
                let command = item.command.as_deref().unwrap_or_default();
                command == shown(verifier) || own().is_some_and(|own| single(command, tools).as_ref() == Some(own))
            };
            let mut runs = fresh.iter().filter(is_run);
            match runs.next() {
                Some(item) if !item.is_proof() => Err(bad(item)),
                Some(item) if !feature.has_agent_verifiers() => Ok((*item).clone()),
                // A run that does not count for an agent's verifier takes nothing away either.
                Some(item) => {
                    let counts = |item: &&Item| item.is_proof() && objection(item, verifier).is_none();
                    let found = Some(*item).into_iter().chain(runs.copied()).find(counts);
                    found.cloned().ok_or_else(|| objection(item, verifier).unwrap_or_default())
                }
                None => Err(format!("has a verifier that was not run on its current files: `{verifier}`")),
            }
        })
        .collect()
}

/// Why a successful run of a verifier that an agent wrote does not count.
fn objection(item: &Item, verifier: &str) -> Option<String> {
    let is_test = item.runner.is_some() && item.counts.is_some_and(|counts| counts.passed > 0);
    let why = match (is_test, item.supervised) {
        (false, _) => "which is not a test runner that ran a test",
        (true, false) => "which counts only in a run that a person started",
        (true, true) => return None,
    };
    Some(format!("has a verifier that an agent wrote, `{verifier}`, {why}"))
}

fn bad(item: &Item) -> String {
    let command = item.command.as_deref().unwrap_or_default();
    let why = item.weak.clone().unwrap_or_else(|| item.outcome());
    format!("was last tried by `{command}`: {why}")
}

fn nothing_good(own: &[&Item], standing: &Standing) -> String {
    let foreign = standing.foreign.iter().find(|item| item.has_passed());
    let foreign = foreign.and_then(|item| Some((item, item.foreign()?)));
    match (own.first(), foreign) {
        (Some(item), None) => bad(item),
        (Some(item), Some((foreign, why))) => format!("{}; `{}` is foreign: {why}", bad(item), foreign.id),
        (None, Some((foreign, why))) => {
            format!("has only foreign evidence, which does not prove it: `{}`: {why}", foreign.id)
        }
        (None, None) if standing.claimed.is_empty() => "has no evidence".into(),
        (None, None) => "has only claimed evidence, which does not prove it".into(),
    }
}
