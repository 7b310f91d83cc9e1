//! The definitions of agents in a project: the rules in them, and their size.

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use stead_guard::{ProseRule, Sense, State, draft_guard, holders, prose_rules, shipped_holder};
use stead_install::{AgentDefinition, agent_definitions};
use stead_model::tokens;

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::Guards;
use crate::here::Here;
use crate::ui::{Ui, counted};

/// Check the agents that are defined in this project
///
/// `stead init --agents` installs some. These commands read the definitions of every agent program, whoever wrote them.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead agents lint\n  stead agents size --json")]
pub(crate) struct AgentsArgs {
    #[command(subcommand)]
    command: AgentsCommand,
}

#[derive(Subcommand)]
enum AgentsCommand {
    Lint(LintArgs),
    Size(SizeArgs),
}

/// List the rules in the definitions, and the guard that holds each, or a draft of one
///
/// A rule is a line with a word such as MUST, NEVER, always or don't. If it names a command or a file, Stead asks the
/// guards what they would do with it. A rule that no guard holds is only a request.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead agents lint\n  stead agents lint --json")]
struct LintArgs {
    /// Print the rules as JSON
    #[arg(long)]
    json: bool,
}

/// Print how long each definition is
///
/// Tokens are estimated as a quarter of the bytes.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead agents size\n  stead agents size --json")]
struct SizeArgs {
    /// Print the sizes as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: AgentsArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let here = Here::find(ui)?;
    let definitions = agent_definitions(&here.site());
    match args.command {
        AgentsCommand::Lint(args) => lint(&args, &here, &definitions, ui),
        AgentsCommand::Size(args) => size(&args, &here, &definitions, ui),
    }
}

/// What holds a rule.
enum Held {
    /// These guards of the project.
    By(Vec<String>),
    /// A shipped guard that is not enabled.
    IfEnabled(&'static str),
    /// No guard yet; its id and its file.
    Draft(String, String),
    /// It names nothing that a guard could match.
    Nothing,
}

fn lint(args: &LintArgs, here: &Here, definitions: &[AgentDefinition], ui: &mut Ui) -> Result<Exit, CliError> {
    let guards = Guards::load(&here.project)?;
    let mut taken: Vec<String> = guards.list.iter().map(|guard| guard.id.clone()).collect();
    let mut found: Vec<(String, ProseRule, Held)> = Vec::new();
    for definition in definitions {
        let file = here.site().brief(&definition.path);
        for rule in prose_rules(&definition.text) {
            let held = held(&rule, &guards, &taken);
            if let Held::Draft(id, _) = &held {
                taken.push(id.clone());
            }
            found.push((file.clone(), rule, held));
        }
    }
    if args.json {
        let rules: Vec<Value> = found.iter().map(|(file, rule, held)| as_json(file, rule, held, &guards)).collect();
        ui.json(answer::AGENTS_LINT, &json!({"definition_count": definitions.len(), "items": rules}));
        return Ok(Exit::Done);
    }
    for (file, rule, held) in &found {
        tell(file, rule, held, &guards, ui);
    }
    let open = found.iter().filter(|(_, _, held)| !matches!(held, Held::By(_))).count();
    let (files, rules) = (counted(definitions.len(), "definition"), counted(found.len(), "rule"));
    ui.line(format!("{files}, {rules}, {open} without a guard"));
    Ok(Exit::Done)
}

fn held(rule: &ProseRule, guards: &Guards, taken: &[String]) -> Held {
    let active = || guards.list.iter().filter(|guard| guard.state == State::Active);
    let mut by = holders(rule, &guards.sources, &guards.rooms);
    by.retain(|id| active().any(|guard| guard.id == *id));
    let shipped = shipped_holder(rule, &guards.rooms);
    if let Some(shipped) = shipped.filter(|_| by.is_empty()) {
        // It may be enabled under another name.
        let same = active().filter(|guard| guard.id == shipped || guard.made_from.as_deref() == Some(shipped));
        by.extend(same.map(|guard| guard.id.clone()));
    }
    match (by.is_empty(), shipped) {
        (false, _) => Held::By(by),
        (true, Some(id)) => Held::IfEnabled(id),
        (true, None) => match draft_guard(rule, taken, &guards.rooms) {
            Some((id, text)) => Held::Draft(id, text),
            None => Held::Nothing,
        },
    }
}

fn mode(id: &str, guards: &Guards) -> &'static str {
    guards.find(id).map_or("unknown", |guard| guard.mode.name())
}

fn tell(file: &str, rule: &ProseRule, held: &Held, guards: &Guards, ui: &mut Ui) {
    ui.line(format!("{file}:{}", rule.line));
    ui.line(format!("  {}", brief(&rule.text, 76)));
    match held {
        Held::By(ids) => {
            let names: Vec<String> = ids.iter().map(|id| format!("`{id}` ({})", mode(id, guards))).collect();
            ui.line(format!("  held by {}", names.join(", ")));
        }
        Held::IfEnabled(id) => ui.line(format!("  no guard; `stead guard enable {id}` adds one")),
        Held::Draft(id, text) => {
            ui.line(format!("  no guard; a draft of `{id}.yaml` for your guards folder:"));
            text.lines().for_each(|line| ui.line(format!("    {line}")));
        }
        Held::Nothing => ui.line("  no guard can hold it: it names no command and no file"),
    }
}

fn as_json(file: &str, rule: &ProseRule, held: &Held, guards: &Guards) -> Value {
    let mut json = json!({
        "path": file,
        "line": rule.line,
        "text": rule.text,
        "sense": match rule.sense {
            Sense::Forbids => "forbids",
            Sense::Demands => "demands",
        },
        "held_by": [],
    });
    match held {
        Held::By(ids) => {
            json["held_by"] = ids.iter().map(|id| json!({"guard": id, "mode": mode(id, guards)})).collect();
        }
        Held::IfEnabled(id) => json["enable"] = json!(id),
        Held::Draft(id, text) => json["draft"] = json!({"id": id, "text": text}),
        Held::Nothing => {}
    }
    json
}

fn brief(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

fn size(args: &SizeArgs, here: &Here, definitions: &[AgentDefinition], ui: &mut Ui) -> Result<Exit, CliError> {
    let site = here.site();
    let sizes = definitions.iter().map(|one| (tokens(&one.text), one.text.lines().count(), site.brief(&one.path)));
    let sizes: Vec<(usize, usize, String)> = sizes.collect();
    let total: usize = sizes.iter().map(|(tokens, ..)| tokens).sum();
    if args.json {
        let each = |(tokens, lines, path): &(usize, usize, String)| json!({"path": path, "token_count": tokens, "line_count": lines});
        ui.json(
            answer::AGENTS_SIZE,
            &json!({"token_count": total, "items": sizes.iter().map(each).collect::<Vec<_>>()}),
        );
        return Ok(Exit::Done);
    }
    if !sizes.is_empty() {
        ui.line(format!("{:>7}  {:>5}  definition", "tokens", "lines"));
    }
    for (tokens, lines, path) in &sizes {
        ui.line(format!("{tokens:>7}  {lines:>5}  {path}"));
    }
    ui.line(format!("{}, {}", counted(sizes.len(), "definition"), counted(total, "token")));
    Ok(Exit::Done)
}
