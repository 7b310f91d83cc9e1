use std::borrow::Cow;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use stead_client::Harness;
use stead_guard::Hit;
use stead_hook::{Caller, Examined, INTENT_GATE, describe_action, examine};
use stead_model::{Action, Change, Coverage, Event, EventKind, FileChange, Level, ToolCall};
use stead_store::redact;

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::here::chosen;
use crate::project::{Project, env};
use crate::sent::read_document;
use crate::session::calling_session;
use crate::ui::Ui;

/// Show whether a call would be blocked, and why
///
/// Judges a call by self-protection, intents and all guards, as the hook would, and shows its effects: files read, written and
/// deleted, programs run, git, network. Nothing is executed and nothing is recorded. Exits with 1 if the call would be
/// denied, and with 0 if it would pass or the person would be asked.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead check 'cd infra && sed -i s/a/b/ main.tf'\n  stead check --tool write --path infra/main.tf --content - < main.tf\n  stead check --tool read --path build.log --role coder --json"
)]
pub(crate) struct CheckArgs {
    /// A shell command
    command: Option<String>,
    /// A file tool instead of a command
    #[arg(long, value_enum, value_name = "TOOL")]
    tool: Option<FileTool>,
    /// The file that the tool is used on; can be repeated
    #[arg(long, value_name = "FILE", requires = "tool")]
    path: Vec<String>,
    /// A file with the new content; `-` for standard input
    #[arg(long, value_name = "FILE", requires = "tool")]
    content: Option<PathBuf>,
    /// The role of the sub-agent that makes the call [default: `main`, the main agent]
    #[arg(long)]
    role: Option<String>,
    /// The agent program that makes the call; they differ in what they support
    #[arg(long)]
    harness: Option<String>,
    /// The session of the call, for guards that depend on it
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The intent that the call is made for [default: the one that the session has selected]
    #[arg(long, value_name = "ID")]
    intent: Option<String>,
    /// Print the verdict and the effects as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FileTool {
    Write,
    Delete,
    Read,
}

pub(crate) fn run(args: CheckArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let wrong = match (&args.command, args.tool, args.path.is_empty()) {
        (None, None, _) => Some("nothing to check"),
        (Some(_), Some(_), _) => Some("a command and `--tool` cannot be checked together"),
        (None, Some(_), true) => Some("`--tool` needs a `--path`"),
        (Some(_), None, _) | (None, Some(_), false) => None,
    };
    if let Some(wrong) = wrong {
        let hint = "use `stead check 'COMMAND'`, or `stead check --tool write --path FILE`";
        return Err(CliError::usage(wrong).hinted(hint));
    }
    let project = Project::find(ui)?;
    let dir = ui.dir()?;
    let named = chosen(args.harness.as_slice())?;
    let harness = named.first().copied().unwrap_or(Harness::ALL[0]);
    let call = call(&args)?;
    let mut event = before_tool(harness);
    let calling = calling_session(&project).map(|binding| binding.session);
    event.session = args.session.as_deref().or(calling.as_deref()).map(Cow::Borrowed);
    event.cwd = Some(dir.to_string_lossy().into_owned().into());
    event.call = Some(call);
    let caller = match args.role.as_deref() {
        None | Some("main") => Caller { is_main: true, ..Caller::default() },
        Some("sub") => Caller::default(),
        Some(role) => Caller { role: Some(role.to_owned()), ..Caller::default() },
    };
    let examined = examine(project.root(), &dir, &env, harness, &event, Some(caller));
    match args.json {
        true => ui.json(answer::CHECK, &as_json(&examined)),
        false => tell(&examined, ui),
    }
    Ok(if examined.level() == Level::Deny { Exit::Failed } else { Exit::Done })
}

fn before_tool(harness: Harness) -> Event<'static> {
    let events = harness.client().facts.events;
    let native = events.iter().find(|fact| fact.kind == EventKind::BeforeTool).map_or("", |fact| fact.native);
    Event::new(EventKind::BeforeTool, native)
}

