use stead_evidence::{Bounds, EvidenceError, NotProven, Recorded, Verify, proof_of, unmet_criteria};
use stead_feature::{Event, Feature, Proven, Rules, transact};
use stead_store::Checked;

/// What became of a report.
#[derive(Debug)]
pub enum Reported {
    /// The feature is tested.
    Passed { evidence: Vec<String> },
    /// Its verifiers failed, or the tester says so. It is coded again, or blocked.
    Failed { summary: String },
    /// Nothing proves it, and nothing disproves it. The list is not changed.
    Unproven { why: String, next: String },
}

/// What a feature's verifiers show. The list is not changed.
#[derive(Debug)]
pub enum Shown {
    Proven(Proven),
    Failed { summary: String, evidence: Vec<String> },
    Unproven { why: String, next: String },
}

/// Runs a feature's verifiers, records the evidence, and asks whether it proves the feature. `told` is called for each
/// verifier.
pub fn prove(
    verify: &Verify<'_>,
    feature: &Feature,
    told: &mut dyn FnMut(&str, &Recorded, &Checked),
) -> Result<Shown, EvidenceError> {
    let mut failed = Vec::new();
    let mut runs = Vec::new();
    for command in &feature.verifiers {
        let (recorded, checked) = verify.run(Some(feature), command)?;
        told(command, &recorded, &checked);
        // A run that passed and that nothing vouches for has not failed; what it proves is asked below.
        if !recorded.item.has_passed() {
            let why = recorded.item.weak.clone().unwrap_or_else(|| recorded.item.outcome());
            failed.push((format!("`{command}`: {why}"), recorded.item.id.clone()));
        }
        runs.push(recorded.item);
    }
    if !failed.is_empty() {
        let (whys, evidence): (Vec<String>, Vec<String>) = failed.into_iter().unzip();
        return Ok(Shown::Failed { summary: whys.join("; "), evidence });
    }
    if let Some(summary) = unmet_criteria(feature, runs.iter()) {
        return Ok(Shown::Failed { summary, evidence: Vec::new() });
    }
    match proof_of(verify.ground, feature, &Bounds::command()) {
        Ok(proof) => Ok(Shown::Proven(proof)),
        Err(NotProven::Unproven { why, next, .. }) => Ok(Shown::Unproven { why, next }),
        Err(NotProven::Evidence(error)) => Err(error),
    }
}

/// Handles a tester's word that a feature passed: its verifiers run, and what they show decides. `told` is called for
/// each of them.
pub fn report_passed(
    verify: &Verify<'_>,
    feature: &Feature,
    now: &dyn Fn() -> i64,
    rules: &Rules,
    told: &mut dyn FnMut(&str, &Recorded, &Checked),
) -> Result<Reported, EvidenceError> {
    match prove(verify, feature, told)? {
        Shown::Proven(_) => pass(verify, feature, now, rules),
        Shown::Failed { summary, evidence } => report_failed(verify, feature, summary, evidence, now, rules),
        Shown::Unproven { why, next } => Ok(Reported::Unproven { why, next }),
    }
}

/// Makes a feature tested. Somebody may have changed the entry while its verifiers ran: what is proven is what is
/// listed now.
pub fn pass(
    verify: &Verify<'_>,
    feature: &Feature,
    now: &dyn Fn() -> i64,
    rules: &Rules,
) -> Result<Reported, EvidenceError> {
    transact(&verify.ground.features, |opened| {
        let current = opened.require(&verify.ground.features)?.feature(&feature.id)?;
        match proof_of(verify.ground, &current, &Bounds::command()) {
            Ok(proof) => {
                let evidence = proof.evidence().to_vec();
                opened.apply(&Event::Passed { feature: current.id, proof }, now(), rules)?;
                Ok(Reported::Passed { evidence })
            }
            Err(NotProven::Unproven { why, next, .. }) => Ok(Reported::Unproven { why, next }),
            Err(NotProven::Evidence(error)) => Err(error),
        }
    })
}

/// Records that a test of the feature failed.
pub fn report_failed(
    verify: &Verify<'_>,
    feature: &Feature,
    summary: String,
    evidence: Vec<String>,
    now: &dyn Fn() -> i64,
    rules: &Rules,
) -> Result<Reported, EvidenceError> {
    let event = Event::Failed { feature: feature.id.clone(), summary: summary.clone(), evidence };
    transact(&verify.ground.features, |opened| opened.apply(&event, now(), rules).map_err(EvidenceError::from))?;
    Ok(Reported::Failed { summary })
}
