use serde_json::{Value, json};
use stead_context::{LoopStatus, Loops, Packet, Shelf};
use stead_evidence::foreign_features;
use stead_feature::FeatureList;
use stead_hook::{StarterNews, Tampering, graph_news, guard_news};
use stead_install::{Installed, installed};
use stead_migrate::{OlderRun, older_runs};
use stead_pipeline::{RunView, list_runs};
use stead_store::{Layout, Marker, Room};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::Guards;
use crate::here::Here;
use crate::patterns::graph;
use crate::progress::one_line;
use crate::project::now_millis;
use crate::proof::ground;
use crate::run_room::RunRoom;
use crate::seal;
use crate::trusting::untrusted;
use crate::ui::{Ui, counted};

/// How many runs are named.
const RUNS: usize = 5;

/// How many untrusted items are named.
const NAMED: usize = 6;

/// What is shown of a project.
struct Glance {
    harnesses: Vec<Installed>,
    /// Active loops: id and progress.
    loops: Vec<(String, String)>,
    runs: Vec<RunView>,
    /// Runs whose files cannot be read.
    unread: Vec<String>,
    /// Runs of the older engine.
    older: Vec<OlderRun>,
    packet: Option<Latest>,
    /// What shadow guards would have blocked recently, and what guards warned about.
    guards: Option<String>,
    /// What changed by itself, and what patterns propose.
    news: Vec<String>,
    /// How many guard files are not applied.
    broken: usize,
    /// What was put back lately, and what waits for a person.
    sealed: Vec<Tampering>,
    /// Features that are tested by foreign evidence only, and why it is foreign.
    foreign: Vec<(String, String)>,
    /// What came with the repository and is not trusted.
    untrusted: Vec<String>,
}

struct Latest {
    id: String,
    status: String,
    purpose: String,
}

pub(super) fn run(json: bool, ui: &mut Ui) -> Result<Exit, CliError> {
    let here = Here::find(ui)?;
    let is_marked = here.project.found.is_marked();
    if !json {
        here.project.warn(ui);
    }
    let glance = look(&here, ui)?;
    if json {
        ui.json(answer::STATUS, &as_json(&here, is_marked, &glance));
        return Ok(Exit::Done);
    }
    ui.line(format!("project  {}", here.project.root().display()));
    if !is_marked {
        ui.line("         not set up yet; run `stead init`");
    }
    if let Some(problem) = marker_problem(&here) {
        ui.warning(format!("{problem}; rules still apply, but nothing is recorded"));
    }
    tell(&glance, ui);
    Ok(Exit::Done)
}

fn look(here: &Here, ui: &Ui) -> Result<Glance, CliError> {
    let context = here.project.context();
    let loops = Loops::of_room(&context);
    let active = loops.ids()?.into_iter().filter_map(|id| {
        let file = loops.read(&id).ok()?;
        (file.state.status == LoopStatus::Active).then(|| (id, file.state.progress()))
    });
    let loops = active.collect();
    let latest = Shelf::new(&context).list().into_iter().find_map(|listing| {
        let head = listing.head.ok().filter(Packet::is_open)?;
        let status = head.get("status").unwrap_or("?").to_owned();
        Some(Latest { status, purpose: head.purpose().to_string(), id: listing.id })
    });
    let (runs, unread) = list_runs(&RunRoom::find(ui)?.dir());
    let guards = guard_news(&here.project.indexes(), now_millis());
    let room = Layout::of(&here.project.config).dir(here.project.root(), Room::Guards);
    let starters = StarterNews::look(&here.project.indexes(), &room, now_millis());
    let mut news: Vec<String> = starters.iter().map(StarterNews::told).collect();
    news.extend(graph_news(&graph(&here.project), now_millis()));
    let broken = if here.project.found.is_marked() { Guards::load(&here.project)?.broken_files() } else { 0 };
    let sealed = seal::with(&here.project, |sealed| sealed.news(now_millis())).unwrap_or_default();
    let ground = ground(&here.project);
    let list = FeatureList::read(&ground.features).ok().flatten().unwrap_or_default();
    let foreign = foreign_features(&ground, &list).unwrap_or_default();
    let untrusted = untrusted(&here.project).into_iter().map(|(item, _)| item.name).collect();
    Ok(Glance {
        untrusted,
        harnesses: installed(&here.site()),
        loops,
        runs,
        unread,
        older: older_runs(here.project.root()),
        packet: latest,
        guards,
        news,
        broken,
        foreign,
        sealed,
    })
}

/// Why the project's marker cannot be read.
fn marker_problem(here: &Here) -> Option<String> {
    let marked = here.project.found.is_marked();
    Marker::read(here.project.root()).err().filter(|_| marked).map(|error| error.to_string())
}

