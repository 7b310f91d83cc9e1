use crate::settings::{home, project, system};
use crate::switches::{Switches, command, decision, variable};

const CONFIG: &str = "geminicli.com/docs/reference/configuration";
const TRUST: &str = "geminicli.com/docs/cli/trusted-folders";
const READ: &str = "read in the program, 0.61.0";
const ENV: &str = "the environment that Gemini CLI loads";
const SYSTEM: &str = "Gemini CLI's system settings";

pub(super) const SWITCHES: Switches = Switches {
    programs: &["gemini", "gemini-cli", "@google/gemini-cli"],
    commands: &[
        command(
            "hooks|hook disable|disable-all|uninstall|remove",
            "it turns hooks off",
            "geminicli.com/docs/hooks (in a session: `/hooks disable`)",
            "gemini hooks disable stead",
            "gemini hooks list",
        ),
        command(
            "extensions|extension disable|uninstall|remove",
            "it removes the hooks of an extension",
            "`gemini extensions --help`, 0.61.0",
            "gemini extensions disable guard",
            "gemini extensions list",
        ),
        command(
            "--acp|--experimental-acp",
            "it calls no hook before or after a tool",
            "seen in 0.61.0",
            "gemini --acp",
            "gemini -p x",
        ),
    ],
    variables: &[
        variable("GEMINI_CLI_HOME", "moves the person's settings", READ),
        variable("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "names settings that overrule all others", CONFIG),
        variable("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "names default settings", CONFIG),
        variable("GEMINI_CLI_TRUSTED_FOLDERS_PATH", "names another list of trusted folders", READ),
        variable("GEMINI_CLI_TRUST_WORKSPACE", "decides whether the folder is trusted", READ),
        variable("GEMINI_PROJECT_DIR", "tells hooks which project they belong to", "geminicli.com/docs/hooks"),
    ],
    files: &[
        decision(home(".gemini/trustedFolders.json"), "the folders that the person trusts in Gemini CLI", TRUST),
        decision(home(".gemini/trusted_hooks.json"), "the hooks that the person trusts in Gemini CLI", READ),
        decision(home(".gemini/extensions/extension-enablement.json"), "which Gemini extensions are on", READ),
        decision(home(".gemini/.env"), ENV, CONFIG),
        decision(project(".gemini/.env"), ENV, CONFIG),
        decision(system("/etc/gemini-cli", "settings.json"), SYSTEM, CONFIG),
        decision(system("/etc/gemini-cli", "system-defaults.json"), SYSTEM, CONFIG),
        decision(system("/Library/Application Support/GeminiCli", "settings.json"), SYSTEM, CONFIG),
        decision(system("/Library/Application Support/GeminiCli", "system-defaults.json"), SYSTEM, CONFIG),
    ],
};
