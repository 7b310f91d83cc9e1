use crate::settings::{below, system};
use crate::switches::{Switches, command, decision, variable};

const HELP: &str = "`codex --help`, 0.166.0";
const HOOKS: &str = "developers.openai.com/codex/hooks";
const LOADER: &str = "github.com/openai/codex, codex-rs/config/src/loader";

pub(super) const SWITCHES: Switches = Switches {
    programs: &["codex", "@openai/codex"],
    commands: &[
        command(
            "features disable hooks|codex_hooks",
            "it turns hooks off",
            "`codex features --help`, 0.166.0",
            "codex features disable hooks",
            "codex features list",
        ),
        command(
            "--disable=hooks|codex_hooks",
            "it starts without hooks",
            HELP,
            "codex exec --disable hooks hi",
            "codex exec --disable apps hi",
        ),
        command(
            "-c|--config:features|features.hooks|features.codex_hooks|hooks|hooks.*|profiles|profiles.*|projects|projects.*",
            "it starts with other hooks, or without trust in the project",
            HELP,
            "codex -c features.hooks=false exec hi",
            "codex exec -c model=o3 hi",
        ),
        command(
            "--ignore-user-config",
            "it ignores the person's config, which has hooks and the trust in them",
            "`codex exec --help`, 0.166.0",
            "codex exec --ignore-user-config hi",
            "codex exec hi",
        ),
        command(
            "--dangerously-bypass-hook-trust",
            "it runs hooks that the person did not trust",
            HELP,
            "codex exec --dangerously-bypass-hook-trust hi",
            "codex exec --skip-git-repo-check hi",
        ),
    ],
    variables: &[variable(
        "CODEX_HOME",
        "moves the person's config and the trust in hooks",
        "github.com/openai/codex, codex-rs/utils/home-dir/src/lib.rs",
    )],
    files: &[
        decision(
            system("/etc/codex", "config.toml"),
            "Codex's system config",
            "developers.openai.com/codex/config-basic",
        ),
        decision(system("/etc/codex", "managed_config.toml"), "Codex's managed config", LOADER),
        decision(system("/etc/codex", "requirements.toml"), "Codex's requirements", HOOKS),
        decision(below("CODEX_HOME", ".codex", "managed_config.toml"), "Codex's managed config", LOADER),
        decision(
            below("CODEX_HOME", ".codex", ".env"),
            "the environment that Codex loads",
            "github.com/openai/codex, codex-rs/arg0/src/lib.rs",
        ),
    ],
};
