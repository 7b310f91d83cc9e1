use crate::settings::{below, project};
use crate::switches::{Switches, command, decision, variable};

const DOCS: &str = "its documentation, 1.5.2";
const BESIDE: &str = "Pi's extensions, which run beside Stead's and can undo what it decides";

pub(super) const SWITCHES: Switches = Switches {
    programs: &["pi", "@earendil-works/pi-coding-agent"],
    commands: &[
        command("-ne|--no-extensions", "it starts without extensions", DOCS, "pi --no-extensions -p hi", "pi -p hi"),
        command(
            "-na|--no-approve",
            "it starts without the project's extensions",
            DOCS,
            "pi --no-approve -p hi",
            "pi -p 'explain trust'",
        ),
    ],
    variables: &[
        variable("PI_CODING_AGENT_DIR", "moves the person's settings and extensions", DOCS),
        variable("PI_PACKAGE_DIR", "moves the program's own files", DOCS),
    ],
    files: &[
        decision(user("trust.json"), "the folders that the person trusts in Pi", DOCS),
        decision(project(".pi/extensions/**"), BESIDE, DOCS),
        decision(user("extensions/**"), BESIDE, DOCS),
    ],
};

const fn user(path: &'static str) -> stead_model::Spot<'static> {
    below("PI_CODING_AGENT_DIR", ".pi/agent", path)
}
