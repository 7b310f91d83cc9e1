//! Codex CLI, a native program.

use anyhow::Result;
use serde_json::json;
use stead_client::{Harness, Scope};
use stead_testkit::fake_model::Call;

use super::{Ask, Client, Launch, line_field, words};
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
    args.push("--dangerously-bypass-hook-trust".to_owned());
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
        "│", "/", ">_", "model:", "directory:", "permissions:", "Worked for", "GPT-5.5", "? for shortcuts", "Tip:",
        "› Ask Codex",
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
