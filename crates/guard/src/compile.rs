//! Compiles guard files to the text that a hook call reads. Examples run here, so that a call never has to.

use crate::condition::{Clause, Condition};
use crate::example::{count, run_all};
use crate::exec::Exec;
use crate::guard::Guard;
use crate::mode::Mode;
use crate::problem::Problem;
use crate::read::{Draft, read_source};
use crate::shipped::{SHIPPED, Shipped};
use crate::source::{Origin, Source, SourceTrust};
use crate::then::Then;
use crate::view::CompiledView;
use stead_model::Severity;

/// What guards need to know about a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectRooms {
    /// Rooms of the project by name, such as `features` → `.agent/features`; shipped guards name them as `$features`.
    pub by_name: Vec<(String, String)>,
}

impl ProjectRooms {
    /// A project with the default layout.
    pub fn usual() -> Self {
        Self::default()
    }

    pub(crate) fn room(&self, name: &str) -> String {
        let found = self.by_name.iter().find(|(known, _)| known == name).map(|(_, path)| path.clone());
        found.unwrap_or_else(|| format!(".agent/{name}"))
    }
}

/// Compiled guards, and the problems of those that were skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// For [`CompiledView::parse`]. The problems are in it too, as single lines.
    pub lines: String,
    pub problems: Vec<Problem>,
}

/// Compiles guard files together with the shipped guards. A file with errors or failing examples is reported and
/// skipped; the others are not affected.
pub fn compile(sources: &[Source], rooms: &ProjectRooms) -> Compiled {
    let mut survey = survey(sources, rooms, Breadth::Applying);
    let mut guards: Vec<_> = survey
        .drafts
        .iter()
        .filter(|entry| entry.state == State::Active)
        .map(|entry| entry.draft.guard.clone())
        .collect();
    guards.sort_by(|a, b| a.id.cmp(&b.id));
    survey.problems.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    let errors: Vec<String> = survey
        .problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .map(|problem| match &problem.hint {
            Some(hint) => format!("{problem} ({hint})"),
            None => problem.to_string(),
        })
        .collect();
    Compiled { lines: CompiledView::render(&guards, &errors), problems: survey.problems }
}

/// Whether a guard applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    Active,
    /// Its mode is off.
    Off,
    /// A shipped guard without its required values; their names.
    Inert {
        needs: Vec<String>,
    },
    /// Another file with the same id takes precedence.
    Replaced {
        by: String,
    },
    /// It came with a repository, could loosen something, and no person has looked at it.
    Untrusted,
    /// It has errors or failing examples.
    Broken,
}

/// One guard as `stead guard list` shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    pub id: String,
    pub origin: Origin,
    pub file: String,
    pub mode: Mode,
    pub then: Then,
    pub on: Vec<&'static str>,
    pub say: String,
    /// How many examples it has.
    pub tests: usize,
    /// The shipped guard it uses.
    pub made_from: Option<String>,
    /// The one guard of a pack it uses, as `PACK.GUARD`.
    pub definition: Option<String>,
    pub version: String,
    pub exec: Option<Exec>,
    pub trust: SourceTrust,
    /// The path patterns that it matches, without those that exclude.
    pub paths: Vec<String>,
    pub state: State,
}

/// Lists every known guard by id, whether it applies or not; files that could not be read are in the problems.
pub fn inventory(sources: &[Source], rooms: &ProjectRooms) -> (Vec<Listed>, Vec<Problem>) {
    let survey = survey(sources, rooms, Breadth::All);
    let mut list: Vec<Listed> = survey
        .drafts
        .into_iter()
        .map(|entry| {
            let tests = count(&entry.draft, rooms);
            let guard = entry.draft.guard;
            Listed {
                id: guard.id,
                origin: guard.origin,
                file: guard.file,
                mode: guard.mode,
                then: guard.then,
                on: guard.events.iter().map(|kind| kind.name()).collect(),
                say: guard.say,
                tests,
                made_from: entry.draft.made_from,
                definition: entry.draft.definition,
                version: guard.version,
                paths: paths(&guard.matches),
                exec: guard.exec,
                trust: guard.trust,
                state: entry.state,
            }
        })
        .collect();
    list.sort_by(|a, b| (&a.id, b.origin).cmp(&(&b.id, a.origin)));
    (list, survey.problems)
}

/// The path patterns of a condition, without those that exclude.
fn paths(condition: &Condition) -> Vec<String> {
    let mut paths = Vec::new();
    condition.each(&mut |clause| {
        if let Clause::Files(files) = clause {
            paths.extend(files.paths.iter().filter(|path| !path.starts_with('!')).cloned());
        }
    });
    paths
}

struct Survey {
    drafts: Vec<Surveyed>,
    problems: Vec<Problem>,
}

pub(crate) struct Surveyed {
    pub(crate) draft: Draft,
    pub(crate) state: State,
}

