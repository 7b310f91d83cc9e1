//! Its permissions are in its own settings, which allow edits and commands by default.

use crate::headless::Headless;
use crate::steps;

pub(super) const HEADLESS: Headless = Headless {
    args: &["run", "--format", "json"],
    may: "what its settings allow: by default edits and commands in the project",
    session_vars: &["OPENCODE_PID", "AGENT"],
    heed: steps::HEED,
    read: steps::read,
    reports_cost: true,
    states_quota_end: true,
    ..Headless::PLAIN
};
