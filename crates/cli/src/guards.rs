//! The guards of a project as the commands see them: every file, what it amounts to, and what is wrong with it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use stead_guard::{Ground, Listed, Origin, Problem, Severity, Source, State, inventory, shipped};
use stead_hook::{PolicyText, ProgramConsent, guard_ground, guard_sources};
use stead_store::nearest;

use crate::error::CliError;
use crate::project::{Project, env};

pub(crate) struct Guards {
    pub(crate) sources: Vec<Source>,
    pub(crate) ground: Ground,
    pub(crate) list: Vec<Listed>,
    problems: Vec<Problem>,
    /// Guards whose program no person has enabled on this machine.
    pub(crate) not_enabled: Vec<Problem>,
}

impl Guards {
    pub(crate) fn load(project: &Project) -> Result<Self, CliError> {
        project.require_marker()?;
        let policy = PolicyText::load(project.root(), &env);
        let ground = guard_ground(&policy);
        let sources = guard_sources(project.root(), &policy);
        let (list, problems) = inventory(&sources, &ground);
        let not_enabled = list.iter().filter_map(|guard| not_enabled(project, guard)).collect();
        Ok(Self { sources, ground, list, problems, not_enabled })
    }

    pub(crate) fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().chain(&self.not_enabled)
    }

    /// How many files have errors, so that they speak for nobody.
    pub(crate) fn broken_files(&self) -> usize {
        let errors = self.problems.iter().filter(|problem| problem.severity == Severity::Error);
        errors.map(|problem| problem.file.as_str()).collect::<BTreeSet<_>>().len()
    }

    /// The guard that is meant by an id: the one that counts, where several have it.
    pub(crate) fn find(&self, id: &str) -> Result<&Listed, CliError> {
        let same = || self.list.iter().filter(|guard| guard.id == id);
        let counts = same().find(|guard| !matches!(guard.state, State::Replaced { .. }));
        counts.or_else(|| same().next()).ok_or_else(|| self.unknown(id))
    }

    /// The guard that is meant by an id, or all guards of the pack that is called so.
    pub(crate) fn members(&self, id: &str) -> Result<Vec<&Listed>, CliError> {
        let part = |guard: &&Listed| guard.id.strip_prefix(id).is_some_and(|rest| rest.starts_with('.'));
        match self.find(id) {
            Ok(guard) => Ok(vec![guard]),
            Err(unknown) => {
                let parts: Vec<&Listed> = self.list.iter().filter(part).collect();
                let counts = |guard: &&Listed| !matches!(guard.state, State::Replaced { .. });
                let counting: Vec<&Listed> = parts.iter().copied().filter(counts).collect();
                match (parts.is_empty(), counting.is_empty()) {
                    (true, _) => Err(unknown),
                    (false, true) => Ok(parts),
                    (false, false) => Ok(counting),
                }
            }
        }
    }

    pub(crate) fn unknown(&self, id: &str) -> CliError {
        let ids = self.list.iter().map(|guard| guard.id.as_str()).chain(shipped().iter().map(|shipped| shipped.id));
        let error = CliError::user(format!("there is no guard `{id}`"));
        match nearest(id, ids) {
            Some(near) => error.hinted(format!("did you mean `{near}`?")),
            None => error.hinted("`stead guard list` shows all of them"),
        }
    }

    pub(crate) fn file_of(&self, id: &str) -> Option<&str> {
        self.members(id).ok().and_then(|guards| guards.first().map(|guard| guard.file.as_str()))
    }

    /// Says whether a guard has another text now than it had.
    pub(crate) fn changed_since(&self, id: &str, version: &str) -> bool {
        !version.is_empty() && self.find(id).is_ok_and(|guard| guard.version != version)
    }

    /// The text that a guard was read from.
    pub(crate) fn source_of(&self, guard: &Listed) -> Option<Source> {
        let own = self.sources.iter().find(|source| source.file == guard.file).cloned();
        let of_binary = || shipped().iter().map(|shipped| shipped.source()).find(|source| source.file == guard.file);
        own.or_else(of_binary)
    }
}

fn not_enabled(project: &Project, guard: &Listed) -> Option<Problem> {
    let exec = guard.exec.as_ref().filter(|_| guard.state == State::Active)?;
    let holds = ProgramConsent::holds(&env, project.root(), &guard.id, guard.origin, exec);
    let id = guard.id.split('.').next().unwrap_or(&guard.id);
    (!holds).then(|| Problem {
        severity: Severity::Warning,
        file: guard.file.clone(),
        line: 0,
        column: 0,
        guard: Some(guard.id.clone()),
        message: format!("`{}` cannot run `{}`: no person has enabled it on this machine", guard.id, exec.path),
        hint: Some(format!("read the program, then run `stead guard enable {id}`")),
    })
}

/// Where a guard's file lies; `None` for one that is part of the binary.
pub(crate) fn path_of(project: &Project, guard: &Listed) -> Option<PathBuf> {
    (guard.origin != Origin::Shipped).then(|| project.root().join(Path::new(&guard.file)))
}

/// Whether a guard applies, in a few words.
pub(crate) fn state_in_words(state: &State) -> String {
    match state {
        State::Active => "active".to_owned(),
        State::Off => "off".to_owned(),
        State::Inert { needs } => format!("needs {}", needs.join(", ")),
        State::Replaced { by } => format!("replaced by {by}"),
        State::Broken => "broken, not applied".to_owned(),
    }
}
