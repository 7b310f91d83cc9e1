//! What happens to a guard after it was accepted: its modes and the written rules between them, its versions, and the
//! step down when people keep overriding it. A person promotes; only the step down happens by itself.

mod demotion;
mod exit_rule;
mod versions;

pub use demotion::{DEMOTION, Demotion, DemotionRule, demotions};
pub use exit_rule::{ExitRule, GuardRecord};
pub use versions::{FileChange, GuardFolders, GuardVersions, version_of};
