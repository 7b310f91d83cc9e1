use crate::settings::system;
use crate::switches::{Switches, decision, variable};

const HOOKS: &str = "cursor.com/docs/agent/hooks";

/// Its program has no option for hooks; without trust in the folder it runs no project hooks.
pub(super) const SWITCHES: Switches = Switches {
    programs: &["cursor-agent"],
    commands: &[],
    variables: &[
        variable("CURSOR_CONFIG_DIR", "moves the person's settings", "cursor.com/docs/cli/reference/configuration"),
        variable("CURSOR_PROJECT_DIR", "tells hooks which project they belong to", HOOKS),
    ],
    files: &[
        decision(system("/etc/cursor", "hooks.json"), "Cursor's managed hooks", HOOKS),
        decision(system("/Library/Application Support/Cursor", "hooks.json"), "Cursor's managed hooks", HOOKS),
    ],
};
