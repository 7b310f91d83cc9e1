//! Finds things in guard files that work but are probably not intended.

use crate::compile::{ProjectRooms, compile};
use crate::condition::{Clause, Condition};
use crate::example::{Example, ExampleCall, Scene};
use crate::guard::Guard;
use crate::judge::judge;
use crate::mode::Mode;
use crate::problem::Problem;
use crate::read::{Draft, is_secret_path, read_source};
use crate::say::{is_placeholder, unknown_names};
use crate::source::{Origin, Source};
use crate::then::Then;
use crate::view::CompiledView;
use stead_model::Severity;
use stead_model::{EventKind, Level, suggestion};

/// Checks one file. `all` are all guard files: the commands that `say` suggests are judged by all of them.
pub fn lint(source: &Source, all: &[Source], rooms: &ProjectRooms) -> Vec<Problem> {
    let (drafts, mut problems) = read_source(source, rooms);
    for draft in &drafts {
        look(source, draft, &mut problems);
        for result in crate::example::run_all(draft).into_iter().filter(|result| !result.passed) {
            let wanted = if result.must { "must match but does not" } else { "must not match but does" };
            let mut problem =
                about(source, draft, Severity::Error, format!("test `{}` {wanted}: {}", result.title, result.detail));
            problem.line = result.line;
            problems.push(problem);
        }
    }
    suggestions(source, &drafts, all, rooms, &mut problems);
    problems.sort_by_key(|problem| (problem.line, problem.column));
    problems
}

fn about(source: &Source, draft: &Draft, severity: Severity, message: String) -> Problem {
    Problem {
        severity,
        file: source.file.clone(),
        line: draft.place.line,
        column: draft.place.column,
        guard: Some(draft.guard.id.clone()),
        message,
        hint: None,
    }
}

fn look(source: &Source, draft: &Draft, problems: &mut Vec<Problem>) {
    let guard = &draft.guard;
    let mut tell = |severity, message: String, hint: &str| {
        let mut problem = about(source, draft, severity, message);
        problem.hint = Some(hint.to_owned());
        problems.push(problem);
    };
    let severity = if source.origin == Origin::Shipped { Severity::Error } else { Severity::Warning };
    if !draft.is_used() {
        if !draft.examples.iter().any(|example| example.must) {
            tell(severity, "no test for what it must match".into(), "add `tests: {must: […]}`");
        }
        if !draft.examples.iter().any(|example| !example.must) {
            tell(severity, "no test for what it must not match".into(), "add `tests: {must_not: […]}`");
        }
    }
    let stem =
        source.file.rsplit(['/', ':']).next().unwrap_or_default().trim_end_matches(".yaml").trim_end_matches(".yml");
    if guard.id.split('.').next() != stem.split('.').next() {
        tell(
            Severity::Warning,
            format!("its id is `{}`, but its file is named `{stem}`", guard.id),
            "use the same name for both",
        );
    }
    if guard.mode == Mode::Warn && guard.then == Then::Allow {
        tell(Severity::Warning, "in mode `warn` it never allows anything".into(), "use `mode: enforce`");
    }
    if guard.mode <= Mode::Shadow && guard.then != Then::Allow && is_placeholder(&guard.say) {
        let hint = "tell the agent why, and what to do instead; until then it cannot be promoted";
        tell(Severity::Error, "`say` is still the placeholder".into(), hint);
    }
    for name in unknown_names(&guard.say) {
        let hint = "expected one of `{path}`, `{command}`, `{part}`, `{feature}`, `{tests}`";
        tell(Severity::Warning, format!("`{{{name}}}` in `say` is not replaced"), hint);
    }
    for (message, hint) in facts(guard) {
        tell(Severity::Warning, message, &hint);
    }
    guard.matches.each(&mut |clause| {
        let Clause::Files(files) = clause else { return };
        let shadowed = |at: usize, path: &String| {
            files.paths[at + 1..]
                .iter()
                .any(|later| later.strip_prefix('!').is_some_and(|later| later == path || later == "**"))
        };
        for (at, path) in files.paths.iter().enumerate() {
            // Paths that come with Stead are the same on every machine.
            let is_own = !draft.is_used() && !is_secret_path(path);
            if path.starts_with('/') && source.origin == Origin::Project && is_own {
                let message = format!("`{path}` is an absolute path, which differs from machine to machine");
                let hint = match path[1..].contains('/') {
                    true => "paths start at the project root; `@outside` matches everything outside it".to_owned(),
                    false => format!("for the one in the project root write `.{path}`"),
                };
                tell(Severity::Warning, message, &hint);
            }
            if !path.starts_with('!') && shadowed(at, path) {
                let message = format!("`{path}` is excluded again, so it never matches");
                tell(Severity::Warning, message, "the last pattern that matches a path decides");
            }
        }
        let is_document = |path: &String| crate::field::Format::of(path).is_some() || stead_pattern::has_wildcard(path);
        if !files.fields.is_empty() && !files.paths.iter().all(is_document) {
            let message = "`fields` supports JSON, YAML and TOML, by the file extension".to_owned();
            tell(Severity::Warning, message, "a file with another extension is read as JSON");
        }
    });
}

