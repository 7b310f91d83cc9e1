//! Which features can be worked on, in which order, and what the others wait for. Linear in the size of the list.

use std::collections::HashMap;

use crate::links::Links;
use crate::{BlockedOn, Outline, Row, SessionState, Status, Task};

/// What can happen to a feature now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// A coding agent can take it.
    Code,
    /// A tester can take it.
    Test,
    /// Somebody works on it, until the claim expires.
    Claimed {
        owner: String,
        expires: i64,
    },
    /// Dependencies that are neither tested nor skipped.
    Waits {
        on: Vec<String>,
    },
    Blocked {
        on: Option<BlockedOn>,
    },
    /// Tested or skipped.
    Done,
}

/// The readiness of every feature, in the order of the list.
pub struct Queue<'a> {
    outline: &'a Outline,
    ready: Vec<Readiness>,
}

impl<'a> Queue<'a> {
    pub fn of(outline: &'a Outline, session: &SessionState, now: i64) -> Self {
        let links = outline.links();
        let claims: HashMap<&str, _> = session.claims.iter().map(|claim| (claim.feature.as_str(), claim)).collect();
        let ready = outline.rows.iter().enumerate().map(|(at, row)| {
            let claim = claims.get(row.id.as_str()).filter(|claim| claim.is_live(row.status, now));
            if let Some(claim) = claim {
                return Readiness::Claimed { owner: claim.owner.clone(), expires: claim.expires_at() };
            }
            match row.status {
                Status::Tested | Status::Skipped => Readiness::Done,
                Status::Blocked => Readiness::Blocked { on: row.blocked_on },
                Status::Implemented => Readiness::Test,
                Status::Pending | Status::Claimed => match open_among(at, outline, &links) {
                    on if on.is_empty() => Readiness::Code,
                    on => Readiness::Waits { on },
                },
            }
        });
        Self { outline, ready: ready.collect() }
    }

    /// Each feature and its readiness.
    pub fn iter(&self) -> impl Iterator<Item = (&'a Row, &Readiness)> {
        self.outline.rows.iter().zip(&self.ready)
    }

    /// The first feature of its kind: the lowest priority number, then the order of the list.
    pub fn first(&self, task: Task, only: &[String]) -> Option<&'a Row> {
        let wanted = match task {
            Task::Code => Readiness::Code,
            Task::Test => Readiness::Test,
        };
        let rows = self.iter().filter(|(row, ready)| **ready == wanted && is_chosen(row, only)).map(|(row, _)| row);
        rows.min_by_key(|row| row.priority.unwrap_or(i64::MAX))
    }
}

/// Returns true if the person chose this feature, or all of them.
pub(crate) fn is_chosen(row: &Row, only: &[String]) -> bool {
    only.is_empty() || only.contains(&row.id)
}

/// The dependencies of the feature at an index that are neither tested nor skipped.
pub(crate) fn open_dependencies(at: usize, outline: &Outline) -> Vec<String> {
    open_among(at, outline, &outline.links())
}

fn open_among(at: usize, outline: &Outline, links: &Links) -> Vec<String> {
    let is_open = |need: usize| outline.rows.get(need).is_none_or(|row| !row.status.satisfies());
    let needs = outline.rows[at].depends_on.iter().zip(links.needs(at));
    needs.filter(|(_, need)| is_open(**need)).map(|(id, _)| id.clone()).collect()
}
