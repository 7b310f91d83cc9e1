use clap::Args;
use stead_memory::{Level, MemoryError, RetrievedBy, Scope};

use super::Here;
use crate::answer;
use crate::cli::{Exit, one_of};
use crate::error::CliError;
use crate::memory::{retrievals, search};
use crate::project::{now, now_millis};
use crate::ui::Ui;

/// Show one trace
#[derive(Args)]
#[command(after_help = "Examples:\n  stead memory get 3f2a\n  stead memory get 3f2a --level full --json")]
pub(crate) struct GetArgs {
    /// Its id, or a unique beginning of it
    id: String,
    /// How much: at most 500, 1,000 or 2,000 tokens
    #[arg(long, value_name = "LEVEL", default_value = "summary", value_parser = one_of(Level::ALL, Level::name))]
    level: Level,
    /// The most tokens, instead of what the level allows
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,
    /// Print the trace as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &GetArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let traces = here.memory.traces()?;
    let known = traces.find(&args.id)?;
    let id = &known.trace.id;
    let found = search(&here.project, &here.memory).get(id, args.level, args.max_tokens, now_millis());
    let mut shown = found.ok_or_else(|| MemoryError::UnknownTrace { id: id.to_string(), matching: 0 })?;
    if known.trace.scope == Scope::Universal {
        shown["scope"] = Scope::Universal.name().into();
    }
    // A count that could not be written is no reason to withhold the trace.
    let _ = retrievals(&here.project).record(&now(), RetrievedBy::Get, [id.clone()]);
    if args.json {
        ui.json(answer::MEMORY_TRACE, &shown);
        return Ok(Exit::Done);
    }
    lines("", &shown).into_iter().for_each(|line| ui.line(line));
    Ok(Exit::Done)
}

/// One line for each value, with its name.
fn lines(name: &str, value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::Object(map) => {
            let below = |inner: &str| if name.is_empty() { inner.to_owned() } else { format!("{name}.{inner}") };
            map.iter().flat_map(|(inner, value)| lines(&below(inner), value)).collect()
        }
        serde_json::Value::String(text) => vec![format!("{name}: {}", text.replace('\n', "\n  "))],
        other => vec![format!("{name}: {other}")],
    }
}
