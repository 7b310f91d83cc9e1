use serde_json::{Value, json};
use stead_context::{LoopStatus, Loops, Shelf};
use stead_hook::{graph_news, guard_news};
use stead_install::{Installed, installed};
use stead_pipeline::{RunView, list_runs};

use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::Guards;
use crate::here::Here;
use crate::patterns::graph;
use crate::progress::one_line;
use crate::project::now_millis;
use crate::run_room::RunRoom;
use crate::ui::{Ui, counted};

/// How many runs are named.
const RUNS: usize = 5;

/// What is shown of a project.
struct Glance {
    harnesses: Vec<Installed>,
    /// Active loops: id and progress.
    loops: Vec<(String, String)>,
    runs: Vec<RunView>,
    /// Runs whose files cannot be read.
    unread: Vec<String>,
    packet: Option<Latest>,
    /// What shadow guards would have blocked recently, and what guards warned about.
    guards: Option<String>,
    /// What changed by itself, and what patterns propose.
    news: Vec<String>,
    /// How many guard files are not applied.
    broken: usize,
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
        ui.json(&as_json(&here, is_marked, &glance));
        return Ok(Exit::Done);
    }
    ui.line(format!("project  {}", here.project.root().display()));
    if !is_marked {
        ui.line("         not set up yet; run `stead init`");
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
        let head = listing.head.ok()?;
        let status = head.get("status").unwrap_or("?").to_owned();
        Some(Latest { status, purpose: head.purpose().to_string(), id: listing.id })
    });
    let (runs, unread) = list_runs(&RunRoom::find(ui)?.dir());
    let guards = guard_news(&here.project.indexes(), now_millis());
    let news = graph_news(&graph(&here.project), now_millis());
    let broken = if here.project.found.is_marked() { Guards::load(&here.project)?.broken_files() } else { 0 };
    Ok(Glance { harnesses: installed(&here.site()), loops, runs, unread, packet: latest, guards, news, broken })
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
        "harnesses": harnesses,
        "loops": loops,
        "runs": runs,
        "unreadable_runs": glance.unread,
        "packet": packet,
        "guards": glance.guards,
        "news": glance.news,
        "broken_guard_files": glance.broken,
    })
}
