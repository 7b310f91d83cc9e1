//! The machine as one function: a state and an event give a state and an action.

use crate::{Action, Change, Event, Outline, Refused, Rules, SessionState, decide, next};

/// The list and where the machine is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// `None` while there is no list.
    pub outline: Option<Outline>,
    pub session: SessionState,
}

/// What an event leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub state: State,
    pub changes: Vec<Change>,
    pub action: Action,
}

/// The whole machine: applies an event to a state and decides what to do next.
pub fn step(state: &State, event: &Event, now: i64, rules: &Rules) -> Result<Step, Refused> {
    let empty = Outline::default();
    let changes = decide(state.outline.as_ref().unwrap_or(&empty), &state.session, event, now, rules)?;
    let mut state = state.clone();
    changes.iter().for_each(|change| state.apply(change));
    let action = next(state.outline.as_ref(), &state.session, now, rules);
    Ok(Step { state, changes, action })
}

impl State {
    pub fn apply(&mut self, change: &Change) {
        self.session.apply(change);
        if let (Change::Feature { id, patch }, Some(outline)) = (change, &mut self.outline)
            && let Some(row) = outline.rows.iter_mut().find(|row| &row.id == id)
        {
            patch.apply(row);
        }
    }
}

#[cfg(test)]
mod tests;
