use clap::Args;
use stead_client::Harness;
use stead_context::{Loop, NewLoop, Packet, Shelf, split_promises};
use stead_store::{Layout, Room, Sharing, keep_ignored};

use super::{Here, as_json, session_of};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::env;
use crate::run_room::RunRoom;
use crate::speaker::Speaker;
use crate::trusting::refuse_packet;
use crate::ui::Ui;

/// The maximum length of a prompt; it is read at every stop.
const MOST_PROMPT: usize = 100_000;

/// Start a loop, in this session if an agent runs the command
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead loop start \"Make every test pass\" --promise DONE --verify 'cargo test'\n  stead loop start --from-packet latest --max-iterations 10"
)]
pub(super) struct StartArgs {
    /// What the agent should do in each iteration
    #[arg(required_unless_present = "from_packet", conflicts_with = "from_packet")]
    prompt: Vec<String>,
    /// Take prompt, promise, maximum and verify command from a packet
    #[arg(long, value_name = "ID")]
    from_packet: Option<String>,
    /// Maximum iterations; 0 for no limit [default: 25]
    #[arg(long, value_name = "N")]
    max_iterations: Option<u32>,
    /// What the agent writes in `<promise>…</promise>` when it is done; alternatives as `DONE|BLOCKED`
    #[arg(long, value_name = "TEXT")]
    promise: Option<String>,
    /// A command that must succeed before the loop counts as done
    #[arg(long, value_name = "CMD")]
    verify: Option<String>,
    /// Time limit of the command
    #[arg(long, value_name = "S", default_value_t = Loop::VERIFY_SECONDS, value_parser = clap::value_parser!(u32).range(1..=550))]
    verify_seconds: u32,
    /// Where the client allows no further continuation, go on with `stead run`: a stage, or `pipeline NAME`
    #[arg(long, value_name = "STAGE")]
    then_run: Option<String>,
    /// Maximum minutes; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 0)]
    max_minutes: u32,
    /// Pause after this many equal answers in a row; 0 for never
    #[arg(long, value_name = "N", default_value_t = Loop::MAX_REPEATS)]
    max_repeats: u32,
    /// Print the loop as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: StartArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    here.refuse_sub_agents()?;
    let json = args.json;
    let new = new_loop(args, here, ui)?;
    let (prompt, verify) = (new.prompt.trim().to_owned(), new.verify.clone());
    keep_ignored(&here.project.context(), Sharing::of(&here.project.config))?;
    let started = here.loops.start(new, here.now)?;
    if json {
        ui.json(answer::LOOP, &as_json(&started.state));
        return Ok(Exit::Done);
    }
    let state = &started.state;
    ui.line(format!("loop {} started, iteration {}; {}", state.id, state.progress(), session_of(state)));
    if let Some(paused) = &started.paused {
        ui.line(format!("loop {paused} is paused"));
    }
    if state.lease.is_none() {
        ui.line(format!("not attached to a session; run `stead loop activate {}` inside one", state.id));
        return Ok(Exit::Done);
    }
    ui.line(format!("\n{prompt}\n"));
    let tags: Vec<String> = state.promises.iter().map(|promise| format!("<promise>{promise}</promise>")).collect();
    if !tags.is_empty() {
        ui.line(format!("Only when that is true, end the answer with {}, outside any code block.", tags.join(" or ")));
    }
    if let Some(verify) = verify {
        ui.line(format!("Stead then runs `{verify}`, which must succeed."));
    }
    warn_of_cap(state, ui);
    Ok(Exit::Done)
}

