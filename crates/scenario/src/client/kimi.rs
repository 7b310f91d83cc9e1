//! Kimi Code, a Node program that reads hooks from the person's settings only.

use anyhow::Result;
use stead_client::{Harness, Scope};
use stead_testkit::fake_model::Call;

use super::{Ask, Client, Launch, line_field, node, words};
use crate::acp::Acp;
use crate::ground::Ground;

pub(super) const CLIENT: Client = Client {
    harness: Harness::Kimi,
    packages: &["@moonshot-ai/kimi-code@2.1.0"],
    npm: &["--omit=optional"],
    scope: Scope::User,
    trust: &["nothing; it has no project settings, so `stead init --user` is used in addition to `stead init`"],
    spawn: |task| vec![Call::spawn("coder", task)],
    lacks: &[],
    expands: false,
    finds: None,
    asks: None,
    checks_reads: false,
    full: 97_000,
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
    let settings = format!(
        "default_model = \"scripted\"\ntelemetry = false\n\n\
         [providers.scripted]\ntype = \"openai\"\nbase_url = \"{}/v1\"\napi_key = \"fake\"\n\n\
         [models.scripted]\nprovider = \"scripted\"\nmodel = \"scripted\"\nmax_context_size = 100000\n",
        ground.url()
    );
    ground.write_home(".kimi-code/config.toml", &settings)
}

fn launch(_: &Ground, ask: &Ask<'_>) -> Launch {
    let program = CLIENT.file("@moonshot-ai/kimi-code/dist/main.mjs").display().to_string();
    let mut args = words(&[&program, "--output-format", "stream-json"]);
    args.extend(ask.resuming("--session"));
    args.extend(words(&["-p", ask.prompt]));
    Launch { program: node(), args, env: Vec::new() }
}

fn session(_: &Ground, stdout: &str) -> Option<String> {
    line_field(stdout, "session_id")
}

fn acp(ground: &Ground) -> Launch {
    let headless = launch(ground, &Ask::new(""));
    let program = headless.args.into_iter().take(1);
    Launch { args: program.chain(words(&["acp"])).collect(), ..headless }
}
