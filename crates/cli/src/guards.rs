//! The guards of a project as the commands see them: every file, its state and its problems.

use std::path::{Path, PathBuf};

use stead_guard::{Listed, Origin, Problem, ProjectRooms, Source, SourceTrust, State, inventory, sha256, shipped};
use stead_hook::{PolicyText, ProgramConsent, guard_rooms, guard_sources};
use stead_model::{Severity, nearest};
use stead_store::{is_executable, read_capped};

use crate::error::CliError;
use crate::project::{Project, env};

pub(crate) struct Guards {
    pub(crate) sources: Vec<Source>,
    pub(crate) rooms: ProjectRooms,
    pub(crate) list: Vec<Listed>,
    pub(crate) problems: Vec<Problem>,
    /// Problems that only the file system shows: a program cannot run, or a guard file is a link.
    pub(crate) around: Vec<Problem>,
}

impl Guards {
    pub(crate) fn load(project: &Project) -> Result<Self, CliError> {
        project.require_marker()?;
        let policy = PolicyText::load(project.root(), &env);
        let rooms = guard_rooms(&policy);
        let sources = guard_sources(project.root(), &policy, &env);
        let (list, problems) = inventory(&sources, &rooms);
        let programs = list.iter().filter_map(|guard| program_problem(project, guard));
        let around = programs.chain(sources.iter().filter_map(|source| link_problem(project, source))).collect();
        Ok(Self { sources, rooms, list, problems, around })
    }

    pub(crate) fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().chain(&self.around)
    }

    /// The guard with this id; of several, the one that applies.
    pub(crate) fn find(&self, id: &str) -> Result<&Listed, CliError> {
        let same = || self.list.iter().filter(|guard| guard.id == id);
        // A project's guard stands beside the person's of the same id; one that applies says more.
        let active = same().find(|guard| guard.state == State::Active);
        let counts = active.or_else(|| same().find(|guard| !matches!(guard.state, State::Replaced { .. })));
        counts.or_else(|| same().next()).ok_or_else(|| self.unknown(id))
    }

    /// The guard with this id, or all guards of the pack with this name.
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
        let error = CliError::not_found(format!("there is no guard `{id}`"));
        match nearest(id, ids) {
            Some(near) => error.hinted(format!("did you mean `{near}`?")),
            None => error.hinted("`stead guard list` shows all of them"),
        }
    }

    pub(crate) fn file_of(&self, id: &str) -> Option<&str> {
        self.members(id).ok().and_then(|guards| guards.first().map(|guard| guard.file.as_str()))
    }

    /// Returns true if the guard changed since this version.
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

/// Why a guard's program does not run.
fn program_problem(project: &Project, guard: &Listed) -> Option<Problem> {
    const LARGEST: usize = 64 * 1024 * 1024;
    let exec = guard.exec.as_ref().filter(|_| guard.state == State::Active)?;
    let id = guard.id.split('.').next().unwrap_or(&guard.id);
    let program = project.root().join(&exec.path);
    let bytes = read_capped(&program, LARGEST).ok().flatten();
    let holds = guard.trust == SourceTrust::Trusted
        || ProgramConsent::holds(&env, project.root(), &guard.id, guard.origin, exec);
    let (severity, why, hint) = match bytes {
        None => (Severity::Error, "there is no such file", "name a program in the project".to_owned()),
        Some(bytes) if !exec.is_pinned(&bytes) => {
            let hint = format!("if you want this program, write `sha256: {}`", sha256(&bytes));
            (Severity::Error, "its hash is not the one in the guard", hint)
        }
        Some(_) if !is_executable(&program) => {
            (Severity::Error, "it is not executable", format!("`chmod +x {}`", exec.path))
        }
        Some(_) if !holds => {
            let hint = format!("read the program, then run `stead guard enable {id}`");
            (Severity::Warning, "no person has enabled it on this machine", hint)
        }
        Some(_) => return None,
    };
    Some(Problem {
        severity,
        guard: Some(guard.id.clone()),
        message: format!("`{}` cannot run `{}`: {why}", guard.id, exec.path),
        hint: Some(hint),
        ..unplaced(&guard.file)
    })
}

/// Agents may not edit guards, but they may edit the target of a link.
fn link_problem(project: &Project, source: &Source) -> Option<Problem> {
    let path = project.root().join(&source.file);
    let target = std::fs::read_link(&path).ok().filter(|_| source.origin == Origin::Project)?;
    Some(Problem {
        severity: Severity::Warning,
        message: format!("this is a link to `{}`, which agents may edit", target.display()),
        hint: Some("replace the link with a copy".to_owned()),
        ..unplaced(&source.file)
    })
}

fn unplaced(file: &str) -> Problem {
    let (severity, file) = (Severity::Warning, file.to_owned());
    Problem { severity, file, line: 0, column: 0, guard: None, message: String::new(), hint: None }
}

/// The path of a guard's file; `None` for one that is part of the binary.
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
        State::Untrusted => "not trusted; see `stead trust`".to_owned(),
        State::Broken => "broken, not applied".to_owned(),
    }
}
