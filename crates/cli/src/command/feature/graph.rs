use clap::Args;
use serde_json::json;
use stead_feature::{Document, Graph};

use super::Here;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::ui::Ui;

/// Print which features depend on which
///
/// Each line has the number of steps before a feature can start. Exits with 1 if dependencies form a cycle, and names
/// the line.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead feature graph\n  stead feature graph --svg > features.svg")]
pub(super) struct GraphArgs {
    /// Print it for Graphviz
    #[arg(long)]
    dot: bool,
    /// Print it as a picture
    #[arg(long, conflicts_with = "dot")]
    svg: bool,
    /// Print it as JSON
    #[arg(long, conflicts_with_all = ["dot", "svg"])]
    json: bool,
}

pub(super) fn run(args: &GraphArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let document = Document::require(&here.room)?;
    let graph = Graph::of(&document.list()?);
    match (args.json, args.dot, args.svg) {
        (true, ..) => ui.json(answer::FEATURE_GRAPH, &json!({"items": graph.nodes})),
        (_, true, _) => ui.raw(graph.dot()),
        (.., true) => ui.raw(graph.svg()),
        _ => ui.raw(graph.text()),
    }
    Ok(Exit::Done)
}
