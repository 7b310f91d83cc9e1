//! What doctor checks besides the lines: the project folder, the config, and switches that disable hooks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use stead_client::Harness;
use stead_model::Severity;
use stead_settings::{Finding, findings, has_our_lines};
use stead_store::{Config, Durability, Layout, Marker, Room, StoreError, create};

use crate::layer::{all_layers, read_text};
use crate::{Check, Site};

/// Checks the project. Also returns the folder of its indexes, if there is a project.
pub(crate) fn project_checks(site: &Site<'_>, flags: &[String]) -> (Vec<Check>, Option<PathBuf>) {
    let mut checks = Vec::new();
    let marker = Marker::read(site.root);
    let is_marked = !matches!(marker, Err(StoreError::MarkerMissing { .. }));
    match marker {
        Ok(_) => checks.push(Check::good("root", format!("the project is `{}`", site.root.display()))),
        Err(StoreError::MarkerMissing { .. }) => checks
            .push(Check::odd("root", "no project here; hooks only protect their own lines").remedy("`stead init`")),
        Err(error) => {
            let check = Check::broken("root", error.to_string());
            checks.push(error.hint().map_or(check.clone(), |hint| check.remedy(hint)));
        }
    }
    let (config, problems) = Config::load(is_marked.then_some(site.root), site.env, flags);
    for problem in problems {
        let check = match problem.severity {
            Severity::Warning => Check::odd("config", problem.to_string()),
            Severity::Error => Check::broken("config", problem.to_string()),
        };
        checks.push(problem.hint.clone().map_or(check.clone(), |hint| check.remedy(hint)));
    }
    let gates =
        [("gate.self_protection", "calls that weaken Stead are not denied"), ("gate.guards", "guards are not checked")];
    for (gate, so) in gates {
        if !config.bool(gate) {
            checks.push(Check::odd("config", format!("`{gate}` is off, so {so}")));
        }
    }
    checks.extend(program_check(site));
    if !is_marked {
        return (checks, None);
    }
    let indexes = Layout::of(&config).dir(site.root, Room::Context).join("indexes");
    checks.push(writable(site, &indexes));
    checks.extend(ignored(site, &indexes));
    (checks, Some(indexes))
}

/// Another `stead` on PATH than this one would run the bare lines.
fn program_check(site: &Site<'_>) -> Option<Check> {
    let found = site.find_program("stead")?;
    let same = fs::canonicalize(&found).ok()? == fs::canonicalize(site.program).ok()?;
    (!same).then(|| {
        let message = format!("`stead` on PATH is `{}`, not this program", found.display());
        Check::odd("program", message).remedy("put the right one first on PATH")
    })
}

fn writable(site: &Site<'_>, indexes: &Path) -> Check {
    let probe = indexes.join(format!(".stead-doctor-{}.tmp", std::process::id()));
    let attempt = create(&probe, b"", Durability::Quick).map(|_| fs::remove_file(&probe));
    let name = site.brief(indexes);
    match attempt {
        Ok(_) => Check::good("indexes", format!("`{name}` is writable")),
        Err(error) => Check::broken("indexes", format!("`{name}` is not writable, so nothing is recorded: {error}"))
            .remedy("make sure you have write access, or run `stead init`"),
    }
}

/// Session records contain prompts; they do not belong in a repository.
fn ignored(site: &Site<'_>, indexes: &Path) -> Option<Check> {
    if !site.root.join(".git").exists() {
        return None;
    }
    let status = Command::new("git")
        .arg("-C")
        .arg(site.root)
        .args(["check-ignore", "-q", "--"])
        .arg(indexes.join("sessions.jsonl"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    match status.code() {
        Some(0) => Some(Check::good("ignored", "git ignores session records")),
        Some(1) => Some(
            Check::odd("ignored", format!("git does not ignore `{}`, which holds prompts", site.brief(indexes)))
                .remedy("`stead init` writes the missing `.gitignore`"),
        ),
        _ => None,
    }
}

/// Checks every settings layer of a client for switches that disable hooks, and for content that makes the client
/// ignore a file.
pub(crate) fn layer_checks(site: &Site<'_>, harness: Harness) -> Vec<Check> {
    let mut checks = Vec::new();
    for layer in all_layers(site, harness) {
        let Ok(Some(text)) = read_text(&layer.path) else {
            continue;
        };
        let name = site.brief(&layer.path);
        for switch in layer.watch(&[site.root]).switches(&text) {
            let message = format!("{harness}, `{name}`: {switch}");
            checks.push(Check::broken("switch", message).remedy("remove the switch"));
        }
        let holds_lines = has_our_lines(layer.shape, &text);
        checks.extend(findings(layer.shape, &text).iter().map(|finding| {
            let message = format!("{harness}, `{name}`: {finding}");
            match finding {
                Finding::ObjectMatcher { .. } if holds_lines => Check::broken("matcher", message),
                Finding::ObjectMatcher { .. } => Check::odd("matcher", message),
                Finding::OldScript { .. } => Check::odd("older hooks", message),
                Finding::Wrapped => {
                    return Check::odd("wrapped", message).remedy("remove the outer `hooks` key");
                }
            }
            .remedy("`stead init --replace-old`")
        }));
    }
    checks
}
