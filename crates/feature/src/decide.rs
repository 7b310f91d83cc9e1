//! The rules of the machine: what an event changes. Pure; [`crate::transact`] writes the result.

use stead_model::rfc3339;

use crate::patch::Unproven;
use crate::queue::open_dependencies;
use crate::session_state::Pause;
use crate::{
    BlockedOn, Claim, Event, Failure, FeatureError, NeedsHuman, Outline, Past, Patch, Proven, Row, SessionState,
    Status, Task,
};

/// What a person can set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How many failures since the last unblock block a feature.
    pub retries: u64,
    /// The features to work on; all if empty.
    pub only: Vec<String>,
}

impl Default for Rules {
    fn default() -> Self {
        Self { retries: 2, only: Vec::new() }
    }
}

/// One change of the list or of `session-state.json`.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    Feature { id: String, patch: Patch },
    Claim(Claim),
    Release { feature: String },
    Files { feature: String, files: Vec<String> },
    Pause(Option<Pause>),
    Ended(Option<String>),
    Veto,
    Recovery,
    Record(Past),
}

impl Change {
    /// The status that a feature gets.
    pub fn status(&self) -> Option<Status> {
        match self {
            Self::Feature { patch, .. } => patch.status(),
            _ => None,
        }
    }
}

/// Why an event cannot happen now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub feature: String,
    /// A continuation of the feature's id.
    pub why: String,
    pub hint: Option<String>,
}

impl From<Refused> for FeatureError {
    fn from(Refused { feature, why, hint }: Refused) -> Self {
        Self::Refused { feature, why, hint }
    }
}

/// Decides what an event changes. An event that was applied before changes nothing; one that cannot happen is refused.
pub fn decide(
    outline: &Outline,
    session: &SessionState,
    event: &Event,
    now: i64,
    rules: &Rules,
) -> Result<Vec<Change>, Refused> {
    let mut changes = Vec::new();
    if let Some(id) = event.feature() {
        let at = outline.rows.iter().position(|row| row.id == id);
        let at = at.ok_or_else(|| refused(id, "is not in the list", Some("`stead feature list` shows all")))?;
        let (row, claim) = (&outline.rows[at], session.claim(id));
        Turn { outline, at, row, claim, now, rules, changes: &mut changes }.of_feature(event)?;
    }
    match event {
        Event::Quota { until, .. } => {
            let pause = Pause { until: rfc3339(*until), why: "no quota left".into() };
            changes.push(Change::Pause(Some(pause)));
        }
        Event::BudgetSpent { what } => changes.push(Change::Ended(Some(format!("{what} is used up")))),
        Event::Started => changes.extend([Change::Pause(None), Change::Ended(None)]),
        _ => {}
    }
    if !changes.is_empty() {
        let feature = event.feature().map(str::to_owned);
        let past = Past { at: rfc3339(now), event: event.name().into(), feature, note: note(event), ..Past::default() };
        changes.push(Change::Record(past));
    }
    Ok(changes)
}

fn note(event: &Event) -> Option<String> {
    match event {
        Event::Claimed { owner, .. } => Some(format!("by {owner}")),
        Event::Failed { summary: why, .. }
        | Event::Vetoed { why, .. }
        | Event::HandoffFailed { why, .. }
        | Event::Blocked { why, .. }
        | Event::Skipped { why, .. } => Some(why.clone()).filter(|why| !why.is_empty()),
        _ => None,
    }
}

fn refused(feature: &str, why: impl Into<String>, hint: Option<&str>) -> Refused {
    Refused { feature: feature.to_owned(), why: why.into(), hint: hint.map(str::to_owned) }
}

/// One event about one feature.
struct Turn<'a> {
    outline: &'a Outline,
    at: usize,
    row: &'a Row,
    claim: Option<&'a Claim>,
    now: i64,
    rules: &'a Rules,
    changes: &'a mut Vec<Change>,
}

