use crate::settings::system;
use crate::switches::{Switches, command, decision, variable};

const HELP: &str = "`droid --help`, 0.225.2";
const READ: &str = "read in the program, 0.225.2";

pub(super) const SWITCHES: Switches = Switches {
    programs: &["droid", "@factory/cli"],
    commands: &[command(
        "--settings",
        "its settings take precedence and may turn hooks off",
        HELP,
        "droid exec --settings /tmp/x.json hi",
        "droid exec hi",
    )],
    variables: &[
        variable("FACTORY_HOME_OVERRIDE", "moves the person's settings", READ),
        variable("FACTORY_RUNTIME_SETTINGS_PATH", "is `--settings`", READ),
        variable("FACTORY_ORG_MANAGED_SETTINGS_*", "names the organisation's settings", READ),
        variable("FACTORY_PROJECT_DIR", "tells hooks which project they belong to", READ),
        variable("DROID_PROJECT_DIR", "tells hooks which project they belong to", READ),
    ],
    files: &[
        decision(system("/etc/factory", "settings.json"), "Factory's managed settings", READ),
        decision(system("/Library/Application Support/Factory", "settings.json"), "Factory's managed settings", READ),
    ],
};
