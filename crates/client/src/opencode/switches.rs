use crate::settings::{below, project, system};
use crate::switches::{Switches, command, decision, variable};

const HELP: &str = "`opencode --help`, 1.18.33";
const READ: &str = "read in the program, 1.18.33";
const PLUGINS: &str = "opencode.ai/docs/plugins";
const BESIDE: &str = "OpenCode's plugins, which run beside Stead's and can undo what it decides";

pub(super) const SWITCHES: Switches = Switches {
    programs: &["opencode", "opencode-ai"],
    commands: &[
        command("--pure", "it starts without plugins", HELP, "opencode run --pure hi", "opencode run hi"),
        command(
            "plugin|plug *",
            "it adds a plugin that can undo what Stead's decides",
            HELP,
            "opencode plugin other",
            "opencode models",
        ),
        command(
            "uninstall",
            "it removes the folder that has Stead's plugin",
            HELP,
            "opencode uninstall --force",
            "opencode upgrade",
        ),
    ],
    variables: &[
        variable("OPENCODE_PURE", "is `--pure`", READ),
        variable("OPENCODE_DISABLE_PROJECT_CONFIG", "leaves out the project's folder", READ),
        variable("OPENCODE_CONFIG", "names another config, with other plugins", "opencode.ai/docs/config"),
        variable("OPENCODE_CONFIG_DIR", "names another folder, with other plugins", "opencode.ai/docs/config"),
        variable("OPENCODE_CONFIG_CONTENT", "is a config, with other plugins", "opencode.ai/docs/config"),
        variable("OPENCODE_TEST_HOME", "moves the person's config", READ),
        variable(
            "OPENCODE_TEST_MANAGED_CONFIG_DIR",
            "moves the managed config",
            "github.com/anomalyco/opencode, packages/opencode/src/config/managed.ts",
        ),
    ],
    files: &[
        decision(project(".opencode/plugin/**"), BESIDE, PLUGINS),
        decision(project(".opencode/plugins/**"), BESIDE, PLUGINS),
        decision(user("opencode/plugin/**"), BESIDE, PLUGINS),
        decision(user("opencode/plugins/**"), BESIDE, PLUGINS),
        decision(system("/etc/opencode", "*/**"), "OpenCode's managed config", "opencode.ai/docs/config"),
    ],
};

const fn user(path: &'static str) -> stead_model::Spot<'static> {
    below("XDG_CONFIG_HOME", ".config", path)
}
