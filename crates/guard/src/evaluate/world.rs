use stead_model::{Action, How, Op, Target};

use super::super::asked::Inquiry;
use crate::condition::{Clause, EvidenceWord, FeatureClause, TestsWord};
use crate::guard_facts::EvidenceState;
use crate::pattern::one_of;
use crate::subject::Subject;

impl Inquiry<'_> {
    /// Evaluates a clause about the circumstances of a call.
    pub(super) fn fact(&self, clause: &Clause, focus: Option<&Subject>) -> Result<bool, String> {
        match clause {
            Clause::Session(flags) => {
                for flag in flags {
                    if !self.facts.has_flag(flag)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Clause::Counter { name, bound } => Ok(bound.holds(self.facts.counter(name)?)),
            Clause::Intent(names) => {
                let intent = self.facts.intent()?;
                Ok(names.iter().any(|name| match (name.as_str(), intent.as_deref()) {
                    ("none", None) | ("any", Some(_)) => true,
                    (name, Some(intent)) => crate::pattern::meets(name, intent),
                    (_, None) => false,
                }))
            }
            Clause::Feature(wanted) => self.feature(wanted, focus),
            Clause::Tests(word) => {
                let runs = self.facts.test_runs()?;
                Ok(match word {
                    TestsWord::Ran => runs.ran > 0,
                    TestsWord::Passed => runs.passed > 0,
                })
            }
            Clause::Evidence(word) => self.evidence(*word, focus),
            _ => Ok(false),
        }
    }

    fn feature(&self, wanted: &FeatureClause, focus: Option<&Subject>) -> Result<bool, String> {
        let Some(id) = focus.and_then(|subject| subject.feature.as_deref()) else { return Ok(false) };
        let Some(state) = self.facts.feature(id)? else { return Ok(false) };
        let status = wanted.status.is_empty() || one_of(&wanted.status, &state.status);
        Ok(status && wanted.tested.is_none_or(|tested| tested == state.tested))
    }

    fn evidence(&self, word: EvidenceWord, focus: Option<&Subject>) -> Result<bool, String> {
        // If the feature is unknown, there is no evidence for it.
        if focus.is_some_and(|subject| subject.unknown) {
            return Ok(word == EvidenceWord::None);
        }
        let standing = self.standing(focus)?;
        Ok(match word {
            EvidenceWord::Fresh => standing == EvidenceState::Fresh,
            EvidenceWord::Stale => matches!(standing, EvidenceState::Stale { .. }),
            EvidenceWord::None => matches!(standing, EvidenceState::None { .. }),
        })
    }

    /// The state of the evidence for a subject, after the earlier effects of the same call.
    pub(crate) fn standing(&self, focus: Option<&Subject>) -> Result<EvidenceState, String> {
        let feature = focus.and_then(|subject| subject.feature.as_deref());
        let standing = self.facts.evidence(feature)?;
        if standing != EvidenceState::Fresh {
            return Ok(standing);
        }
        let list = &self.effects().list;
        let own = focus.and_then(|subject| subject.effect);
        // Commands run one after the other, the files of a patch change at once.
        let in_order = self.asked.event.call.as_ref().is_some_and(|call| matches!(call.action, Action::Run { .. }));
        let end = own.filter(|_| in_order).unwrap_or(list.len());
        let before = list.iter().take(end).enumerate().filter(|(at, _)| Some(*at) != own);
        let changes: Vec<&Target> = before.flat_map(|(_, effect)| changed(&effect.op)).collect();
        if changes.is_empty() || !self.facts.outdates(feature, &changes) {
            return Ok(standing);
        }
        let why =
            "the same call changes files that the evidence covers: make the change, verify it, then do this".into();
        Ok(EvidenceState::Stale { why })
    }
}

/// The files that an operation certainly changes.
fn changed(op: &Op) -> Vec<&Target> {
    match op {
        Op::Write { how: How::Somewhere | How::Attributes, .. } => Vec::new(),
        Op::Write { target, .. } | Op::Delete(target) => vec![target],
        Op::Rename { from, to } => vec![from, to],
        _ => Vec::new(),
    }
}
