//! The project at a glance. Everything is read from ends of logs and small files, so that it takes the same time in a
//! project of a year.

mod screen;
mod waiting;

use serde_json::{Value, json};
use stead_context::{LoopStatus, Loops, Packet, Shelf};
use stead_evidence::foreign_features;
use stead_feature::{Document, FeatureError, Row, Status};
use stead_hook::{Appeal, GraphNews, HitCount, StarterNews, Tampering, broken_guard_files, guard_news, guards_since};
use stead_install::{Heartbeat, Installed, heartbeats, installed};
use stead_ledger::LedgerError;
use stead_ledger::intent::{Intent, IntentFile, Request, RequestState, Requests};
use stead_memory::{Proposal, Proposals, Standing};
use stead_migrate::{OlderRun, older_runs};
use stead_model::rfc3339;
use stead_pipeline::{RunView, list_runs};
use stead_store::{Layout, Marker, Room};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::here::Here;
use crate::patterns::graph;
use crate::project::{env, now_millis};
use crate::proof::ground;
use crate::run_room::RunRoom;
use crate::seal;
use crate::trusting::untrusted;
use crate::ui::Ui;

use waiting::Waiting;

const DAY: i64 = 24 * 3600 * 1000;

/// How long an appeal that nobody decided is shown, in days.
const APPEALED: i64 = 7;

/// What is shown of a project.
struct Glance {
    now: i64,
    agents: Vec<(Installed, Option<Heartbeat>)>,
    /// What guards did in the last day.
    guards: HitCount,
    /// What shadow guards would have blocked in the last days, and what guards warned about.
    guard_news: Option<String>,
    /// Starter guards that only watch.
    starters: Vec<StarterNews>,
    /// Active loops: id and progress.
    loops: Vec<(String, String)>,
    runs: Vec<RunView>,
    /// Runs whose files cannot be read.
    unread: Vec<String>,
    /// Runs of the older engine.
    older: Vec<OlderRun>,
    /// Packets that somebody may want to continue, the latest first.
    packets: Vec<(String, Packet)>,
    features: Result<Vec<Row>, FeatureError>,
    intents: Result<Vec<Intent>, LedgerError>,
    requests: Vec<Request>,
    appeals: Vec<Appeal>,
    proposals: Vec<Proposal>,
    /// What changed by itself, and what patterns propose.
    news: Vec<GraphNews>,
    /// How many guard files are not applied.
    broken: usize,
    /// What was put back lately, and what waits for a person.
    sealed: Vec<Tampering>,
    /// Features that are tested by foreign evidence only, and why it is foreign.
    foreign: Vec<(String, String)>,
    /// What came with the repository and is not trusted.
    untrusted: Vec<String>,
}

pub(super) fn run(json: bool, ui: &mut Ui) -> Result<Exit, CliError> {
    let here = Here::find(ui)?;
    if !json {
        here.project.warn(ui);
    }
    let glance = look(&here, ui)?;
    let waiting = waiting::list(&glance);
    if json {
        ui.json(answer::STATUS, &as_json(&here, &glance, &waiting));
        return Ok(Exit::Done);
    }
    if let Some(problem) = marker_problem(&here) {
        ui.warning(format!("{problem}; rules still apply, but nothing is recorded"));
    }
    let is_marked = here.project.found.is_marked();
    let root = here.project.root().display().to_string();
    ui.lines(&screen::lines(&root, is_marked, &glance, &waiting, ui.columns().unwrap_or(screen::WIDTH)));
    Ok(Exit::Done)
}

fn look(here: &Here, ui: &Ui) -> Result<Glance, CliError> {
    let (project, now) = (&here.project, now_millis());
    let (context, indexes, graph) = (project.context(), project.indexes(), graph(project));
    let room = |room| Layout::of(&project.config).dir(project.root(), room);
    let loops = Loops::of_room(&context);
    let active = loops.ids()?.into_iter().filter_map(|id| {
        let file = loops.read(&id).ok()?;
        (file.state.status == LoopStatus::Active).then(|| (id, file.state.progress()))
    });
    let open = Shelf::new(&context).list().into_iter();
    let open = open.filter_map(|listing| Some((listing.id, listing.head.ok().filter(Packet::is_open)?)));
    let (runs, unread) = list_runs(&RunRoom::find(ui)?.dir());
    let installed = installed(&here.site());
    let beats = heartbeats(&indexes, &installed.iter().map(|one| one.harness).collect::<Vec<_>>());
    let heard = |one: Installed| {
        let beat = beats.iter().find(|(known, _)| *known == one.harness).map(|(_, beat)| beat.clone());
        (one, beat)
    };
    let ground = ground(project);
    let document = Document::read(&ground.features);
    let list = document.as_ref().ok().and_then(Option::as_ref).and_then(|document| document.list().ok());
    let standing = Standing::read(&indexes)?;
    let (wrong, since) = (standing.wrong(), rfc3339(now - APPEALED * DAY));
    let is_undecided = |one: &&Appeal| one.ts >= since && !wrong.contains(one.verdict.as_str());
    let requests = Requests::of_room(&room(Room::Intents)).all()?.into_iter();
    Ok(Glance {
        now,
        agents: installed.into_iter().map(heard).collect(),
        guards: guards_since(&indexes, &rfc3339(now - DAY)),
        guard_news: guard_news(&indexes, now),
        starters: StarterNews::look(&indexes, &room(Room::Guards), now),
        loops: active.collect(),
        runs,
        unread,
        older: older_runs(project.root()),
        packets: open.collect(),
        foreign: list.and_then(|list| foreign_features(&ground, &list).ok()).unwrap_or_default(),
        features: document.map(|document| document.map(|one| one.outline().rows.clone()).unwrap_or_default()),
        intents: match IntentFile::exists(&room(Room::Intents)) {
            true => IntentFile::read(&room(Room::Intents)).map(|file| file.intents),
            false => Ok(Vec::new()),
        },
        requests: requests.filter(|one| one.state == RequestState::Open).collect(),
        appeals: standing.open.iter().filter(is_undecided).cloned().collect(),
        proposals: Proposals::of(&graph).list(),
        news: GraphNews::look(&graph, now),
        broken: if project.found.is_marked() { broken_guard_files(project.root(), &env) } else { 0 },
        sealed: seal::with(project, |sealed| sealed.news(now)).unwrap_or_default(),
        untrusted: untrusted(project).into_iter().map(|(item, _)| item.name).collect(),
    })
}

