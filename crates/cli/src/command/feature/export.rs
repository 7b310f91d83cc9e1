use clap::{Args, ValueEnum};
use stead_feature::{Document, markdown};

use super::Here;
use crate::cli::Exit;
use crate::error::CliError;
use crate::ui::Ui;

/// Print the list, for other tools and people
#[derive(Args)]
#[command(after_help = "Example:\n  stead feature export --format markdown > PLAN.md")]
pub(super) struct ExportArgs {
    /// JSON as in the file, or check boxes
    #[arg(long, value_enum, default_value_t = Format::Json)]
    format: Format,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Json,
    Markdown,
}

pub(super) fn run(args: &ExportArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let document = Document::require(&here.room)?;
    match args.format {
        Format::Json => ui.raw(document.text()),
        Format::Markdown => ui.raw(markdown(&document.list()?)),
    }
    Ok(Exit::Done)
}
