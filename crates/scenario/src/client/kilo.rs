//! Kilo CLI, a native program that runs plugins.

use anyhow::{Context, Result};
use serde_json::json;
use stead_client::{Harness, Scope};
use stead_testkit::fake_model::Call;

use super::{Ask, Client, Launch, line_field, words};
use crate::ground::Ground;

pub(super) const CLIENT: Client = Client {
    harness: Harness::Kilo,
    packages: &["@kilocode/cli-linux-x64@7.7.9", "@kilocode/plugin@7.3.1"],
    npm: &[],
    scope: Scope::Project,
    trust: &[
        "nothing: it loads a project's plugins without asking",
        "its plugin package is installed beforehand; offline it would try for over a minute",
        "`--auto`, so that only hooks deny calls",
    ],
    spawn: |task| vec![Call::spawn("general", task)],
    lacks: &[],
    expands: true,
    finds: None,
    asks: None,
    checks_reads: false,
    full: 99_000,
    prepare,
    accept_agents: |_, _| Ok(()),
    provider_args: |_| Vec::new(),
    launch,
    acp: None,
    trust_hooks: None,
    written_beside: "",
    window: None,
    session,
};

fn prepare(ground: &Ground) -> Result<()> {
    let model = json!({"name": "Scripted", "tool_call": true, "limit": {"context": 100_000, "output": 4_000}});
    let options = json!({"baseURL": format!("{}/v1", ground.url()), "apiKey": "fake"});
    let provider = json!({"npm": "@ai-sdk/openai-compatible", "name": "Scripted", "options": options,
        "models": {"scripted": model}});
    let settings = json!({"autoupdate": false, "share": "disabled", "model": "scripted/scripted",
        "small_model": "scripted/scripted", "enabled_providers": ["scripted"], "provider": {"scripted": provider}});
    ground.write_home(".config/kilo/kilo.json", &settings.to_string())?;
    for folder in [ground.home().join(".config/kilo"), ground.project().join(".kilo")] {
        std::fs::create_dir_all(&folder)?;
        let from = CLIENT.file("");
        for name in ["package.json", "package-lock.json"] {
            let file = from.with_file_name(name);
            std::fs::copy(&file, folder.join(name)).with_context(|| format!("cannot copy `{}`", file.display()))?;
        }
        std::os::unix::fs::symlink(&from, folder.join("node_modules"))?;
    }
    Ok(())
}

fn launch(_: &Ground, ask: &Ask<'_>) -> Launch {
    let on = |name| (name, "1".to_owned());
    let mut args = words(&["run", "--print-logs", "--log-level", "WARN", "--format", "json", "--auto"]);
    args.extend(ask.resuming("--session"));
    match ask.prompt.strip_prefix('/').and_then(|typed| typed.split_once(' ')) {
        // A typed command is a prompt like any other to a headless run, unless it is named so.
        Some((command, rest)) => {
            args.extend(words(&["--command", command]));
            args.extend(rest.split(' ').map(str::to_owned));
        }
        None => args.push(ask.prompt.to_owned()),
    }
    Launch {
        program: CLIENT.file("@kilocode/cli-linux-x64/bin/kilo"),
        args,
        env: vec![
            on("KILO_DISABLE_AUTOUPDATE"),
            on("KILO_DISABLE_MODELS_FETCH"),
            on("KILO_DISABLE_LSP_DOWNLOAD"),
            on("KILO_DISABLE_DEFAULT_PLUGINS"),
            ("KILO_TELEMETRY_LEVEL", "off".to_owned()),
            ("npm_config_fetch_retries", "0".to_owned()),
            ("npm_config_offline", "true".to_owned()),
        ],
    }
}

fn session(_: &Ground, stdout: &str) -> Option<String> {
    line_field(stdout, "sessionID")
}
