//! The shipped guards that a new project starts with. They only watch at first: nobody wants to be blocked on the first day
//! by a rule they have not seen at work.

use crate::mode::Mode;
use crate::set_mode;
use crate::shipped::{EnableError, enable_text};

/// Their ids.
pub const STARTERS: &[&str] = &["destructive"];

/// The mode in which they start.
pub const STARTER_MODE: Mode = Mode::Shadow;

/// The starter to which a guard of that id belongs: a guard of a pack is named `pack.guard`.
pub fn starter_of(guard: &str) -> Option<&'static str> {
    let pack = guard.split('.').next().unwrap_or(guard);
    STARTERS.iter().copied().find(|id| *id == pack)
}

/// The file of a starter in a new project.
pub fn starter_text(id: &str) -> Result<String, EnableError> {
    Ok(set_mode(&enable_text(id, &[])?, STARTER_MODE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ProjectRooms, Source, State, inventory, mode_of};

    #[test]
    fn every_starter_is_a_shipped_guard_that_works_as_it_is() {
        for id in STARTERS {
            let text = starter_text(id).unwrap();
            assert_eq!(mode_of(&text), Some(STARTER_MODE), "{text}");
            let (listed, problems) =
                inventory(&[Source::project(format!("{id}.yaml"), text.clone())], &ProjectRooms::default());
            assert!(problems.is_empty(), "{problems:?}");
            let own: Vec<_> = listed.iter().filter(|guard| guard.file == format!("{id}.yaml")).collect();
            assert!(!own.is_empty() && own.iter().all(|guard| guard.state == State::Active), "{id}");
            assert!(own.iter().all(|guard| guard.mode == STARTER_MODE && starter_of(&guard.id) == Some(*id)), "{id}");
        }
        assert_eq!(starter_of("tested-needs-evidence"), None);
    }
}
