//! `stead stats`: whether Stead helps, as five numbers over time.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use stead_install::agent_definitions;
use stead_memory::{Metric, PromptSize, Statistics, Tally, chart, plot, statistics};
use stead_model::tokens;
use stead_store::{Durability, Exact, replace};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::here::Here;
use crate::memory::{OnRecord, capture, memory};
use crate::patterns::HistoryProgress;
use crate::person::{Whose, refuse_agents};
use crate::project::now_millis;
use crate::span::span;
use crate::ui::{Ui, counted};

/// The longest time that is looked at.
const LONGEST: Duration = Duration::from_secs(5 * 366 * 86_400);

/// Show five numbers over time that say whether Stead helps
///
/// Premature completions that were blocked (features marked as tested without evidence, and reports whose test failed),
/// prompts for each finished feature, the size of agents' prompts (now), mistakes that were repeated after an agent had
/// been told, and how often agents complied when told. By day, week or month.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead stats\n  stead stats --since 7d --json\n  stead stats --svg stats.svg")]
pub(crate) struct StatsArgs {
    /// How far back: `7d`, `12w`; five years at most
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = limited)]
    since: Duration,
    /// Print the numbers as JSON
    #[arg(long)]
    json: bool,
    /// Also write a picture into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

pub(crate) fn run(args: StatsArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let here = Here::find(ui)?;
    let project = &here.project;
    project.require_marker()?;
    if args.svg.is_some() {
        // A file that this command writes is written past the guards.
        refuse_agents("write a picture into a file", Whose::Project, project)?;
    }
    if let Err(error) = capture(project) {
        ui.warning(format!("what happened since the last time was not captured: {error}"));
    }
    if !project.config.bool("record.traces") {
        ui.warning("`record.traces` is off: violations and failed reports are not counted");
    }
    let on_record = OnRecord::read(project, &memory(project))?;
    let definitions = agent_definitions(&here.site());
    let prompt_size = PromptSize {
        definitions: definitions.len(),
        tokens: definitions.iter().map(|definition| tokens(&definition.text)).sum(),
    };
    let since = now_millis() - i64::try_from(args.since.as_millis()).unwrap_or(i64::MAX);
    let mut progress = HistoryProgress::new();
    let found = statistics(&on_record.records(), since, prompt_size, &mut |reading| progress.show(reading, ui))?;
    drop(progress);
    match args.json {
        true => ui.json(answer::STATS, &found.json()),
        false => tell(&found, ui),
    }
    args.svg.as_deref().map_or(Ok(()), |file| draw(&found, file, ui))?;
    Ok(Exit::Done)
}

fn draw(found: &Statistics, file: &Path, ui: &mut Ui) -> Result<(), CliError> {
    replace(&ui.dir()?.join(file), Exact::Own.bytes(&chart(found)), Durability::Synced)?;
    ui.note(format!("wrote {}", file.display()));
    Ok(())
}

fn tell(found: &Statistics, ui: &mut Ui) {
    if !found.is_recorded {
        ui.line("Nothing recorded yet.");
        return;
    }
    let head = format!("{} of", found.step);
    ui.line(format!(
        "{head:<10}  {:>7}  {:>7}  {:>8}  {:>11}  {:>8}  {:>15}",
        "blocked", "prompts", "finished", "per feature", "repeated", "complied"
    ));
    found.periods.iter().for_each(|period| ui.line(row(&period.start, &period.tally)));
    ui.line(row("total", &found.total));
    ui.line("");
    plot(found).iter().for_each(|line| ui.line(line.trim_end()));
    ui.line("");
    let size = &found.prompt_size;
    ui.line(format!(
        "agent prompts now: {} in {}",
        counted(size.tokens, "token"),
        counted(size.definitions, "definition")
    ));
}

fn row(name: &str, tally: &Tally) -> String {
    let shown = |metric: Metric| tally.value(metric).map_or_else(|| "-".to_owned(), |value| metric.show(value));
    let complied = match tally.violations {
        0 => "-".to_owned(),
        all => format!("{} of {all}, {}", tally.complied, shown(Metric::Compliance)),
    };
    format!(
        "{name:<10}  {:>7}  {:>7}  {:>8}  {:>11}  {:>8}  {complied:>15}",
        tally.blocked(),
        tally.prompts,
        tally.finished,
        shown(Metric::PromptsPerFeature),
        tally.repeated
    )
}

fn limited(text: &str) -> Result<Duration, String> {
    let span = span(text)?;
    if span > LONGEST { Err("expected at most five years".to_owned()) } else { Ok(span) }
}
