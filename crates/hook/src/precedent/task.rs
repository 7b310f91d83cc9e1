//! What an agent is told with its task: the initializer what keeps happening in the project, the coding agent what
//! happened in this feature and its files, and, off the hook path, in similar work.

use std::path::Path;

use stead_feature::{Command, CommandTask};
use stead_model::tokens;
use stead_store::Room;

use super::SETTING;
use super::entry::Precedent;
use super::file::Precedents;
use super::injection::{Injection, InjectionCause, InjectionWay, Injections};
use super::key::PrecedentKey;
use crate::record;
use crate::request::Request;

/// How many are told with a task.
const MOST: usize = 3;

/// What a task without a feature is about.
const PROJECT: &str = "project";

/// The precedents of one task.
#[derive(Clone, Debug, Default)]
pub struct TaskPrecedents {
    lines: Vec<String>,
    ids: Vec<String>,
    limit: usize,
}

impl TaskPrecedents {
    /// Finds what is compiled for a task; at most `limit` tokens are told.
    pub fn of(command: &Command, root: &Path, work: &Path, limit: usize) -> Self {
        let mut told = Self { limit, ..Self::default() };
        let Some(known) = Precedents::read(root).filter(|_| limit > 0) else { return told };
        let context = &command.context;
        let mut keys = Vec::new();
        match command.task {
            CommandTask::Initialize => keys.push(PrecedentKey::Project),
            CommandTask::Implement | CommandTask::Fix => {
                // The last attempt at it is in the command already.
                let feature = Some(context.feature_id.as_str()).filter(|_| context.last_attempt.is_none());
                keys.extend(feature.map(PrecedentKey::Feature));
                keys.extend(context.files.iter().map(|path| PrecedentKey::Path(path)));
            }
            CommandTask::Validate | CommandTask::Summarize => {}
        }
        for key in keys {
            known.under(&key.to_string()).iter().filter(|one| one.is_fresh(work)).for_each(|one| told.add(one));
        }
        told
    }

    /// Returns true for a task whose agent may learn from similar work.
    pub fn wants_similar(command: &Command) -> bool {
        matches!(command.task, CommandTask::Implement | CommandTask::Fix)
    }

    /// Adds a precedent if there is room.
    pub fn add(&mut self, one: &Precedent) {
        let line = one.line("").trim_start_matches("- ").to_owned();
        let used: usize = self.lines.iter().map(|line| tokens(line)).sum();
        if self.lines.len() < MOST && used + tokens(&line) <= self.limit && !self.ids.contains(&one.id) {
            self.lines.push(line);
            self.ids.push(one.id.clone());
        }
    }

    /// Puts them into the command object, and returns what is to be recorded about it.
    pub fn put_into(self, command: &mut Command) -> Injection {
        command.context.precedents = self.lines;
        let about = Some(&command.context.feature_id).filter(|id| !id.is_empty());
        Injection {
            cause: InjectionCause::Task,
            way: InjectionWay::Task,
            rule: command.task.to_string(),
            kinds: vec![about.map_or_else(|| PROJECT.to_owned(), Clone::clone)],
            ids: self.ids,
            ..Injection::default()
        }
    }
}

/// Adds what is compiled to a command object of a session. It is recorded once for each command.
pub(crate) fn add_to_task(request: &Request<'_>, command: &mut Command) {
    let limit = request.policy.setting(SETTING).and_then(|limit| limit.parse().ok()).unwrap_or(0);
    let Some(root) = request.writable_root() else { return };
    let injection = TaskPrecedents::of(command, root, request.work(), limit).put_into(command);
    let Some(session) = request.event.session.as_deref().filter(|_| !request.is_by_doctor()) else { return };
    let log = Injections::of(&root.join(Room::Cache.default_path()));
    let told = log.told(session, request.agent_id(), &injection.rule);
    if injection.ids.iter().any(|id| !told.contains(id)) {
        let (ts, harness) = (record::now(), Some(request.harness.name().to_owned()));
        let line = Injection { ts, harness, session: Some(session.to_owned()), ..injection };
        if let Err(error) = log.record(&line) {
            request.note(&error);
        }
    }
}