fn call(args: &CheckArgs) -> Result<ToolCall<'_>, CliError> {
    let made = |tool: &'static str, action, mut input: Value| {
        if let Some(intent) = &args.intent {
            input["intent_id"] = json!(intent);
        }
        ToolCall { tool: tool.into(), id: None, action, input: input.to_string().into() }
    };
    let Some(tool) = args.tool else {
        let command = args.command.as_deref().unwrap_or_default();
        return Ok(made("Bash", Action::Run { command: command.into(), dir: None }, json!({"command": command})));
    };
    let content = match &args.content {
        Some(named) => read_document(Some(named))?,
        None => None,
    };
    let input = json!({"file_path": args.path.first(), "content": content});
    let changes = |change: &dyn Fn() -> Change<'static>| {
        let files = args.path.iter().map(|path| FileChange { path: path.as_str().into(), change: change() });
        Action::Change(files.collect())
    };
    Ok(match tool {
        FileTool::Write => {
            made("Write", changes(&|| Change::Write { content: content.clone().map(Cow::Owned) }), input)
        }
        FileTool::Delete => made("Delete", changes(&|| Change::Delete), input),
        FileTool::Read => {
            made("Read", Action::Read(args.path.iter().map(|path| path.as_str().into()).collect()), input)
        }
    })
}

fn tell(examined: &Examined, ui: &mut Ui) {
    let level = examined.level();
    ui.line(match level {
        Level::Deny => "It would be denied.",
        Level::Ask => "The person would be asked.",
        _ if examined.guards.rewrite.is_some() => "It would be rewritten, and pass.",
        _ if !examined.notes.is_empty() || examined.intents.is_some() => "It would pass, with a warning to the agent.",
        _ => "It would pass.",
    });
    if examined.own.level > Level::Allow {
        ui.line(format!("\nself-protection\n  {}", examined.own.reason_text().replace('\n', "\n  ")));
    }
    if let Some(objection) = &examined.intents {
        let mode = if objection.only_warns { "warn" } else { "enforce" };
        let text = objection.text.replace('\n', "\n  ");
        ui.line(format!("\n{INTENT_GATE} ({mode}, {})\n  {text}", objection.level.name()));
    }
    for hit in &examined.hits {
        ui.line(format!("\n{} ({}, {}) {}", hit.guard, hit.mode.name(), outcome(hit), hit.file));
        for (name, text) in [("because", &hit.because), ("part", &hit.part), ("says", &hit.say)] {
            if !text.is_empty() {
                ui.line(format!("  {name:<8} {}", redact(text).replace('\n', " ")));
            }
        }
    }
    ui.line(match examined.effects.coverage {
        Coverage::Full => "\nEffects (complete)",
        Coverage::Partial => "\nEffects (there may be more)",
        Coverage::None => "\nEffects: unknown",
    });
    for effect in &examined.effects.list {
        ui.line(format!("  {}", describe_action(&effect.op)));
    }
    for gap in &examined.effects.gaps {
        ui.line(format!("  gap: {}", redact(&gap.to_string())));
    }
    for problem in &examined.problems {
        ui.warning(format!("a guard is not applied: {problem}"));
    }
}

/// What a hit did, or would have done.
fn outcome(hit: &Hit) -> String {
    match hit.acted() {
        true if hit.level == Level::Warn => "warns".to_owned(),
        true => hit.would.name().to_owned(),
        false => format!("would {}", hit.would.name()),
    }
}

fn as_json(examined: &Examined) -> Value {
    json!({
        "verdict": examined.level().name(),
        "self_protection": (examined.own.level > Level::Allow).then(|| examined.own.reason_text()),
        "reason": (examined.guards.level > Level::Allow).then(|| examined.guards.reason_text()),
        "intents": examined.intents.as_ref().map(|objection| json!({
            "verdict": objection.level.name(),
            "only_warns": objection.only_warns,
            "text": objection.text,
            "part": objection.part,
        })),
        "rewrite": examined.guards.rewrite.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok()),
        "notes": examined.notes,
        "hits": examined.hits.iter().map(|hit| json!({
            "guard": hit.guard,
            "guard_path": hit.file,
            "version": hit.version,
            "mode": hit.mode.name(),
            "would": hit.would.name(),
            "verdict": hit.level.name(),
            "because": hit.because,
            "part": hit.part,
            "path": hit.path,
            "command": hit.command,
            "feature": hit.feature,
            "say": hit.say,
            "error": hit.error,
        })).collect::<Vec<_>>(),
        "coverage": examined.effects.coverage.name(),
        "effects": examined.effects.list.iter().map(|effect| json!({
            "does": describe_action(&effect.op),
            "part": redact(&effect.part),
        })).collect::<Vec<_>>(),
        "gaps": examined.effects.gaps.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "problems": examined.problems,
    })
}