/// The names of the counters of a session.
fn counters() -> Vec<&'static str> {
    EventKind::ALL.iter().map(|kind| kind.name()).chain(["denied"]).collect()
}

/// Clauses about the circumstances of a call that can never match.
fn facts(guard: &Guard) -> Vec<(String, String)> {
    let mut told = Vec::new();
    let (mut fields, mut feature) = (false, false);
    let mut look = |clause: &Clause| match clause {
        Clause::Counter { name, .. } if !counters().contains(&name.as_str()) => {
            let hint = suggestion(name, counters());
            told.push((format!("there is no counter `{name}`, so it stays 0"), hint));
        }
        Clause::Files(files) => fields |= !files.fields.is_empty() || !files.owners.is_empty(),
        Clause::Feature(_) => feature = true,
        _ => {}
    };
    guard.matches.each(&mut look);
    guard.unless.each(&mut look);
    if feature && !fields {
        let message = "`feature` needs `fields` in `match`, so it never matches";
        told.push((
            message.to_owned(),
            "add for example `fields: {\"/features/*/status\": {changed: true}}`".to_owned(),
        ));
    }
    let mut mixed = false;
    for clause in &guard.matches.0 {
        if let Clause::Any(parts) | Clause::All(parts) = clause {
            mixed |= !clause.is_about_feature() && parts.iter().any(asks_both);
        }
    }
    if mixed {
        let message = "inside `any` and `all`, `feature` and `evidence` do not know which field of `fields` changes";
        let hint = "put them next to `fields` in `match` itself, or into `unless`; or write two guards";
        told.push((message.to_owned(), hint.to_owned()));
    }
    told
}

fn asks_both(part: &Condition) -> bool {
    let (mut fields, mut feature) = (false, false);
    part.each(&mut |clause| match clause {
        Clause::Files(files) => fields |= !files.fields.is_empty(),
        Clause::Feature(_) | Clause::Evidence(_) => feature = true,
        _ => {}
    });
    fields && feature
}

/// Commands that a guard suggests must pass all guards; otherwise the agent is sent in circles.
fn suggestions(source: &Source, drafts: &[Draft], all: &[Source], rooms: &ProjectRooms, problems: &mut Vec<Problem>) {
    let enforced: Vec<Source> = all
        .iter()
        .map(|source| Source { text: crate::edit::set_mode(&source.text, Mode::Enforce), ..source.clone() })
        .collect();
    let compiled = compile(&enforced, rooms);
    let Some(view) = CompiledView::parse(&compiled.lines) else { return };
    for draft in drafts {
        for command in commands(&draft.guard.say) {
            let example = Example {
                must: false,
                title: command.clone(),
                place: draft.place,
                event: EventKind::BeforeTool,
                call: ExampleCall::Run(command.clone()),
                scene: Scene::default(),
            };
            let judgement = example.with_asked(|asked| judge(&view, asked, &example.scene));
            let blockers: Vec<&str> =
                judgement.hits.iter().filter(|hit| hit.level >= Level::Ask).map(|hit| hit.guard.as_str()).collect();
            if let Some(blocker) = blockers.first() {
                let message = format!("`say` suggests `{command}`, which `{blocker}` blocks");
                let mut problem = about(source, draft, Severity::Error, message);
                problem.hint = Some("suggest something that passes".into());
                problems.push(problem);
            }
        }
    }
}

/// The texts in backticks that look like a command: a word, and something after it.
fn commands(say: &str) -> Vec<String> {
    say.split('`')
        .skip(1)
        .step_by(2)
        .filter(|text| {
            let mut words = text.split_whitespace();
            let first = words.next().unwrap_or_default();
            words.next().is_some() && first.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c))
        })
        .map(|text| text.replace("{path}", "a-file").replace("{feature}", "a-feature").replace(['{', '}'], ""))
        .collect()
}
