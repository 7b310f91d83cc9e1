//! What `run` and `dry-run` say before anything starts.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use stead_feature::FeatureList;
use stead_hook::command_effects;
use stead_model::Op;
use stead_pipeline::Plan;
use stead_pipeline::preflight::{Concern, Ground, Weight, preflight};

use crate::error::CliError;
use crate::heard;
use crate::project::env;
use crate::proof::ground;
use crate::run_room::RunRoom;
use crate::ui::Ui;

/// Prints the names among its arguments that are no command. Some shells take a path for one that may not be executed.
const MISSING: &str = r#"for name; do
  case $name in */*) [ -f "$name" ] && [ -x "$name" ] ;; *) command -v "$name" > /dev/null ;; esac || printf '%s\n' "$name"
done"#;

/// What cannot work in a plan, and what nobody bounded.
pub(crate) fn concerns(plan: &Plan, room: &RunRoom) -> Vec<Concern> {
    let features = ground(&room.project).features;
    let mut concerns = preflight(
        plan,
        &Ground {
            root: room.project.root(),
            env: &env,
            has_features: features.join(FeatureList::FILE).is_file(),
            missing: &|command| missing(command, room),
        },
    );
    concerns.extend(heard::concerns(plan, room));
    concerns.sort_by_key(|concern| std::cmp::Reverse(concern.weight));
    concerns
}

/// The programs that a command needs and that do not exist. What may be missing, as in `a || b`, is not named.
fn missing(command: &str, room: &RunRoom) -> Vec<String> {
    let effects = command_effects(&ground(&room.project), &env, command);
    let is_needed = |run: &&stead_model::Run| run.by.is_none() && run.hidden.is_none();
    let mut wanted: Vec<(&str, &str)> = Vec::new();
    for run in effects.runs.iter().filter(is_needed) {
        let Some(Op::Run { argv, dir }) = effects.list.get(run.effect).map(|effect| &effect.op) else { continue };
        let Some(program) = argv.first().filter(|program| is_plain(program)) else { continue };
        wanted.push((program, dir));
    }
    wanted
        .into_iter()
        .filter(|(program, dir)| is_missing(program, dir, room))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// A name that the shell does not compute.
fn is_plain(program: &str) -> bool {
    !program.is_empty() && program.chars().all(|c| c.is_ascii_alphanumeric() || "-_./+".contains(c))
}

fn is_missing(program: &str, dir: &str, room: &RunRoom) -> bool {
    let dir = room.project.root().join(dir);
    let said = Command::new("sh")
        .args(["-c", MISSING, "sh", program])
        .current_dir(if dir.is_dir() { &dir } else { room.project.root() })
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    // Without a shell the command itself will say so.
    said.is_ok_and(|said| said.status.success() && !said.stdout.is_empty())
}

/// Prints what to know before a run starts.
pub(crate) fn tell(concerns: &[Concern], ui: &mut Ui) {
    for concern in concerns {
        let text = words(concern);
        match concern.weight {
            Weight::Warning => ui.warning(text),
            Weight::Note | Weight::Error => ui.note(format!("{}: {text}", concern.weight.name())),
        }
        if let Some(hint) = &concern.hint {
            ui.note(format!("hint: {hint}"));
        }
    }
}

/// Refuses a plan that cannot work. `all` says where everything is shown.
pub(crate) fn refuse(concerns: &[Concern], all: Option<&str>) -> Result<(), CliError> {
    let mut errors = concerns.iter().filter(|concern| concern.weight == Weight::Error);
    let Some(first) = errors.next() else { return Ok(()) };
    let more = match errors.count() {
        0 => String::new(),
        1 => ", and 1 more problem".to_owned(),
        more => format!(", and {more} more problems"),
    };
    let message = format!("nothing was started, because the run cannot work: {}{more}", words(first));
    let hints: Vec<&str> = first.hint.as_deref().into_iter().chain(all).collect();
    Err(CliError::user(message).hinted_if((!hints.is_empty()).then(|| hints.join("; "))))
}

fn words(concern: &Concern) -> String {
    let named: Vec<String> = concern.nodes.iter().map(|node| format!("`{node}`")).collect();
    match named.as_slice() {
        [first, second, _, _, ..] => {
            format!("{first}, {second} and {} more: {}", named.len() - 2, concern.message)
        }
        named => format!("{}: {}", named.join(", "), concern.message),
    }
}

pub(crate) fn as_json(concerns: &[Concern]) -> Value {
    let one = |concern: &Concern| {
        json!({
            "weight": concern.weight.name(),
            "nodes": concern.nodes,
            "message": concern.message,
            "hint": concern.hint,
        })
    };
    concerns.iter().map(one).collect()
}
