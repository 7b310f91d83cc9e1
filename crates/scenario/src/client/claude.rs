//! Claude Code, a native program.

use anyhow::Result;
use serde_json::json;
use stead_client::{Harness, Scope};
use stead_testkit::fake_model::Call;

use super::{Ask, Client, Launch, line_field, node, words};
use crate::acp::Acp;
use crate::ground::Ground;
use crate::terminal::Window;

pub(super) const CLIENT: Client = Client {
    harness: Harness::Claude,
    packages: &["@anthropic-ai/claude-code@2.1.327"],
    npm: &[],
    scope: Scope::Project,
    trust: &[
        "`-p` does not ask whether to trust the folder; interactive sessions do",
        "`--permission-mode acceptEdits` and `--allowedTools` for its own tools and Stead's, so that only hooks deny calls",
        "`CLAUDE_CODE_AUTO_COMPACT_WINDOW`, so that it compacts a full conversation by itself",
    ],
    spawn: |task| vec![Call::spawn("general-purpose", task)],
    lacks: &[],
    expands: true,
    finds: None,
    asks: None,
    checks_reads: true,
    full: 190_000,
    prepare,
    accept_agents: |_, _| Ok(()),
    provider_args: |_| Vec::new(),
    launch,
    acp: Some(Acp { adapter: Some("@agentclientprotocol/claude-agent-acp@0.100.0"), launch: |ground| Ok(acp(ground)) }),
    trust_hooks: None,
    written_beside: "",
    window: Some(WINDOW),
    session,
};

const KEY: &str = "sk-ant-fake";

const TOOLS: &str = "Bash,Write,Edit,Read,Glob,Grep,Agent,Skill,TodoWrite,mcp__stead";

fn prepare(_: &Ground) -> Result<()> {
    Ok(())
}

fn launch(ground: &Ground, ask: &Ask<'_>) -> Launch {
    let mut args =
        words(&["-p", ask.prompt, "--model", "claude-sonnet-4-5", "--output-format", "stream-json", "--verbose"]);
    args.extend(ask.resuming("--resume"));
    args.extend(words(&["--permission-mode", "acceptEdits", "--allowedTools", TOOLS]));
    Launch {
        program: CLIENT.file("@anthropic-ai/claude-code-linux-x64/claude"),
        args,
        env: vec![
            ("ANTHROPIC_BASE_URL", ground.url()),
            ("ANTHROPIC_API_KEY", KEY.to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("DISABLE_AUTOUPDATER", "1".to_owned()),
            ("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "100000".to_owned()),
        ],
    }
}

const WINDOW: Window = Window {
    open,
    first_question: None,
    ready: "❯",
    busy: "esc to interrupt",
    question: Some("Do you want to"),
    noise: &["▐▛", "▝▜", "▝▝", "⏵⏵", "✻", "✽", "✶", "✳", "✢", "·"],
};

/// Confirms what it asks a person once: its first steps, the key, and trust in the folder.
fn open(ground: &Ground) -> Result<Launch> {
    let project = ground.project().display().to_string();
    let known = json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY], "rejected": []},
        "projects": {project: {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
    });
    ground.write_home(".claude.json", &known.to_string())?;
    let headless = launch(ground, &Ask::new(""));
    let args = words(&["--model", "claude-sonnet-4-5", "--permission-mode", "acceptEdits", "--allowedTools", TOOLS]);
    Ok(Launch { args, ..headless })
}

fn session(_: &Ground, stdout: &str) -> Option<String> {
    line_field(stdout, "session_id")
}

/// The adapter's own client would be another version.
fn acp(ground: &Ground) -> Launch {
    let Launch { program, mut env, .. } = launch(ground, &Ask::new(""));
    env.push(("CLAUDE_CODE_EXECUTABLE", program.display().to_string()));
    let adapter = CLIENT.adapter_file("@agentclientprotocol/claude-agent-acp/dist/index.js");
    Launch { program: node(), args: vec![adapter.display().to_string()], env }
}
