//! Gemini CLI, a Node program.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::json;
use sha2::{Digest, Sha256};
use stead_client::{Harness, Scope};
use stead_testkit::fake_model::Call;

use super::{Ask, Client, Launch, line_field, node, words};
use crate::acp::Acp;
use crate::ground::Ground;

pub(super) const CLIENT: Client = Client {
    harness: Harness::Gemini,
    packages: &["@google/gemini-cli@0.61.0"],
    npm: &[],
    scope: Scope::Project,
    trust: &[
        "trust in the folder: `GEMINI_CLI_TRUST_WORKSPACE=true`; without it a headless run exits with 55",
        "`--approval-mode yolo`; without it a headless run offers no tool that changes anything",
        "for scenario 24, the project's agents, as if a person had accepted them in the window",
    ],
    spawn: |task| vec![Call::spawn("generalist", task)],
    lacks: &[],
    expands: true,
    finds: None,
    asks: None,
    checks_reads: false,
    full: 1_000_000,
    prepare,
    accept_agents,
    provider_args: |_| Vec::new(),
    launch,
    acp: Some(Acp { adapter: None, launch: |ground| Ok(acp(ground)) }),
    trust_hooks: None,
    written_beside: "",
    window: None,
    session,
};

fn prepare(ground: &Ground) -> Result<()> {
    let settings = json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": false, "checkForUpdates": false},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
    });
    ground.write_home(".gemini/settings.json", &settings.to_string())
}

fn launch(ground: &Ground, ask: &Ask<'_>) -> Launch {
    let program = CLIENT.file("@google/gemini-cli/bundle/gemini.js").display().to_string();
    let mut args = words(&[&program, "-m", "gemini-2.5-flash", "--approval-mode", "yolo"]);
    if ask.session.is_some() {
        // It takes no id here.
        args.extend(words(&["--resume", "latest"]));
    }
    args.extend(words(&["--output-format", "stream-json", "-p", ask.prompt]));
    Launch {
        program: node(),
        args,
        env: vec![
            ("GEMINI_API_KEY", "fake".to_owned()),
            ("GOOGLE_GEMINI_BASE_URL", ground.url()),
            ("GEMINI_TELEMETRY_ENABLED", "false".to_owned()),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
        ],
    }
}

fn session(_: &Ground, stdout: &str) -> Option<String> {
    line_field(stdout, "session_id")
}

/// It keeps the hash of each accepted file.
fn accept_agents(ground: &Ground, agents: BTreeMap<&str, String>) -> Result<()> {
    let hashes: BTreeMap<&str, String> =
        agents.into_iter().map(|(name, text)| (name, hex(&Sha256::digest(text)))).collect();
    let accepted = json!({ground.project().display().to_string(): hashes});
    ground.write_home(".gemini/acknowledgments/agents.json", &accepted.to_string())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn acp(ground: &Ground) -> Launch {
    let headless = launch(ground, &Ask::new(""));
    let mut args: Vec<String> = headless.args.into_iter().take(3).collect();
    args.push("--acp".to_owned());
    Launch { args, ..headless }
}
