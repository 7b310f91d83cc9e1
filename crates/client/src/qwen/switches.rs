use crate::settings::{below, project, system};
use crate::switches::{Switches, command, decision, variable};

const HELP: &str = "`qwen --help`, 0.24.4";
const READ: &str = "read in the program, 0.24.4";
const SOURCE: &str = "github.com/QwenLM/qwen-code, packages/cli/src/config/environment.ts";
const ENV: &str = "the environment that Qwen Code loads";
const SYSTEM: &str = "Qwen Code's system settings";

pub(super) const SWITCHES: Switches = Switches {
    programs: &["qwen", "qwen-code", "@qwen-code/qwen-code"],
    commands: &[
        command("--bare", "it starts without hooks", HELP, "qwen --bare hi", "qwen -p hi"),
        command("--safe-mode", "it starts without hooks", HELP, "qwen hi --safe-mode", "qwen --help"),
        command(
            "hooks|hook disable|disable-all|uninstall|remove",
            "it turns hooks off",
            "qwenlm.github.io/qwen-code-docs/en/users/features/hooks (in a session: `/hooks disable`)",
            "qwen hooks disable stead",
            "qwen hooks",
        ),
        command(
            "extensions disable|uninstall|remove",
            "it removes the hooks of an extension",
            "`qwen extensions --help`, 0.24.4",
            "qwen extensions disable guard",
            "qwen extensions list",
        ),
    ],
    variables: &[
        variable("QWEN_HOME", "moves the person's settings", READ),
        variable("QWEN_CODE_SIMPLE", "is `--bare`", READ),
        variable("QWEN_CODE_SAFE_MODE", "is `--safe-mode`", READ),
        variable("QWEN_CODE_SYSTEM_SETTINGS_PATH", "names settings that overrule all others", READ),
        variable("QWEN_CODE_SYSTEM_DEFAULTS_PATH", "names default settings", READ),
        variable("QWEN_CODE_TRUSTED_FOLDERS_PATH", "names another list of trusted folders", READ),
        variable("QWEN_PROJECT_DIR", "tells hooks which project they belong to", READ),
    ],
    files: &[
        decision(user("trustedFolders.json"), "the folders that the person trusts in Qwen Code", READ),
        decision(user("extensions/extension-enablement.json"), "which Qwen extensions are on", READ),
        decision(user(".env"), ENV, READ),
        decision(project(".qwen/.env"), ENV, SOURCE),
        decision(system("/etc/qwen-code", "settings.json"), SYSTEM, READ),
        decision(system("/etc/qwen-code", "system-defaults.json"), SYSTEM, READ),
        decision(system("/Library/Application Support/QwenCode", "settings.json"), SYSTEM, READ),
    ],
};

const fn user(path: &'static str) -> stead_model::Spot<'static> {
    below("QWEN_HOME", ".qwen", path)
}
