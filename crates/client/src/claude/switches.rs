use crate::settings::{below, system};
use crate::switches::{Switches, command, decision, variable};

const HELP: &str = "`claude --help`, 2.1.325";
const READ: &str = "read in the program, 2.1.325";
const BARE: &str = "it starts without hooks";

pub(super) const SWITCHES: Switches = Switches {
    programs: &["claude", "claude-code", "@anthropic-ai/claude-code"],
    commands: &[
        command("--bare", BARE, HELP, "claude --bare -p hi", "claude -p hi"),
        command("--safe-mode", BARE, HELP, "claude -p hi --safe-mode", "claude --help"),
        command(
            "--restricted",
            "it ignores the settings files that have the hooks",
            HELP,
            "claude --restricted -p hi",
            "claude -p hi --permission-mode plan",
        ),
        command(
            "--setting-sources",
            "it may leave out the settings file that has the hooks",
            HELP,
            "claude --setting-sources user -p hi",
            "claude -p hi --output-format json",
        ),
        command(
            "--settings",
            "its settings take precedence and may turn hooks off",
            HELP,
            "claude --settings '{\"disableAllHooks\":true}' -p hi",
            "claude -p 'explain --settings'",
        ),
        command(
            "config set|add disableAllHooks|allowManagedHooksOnly !false",
            "it turns hooks off",
            "code.claude.com/docs/en/settings (removed from recent versions)",
            "claude config set -g disableAllHooks true",
            "claude config list",
        ),
        command(
            "config set|add|remove|rm env|hooks|hooks.*|env.*",
            "it changes hooks or the environment of hooks",
            "code.claude.com/docs/en/settings (removed from recent versions)",
            "claude config remove hooks",
            "claude config get hooks",
        ),
    ],
    variables: &[
        variable("CLAUDE_CONFIG_DIR", "moves the person's settings", "code.claude.com/docs/en/env-vars"),
        variable("CLAUDE_CODE_SIMPLE", "is `--bare`", HELP),
        variable("CLAUDE_CODE_SAFE_MODE", "is `--safe-mode`", HELP),
        variable("CLAUDE_CODE_RESTRICTED", "is `--restricted`", READ),
        variable("CLAUDE_CODE_RESTRICT_PERSONAL_CONFIG", "leaves out the person's settings", READ),
        variable("CLAUDE_CODE_PERSONAL_HOOKS_OFF", "turns the person's hooks off", READ),
        variable("CLAUDE_CODE_MANAGED_SETTINGS_PATH", "moves the managed settings", READ),
        variable("CLAUDE_CODE_REMOTE_SETTINGS_PATH", "replaces the organisation's settings", READ),
        variable("CLAUDE_CODE_SHELL_PREFIX", "wraps every hook line in a command", "code.claude.com/docs/en/env-vars"),
        variable("CLAUDE_CODE_SHELL", "chooses the shell that runs a hook line", READ),
        variable("CLAUDE_ENV_FILE", "names a script that runs before commands", "code.claude.com/docs/en/hooks"),
        variable("CLAUDE_PROJECT_DIR", "tells hooks which project they belong to", "code.claude.com/docs/en/hooks"),
    ],
    files: &[
        decision(
            system("/etc/claude-code", "managed-settings*/**"),
            "Claude Code's managed settings",
            "code.claude.com/docs/en/settings",
        ),
        decision(
            system("/Library/Application Support/ClaudeCode", "managed-settings*/**"),
            "Claude Code's managed settings",
            "code.claude.com/docs/en/settings",
        ),
        decision(
            below("CLAUDE_CONFIG_DIR", ".claude", "remote-settings.json"),
            "the settings of the organisation for Claude Code",
            READ,
        ),
    ],
};
