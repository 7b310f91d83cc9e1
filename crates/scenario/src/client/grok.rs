//! Grok Build, a native program that its package has compressed.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use stead_client::{Harness, Scope};
use stead_testkit::fake_model::Call;

use super::{Ask, Client, Launch, line_field, node, words};
use crate::ground::Ground;

pub(super) const CLIENT: Client = Client {
    harness: Harness::Grok,
    packages: &["@xai-official/grok-linux-x64@1.0.41"],
    npm: &[],
    scope: Scope::Project,
    trust: &[
        "trust in the folder: `--trust`; without it no project hook runs",
        "`--permission-mode bypassPermissions`, so that only hooks deny calls",
    ],
    spawn: |task| vec![Call::spawn("", task)],
    lacks: &[(&[24], "it does not tell its model which agents there are; a person starts it as one of them")],
    expands: true,
    finds: Some("stead query traces and select the active intent"),
    asks: None,
    checks_reads: false,
    full: 97_000,
    prepare,
    accept_agents: |_, _| Ok(()),
    provider_args: |_| words(&["--trust"]),
    launch,
    acp: None,
    trust_hooks: None,
    written_beside: "",
    window: None,
    session,
};

const BIN: &str = "@xai-official/grok-linux-x64/bin";

/// Its own installer would unpack it into the person's home.
const UNPACK: &str = "const fs = require('fs'), [from, to] = process.argv.slice(1); \
    fs.writeFileSync(to + process.pid, require('zlib').brotliDecompressSync(fs.readFileSync(from)), {mode: 0o755}); \
    fs.renameSync(to + process.pid, to)";

fn prepare(ground: &Ground) -> Result<()> {
    let (packed, program) = (CLIENT.file(BIN).join("grok.br"), CLIENT.file(BIN).join("grok"));
    if !program.is_file() {
        let unpacked = Command::new(node()).args(["-e", UNPACK]).args([&packed, &program]).status()?;
        ensure!(unpacked.success(), "cannot unpack `{}`", packed.display());
    }
    let settings = format!(
        "[cli]\nauto_update = false\n\n[features]\ntelemetry = false\n\n[models]\ndefault = \"scripted\"\n\n\
         [model.scripted]\nmodel = \"scripted\"\nname = \"Scripted\"\nbase_url = \"{}/v1\"\napi_key = \"fake\"\n\
         api_backend = \"chat_completions\"\ncontext_window = 100000\n",
        ground.url()
    );
    ground.write_home(".grok/config.toml", &settings).context("cannot write its settings")
}

fn launch(_: &Ground, ask: &Ask<'_>) -> Launch {
    let mut args = words(&["--trust", "--permission-mode", "bypassPermissions"]);
    args.extend(words(&["--output-format", "streaming-messages-json"]));
    args.extend(ask.resuming("--resume"));
    args.extend(words(&["-p", ask.prompt]));
    Launch {
        program: CLIENT.file(BIN).join("grok"),
        args,
        env: vec![("GROK_DISABLE_AUTOUPDATER", "1".to_owned()), ("GROK_TELEMETRY_ENABLED", "false".to_owned())],
    }
}

fn session(_: &Ground, stdout: &str) -> Option<String> {
    line_field(stdout, "session_id")
}
