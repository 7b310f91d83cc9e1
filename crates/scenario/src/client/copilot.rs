//! Copilot CLI, a native program, with a provider of one's own and no login.

use anyhow::Result;
use serde_json::json;
use stead_client::{Harness, Scope};
use stead_testkit::fake_model::Call;

use super::{Ask, Client, Launch, line_field, words};
use crate::acp::Acp;
use crate::ground::Ground;

pub(super) const CLIENT: Client = Client {
    harness: Harness::Copilot,
    packages: &["@github/copilot-linux-x64@1.0.102"],
    npm: &[],
    scope: Scope::Project,
    trust: &[
        "trust in the folder: `trusted_folders` in `~/.copilot/config.json`; without it no project hook runs",
        "`--allow-all-tools`, so that only hooks deny calls",
    ],
    spawn: |task| vec![Call::spawn("explore", task)],
    lacks: &[],
    expands: false,
    finds: None,
    asks: None,
    checks_reads: false,
    full: 125_000,
    prepare,
    accept_agents: |_, _| Ok(()),
    provider_args: |_| Vec::new(),
    launch,
    acp: Some(Acp {
        adapter: None,
        launch: |ground| Ok(Launch { args: words(&["--acp"]), ..launch(ground, &Ask::new("")) }),
    }),
    trust_hooks: None,
    written_beside: "",
    window: None,
    session,
};

fn prepare(ground: &Ground) -> Result<()> {
    let settings = json!({"trusted_folders": [ground.project()]});
    ground.write_home(".copilot/config.json", &settings.to_string())
}

fn launch(ground: &Ground, ask: &Ask<'_>) -> Launch {
    let mut args = words(&["--allow-all-tools", "--no-color", "--output-format", "json"]);
    args.extend(ask.resuming("--resume"));
    args.extend(words(&["-p", ask.prompt]));
    Launch {
        program: CLIENT.file("@github/copilot-linux-x64/copilot"),
        args,
        env: vec![
            ("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", ground.url())),
            ("COPILOT_PROVIDER_TYPE", "openai".to_owned()),
            ("COPILOT_PROVIDER_API_KEY", "fake".to_owned()),
            ("COPILOT_PROVIDER_WIRE_API", "completions".to_owned()),
            ("COPILOT_MODEL", "scripted".to_owned()),
            ("COPILOT_OFFLINE", "true".to_owned()),
            ("COPILOT_AUTO_UPDATE", "false".to_owned()),
        ],
    }
}

fn session(_: &Ground, stdout: &str) -> Option<String> {
    line_field(stdout, "sessionId")
}
