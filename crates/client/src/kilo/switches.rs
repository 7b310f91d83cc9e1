use crate::settings::{below, home, project, system};
use crate::switches::{Switches, command, decision, variable};

const HELP: &str = "`kilo --help`, 7.7.9";
const READ: &str = "read in the program, 7.7.9";
const BESIDE: &str = "Kilo's plugins, which run beside Stead's and can undo what it decides";

pub(super) const SWITCHES: Switches = Switches {
    programs: &["kilo", "kilocode", "@kilocode/cli"],
    commands: &[
        command("--pure", "it starts without plugins", HELP, "kilo run --pure hi", "kilo run hi"),
        command(
            "plugin|plug *",
            "it adds a plugin that can undo what Stead's decides",
            HELP,
            "kilo plugin other",
            "kilo models",
        ),
        command(
            "uninstall",
            "it removes the folder that has Stead's plugin",
            HELP,
            "kilo uninstall --force",
            "kilo upgrade",
        ),
    ],
    variables: &[
        variable("KILO_PURE", "is `--pure`", READ),
        variable("KILO_DISABLE_PROJECT_CONFIG", "leaves out the project's folder", READ),
        variable("KILO_CONFIG", "names another config, with other plugins", READ),
        variable("KILO_CONFIG_DIR", "names another folder, with other plugins", READ),
        variable("KILO_CONFIG_CONTENT", "is a config, with other plugins", READ),
        variable("KILO_TEST_HOME", "moves the person's config", READ),
        variable("KILO_TEST_MANAGED_CONFIG_DIR", "moves the managed config", READ),
    ],
    files: &[
        decision(project(".kilo/plugin/**"), BESIDE, READ),
        decision(project(".kilo/plugins/**"), BESIDE, READ),
        decision(project(".kilocode/plugin/**"), BESIDE, READ),
        decision(project(".kilocode/plugins/**"), BESIDE, READ),
        decision(user("kilo/plugin/**"), BESIDE, READ),
        decision(user("kilo/plugins/**"), BESIDE, READ),
        decision(home(".kilo/plugins/**"), BESIDE, READ),
        decision(system("/etc/kilo", "*/**"), "Kilo's managed config", READ),
    ],
};

const fn user(path: &'static str) -> stead_model::Spot<'static> {
    below("XDG_CONFIG_HOME", ".config", path)
}