fn new_loop(args: StartArgs, here: &Here, ui: &Ui) -> Result<NewLoop, CliError> {
    let packet = args.from_packet.as_deref().map(|id| packet(id, here)).transpose()?;
    let (packet_id, packet) = packet.unzip();
    let prompt = match &packet {
        Some(packet) => packet.next_prompt().unwrap_or_default().to_owned(),
        None => args.prompt.join(" "),
    };
    if prompt.trim().is_empty() {
        return Err(match packet_id {
            Some(id) => CliError::user(format!("packet `{id}` has no next prompt"))
                .hinted("fill its section `## Next Prompt (Draft)`"),
            None => CliError::usage("the prompt is empty").hinted("say what the agent should do in each iteration"),
        });
    }
    if prompt.len() > MOST_PROMPT {
        return Err(CliError::usage(format!("the prompt has {} bytes; the limit is {MOST_PROMPT}", prompt.len()))
            .hinted("keep the long text in a file and name its path in the prompt"));
    }
    let promise = args.promise.or_else(|| packet.as_ref()?.promise().map(str::to_owned));
    let promises = match promise {
        Some(promise) => split_promises(&promise).map_err(|why| {
            CliError::usage(format!("invalid promise `{promise}`: {why}")).hinted("write it as `DONE|BLOCKED`")
        })?,
        None => Vec::new(),
    };
    if args.verify.as_deref().is_some_and(|command| command.trim().is_empty()) {
        return Err(CliError::usage("the verify command is empty"));
    }
    let verify = args.verify.or_else(|| packet.as_ref()?.verify().map(str::to_owned));
    if let Some(command) = &verify
        && let Some(reason) = Speaker::calling(&here.project).refusal(&here.project, command)
    {
        return Err(CliError::refused(format!("`{command}` is refused: {reason}")).hinted("verify by another command"));
    }
    let from_packet = packet.as_ref().and_then(Packet::max_iterations);
    Ok(NewLoop {
        prompt,
        promises,
        max_iterations: args.max_iterations.or(from_packet).unwrap_or(Loop::MAX_ITERATIONS),
        max_minutes: args.max_minutes,
        max_repeats: args.max_repeats,
        verify,
        verify_seconds: args.verify_seconds,
        then_run: args.then_run.map(|named| then_run(&named, ui)).transpose()?,
        source_packet_id: packet_id,
        owner: here.caller.clone(),
    })
}

/// What `stead run` would start: a stage or a pipeline that exists.
fn then_run(named: &str, ui: &Ui) -> Result<String, CliError> {
    let (kind, name) = match named.split_whitespace().collect::<Vec<_>>().as_slice() {
        [name] | ["stage", name] => ("stage", (*name).to_owned()),
        ["pipeline", name] => ("pipeline", (*name).to_owned()),
        _ => return Err(CliError::usage(format!("`{named}` is neither a stage nor `pipeline NAME`"))),
    };
    let catalog = RunRoom::find(ui)?.catalog();
    let known = if kind == "stage" { catalog.stages() } else { catalog.pipelines() };
    match known.iter().any(|(known, _)| *known == name) {
        true => Ok(format!("{kind} {name}")),
        false => Err(CliError::not_found(format!("there is no {kind} `{name}`"))
            .hinted(format!("`stead {kind} list` lists them"))),
    }
}

fn packet(id: &str, here: &Here) -> Result<(String, Packet), CliError> {
    let shelf = Shelf::new(&Layout::of(&here.project.config).dir(here.project.root(), Room::Context));
    let id = shelf.find(id)?;
    refuse_packet(&here.project, &shelf.path(&id))?;
    let packet = shelf.read(&id)?;
    Ok((id, packet))
}

/// Announces when the client will end a turn by itself.
fn warn_of_cap(state: &Loop, ui: &mut Ui) {
    let harness = state.lease.as_ref().and_then(|lease| Harness::from_name(lease.owner.harness()));
    let Some(facts) = harness.map(|harness| &harness.client().facts) else { return };
    if let Some(cap) = facts.stop_cap.most_in(&env)
        && (state.max_iterations == 0 || state.max_iterations > cap)
    {
        let then = match &state.then_run {
            Some(run) => format!("then `stead run {run} {}` goes on", state.run_name()),
            None => "then the loop continues with the next message".to_owned(),
        };
        ui.note(format!("note: {} allows a turn to be continued {cap} times in a row; {then}", facts.title));
    }
}
