use clap::Args;
use stead_pipeline::{Catalog, DefinitionError, lint};

use super::run::Kind;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::run_room::RunRoom;
use crate::ui::Ui;

/// Check stages and pipelines
///
/// Without a name, checks all of them, including the built-in ones. Each finding has a code; `docs/lint.md` explains
/// the codes with examples. Exits with 1 if there is an error.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead lint\n  stead lint pipeline full-refine --v3\n  stead lint --sarif > lint.sarif"
)]
pub(crate) struct LintArgs {
    /// Only stages, or only pipelines
    #[arg(value_enum)]
    kind: Option<Kind>,
    /// Only this one; a pipeline includes its stages
    name: Option<String>,
    /// Treat deprecations as errors
    #[arg(long)]
    v3: bool,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
    /// Print the findings as SARIF 2.1.0
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
}

pub(crate) fn run(args: LintArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let room = RunRoom::find(ui)?;
    let mut findings = findings(&args, &room.catalog())?;
    if args.v3 {
        lint::strict(&mut findings);
    }
    let errors = findings.iter().filter(|finding| finding.is_error()).count();
    if args.json {
        ui.json(answer::LINT, &lint::as_json(&findings));
    } else if args.sarif {
        ui.sarif(lint::sarif(&findings, env!("CARGO_PKG_VERSION")));
    } else {
        for finding in &findings {
            ui.line(lint::render(finding).trim_end());
            ui.line("");
        }
        ui.line(summary(errors, findings.len() - errors));
    }
    Ok(if errors > 0 { Exit::Failed } else { Exit::Done })
}

fn findings(args: &LintArgs, catalog: &Catalog) -> Result<Vec<lint::Finding>, DefinitionError> {
    match (args.kind, &args.name) {
        (None, _) => lint::lint_all(catalog),
        (Some(Kind::Stage), None) => lint::lint_stages(catalog),
        (Some(Kind::Stage), Some(name)) => lint::lint_stage(catalog, name),
        (Some(Kind::Pipeline), None) => pipelines(catalog),
        (Some(Kind::Pipeline), Some(name)) => lint::lint_pipeline(catalog, name),
    }
}

/// Findings about any pipeline or its stages; shared stages are reported once.
fn pipelines(catalog: &Catalog) -> Result<Vec<lint::Finding>, DefinitionError> {
    let mut all: Vec<lint::Finding> = Vec::new();
    for (name, _) in catalog.pipelines() {
        let new = lint::lint_pipeline(catalog, &name)?;
        all.extend(new.into_iter().filter(|finding| !all.contains(finding)).collect::<Vec<_>>());
    }
    Ok(all)
}

fn summary(errors: usize, others: usize) -> String {
    let count = |number: usize, word: &str| format!("{number} {word}{}", if number == 1 { "" } else { "s" });
    match (errors, others) {
        (0, 0) => "no findings".to_owned(),
        (0, others) => count(others, "warning"),
        (errors, 0) => count(errors, "error"),
        (errors, others) => format!("{}, {}", count(errors, "error"), count(others, "warning")),
    }
}
