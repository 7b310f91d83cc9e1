//! The state of a role between saving its context and recovering it after a compaction:
//! active → saving → saved → compacting → recovering → active.
//!
//! The state of each role is one small file. Commands make legal transitions only; a hook, which reports what already
//! happened, and a recovery, which must work from any state, [`RoleState::put`] the actual state.

mod old_machine;
mod role_state;

pub use old_machine::old_machine;
pub use role_state::{RoleMember, RoleState};

stead_model::named! {
    /// A role's state.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Lifecycle {
        /// Working.
        Active = "active",
        /// The role file is being written and checked.
        Saving = "saving",
        /// The role file is valid and up to date.
        Saved = "saved",
        /// The client is compacting the conversation.
        Compacting = "compacting",
        /// The compaction is over and the role reads its context.
        Recovering = "recovering",
    }
}

impl Lifecycle {
    /// The states that may follow. A failed save returns to active, and a saved role may save again.
    pub fn next(self) -> &'static [Self] {
        match self {
            Self::Active => &[Self::Saving],
            Self::Saving => &[Self::Saved, Self::Active],
            Self::Saved => &[Self::Compacting, Self::Saving],
            Self::Compacting => &[Self::Recovering],
            Self::Recovering => &[Self::Active],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_these_steps_are_legal() {
        let legal = [
            "active>saving", "saving>saved", "saving>active", "saved>compacting", "saved>saving",
            "compacting>recovering", "recovering>active",
        ];
        for from in Lifecycle::ALL {
            for to in Lifecycle::ALL {
                let step = format!("{from}>{to}");
                assert_eq!(from.next().contains(&to), legal.contains(&step.as_str()), "{step}");
            }
            assert_eq!(Lifecycle::from_name(from.name()), Some(from));
        }
    }
}
