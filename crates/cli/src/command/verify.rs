use std::time::Duration;

use clap::Args;
use serde_json::json;
use stead_evidence::{Bounds, Item, Leaned, Recorded, Source, Verify, pattern_findings};
use stead_feature::{Feature, FeatureList};
use stead_hook::command_effects;
use stead_store::Checked;

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::lessons::learn_from_runs;
use crate::project::{Project, env, now, user_dirs};
use crate::proof::{ground, is_supervised, refuse_verifier, who, written};
use crate::ui::{Ui, shell_word};

/// How many lines of it are shown if it failed.
const SHOWN: usize = 20;

/// Run a feature's verifiers and record the results as evidence
///
/// The commands come from `verifiers` in the feature list and run in the project root. What they prove expires when the
/// feature's files change. A command after `--` is run and recorded as it is; a run of the whole test suite also proves
/// features without verifiers. Exits with 1 if a command fails or proves nothing.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead verify login\n  stead verify --all\n  stead verify -- cargo test --workspace"
)]
pub(crate) struct VerifyArgs {
    /// The features, by their ids
    #[arg(required_unless_present_any = ["all", "command"])]
    features: Vec<String>,
    /// All features that have verifiers
    #[arg(long, conflicts_with_all = ["features", "command"])]
    all: bool,
    /// A command to run instead
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "features")]
    command: Vec<String>,
    /// Time limit of each command, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 1800, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Print the records as JSON
    #[arg(long)]
    json: bool,
}

/// What proves a feature that has no verifiers. Agents may not add verifiers to an existing feature.
const WITHOUT: &str = "run the whole test suite in the project root with `stead verify -- <test command>`, as in \
                       `stead verify -- cargo test`, or ask a person to add `verifiers`";

/// One command to run, for a feature or for none.
struct Job<'a> {
    feature: Option<&'a Feature>,
    command: String,
}

pub(crate) fn run(args: VerifyArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    if env(Verify::WITHIN).is_some() {
        return Err(CliError::user("a verifier may not call `stead verify`").hinted("call the command itself"));
    }
    let ground = ground(&project);
    let list = if args.command.is_empty() { FeatureList::require(&ground.features)? } else { FeatureList::default() };
    let findings = pattern_findings(&ground, &list, &Bounds::command());
    list.problems.iter().chain(&findings).for_each(|problem| ui.warning(problem));
    let jobs = jobs(&args, &list, ui)?;
    let who = who(&project);
    jobs.iter().try_for_each(|job| refuse_verifier(&project, job.feature, &job.command))?;
    let verify = Verify {
        ground: &ground,
        config: user_dirs().ok().map(|dirs| dirs.config),
        who,
        source: Source::Verify,
        supervised: is_supervised(&project),
        timeout: Duration::from_secs(args.timeout),
        effects: &|command| command_effects(&ground, &env, command),
        wrote: &|who, paths| written(&project, who, paths),
        now: &now,
        runner: None,
    };
    let mut items = Vec::new();
    for job in &jobs {
        ui.note(format!("running `{}` …", job.command));
        let (recorded, checked) = verify.run(job.feature, &job.command)?;
        if !args.json {
            tell(&recorded, job, &checked, ui);
        }
        items.push(recorded);
    }
    learn_from_runs(&project, ui);
    let proven = items.iter().all(|recorded| recorded.proves);
    let went_well = items.iter().all(|recorded| recorded.item.is_proof());
    if args.json {
        let items: Vec<&Item> = items.iter().map(|recorded| &recorded.item).collect();
        ui.json(answer::VERIFY, &json!({"proven": proven, "items": answer::records(&items)}));
    }
    Ok(if went_well { Exit::Done } else { Exit::Failed })
}

fn jobs<'a>(args: &VerifyArgs, list: &'a FeatureList, ui: &mut Ui) -> Result<Vec<Job<'a>>, CliError> {
    match args.command.as_slice() {
        [] => {}
        // One word is a whole command line, several are its words.
        [line] => return Ok(vec![Job { feature: None, command: line.clone() }]),
        words => return Ok(vec![Job { feature: None, command: quoted(words) }]),
    }
    let features: Vec<&Feature> = match args.all {
        true => list.features.iter().collect(),
        false => args.features.iter().map(|id| list.find(id)).collect::<Result<_, _>>()?,
    };
    let mut jobs = Vec::new();
    for feature in features {
        if feature.verifiers.is_empty() {
            let message = format!("feature `{}` has no verifiers", feature.id);
            if !args.all {
                return Err(CliError::user(message).hinted(WITHOUT));
            }
            ui.warning(message);
        }
        jobs.extend(feature.verifiers.iter().map(|command| Job { feature: Some(feature), command: command.clone() }));
    }
    if jobs.is_empty() {
        return Err(CliError::user("no feature has verifiers").hinted(WITHOUT));
    }
    Ok(jobs)
}

fn quoted(words: &[String]) -> String {
    words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

fn tell(Recorded { item, proves, doubt }: &Recorded, job: &Job<'_>, checked: &Checked, ui: &mut Ui) {
    let seconds = checked.took.as_secs_f64();
    let named = job.feature.map(|feature| format!("{}: ", feature.id)).unwrap_or_default();
    let word = match (item.is_proof(), proves) {
        (true, true) => "proven",
        (true, false) => "PROVES NOTHING",
        (false, _) => "NOT PROVEN",
    };
    let mut how = item.outcome();
    if item.is_proof() && !proves {
        let why = doubt.as_deref().unwrap_or("it is neither a run of the whole test suite nor a feature's verifier");
        how = format!("{why}; {how}");
    }
    if let Some(weak) = item.weak.as_deref().filter(|weak| !weak.starts_with("it ended with exit")) {
        how = format!("{how}; {weak}");
    }
    if let Some(why) = item.foreign() {
        how = format!("{how}; foreign: {why}");
    }
    ui.line(format!("{word}  {named}`{}`: {how} ({seconds:.1} s)", job.command));
    if item.is_proof() && *proves && job.feature.is_none() && item.counts.is_none() {
        ui.note("the output has no test count: this verifies the project, but no feature without `verifiers`");
    }
    if let Some(note) = Leaned::note(&item.leaned) {
        ui.line(format!("  {note}"));
    }
    if !item.has_passed() {
        let lines: Vec<&str> = checked.tail.lines().collect();
        lines[lines.len().saturating_sub(SHOWN)..].iter().for_each(|line| ui.line(format!("  | {line}")));
    }
}
