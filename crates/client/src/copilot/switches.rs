use crate::switches::{Switches, command, variable};

const CONFIG: &str = "`copilot config --help` and `copilot help config`, 1.0.102";

pub(super) const SWITCHES: Switches = Switches {
    programs: &["copilot", "@github/copilot"],
    commands: &[
        command(
            "config disableAllHooks !false|off",
            "it turns hooks off",
            CONFIG,
            "copilot config disableAllHooks true",
            "copilot config disableAllHooks",
        ),
        command(
            "config hooks|hooks.*|trusted_folders|trustedFolders *",
            "it changes hooks or the folders in which they run",
            CONFIG,
            "copilot config hooks.preToolUse '[]'",
            "copilot config hooks",
        ),
        command(
            "config --rm hooks|hooks.*|trusted_folders|trustedFolders",
            "it removes hooks or the folders in which they run",
            CONFIG,
            "copilot config --rm hooks",
            "copilot config --list",
        ),
        command(
            "--config-dir",
            "it starts with other settings",
            "github.com/github/copilot-cli, changelog (earlier versions)",
            "copilot --config-dir /tmp/x -p hi",
            "copilot -p hi",
        ),
    ],
    variables: &[variable(
        "COPILOT_HOME",
        "moves the person's settings and hooks",
        "`copilot help environment`, 1.0.102",
    )],
    files: &[],
};