/// Which shipped guards are included.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Breadth {
    Applying,
    All,
}

fn survey(sources: &[Source], rooms: &ProjectRooms, breadth: Breadth) -> Survey {
    let mut problems = Vec::new();
    let mut drafts: Vec<Surveyed> = Vec::new();
    let mut ordered: Vec<&Source> = sources.iter().collect();
    // By precedence, then by name, so that the same files always give the same result.
    ordered.sort_by(|a, b| b.origin.cmp(&a.origin).then_with(|| a.file.cmp(&b.file)));
    for source in ordered {
        let (read, told) = read_source(source, rooms);
        problems.extend(told);
        for draft in read {
            let state = judge(&draft, source, &drafts, &mut problems);
            drafts.push(Surveyed { draft, state });
        }
    }
    one_of_each(&mut drafts);
    for shipped in SHIPPED.iter().filter(|shipped| shipped.unasked || breadth == Breadth::All) {
        let source = shipped.source();
        let (read, told) = read_source(&source, rooms);
        problems.extend(told);
        for draft in read {
            let state = shipped_state(shipped, &draft, &drafts);
            drafts.push(Surveyed { draft, state });
        }
    }
    Survey { drafts, problems }
}

/// Two packs of one origin may use the same guard. If both apply, the one with the stronger mode answers, so that a call is
/// not denied and counted twice.
fn one_of_each(drafts: &mut [Surveyed]) {
    let is_same = |one: &Draft, other: &Draft| {
        let (a, b) = (&one.guard, &other.guard);
        one.definition.is_some()
            && one.definition == other.definition
            && a.id != b.id
            && (a.origin, a.trust, a.then, &a.events) == (b.origin, b.trust, b.then, &b.events)
            && a.matches_as(b)
    };
    let rank = |draft: &Draft| (draft.guard.mode, draft.definition.as_ref() == Some(&draft.guard.id));
    for at in 0..drafts.len() {
        let Surveyed { draft, state: State::Active } = &drafts[at] else { continue };
        let stronger = drafts.iter().enumerate().find(|(place, other)| {
            other.state == State::Active
                && is_same(draft, &other.draft)
                && (rank(&other.draft), at) > (rank(draft), *place)
        });
        if let Some((_, other)) = stronger {
            drafts[at].state = State::Replaced { by: other.draft.guard.file.clone() };
        }
    }
}

fn judge(draft: &Draft, source: &Source, known: &[Surveyed], problems: &mut Vec<Problem>) -> State {
    let guard = &draft.guard;
    let is_same = |other: &Guard| other.id == guard.id && other.origin == guard.origin;
    let same = known.iter().find(|entry| is_same(&entry.draft.guard) && entry.state != State::Broken);
    if let Some(entry) = same {
        problems.push(Problem {
            severity: Severity::Error,
            file: source.file.clone(),
            line: draft.place.line,
            column: draft.place.column,
            guard: Some(guard.id.clone()),
            message: format!("`{}` is also the id of a guard in {}", guard.id, entry.draft.guard.file),
            hint: Some("change one of the ids; until then both apply".into()),
        });
    }
    if guard.mode == Mode::Off {
        return State::Off;
    }
    if guard.trust == SourceTrust::Untrusted && guard.may_loosen() {
        return State::Untrusted;
    }
    let failed: Vec<_> = run_all(draft).into_iter().filter(|result| !result.passed).collect();
    for result in &failed {
        let wanted = if result.must { "must match but does not" } else { "must not match but does" };
        problems.push(Problem {
            severity: Severity::Error,
            file: source.file.clone(),
            line: result.line,
            column: 1,
            guard: Some(guard.id.clone()),
            message: format!("`{}`: its test `{}` {wanted}: {}", guard.id, result.title, result.detail),
            hint: Some(format!("`stead guard test {}` shows each test", guard.id)),
        });
    }
    if failed.is_empty() { State::Active } else { State::Broken }
}

/// A shipped guard applies unless a valid file of the person, or a trusted one of the project, has the same id.
fn shipped_state(shipped: &Shipped, draft: &Draft, known: &[Surveyed]) -> State {
    let speaks = known.iter().find(|entry| {
        entry.state != State::Broken
            && entry.draft.guard.origin != Origin::Shipped
            && entry.draft.guard.trust > SourceTrust::Untrusted
            && (entry.draft.guard.id == draft.guard.id
                || entry.draft.guard.id == shipped.id
                || entry.draft.guard.id.starts_with(&format!("{}.", shipped.id)))
    });
    if let Some(entry) = speaks {
        return State::Replaced { by: entry.draft.guard.file.clone() };
    }
    let needs: Vec<String> = shipped
        .parameters()
        .into_iter()
        .filter(|parameter| parameter.required)
        .map(|parameter| parameter.name)
        .collect();
    if !needs.is_empty() {
        return State::Inert { needs };
    }
    if draft.guard.mode == Mode::Off { State::Off } else { State::Active }
}
