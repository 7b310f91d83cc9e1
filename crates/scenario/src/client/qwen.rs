//! Qwen Code, a Node program.

use anyhow::Result;
use serde_json::json;
use stead_client::{Harness, Scope};
use stead_testkit::fake_model::Call;

use super::{Ask, Client, Launch, line_field, node, words};
use crate::acp::Acp;
use crate::ground::Ground;

pub(super) const CLIENT: Client = Client {
    harness: Harness::Qwen,
    packages: &["@qwen-code/qwen-code@0.24.4"],
    npm: &[],
    scope: Scope::Project,
    trust: &[
        "nothing: its folder trust is off unless a person turns it on",
        "`--approval-mode yolo`; without it a headless run refuses the shell before any hook",
    ],
    spawn: |task| vec![Call::spawn("general-purpose", task)],
    lacks: &[],
    expands: true,
    finds: None,
    asks: None,
    checks_reads: false,
    full: 170_000,
    prepare,
    accept_agents: |_, _| Ok(()),
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
        "security": {"auth": {"selectedType": "openai"}},
        "general": {"enableAutoUpdate": false},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
        "memory": {"enableManagedAutoMemory": false},
        "model": {"name": "scripted"},
    });
    ground.write_home(".qwen/settings.json", &settings.to_string())
}

fn launch(ground: &Ground, ask: &Ask<'_>) -> Launch {
    let program = CLIENT.file("@qwen-code/qwen-code/cli-entry.js").display().to_string();
    let mut args = words(&[&program, "--approval-mode", "yolo", "--output-format", "stream-json"]);
    args.extend(ask.resuming("--resume"));
    args.extend(words(&["-p", ask.prompt]));
    Launch {
        program: node(),
        args,
        env: vec![
            ("OPENAI_API_KEY", "fake".to_owned()),
            ("OPENAI_BASE_URL", format!("{}/v1", ground.url())),
            ("OPENAI_MODEL", "scripted".to_owned()),
        ],
    }
}

fn session(_: &Ground, stdout: &str) -> Option<String> {
    line_field(stdout, "session_id")
}

/// In its usual mode the model judges shell commands; here the editor is asked.
fn acp(ground: &Ground) -> Launch {
    let headless = launch(ground, &Ask::new(""));
    let program = headless.args.into_iter().take(1);
    Launch { args: program.chain(words(&["--acp", "--approval-mode", "default"])).collect(), ..headless }
}
