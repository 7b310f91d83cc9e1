use crate::settings::{below, system};
use crate::switches::{Switches, decision, variable};

const DOCS: &str = "`~/.grok/docs/user-guide`, 1.0.41";
const MANAGED: &str = "Grok's managed configuration";

pub(super) const SWITCHES: Switches = Switches {
    programs: &["grok", "@xai-official/grok"],
    commands: &[],
    variables: &[
        variable("GROK_HOME", "moves the person's settings and hooks", DOCS),
        variable("GROK_CONFIG", "names another config", "read in the program, 1.0.41"),
        variable("GROK_CONFIG_PATH", "names another config", "read in the program, 1.0.41"),
        variable("GROK_FOLDER_TRUST", "decides whether project hooks need trust", DOCS),
        variable("GROK_SHELL", "chooses the shell that runs a hook line", "read in the program, 1.0.41"),
        variable("GROK_WORKSPACE_ROOT", "tells hooks which project they belong to", DOCS),
    ],
    files: &[
        decision(user("trusted_folders.toml"), "the folders that the person trusts in Grok", DOCS),
        decision(user("disabled-hooks"), "the hooks that the person switched off in Grok", DOCS),
        decision(user("managed_config.toml"), MANAGED, DOCS),
        decision(user("requirements.toml"), MANAGED, DOCS),
        decision(system("/etc/grok", "*"), MANAGED, DOCS),
    ],
};

const fn user(path: &'static str) -> stead_model::Spot<'static> {
    below("GROK_HOME", ".grok", path)
}
