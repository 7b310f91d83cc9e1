use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;
use stead_evidence::{About, Archive, Bounds, Ground, Item, Offering, Standing, add, pattern_findings, standing_of};
use stead_feature::{Feature, FeatureList};
use stead_store::{read_capped, redact};

use crate::answer;
use crate::chain_check::ChainCheck;
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::{Project, now};
use crate::proof::{ground, voice, who};
use crate::sent::read_document;
use crate::speaker::Speaker;
use crate::ui::{Ui, counted};

/// The largest file that is kept.
const LIMIT: usize = 16 * 1024 * 1024;

/// How many runs are listed.
const SHOWN: usize = 30;

/// Show and add evidence for features
///
/// Stead records the tests and builds that agents run, and what `stead verify` runs. What you add here supports a
/// claim, but does not prove it: a feature counts as tested only if Stead observed or ran a test itself.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead evidence list\n  stead evidence add login --file screenshot.png\n  curl -s localhost:8080/health | stead evidence add login --response -"
)]
pub(crate) struct EvidenceArgs {
    #[command(subcommand)]
    command: EvidenceCommand,
}

#[derive(Subcommand)]
enum EvidenceCommand {
    Add(AddArgs),
    List(ListArgs),
    Show(ShowArgs),
    Verify(VerifyArgs),
}

/// Add a file, a program's output or a service's response as evidence for a feature
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead evidence add login --file shots/login.png --note \"after signing in\"\n  stead evidence add login --output run.txt"
)]
struct AddArgs {
    /// The feature, by its id
    feature: String,
    /// A file, such as a screenshot
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "response"], required_unless_present_any = ["output", "response"])]
    file: Option<PathBuf>,
    /// A file with the output of a program; `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "response")]
    output: Option<PathBuf>,
    /// A file with the response of a service; `-` for standard input
    #[arg(long, value_name = "FILE")]
    response: Option<PathBuf>,
    /// What it shows
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Print the record as JSON
    #[arg(long)]
    json: bool,
}

