use clap::Args;
use serde_json::json;
use stead_store::{SCHEMAS, schema};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::ui::Ui;

/// Print the JSON Schema of a file format, or list the formats
#[derive(Args)]
#[command(after_help = "Examples:\n  stead schema\n  stead schema session-log > session-log.schema.json")]
pub(crate) struct SchemaArgs {
    /// The format; without it, lists all formats
    name: Option<String>,
    /// Print the list as JSON (a schema always is JSON)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: SchemaArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    match &args.name {
        Some(name) => ui.raw(schema(name)?.text()),
        None if args.json => {
            let list = SCHEMAS.iter().map(|schema| json!({"name": schema.name, "about": schema.about})).collect();
            ui.json(answer::SCHEMA_LIST, &serde_json::Value::Array(list));
        }
        None => {
            let width = SCHEMAS.iter().map(|schema| schema.name.len()).max().unwrap_or(0);
            for schema in SCHEMAS {
                ui.line(format!("{:width$}  {}", schema.name, schema.about));
            }
        }
    }
    Ok(Exit::Done)
}
