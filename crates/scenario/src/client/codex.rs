//! Codex CLI, a native program.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use stead_client::{Harness, Scope};
use stead_testkit::fake_model::Call;

use super::{Ask, Client, Launch, line_field, node, words};
use crate::acp::{Acp, Editor};
use crate::ground::Ground;
use crate::plain_server;
use crate::terminal::Window;

pub(super) const CLIENT: Client = Client {
    harness: Harness::Codex,
    packages: &["@openai/codex@0.169.0"],
    npm: &[],
    scope: Scope::Project,
    trust: &[
        "`--dangerously-bypass-hook-trust` for the hooks, which a person trusts with `/hooks`",
        "trust in the project: `projects.<path>.trust_level = \"trusted\"`",
        "`--dangerously-bypass-approvals-and-sandbox`, so that only hooks deny calls",
        "for scenarios 28 and 30, `hooks.state` in `~/.codex/config.toml`, as `/hooks` writes it, and `agent-full-access` as the mode",
        "its tool shell is a login shell that may reset PATH, so `~/.profile` adds the folder of `stead`",
    ],
    // Its agent tools are not shown until they are looked for.
    spawn: |task| vec![Call::find_tool("spawn agent"), Call::spawn("", task)],
    lacks: &[],
    expands: true,
    finds: Some("stead query traces and select the active intent"),
    asks: Some("MCP tool call requires approval"),
    checks_reads: false,
    full: 260_000,
    prepare,
    accept_agents: |_, _| Ok(()),
    provider_args,
    launch,
    acp: Some(Acp { adapter: Some("@agentclientprotocol/codex-acp@2.6.0"), launch: acp }),
    trust_hooks: Some(trust_hooks),
    written_beside: "\n[hooks.state.\"/srv/other/.codex/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:9\"\n\
                     \n[mcp_servers.later]\ncommand = \"true\"\nenabled = false\n",
    window: Some(WINDOW),
    session,
};

fn prepare(ground: &Ground) -> Result<()> {
    // Its login shell takes PATH from the person's profile, where an installer of `stead` puts it.
    let bin = ground.world().folder().join("bin");
    ground.write_home(".profile", &format!("PATH='{}':$PATH\n", bin.display()))?;
    // It refuses to start without its folder.
    ground.write_home(".codex/README", "")
}

/// The model's server and what a person would have confirmed, as arguments.
fn settings(ground: &Ground) -> Vec<String> {
    let project = json!(ground.project().display().to_string());
    let settings = [
        ("model_provider", json!("scripted")),
        ("model_providers.scripted.name", json!("scripted")),
        ("model_providers.scripted.base_url", json!(format!("{}/v1", ground.url()))),
        ("model_providers.scripted.env_key", json!("SCRIPTED_KEY")),
        ("model_providers.scripted.wire_api", json!("responses")),
        ("check_for_update_on_startup", json!(false)),
        ("analytics.enabled", json!(false)),
        // Offline they cost seconds at the end of every run.
        ("features.plugins", json!(false)),
        ("features.apps", json!(false)),
    ];
    let mut args: Vec<String> =
        settings.into_iter().flat_map(|(name, value)| ["-c".to_owned(), format!("{name}={value}")]).collect();
    if let Some([program, script]) = plain_server::command(ground) {
        args.extend([
            "-c".to_owned(),
            format!("mcp_servers.{}={{command={program}, args=[{script}]}}", plain_server::NAME),
        ]);
    }
    args.extend(["-c".to_owned(), format!("projects={{{project} = {{trust_level = \"trusted\"}}}}")]);
    args
}

fn provider_args(ground: &Ground) -> Vec<String> {
    let mut args = settings(ground);
    args.extend(words(&["-m", "gpt-5.5", "--dangerously-bypass-hook-trust"]));
    args
}