fn tell(glance: &Glance, ui: &mut Ui) {
    let names: Vec<&str> = glance.harnesses.iter().map(|one| one.harness.name()).collect();
    let names = if names.is_empty() { "none; `stead init` installs them".to_owned() } else { names.join(", ") };
    field("hooks", &names, ui);
    if glance.loops.is_empty() {
        field("loops", "none active", ui);
    }
    for (index, (id, progress)) in glance.loops.iter().enumerate() {
        field(if index == 0 { "loops" } else { "" }, &format!("{id} ({progress})"), ui);
    }
    if glance.runs.is_empty() {
        field("runs", "none yet", ui);
    }
    for (index, run) in glance.runs.iter().take(RUNS).enumerate() {
        field(if index == 0 { "runs" } else { "" }, &format!("{}  {}", run.run, run.status.name()), ui);
    }
    if glance.runs.len() > RUNS {
        field("", &format!("and {} more; `stead runs` lists them", glance.runs.len() - RUNS), ui);
    }
    if !glance.unread.is_empty() {
        field("", &format!("unreadable: {}", glance.unread.join(", ")), ui);
    }
    if !glance.older.is_empty() {
        let one = |run: &OlderRun| format!("{} ({})", run.name, run.status);
        let mut named: Vec<String> = glance.older.iter().take(NAMED).map(one).collect();
        named.extend(glance.older.len().checked_sub(NAMED + 1).map(|more| format!("{} more", more + 1)));
        field("", &format!("of the older engine: {}; see `stead migrate --dry-run`", named.join(", ")), ui);
    }
    match &glance.packet {
        Some(Latest { id, status, purpose }) => field("packet", &format!("{id} ({status}) {purpose}"), ui),
        None => field("packet", "none yet; `stead handoff` writes one", ui),
    }
    if let Some(news) = &glance.guards {
        field("guards", news.trim_start_matches("guards "), ui);
    }
    for (at, news) in glance.news.iter().enumerate() {
        field(if at == 0 && glance.guards.is_none() { "guards" } else { "" }, news, ui);
    }
    if glance.broken > 0 {
        let name = if glance.guards.is_some() || !glance.news.is_empty() { "" } else { "guards" };
        let files = counted(glance.broken, "file");
        field(name, &format!("{files} broken and not applied; `stead guard lint` shows why"), ui);
    }
    for (at, change) in glance.sealed.iter().enumerate() {
        field(if at == 0 { "seal" } else { "" }, &seal::sentence(change), ui);
    }
    for (at, (id, why)) in glance.foreign.iter().enumerate() {
        let name = if at == 0 { "evidence" } else { "" };
        field(name, &format!("`{id}` is tested by foreign evidence only: {why}"), ui);
    }
    if !glance.untrusted.is_empty() {
        let count = counted(glance.untrusted.len(), "item");
        field("trust", &format!("{count} not trusted, which run and permit nothing; see `stead trust --show`"), ui);
    }
    for name in glance.untrusted.iter().take(NAMED) {
        field("", name, ui);
    }
}

pub(crate) fn older_json(run: &OlderRun) -> Value {
    json!({"run": run.name, "status": run.status, "path": run.path, "of": run.what, "started_at": run.started_at})
}

fn field(name: &str, text: &str, ui: &mut Ui) {
    ui.line(format!("{name:<8} {}", one_line(text, usize::MAX)));
}

fn as_json(here: &Here, is_marked: bool, glance: &Glance) -> Value {
    let harnesses: Vec<Value> =
        glance.harnesses.iter().map(|one| json!({"harness": one.harness.name(), "files": one.paths})).collect();
    let loops: Vec<Value> =
        glance.loops.iter().map(|(id, progress)| json!({"id": id, "iteration": progress})).collect();
    let runs: Vec<Value> =
        glance.runs.iter().map(|run| json!({"run": run.run, "status": run.status, "pid": run.pid})).collect();
    let packet = glance
        .packet
        .as_ref()
        .map(|packet| json!({"id": packet.id, "status": packet.status, "purpose": packet.purpose}));
    json!({
        "root": here.project.root(),
        "marked": is_marked,
        "marker_problem": marker_problem(here),
        "harnesses": harnesses,
        "loops": loops,
        "runs": runs,
        "unreadable_runs": glance.unread,
        "older_runs": glance.older.iter().map(older_json).collect::<Vec<_>>(),
        "packet": packet,
        "guards": glance.guards,
        "news": glance.news,
        "broken_guard_files": glance.broken,
        "seal": glance.sealed,
        "foreign_evidence": glance.foreign.iter().map(|(id, why)| json!({"feature": id, "why": why})).collect::<Vec<_>>(),
        "untrusted": glance.untrusted,
    })
}
