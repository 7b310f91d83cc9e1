use clap::Args;
use serde_json::json;
use stead_model::nearest;
use stead_store::SCHEMAS;

use crate::answer::{self, SHAPES};
use crate::cli::Exit;
use crate::error::{CliError, Code};
use crate::ui::Ui;

/// Print the JSON Schema of a file format or answer, or list them
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead schema\n  stead schema session-log > session-log.schema.json\n  stead schema answer.guard-list"
)]
pub(crate) struct SchemaArgs {
    /// The format or answer; without it, lists all of them
    name: Option<String>,
    /// Print the list as JSON (a schema always is JSON)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: SchemaArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let formats = SCHEMAS.iter().map(|schema| (schema.name, schema.about));
    let all: Vec<(&str, &str)> = formats.chain(SHAPES.iter().map(|shape| (shape.name, shape.about))).collect();
    match &args.name {
        Some(name) => ui.raw(text(name)?),
        None if args.json => {
            let list = all.iter().map(|(name, about)| json!({"name": name, "about": about})).collect();
            ui.json(answer::SCHEMA_LIST, &list);
        }
        None => {
            let width = all.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
            for (name, about) in all {
                ui.line(format!("{name:width$}  {about}"));
            }
        }
    }
    Ok(Exit::Done)
}

fn text(name: &str) -> Result<String, CliError> {
    if let Some(shape) = SHAPES.iter().find(|shape| shape.name == name) {
        return Ok(format!("{:#}\n", shape.schema()?));
    }
    if let Some(schema) = SCHEMAS.iter().find(|schema| schema.name == name) {
        return Ok(schema.text());
    }
    let known = SCHEMAS.iter().map(|schema| schema.name).chain(SHAPES.iter().map(|shape| shape.name));
    let hint = match nearest(name, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`stead schema` lists them".to_owned(),
    };
    Err(CliError::usage(format!("unknown schema `{name}`")).coded(Code::NotFound).hinted(hint))
}
