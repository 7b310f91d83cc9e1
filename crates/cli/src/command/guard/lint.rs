use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use stead_guard::{Problem, Source, lint, shipped};
use stead_model::Severity;
use stead_store::Room;

use super::list::problem_as_json;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::Guards;
use crate::project::Project;
use crate::ui::{Ui, counted};

/// Check guard files: mistakes, missing tests, patterns that never match, advice that other guards stop
///
/// Exits with 1 if a file has an error.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead guard lint\n  stead guard lint infra-is-reviewed --json")]
pub(super) struct LintArgs {
    /// The guards; by default all of the project and all of yours
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &LintArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    let chosen = chosen(args, &guards)?;
    let mut findings: Vec<Problem> =
        chosen.iter().flat_map(|source| lint(source, &guards.sources, &guards.rooms)).collect();
    // Problems that one file alone does not show, such as a duplicate id.
    let files: Vec<&str> = chosen.iter().map(|source| source.file.as_str()).collect();
    for problem in guards.problems().filter(|problem| files.contains(&problem.file.as_str())) {
        let known = findings.iter().any(|known| (&known.file, known.line) == (&problem.file, problem.line));
        if !known {
            findings.push(problem.clone());
        }
    }
    if args.ids.is_empty() {
        findings.extend(buried(&project, &guards));
    }
    let failed = findings.iter().any(|problem| problem.severity == Severity::Error);
    if args.json {
        let findings: Vec<_> = findings.iter().map(problem_as_json).collect();
        ui.json(answer::GUARD_LINT, &json!({"paths": files, "items": findings}));
    } else {
        for problem in &findings {
            ui.line(format!("{} {problem}", problem.severity.name()));
            if let Some(hint) = problem.hint() {
                ui.line(format!("  {hint}"));
            }
        }
        let (files, findings) = (counted(chosen.len(), "file"), counted(findings.len(), "finding"));
        ui.line(format!("{files} checked, {findings}"));
    }
    Ok(if failed { Exit::Failed } else { Exit::Done })
}

/// Guard files in subfolders, which are not read.
fn buried(project: &Project, guards: &Guards) -> Vec<Problem> {
    let rooms = &guards.rooms.by_name;
    let Some((_, folder)) = rooms.iter().find(|(name, _)| name == Room::Guards.name()) else { return Vec::new() };
    let inner = |path: &Path| {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<PathBuf>>()
    };
    let is_guard = |path: &Path| path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
    let folders = inner(&project.root().join(folder)).into_iter().filter(|path| path.is_dir());
    let mut files: Vec<PathBuf> = folders.flat_map(|path| inner(&path)).filter(|path| is_guard(path)).collect();
    files.sort();
    let told = |path: PathBuf| Problem {
        severity: Severity::Warning,
        file: project.short(&path).display().to_string(),
        line: 0,
        column: 0,
        guard: None,
        message: "not applied: guards in subfolders are not read".to_owned(),
        hint: Some(format!("move it to `{folder}/`")),
    };
    files.into_iter().map(told).collect()
}

fn chosen(args: &LintArgs, guards: &Guards) -> Result<Vec<Source>, CliError> {
    if args.ids.is_empty() {
        return Ok(guards.sources.clone());
    }
    let mut chosen = Vec::new();
    for id in &args.ids {
        let named = |source: &&Source| stem(&source.file) == id;
        // The id of a file that cannot be read is its name.
        let file = guards.file_of(id).and_then(|file| guards.sources.iter().find(|source| source.file == file));
        let source = file.or_else(|| guards.sources.iter().find(named)).cloned();
        let of_binary = || shipped().iter().find(|shipped| shipped.id == id).map(|shipped| shipped.source());
        chosen.push(source.or_else(of_binary).ok_or_else(|| guards.unknown(id))?);
    }
    Ok(chosen)
}

fn stem(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.strip_suffix(".yaml").or(name.strip_suffix(".yml")).unwrap_or(name)
}