fn launch(ground: &Ground, ask: &Ask<'_>) -> Launch {
    let mut args = words(&["exec"]);
    if ask.session.is_some() {
        args.push("resume".to_owned());
    }
    args.extend(settings(ground));
    // A model name it does not know would get no patch tool.
    args.extend(words(&["--skip-git-repo-check", "--json", "-m", "gpt-5.5"]));
    if !ask.trusts {
        args.push("--dangerously-bypass-hook-trust".to_owned());
    }
    match ask.is_unattended {
        // Headless it has nobody to ask, so what needs a yes is cancelled.
        true => args.extend(words(&["--sandbox", "workspace-write"])),
        false => args.push("--dangerously-bypass-approvals-and-sandbox".to_owned()),
    }
    args.extend(ask.session.map(str::to_owned));
    args.push(ask.prompt.to_owned());
    let home = ground.home().join(".codex");
    Launch {
        program: CLIENT.file("@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"),
        args,
        env: vec![("CODEX_HOME", home.display().to_string()), ("SCRIPTED_KEY", "fake".to_owned())],
    }
}

const WINDOW: Window = Window {
    open,
    first_question: Some(("Use existing model", &["2", "Enter"])),
    ready: "? for shortcuts",
    busy: "esc to interrupt",
    question: None,
    noise: &[
        "← for agents", "│", "/", ">_", "model:", "directory:", "permissions:", "Worked for", "GPT-5.5",
        "? for shortcuts", "Tip:", "› Ask Codex",
    ],
};

fn open(ground: &Ground) -> Result<Launch> {
    let headless = launch(ground, &Ask::new(""));
    let mut args = settings(ground);
    args.extend(words(&["-m", "gpt-5.5", "--dangerously-bypass-hook-trust"]));
    args.push("--dangerously-bypass-approvals-and-sandbox".to_owned());
    Ok(Launch { args, ..headless })
}

fn session(_: &Ground, stdout: &str) -> Option<String> {
    line_field(stdout, "thread_id")
}

/// The adapter takes no settings, so they go where a person has them.
fn acp(ground: &Ground) -> Result<Launch> {
    trust_hooks(ground)?;
    let Launch { program, mut env, .. } = launch(ground, &Ask::new(""));
    env.extend([("CODEX_PATH", program.display().to_string()), ("INITIAL_AGENT_MODE", "agent-full-access".to_owned())]);
    let adapter = CLIENT.adapter_file("@agentclientprotocol/codex-acp/dist/index.js");
    Ok(Launch { program: node(), args: vec![adapter.display().to_string()], env })
}

/// Trusts the project's hooks as a person does with `/hooks`, in a config with the settings of all sessions.
fn trust_hooks(ground: &Ground) -> Result<PathBuf> {
    let mut lines: Vec<String> = settings(ground).into_iter().filter(|word| word != "-c").collect();
    lines.push("model=\"gpt-5.5\"\n".to_owned());
    ground.write_home(".codex/config.toml", &lines.join("\n"))?;
    let server = Launch { args: words(&["app-server"]), ..launch(ground, &Ask::new("")) };
    let mut server = Editor::start(ground, server, "hooks")?;
    server.ask("initialize", &json!({"clientInfo": {"name": "scenario", "title": "Scenario", "version": "1"}}))?;
    let list = server.ask("hooks/list", &json!({"cwds": [ground.project()]}))?;
    let hooks = list["data"][0]["hooks"].as_array().cloned().unwrap_or_default();
    ensure!(!hooks.is_empty(), "it lists no hooks: {list}");
    let edit = |hook: &Value| {
        let key = format!("hooks.state.{}.trusted_hash", hook["key"]);
        json!({"keyPath": key, "value": hook["currentHash"], "mergeStrategy": "replace"})
    };
    let edits: Vec<_> = hooks.iter().map(edit).collect();
    server.ask("config/batchWrite", &json!({"edits": edits, "reloadUserConfig": true}))?;
    server.close()?;
    Ok(ground.home().join(".codex/config.toml"))
}
