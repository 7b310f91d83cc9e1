//! Factory Droid, a native program, with a model of one's own and no account.

use anyhow::Result;
use serde_json::json;
use stead_client::{Harness, Scope};
use stead_testkit::fake_model::Call;

use super::{Ask, Client, Launch, line_field, words};
use crate::acp::Acp;
use crate::ground::Ground;

pub(super) const CLIENT: Client = Client {
    harness: Harness::Droid,
    // The packages without a platform in their name download the program after they are installed.
    packages: &["@factory/cli-linux-x64@0.225.2"],
    npm: &[],
    scope: Scope::Project,
    trust: &[
        "`droid exec` does not ask whether to trust the folder; interactive sessions do",
        "`--auto high`, so that only hooks deny calls",
        "`FACTORY_AIRGAP_ENABLED=true`; offline it would wait five seconds for its vendor at the end of every run",
        "a model of one's own: `customModels` in `~/.factory/settings.json`; no account is needed",
    ],
    spawn: |task| vec![Call::spawn("worker", task)],
    lacks: &[
        (&[8], "headless, a full conversation is compacted without an event"),
        (&[], "headless, a prompt raises no event, except with `--input-format stream-jsonrpc`"),
    ],
    expands: true,
    finds: Some("select:stead___query_traces,stead___select_active_intent"),
    asks: None,
    checks_reads: false,
    full: 190_000,
    prepare,
    accept_agents: |_, _| Ok(()),
    provider_args: |_| words(&["--model", MODEL]),
    launch,
    acp: Some(Acp { adapter: None, launch: |ground| Ok(acp(ground)) }),
    trust_hooks: None,
    written_beside: "",
    window: None,
    session,
};

const MODEL: &str = "custom:scripted";

fn prepare(ground: &Ground) -> Result<()> {
    let model = json!({"model": "scripted", "displayName": "scripted", "baseUrl": format!("{}/v1", ground.url()),
        "apiKey": "fake", "provider": "generic-chat-completion-api", "maxOutputTokens": 4096});
    ground.write_home(".factory/settings.json", &json!({"customModels": [model]}).to_string())
}

fn launch(_: &Ground, ask: &Ask<'_>) -> Launch {
    let mut args = words(&["exec", "--model", MODEL, "--auto", "high", "--output-format", "stream-json"]);
    // To go on under the same id, it asks its vendor.
    args.extend(ask.resuming("--fork"));
    args.push(ask.prompt.to_owned());
    Launch {
        program: CLIENT.file("@factory/cli-linux-x64/bin/droid"),
        args,
        env: vec![
            ("FACTORY_DROID_AUTO_UPDATE_ENABLED", "false".to_owned()),
            ("FACTORY_AIRGAP_ENABLED", "true".to_owned()),
        ],
    }
}

fn session(_: &Ground, stdout: &str) -> Option<String> {
    line_field(stdout, "session_id")
}

fn acp(ground: &Ground) -> Launch {
    Launch { args: words(&["exec", "--output-format", "acp"]), ..launch(ground, &Ask::new("")) }
}