/// List the features and whether they are proven, or the evidence for one feature
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead evidence list\n  stead evidence list login\n  stead evidence list --runs --json"
)]
struct ListArgs {
    /// The feature; all by default
    feature: Option<String>,
    /// List the latest tests and builds that were observed or run, for any feature or none
    #[arg(long, conflicts_with = "feature")]
    runs: bool,
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

/// Print one piece of evidence
#[derive(Args)]
#[command(after_help = "Example:\n  stead evidence show 20261115T194530123Z-1a2b3c")]
struct ShowArgs {
    /// Its id, or a unique prefix of it
    id: String,
    /// Print the record as JSON
    #[arg(long)]
    json: bool,
}

/// Check the hash chain of this checkout's log; exits with 1 if a line was changed, added, moved or removed
///
/// Records that the chain does not vouch for are foreign: they are shown, but prove nothing.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead evidence verify\n  stead evidence verify --json")]
struct VerifyArgs {
    #[command(flatten)]
    check: ChainCheck,
}

pub(crate) fn run(args: EvidenceArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let ground = ground(&project);
    match args.command {
        EvidenceCommand::Add(args) => bring(&args, &project, &ground, ui)?,
        EvidenceCommand::List(ListArgs { feature: Some(feature), json, .. }) => items(&feature, json, &ground, ui)?,
        EvidenceCommand::List(ListArgs { runs: true, json, .. }) => runs(json, &ground, ui)?,
        EvidenceCommand::List(args) => features(args.json, &ground, ui)?,
        EvidenceCommand::Show(args) => show(&args, &ground, ui)?,
        EvidenceCommand::Verify(args) => {
            let verify = || Ok(Archive::new(&ground).verify()?);
            return args.check.run_with("evidence log", &ground.chain(), &verify, &project, ui);
        }
    }
    Ok(Exit::Done)
}

fn bring(args: &AddArgs, project: &Project, ground: &Ground, ui: &mut Ui) -> Result<(), CliError> {
    project.require_marker()?;
    let list = FeatureList::require(&ground.features)?;
    let feature = list.find(&args.feature)?;
    let (about, named) = match (&args.file, &args.output, &args.response) {
        (Some(path), _, _) => (About::File, path),
        (_, Some(path), _) => (About::Output, path),
        (_, _, Some(path)) => (About::Response, path),
        (None, None, None) => return Err(CliError::usage("name what to add")),
    };
    if named.as_os_str() != "-" {
        check_source(named, project, ui)?;
    }
    let bytes = content(about, named, ui)?;
    if let found @ 1.. = std::str::from_utf8(&bytes).map_or(0, |text| redact(text).count()) {
        ui.note(format!("note: {} in `{}` replaced by `[redacted]`", counted(found, "secret"), named.display()));
    }
    let who = who(project);
    let name = if named.as_os_str() == "-" { about.name().to_owned() } else { named.to_string_lossy().into_owned() };
    let offering = Offering {
        feature,
        about,
        name: &name,
        bytes: &bytes,
        note: args.note.as_deref(),
        kind: voice(&who, project, ui),
        who,
        now: &now(),
    };
    let item = add(ground, &offering, &Bounds::command())?;
    if args.json {
        ui.json(answer::EVIDENCE, &as_json(&item));
        return Ok(());
    }
    ui.line(format!("{} added as {} evidence for `{}`", item.id, item.kind.name(), feature.id));
    let standing = standing_of(ground, feature, &Bounds::command())?;
    if !standing.is_proven() {
        ui.line(format!("this supports the claim; `{}` proves it", standing.next));
    }
    Ok(())
}

/// Checks that a file may be copied into the project, where it will be committed. For an agent, nothing is copied that
/// it may not read, and nothing from outside the project except from the temporary folder, where many tools put
/// screenshots.
fn check_source(named: &Path, project: &Project, ui: &mut Ui) -> Result<(), CliError> {
    let dir = ui.dir()?;
    if dir.join(named).is_dir() {
        return Err(CliError::user(format!("`{}` is a folder", named.display())).hinted("name one file in it"));
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let file = real(&dir.join(named));
    let is_inside = file.starts_with(real(project.root())) || file.starts_with(real(&std::env::temp_dir()));
    let speaker = Speaker::calling(project);
    let shown = named.display();
    if let Some(why) = speaker.refusal_to_read(project, &dir, named) {
        return Err(CliError::user(format!("`{shown}` is not copied for an agent: {why}")));
    }
    match (is_inside, speaker.agent(project)) {
        (true, _) => Ok(()),
        (false, Some(_)) => {
            Err(CliError::user(format!("`{shown}` is outside the project, so it is not copied for an agent"))
                .hinted("ask the person to add it, or add a file of the project"))
        }
        (false, None) => {
            ui.note(format!(
                "note: `{shown}` is outside the project; a copy is kept in the project and committed with it"
            ));
            Ok(())
        }
    }
}

fn content(about: About, named: &Path, ui: &Ui) -> Result<Vec<u8>, CliError> {
    if about != About::File {
        let path = if named.as_os_str() == "-" { named.to_owned() } else { ui.dir()?.join(named) };
        return Ok(read_document(Some(&path))?.unwrap_or_default().into_bytes());
    }
    match read_capped(&ui.dir()?.join(named), LIMIT)? {
        Some(bytes) => Ok(bytes),
        None => Err(CliError::not_found(format!("there is no file `{}`", named.display()))),
    }
}

fn features(json: bool, ground: &Ground, ui: &mut Ui) -> Result<(), CliError> {
    let Some(list) = FeatureList::read(&ground.features)? else {
        if json {
            ui.json(answer::EVIDENCE_LIST, &json!({"items": [], "problems": []}));
        } else {
            ui.note("note: there is no feature list; `stead evidence list --runs` shows tests and builds");
        }
        return Ok(());
    };
    let standings = list
        .features
        .iter()
        .map(|feature| Ok((feature, standing_of(ground, feature, &Bounds::command())?)))
        .collect::<Result<Vec<_>, CliError>>()?;
    let findings = pattern_findings(ground, &list, &Bounds::command());
    let problems: Vec<&String> = list.problems.iter().chain(&findings).collect();
    if json {
        let shown = standings.iter().map(|(feature, standing)| of_feature(feature, standing)).collect::<Vec<_>>();
        ui.json(answer::EVIDENCE_LIST, &json!({"items": shown, "problems": problems}));
        return Ok(());
    }
    for (feature, standing) in standings {
        let claim = if feature.tested { "tested" } else { "–" };
        let name = standing.name();
        let why = match standing.proof.first() {
            Some(item) => item.outcome(),
            None => standing.why_not,
        };
        ui.line(format!("{:<20}  {claim:<6}  {name:<7}  {why}", feature.id));
    }
    problems.iter().for_each(|problem| ui.warning(problem));
    Ok(())
}

fn of_feature(feature: &Feature, standing: &Standing) -> serde_json::Value {
    let ids = |items: &[Item]| items.iter().map(|item| item.id.clone()).collect::<Vec<_>>();
    json!({
        "id": feature.id,
        "title": feature.title,
        "status": feature.status,
        "tested": feature.tested,
        "standing": standing.name(),
        "proof": ids(&standing.proof),
        "stale": ids(&standing.stale),
        "claimed": ids(&standing.claimed),
        "foreign": ids(&standing.foreign),
        "why_not": standing.why_not,
        "next": standing.next,
    })
}

fn items(feature: &str, json: bool, ground: &Ground, ui: &mut Ui) -> Result<(), CliError> {
    let list = FeatureList::require(&ground.features)?;
    let feature = list.find(feature)?;
    let items = Archive::new(ground).items(&feature.id)?;
    let standing = standing_of(ground, feature, &Bounds::command())?;
    if json {
        let mut shown = of_feature(feature, &standing);
        shown["items"] = items.iter().map(as_json).collect();
        ui.json(answer::EVIDENCE_FEATURE, &shown);
        return Ok(());
    }
    if items.is_empty() {
        ui.note(format!("no evidence for `{}` yet", feature.id));
    }
    for item in &items {
        ui.line(row(item));
    }
    if !standing.is_proven() {
        ui.note(format!("`{}` {}; `{}` proves it", feature.id, standing.why_not, standing.next));
    }
    Ok(())
}

fn runs(json: bool, ground: &Ground, ui: &mut Ui) -> Result<(), CliError> {
    let items: Vec<Item> = Archive::new(ground).recent()?.take(SHOWN).collect();
    if json {
        ui.json(answer::EVIDENCE_RUNS, &json!({"items": items.iter().map(as_json).collect::<Vec<_>>()}));
        return Ok(());
    }
    if items.is_empty() {
        ui.note("no tests or builds were recorded yet");
    }
    items.iter().for_each(|item| ui.line(row(item)));
    Ok(())
}

/// The outcome, and the command on the next line.
fn row(item: &Item) -> String {
    let how = match item.foreign() {
        Some(why) => format!("foreign: {why}"),
        None => item.weak.clone().unwrap_or_else(|| item.outcome()),
    };
    let row = format!("{}  {:<8}  {:<8}  {how}", item.id, item.kind.name(), item.about.name());
    match item.command.as_deref().map(|command| command.split_whitespace().collect::<Vec<_>>().join(" ")) {
        Some(command) => format!("{row}\n    {command}"),
        None => row,
    }
}

fn show(args: &ShowArgs, ground: &Ground, ui: &mut Ui) -> Result<(), CliError> {
    let item = Archive::new(ground).find(&args.id)?;
    if args.json {
        ui.json(answer::EVIDENCE, &as_json(&item));
        return Ok(());
    }
    let mut field = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            ui.line(format!("{name:<9} {value}"));
        }
    };
    field("id", Some(item.id.clone()));
    field("time", Some(item.ts.clone()));
    field("kind", Some(format!("{} ({})", item.kind.name(), item.source.name())));
    field("about", Some(item.about.name().to_owned()));
    field("feature", item.feature.clone());
    field("command", item.command.clone());
    field("folder", item.dir.clone());
    field("outcome", Some(item.outcome()));
    field("proves", Some(item.objection().map_or("yes".to_owned(), |why| format!("no: {why}"))));
    field("files", item.tree.clone());
    field("session", item.who.session.clone());
    field("agent", item.who.agent.clone());
    field("note", item.note.clone());
    field("leaned on", Some(leaned_on(&item, ground)));
    field("kept", item.file.as_ref().map(|file| file.kept.clone()));
    if let Some(output) = item.output.as_ref().filter(|output| !output.is_empty()) {
        ui.line(format!("\n{}", output.tail));
    }
    Ok(())
}

/// What a run leaned on, and what of it is another file now.
fn leaned_on(item: &Item, ground: &Ground) -> String {
    let shown = item.leaned.iter().map(|file| match file.has_changed(ground) {
        true => format!("{} (changed since)", file.describe()),
        false => file.describe(),
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn as_json(item: &Item) -> serde_json::Value {
    let mut value = answer::record(item);
    value["proof"] = item.is_proof().into();
    if let Some(why) = item.foreign() {
        value["foreign"] = why.into();
    }
    value
}
