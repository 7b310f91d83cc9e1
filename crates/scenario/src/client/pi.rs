//! Pi, a Node program that is bundled: of its dependencies it needs only what loads extensions.

use anyhow::Result;
use serde_json::json;
use stead_client::{Harness, Scope};
use stead_testkit::fake_model::Call;

use super::{Ask, Client, Launch, line_field, node, words};
use crate::ground::Ground;

pub(super) const CLIENT: Client = Client {
    harness: Harness::Pi,
    packages: &["@earendil-works/pi-coding-agent@1.5.2", "jiti@2.7.0"],
    npm: &["pack"],
    scope: Scope::Project,
    trust: &["trust in the project: `--approve`; without it a headless run loads no project extensions"],
    spawn: |task| vec![Call::spawn("", task)],
    lacks: &[
        (&[7, 24], "it has no sub-agents of its own"),
        (
            &[11],
            "its model reaches tools of servers only through scripts that it writes, unless a person sets their exposure",
        ),
    ],
    expands: true,
    finds: None,
    asks: None,
    checks_reads: false,
    full: 97_000,
    prepare,
    accept_agents: |_, _| Ok(()),
    provider_args: |_| words(&["--approve", "--model", MODEL]),
    launch,
    acp: None,
    trust_hooks: None,
    written_beside: "",
    window: None,
    session,
};

const MODEL: &str = "scripted/scripted";

fn prepare(ground: &Ground) -> Result<()> {
    let model = json!({"id": "scripted", "contextWindow": 100_000, "maxTokens": 4_000});
    let provider = json!({"baseUrl": format!("{}/v1", ground.url()), "api": "openai-completions", "apiKey": "fake",
        "models": [model]});
    // A scripted conversation is short, so it is all that is recent.
    let settings = json!({"compaction": {"keepRecentTokens": 1}});
    ground.write_home(".pi/agent/settings.json", &settings.to_string())?;
    ground.write_home(".pi/agent/models.json", &json!({"providers": {"scripted": provider}}).to_string())
}

fn launch(_: &Ground, ask: &Ask<'_>) -> Launch {
    let program = CLIENT.file("@earendil-works/pi-coding-agent/dist/bundle/cli.js").display().to_string();
    let mut args = words(&[&program, "--mode", "json", "--approve", "--model", MODEL]);
    args.extend(ask.resuming("--session"));
    args.extend(words(&["-p", ask.prompt]));
    Launch {
        program: node(),
        args,
        env: vec![("PI_OFFLINE", "1".to_owned()), ("PI_SKIP_VERSION_CHECK", "1".to_owned())],
    }
}

fn session(_: &Ground, stdout: &str) -> Option<String> {
    line_field(stdout, "id")
}
