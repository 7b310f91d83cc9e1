//! Precedents: compiled after each command that changed traces or patterns, and told with tasks.

use stead_feature::Command;
use stead_hook::{Injection, Injections, TaskPrecedents};
use stead_memory::{Filters, PrecedentSources, Query, TraceKind, TraceStatus};
use stead_store::Room;

use crate::memory::{memory, search};
use crate::patterns::{graph, history};
use crate::project::{Project, now, now_millis};
use crate::session::calling_session;
use crate::ui::Ui;

/// How many similar traces a task looks at.
const SIMILAR: usize = 5;

/// Compiles the precedents of the project around a command. A recorder never stops the command that it runs in.
pub(crate) fn refresh(ui: &Ui) {
    if let Ok(project) = Project::find(ui)
        && project.found.is_marked()
    {
        let (memory, graph, history) = (memory(&project), graph(&project), history(&project));
        let sources = PrecedentSources {
            memory: &memory,
            root: project.root(),
            work: project.found.work(),
            graph: &graph,
            home: history.home.as_deref(),
        };
        // Without them nothing is told, and the next command tries again.
        let _ = sources.refresh();
        let _ = injections(&project).cut();
    }
}

/// Which precedents agents were told.
pub(crate) fn injections(project: &Project) -> Injections {
    Injections::of(&project.root().join(Room::Cache.default_path()))
}

/// Adds to a command object what happened before: what is compiled for its feature and its files, then similar work.
pub(crate) fn add_to_task(project: &Project, command: &mut Command) {
    let limit = usize::try_from(project.config.number("context.precedent_tokens")).unwrap_or(0);
    let mut told = TaskPrecedents::of(command, project.root(), project.found.work(), limit);
    if limit > 0 && TaskPrecedents::wants_similar(command) {
        let context = &command.context;
        let query = Query {
            text: format!("{} {} {}", context.title, context.description, context.steps.join(" ")),
            filters: Filters {
                kinds: vec![TraceKind::Correction, TraceKind::Reflection, TraceKind::Decision],
                statuses: vec![TraceStatus::Recorded, TraceStatus::Confirmed],
                ..Filters::default()
            },
            count: Some(SIMILAR),
            ..Query::default()
        };
        // Without words, the newest traces would be the answer, whatever they are about.
        if !query.text.trim().is_empty() {
            let found = search(project, &memory(project)).similar(&query, now_millis());
            found.iter().for_each(|one| told.add(one));
        }
    }
    let injection = told.put_into(command);
    let session = calling_session(project);
    let line = Injection { ts: now(), session: session.map(|session| session.session), ..injection };
    // A count that could not be written is no reason to withhold the task.
    let _ = injections(project).record(&line);
}
