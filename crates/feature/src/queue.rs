//! Which features can be worked on, in which order, and what the others wait for. Linear in the size of the list.

use std::collections::HashMap;

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
        let places = outline.places();
        let claims: HashMap<&str, _> = session.claims.iter().map(|claim| (claim.feature.as_str(), claim)).collect();
        let ready = outline.rows.iter().map(|row| {
            let claim = claims.get(row.id.as_str()).filter(|claim| claim.is_live(row.status, now));
            if let Some(claim) = claim {
                return Readiness::Claimed { owner: claim.owner.clone(), expires: claim.expires_at() };
            }
            match row.status {
                Status::Tested | Status::Skipped => Readiness::Done,
                Status::Blocked => Readiness::Blocked { on: row.blocked_on },
                Status::Implemented => Readiness::Test,
                Status::Pending | Status::Claimed => match open_among(row, outline, &places) {
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

/// The dependencies of a feature that are neither tested nor skipped.
pub(crate) fn open_dependencies(row: &Row, outline: &Outline) -> Vec<String> {
    match row.depends_on.is_empty() {
        true => Vec::new(),
        false => open_among(row, outline, &outline.places()),
    }
}

fn open_among(row: &Row, outline: &Outline, places: &HashMap<&str, usize>) -> Vec<String> {
    let is_open = |id: &&String| places.get(id.as_str()).is_none_or(|at| !outline.rows[*at].status.satisfies());
    row.depends_on.iter().filter(is_open).cloned().collect()
}

/// Finds a cycle: the indexes of its features, each depending on the next, from the one that is listed first.
pub(crate) fn cycle(rows: &[Row], places: &HashMap<&str, usize>) -> Option<Vec<usize>> {
    let needs = |at: usize| rows[at].depends_on.iter().filter_map(|id| places.get(id.as_str()).copied());
    // Whoever depends on nothing that is left is taken away; what stays is in a cycle or depends on one.
    let mut open: Vec<usize> = (0..rows.len()).map(|at| needs(at).count()).collect();
    let mut dependents = vec![Vec::new(); rows.len()];
    for at in 0..rows.len() {
        needs(at).for_each(|need| dependents[need].push(at));
    }
    let mut free: Vec<usize> = (0..rows.len()).filter(|at| open[*at] == 0).collect();
    while let Some(at) = free.pop() {
        for dependent in &dependents[at] {
            open[*dependent] -= 1;
            if open[*dependent] == 0 {
                free.push(*dependent);
            }
        }
    }
    let mut at = (0..rows.len()).find(|at| open[*at] > 0)?;
    let mut seen = HashMap::new();
    let mut path = Vec::new();
    while !seen.contains_key(&at) {
        seen.insert(at, path.len());
        path.push(at);
        at = needs(at).find(|need| open[*need] > 0)?;
    }
    let mut round = path.split_off(seen[&at]);
    let first = (0..round.len()).min_by_key(|at| round[*at])?;
    round.rotate_left(first);
    Some(round)
}