impl Turn<'_> {
    fn of_feature(&mut self, event: &Event) -> Result<(), Refused> {
        match event {
            Event::Claimed { owner, expires, command_id, tree, .. } => {
                self.claimed(owner, *expires, command_id.clone(), tree.clone())
            }
            Event::Implemented { files_changed, .. } => self.implemented(files_changed),
            Event::Passed { proof, .. } => self.passed(proof),
            Event::Failed { summary, evidence, .. } => self.failed(summary, evidence),
            Event::Vetoed { why, .. } => {
                self.failed(&format!("{VETOED}{why}"), &[])?;
                self.changes.push(Change::Veto);
                Ok(())
            }
            Event::TimedOut { .. } => {
                self.handoff_failed("the agent took too long", self.row.status == Status::Claimed)
            }
            Event::HandoffFailed { why, .. } => self.handoff_failed(why, false),
            Event::ClaimExpired { .. } => match self.claim {
                Some(claim) if self.now < claim.expires_at() => {
                    Err(self.no(format!("is claimed by {} until {}", claim.owner, claim.expires), None))
                }
                _ => self.free(),
            },
            Event::DiedWithEngine { .. } | Event::Quota { .. } => self.free(),
            Event::NeedsPerson { question, .. } => self.ask(question),
            Event::Conflict { branches, .. } => {
                self.ask(&format!("merge the branches `{}` by hand", branches.join("` and `")))
            }
            Event::Answered { answer, .. } => self.answered(answer),
            Event::Blocked { on, why, .. } => self.blocked(*on, why),
            Event::Unblocked { .. } => self.unblocked(),
            Event::Skipped { .. } => self.skipped(),
            Event::BudgetSpent { .. } | Event::Started => Ok(()),
        }
    }

    fn no(&self, why: impl Into<String>, hint: Option<String>) -> Refused {
        Refused { feature: self.row.id.clone(), why: why.into(), hint }
    }

    /// Refuses what only a person may resume.
    fn is_open(&self) -> Result<(), Refused> {
        match self.row.status {
            Status::Blocked => {
                let on = self.row.blocked_on.map_or(String::new(), |on| format!(" on {on}"));
                Err(self.no(format!("is blocked{on}"), Some("a person can `stead feature unblock` it".into())))
            }
            Status::Skipped => {
                Err(self.no("was skipped by a person", Some("a person can `stead feature unblock` it".into())))
            }
            _ => Ok(()),
        }
    }

    fn set(&mut self, patch: Patch) {
        self.changes.push(Change::Feature { id: self.row.id.clone(), patch });
    }

    fn release(&mut self) {
        if self.claim.is_some() {
            self.changes.push(Change::Release { feature: self.row.id.clone() });
        }
    }

    fn claimed(
        &mut self,
        owner: &str,
        expires: i64,
        command_id: Option<String>,
        tree: Option<String>,
    ) -> Result<(), Refused> {
        self.is_open()?;
        let live = self.claim.filter(|claim| claim.is_live(self.row.status, self.now));
        if let Some(claim) = live.filter(|claim| claim.owner != owner) {
            let hint = "`stead feature next` names another one".to_owned();
            return Err(self.no(format!("is claimed by {} until {}", claim.owner, claim.expires), Some(hint)));
        }
        let (task, from) = match self.row.status {
            Status::Tested => return Err(self.no("is tested already", None)),
            Status::Implemented => (Task::Test, Status::Implemented),
            _ => (Task::Code, Status::Pending),
        };
        if task == Task::Code
            && let Some(id) = open_dependencies(self.at, self.outline).first()
        {
            return Err(self.no(format!("depends on `{id}`, which is not tested"), None));
        }
        if task == Task::Code && self.row.status != Status::Claimed {
            self.set(Patch::to(Unproven::Claimed));
        }
        let since = live.map_or_else(|| rfc3339(self.now), |claim| claim.since.clone());
        self.changes.push(Change::Claim(Claim {
            feature: self.row.id.clone(),
            owner: owner.to_owned(),
            task,
            from,
            since,
            expires: rfc3339(expires),
            command_id,
            tree,
            other: live.map(|claim| claim.other.clone()).unwrap_or_default(),
        }));
        Ok(())
    }

    fn implemented(&mut self, files: &[String]) -> Result<(), Refused> {
        self.is_open()?;
        match self.row.status {
            Status::Tested => return Err(self.no("is tested already", None)),
            Status::Implemented if files.is_empty() => return Ok(()),
            Status::Implemented => {}
            _ => {
                self.set(Patch::to(Unproven::Implemented));
                self.release();
            }
        }
        self.changes.push(Change::Files { feature: self.row.id.clone(), files: files.to_vec() });
        Ok(())
    }

    fn passed(&mut self, proof: &Proven) -> Result<(), Refused> {
        if proof.feature() != self.row.id {
            return Err(self.no(format!("is not what was proven: `{}`", proof.feature()), None));
        }
        self.is_open()?;
        if self.row.status == Status::Tested {
            return Ok(());
        }
        let mut patch = Patch::tested(proof);
        if self.row.status != Status::Pending {
            patch = patch.attempts(self.row.attempts + 1);
        }
        self.set(patch);
        self.release();
        self.changes.push(Change::Files { feature: self.row.id.clone(), files: Vec::new() });
        if self.row.last_failure.as_ref().is_some_and(|failure| failure.summary.starts_with(VETOED)) {
            self.changes.push(Change::Recovery);
        }
        Ok(())
    }

    /// The first failure sends the feature back to a coding agent, the last one that is permitted blocks it.
    fn failed(&mut self, summary: &str, evidence: &[String]) -> Result<(), Refused> {
        self.is_open()?;
        if self.row.status == Status::Pending {
            let hint = format!("`stead feature report {} --implemented` comes first", self.row.id);
            return Err(self.no("is pending; there is nothing to test yet", Some(hint)));
        }
        let failure = Failure {
            at: rfc3339(self.now),
            summary: summary.to_owned(),
            evidence: evidence.to_vec(),
            ..Failure::default()
        };
        // A tested feature that fails again was counted when it passed.
        let attempts = self.row.attempts + u64::from(self.row.status != Status::Tested);
        self.set(self.retry(Unproven::Pending).attempts(attempts).failure(failure));
        self.release();
        Ok(())
    }

    /// One more retry: back to that status, or blocked.
    fn retry(&self, back: Unproven) -> Patch {
        let retries = self.row.retries + 1;
        let is_last = retries >= self.rules.retries.max(1);
        let to = if is_last { Unproven::Blocked(BlockedOn::Verifier) } else { back };
        Patch::to(to).retries(retries)
    }

    /// Returns the feature to its status before the handoff; two of these block it.
    fn handoff_failed(&mut self, why: &str, counts: bool) -> Result<(), Refused> {
        self.is_open()?;
        if self.row.status == Status::Tested {
            return Err(self.no("is tested already", None));
        }
        let back = Unproven::back_to(self.row.status, None);
        let failure = Failure { at: rfc3339(self.now), summary: why.to_owned(), ..Failure::default() };
        let patch = self.retry(back).failure(failure);
        self.set(if counts { patch.attempts(self.row.attempts + 1) } else { patch });
        self.release();
        Ok(())
    }

    /// Returns the feature to its status before the claim. The attempt does not count.
    fn free(&mut self) -> Result<(), Refused> {
        if self.row.status == Status::Claimed {
            self.set(Patch::to(Unproven::Pending));
        }
        self.release();
        Ok(())
    }

    fn ask(&mut self, question: &str) -> Result<(), Refused> {
        if self.row.status == Status::Skipped {
            return self.is_open();
        }
        let asked = NeedsHuman { question: question.to_owned(), ..NeedsHuman::default() };
        self.set(Patch::to(Unproven::Blocked(BlockedOn::Human)).asked(asked));
        self.release();
        Ok(())
    }

    fn answered(&mut self, answer: &str) -> Result<(), Refused> {
        let Some(asked) = &self.row.needs_human else { return Err(self.no("asked nothing", None)) };
        let asked = NeedsHuman { answer: Some(answer.to_owned()), ..(**asked).clone() };
        let waits = self.row.status == Status::Blocked && self.row.blocked_on == Some(BlockedOn::Human);
        let patch = match waits {
            true => Patch::to(Unproven::Pending).retries(0),
            false => Patch::default(),
        };
        self.set(patch.asked(asked));
        Ok(())
    }

    fn blocked(&mut self, on: BlockedOn, why: &str) -> Result<(), Refused> {
        match self.row.status {
            Status::Skipped => return self.is_open(),
            Status::Tested => return Err(self.no("is tested already", None)),
            _ => {}
        }
        if on == BlockedOn::Human {
            return self.ask(why);
        }
        let mut patch = Patch::to(Unproven::Blocked(on));
        if !why.is_empty() {
            patch = patch.failure(Failure { at: rfc3339(self.now), summary: why.to_owned(), ..Failure::default() });
        }
        self.set(patch);
        self.release();
        Ok(())
    }

    fn unblocked(&mut self) -> Result<(), Refused> {
        match self.row.status {
            Status::Blocked | Status::Skipped => {
                self.set(Patch::to(Unproven::Pending).retries(0));
                self.release();
                Ok(())
            }
            status => Err(self.no(format!("is not blocked; it is {status}"), None)),
        }
    }

    fn skipped(&mut self) -> Result<(), Refused> {
        match self.row.status {
            Status::Tested => Err(self.no("is tested already", None)),
            Status::Skipped => Ok(()),
            _ => {
                self.set(Patch::to(Unproven::Skipped));
                self.release();
                Ok(())
            }
        }
    }
}

/// How the summary of a veto starts; it marks the failure as one.
const VETOED: &str = "vetoed: ";