impl Glance {
    fn features_with(&self, status: Status) -> impl Iterator<Item = &str> {
        self.features.iter().flatten().filter(move |one| one.status == status).map(|one| one.id.as_str())
    }
}

/// Why the project's marker cannot be read.
fn marker_problem(here: &Here) -> Option<String> {
    let marked = here.project.found.is_marked();
    Marker::read(here.project.root()).err().filter(|_| marked).map(|error| error.to_string())
}

pub(crate) fn older_json(run: &OlderRun) -> Value {
    json!({"run": run.name, "status": run.status, "path": run.path, "of": run.what, "started_at": run.started_at})
}

fn as_json(here: &Here, glance: &Glance, waiting: &[Waiting]) -> Value {
    let harnesses = glance.agents.iter().map(|(one, beat)| {
        let (at, session) = beat.as_ref().map(|beat| (&beat.at, &beat.session)).unzip();
        json!({"harness": one.harness.name(), "paths": one.paths, "last_called_at": at, "session": session})
    });
    let HitCount { shadow, warned, stopped, let_go, overridden } = glance.guards;
    let packet = |(id, head): &(String, Packet)| json!({"id": id, "status": head.get("status").unwrap_or("?"), "purpose": head.purpose().to_string()});
    let intent = |one: &Intent| json!({"id": one.id, "name": one.name, "status": one.status.name()});
    json!({
        "root": here.project.root(),
        "marked": here.project.found.is_marked(),
        "marker_problem": marker_problem(here),
        "harnesses": harnesses.collect::<Vec<_>>(),
        "loops": glance.loops.iter().map(|(id, progress)| json!({"id": id, "iteration": progress})).collect::<Vec<_>>(),
        "runs": glance.runs.iter().map(|run| json!({"run": run.run, "status": run.status, "pid": run.pid})).collect::<Vec<_>>(),
        "unreadable_runs": glance.unread,
        "older_runs": glance.older.iter().map(older_json).collect::<Vec<_>>(),
        "packet": glance.packets.first().map(packet),
        "open_packet_count": glance.packets.len(),
        "features": {
            "count": glance.features.iter().flatten().count(),
            "tested_count": glance.features_with(Status::Tested).count(),
            "blocked": glance.features_with(Status::Blocked).collect::<Vec<_>>(),
            "problem": glance.features.as_ref().err().map(ToString::to_string),
        },
        "intents": glance.intents.iter().flatten().map(intent).collect::<Vec<_>>(),
        "intents_problem": glance.intents.as_ref().err().map(ToString::to_string),
        "requests": answer::records(&glance.requests),
        "guards": glance.guard_news,
        "guards_last_day": {
            "blocked": stopped, "warned": warned, "would_have_acted": shadow, "let_pass": let_go, "overridden": overridden,
        },
        "watching_guards": glance.starters.iter().map(|one| one.guard).collect::<Vec<_>>(),
        "appeals": answer::records(&glance.appeals),
        "proposals": glance.proposals.iter().map(|one| json!({"id": one.id, "summary": one.summary})).collect::<Vec<_>>(),
        "news": glance.starters.iter().map(StarterNews::told).chain(glance.news.iter().map(GraphNews::told)).collect::<Vec<_>>(),
        "broken_guard_file_count": glance.broken,
        "seal": answer::records(&glance.sealed),
        "foreign_evidence": glance.foreign.iter().map(|(id, why)| json!({"feature": id, "why": why})).collect::<Vec<_>>(),
        "untrusted": glance.untrusted,
        "waiting": waiting,
    })
}
