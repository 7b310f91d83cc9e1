use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use clap::Args;
use serde_json::{Value, json};
use stead_context::{ContextError, RoleFinding, RoleName, check_role_file, fix_role_file, read_role_file, roles, slug};
use stead_model::rfc3339;
use stead_store::{Durability, Exact, replace};

use super::new::minute;
use super::{folder, shown, unknown};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::{Project, now};
use crate::ui::Ui;

/// Check role files; exits with 1 if one is invalid, else with 0
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead role validate .agent/roles/code-reviewer.context.md\n  stead role validate --all --fix"
)]
pub(super) struct ValidateArgs {
    /// A role file, or the name of a role
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    file: Option<PathBuf>,
    /// Check the files of all roles
    #[arg(long)]
    all: bool,
    /// Repair what can be repaired without knowing the work: title, fields, names of headings, missing sections
    #[arg(long)]
    fix: bool,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// What was found in one file.
struct Checked {
    file: String,
    role: Option<RoleName>,
    fixed: Vec<String>,
    outcome: Result<Vec<RoleFinding>, String>,
}

impl Checked {
    fn is_valid(&self) -> bool {
        self.outcome.as_ref().is_ok_and(|findings| !findings.iter().any(RoleFinding::is_error))
    }
}

pub(super) fn run(args: &ValidateArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let checked = match &args.file {
        Some(file) => vec![one(file, args.fix, &project, ui)?],
        None => all(args.fix, &project),
    };
    let valid = checked.iter().all(Checked::is_valid);
    if args.json {
        ui.json(
            answer::ROLE_VALIDATE,
            &json!({"valid": valid, "items": checked.iter().map(as_json).collect::<Vec<_>>()}),
        );
    } else {
        checked.iter().for_each(|checked| tell(checked, ui));
        if checked.is_empty() {
            ui.note(format!("no role files in `{}`", shown(&project, &folder(&project))));
        }
    }
    Ok(if valid { Exit::Done } else { Exit::Failed })
}

/// Checks a file by its path, or by the role it belongs to.
fn one(typed: &Path, fix: bool, project: &Project, ui: &Ui) -> Result<Checked, CliError> {
    let mut path = ui.dir()?.join(typed);
    if !path.exists() {
        // A name never contains a separator, so a path that does not exist matches no other file.
        let name = typed.to_str().map(|name| name.trim_end_matches(".context.md"));
        let role = name.and_then(|name| RoleName::check(name).ok());
        let by_name = role.as_ref().map(|role| role.file(&folder(project)));
        match (by_name.filter(|file| file.exists()), role) {
            (Some(file), _) => path = file,
            (None, Some(role)) => return Err(unknown(&role, project)),
            (None, None) => return Err(CliError::not_found(format!("there is no file `{}`", typed.display()))),
        }
    }
    Ok(checked(&path, fix, project)?)
}

fn all(fix: bool, project: &Project) -> Vec<Checked> {
    let folder = folder(project);
    let roles = roles(&folder);
    let mut list = Vec::new();
    for role in &roles {
        let file = role.file(&folder);
        let mut entry = checked(&file, fix, project).unwrap_or_else(|error| Checked {
            file: shown(project, &file),
            role: Some(role.clone()),
            fixed: Vec::new(),
            outcome: Err(reason(error)),
        });
        if let Some(other) = roles.iter().find(|other| *other != role && other.machine() == role.machine()) {
            let (role, other, machine) = (role.to_string(), other.to_string(), role.machine());
            entry.outcome = Err(ContextError::RoleClash { role, other, machine }.to_string());
        }
        list.push(entry);
    }
    list
}

fn reason(error: ContextError) -> String {
    let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("{error}{cause}")
}

fn checked(path: &Path, fix: bool, project: &Project) -> Result<Checked, ContextError> {
    let text = read_role_file(path)?.unwrap_or_default();
    let role = RoleName::of_file(path);
    let mut entry =
        Checked { file: shown(project, path), role, fixed: Vec::new(), outcome: Ok(check_role_file(&text)) };
    if !fix {
        return Ok(entry);
    }
    let role = match &entry.role {
        Some(role) => role.clone(),
        None => RoleName::check(&slug(&path.file_stem().unwrap_or_default().to_string_lossy()))?,
    };
    let fixed = fix_role_file(&text, &role, &written(path));
    if fixed.text != text {
        replace(path, Exact::Edited.bytes(&fixed.text), Durability::Synced)?;
        entry.outcome = Ok(check_role_file(&fixed.text));
        entry.fixed = fixed.done;
    }
    Ok(entry)
}

/// When the file was last written: the best guess for a missing date.
fn written(path: &Path) -> String {
    let modified = std::fs::metadata(path).and_then(|data| data.modified()).ok();
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    minute(&since.map_or_else(now, |since| rfc3339(i64::try_from(since.as_millis()).unwrap_or(0))))
}

fn tell(checked: &Checked, ui: &mut Ui) {
    for fixed in &checked.fixed {
        ui.line(format!("{}: fixed: {fixed}", checked.file));
    }
    match &checked.outcome {
        Err(why) => ui.line(format!("{}: error: {why}", checked.file)),
        Ok(findings) => {
            for finding in findings {
                let (severity, message) = (finding.severity.name(), &finding.message);
                ui.line(format!("{}:{}: {severity}: {message}", checked.file, finding.line));
            }
        }
    }
    let verdict = if checked.is_valid() { "valid" } else { "invalid" };
    ui.line(format!("{}: {verdict}", checked.file));
}

fn as_json(checked: &Checked) -> Value {
    let findings = checked.outcome.as_ref().map(Vec::as_slice).unwrap_or_default();
    let finding = |finding: &RoleFinding| {
        json!({
            "line": finding.line,
            "severity": finding.severity.name(),
            "rule": finding.rule,
            "message": finding.message,
        })
    };
    json!({
        "path": checked.file,
        "role": checked.role.as_ref().map(RoleName::as_str),
        "valid": checked.is_valid(),
        "fixed": checked.fixed,
        "findings": findings.iter().map(finding).collect::<Vec<_>>(),
        "problem": checked.outcome.as_ref().err(),
    })
}
