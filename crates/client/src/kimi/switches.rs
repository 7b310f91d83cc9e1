use crate::switches::{Switches, command, variable};

const OLDER: &str = "moonshotai.github.io/kimi-cli (the program before Kimi Code)";

pub(super) const SWITCHES: Switches = Switches {
    programs: &["kimi", "kimi-code", "kimi-cli", "@moonshot-ai/kimi-code"],
    commands: &[
        command(
            "--config-file",
            "it starts with another config, without the hooks",
            OLDER,
            "kimi --config-file /tmp/x.toml -p hi",
            "kimi -p hi",
        ),
        command(
            "--config",
            "it starts with another config, without the hooks",
            OLDER,
            "kimi --config x=1",
            "kimi --help",
        ),
    ],
    variables: &[
        variable("KIMI_CODE_HOME", "moves the config that has the hooks", "read in the program, 2.1.0"),
        variable("KIMI_SHARE_DIR", "moves the config that has the hooks", OLDER),
    ],
    files: &[],
};
