use clap::Args;
use stead_memory::{Level, RetrievedBy, describe};

use super::Here;
use crate::cli::{Exit, one_of};
use crate::error::CliError;
use crate::memory::retrievals;
use crate::project::now;
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
    /// Print the trace as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &GetArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let traces = here.memory.traces()?;
    let known = traces.find(&args.id)?;
    let shown = describe(known, &traces, args.level);
    // A count that could not be written is no reason to withhold the trace.
    let _ = retrievals(&here.project).record(&now(), RetrievedBy::Get, [known.trace.id.clone()]);
    if args.json {
        ui.json(&shown);
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
