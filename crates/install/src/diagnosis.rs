use std::path::{Path, PathBuf};

use serde::Serialize;
use stead_client::Harness;
use stead_model::{EventKind, Shape};
use stead_settings::{OurLine, our_lines, our_program};

use crate::command_file::examine_commands;
use crate::heartbeat::heartbeats;
use crate::hook_command::named_program;
use crate::layer::{Layer, all_layers, read_text, trust};
use crate::left_server::server_left;
use crate::project_check::{layer_checks, project_checks};
use crate::proof::{Program, prove};
use crate::server_entry::server_checks;
use crate::status_entry::examine_status_line;
use crate::{Check, CommandReport, Heartbeat, LineProof, Outcome, Reach, Site, Status, StatusLineReport};

/// Everything doctor found.
#[derive(Debug, Serialize)]
pub struct Diagnosis {
    pub checks: Vec<Check>,
    /// Clients that have lines, or whose program is installed.
    pub harnesses: Vec<HarnessReport>,
}

/// One client.
#[derive(Debug, Serialize)]
pub struct HarnessReport {
    pub harness: &'static str,
    pub title: &'static str,
    /// The program on PATH.
    pub program: Option<PathBuf>,
    pub installs: Vec<InstallReport>,
    /// Its commands, if files with their names exist.
    pub commands: Vec<CommandReport>,
    pub heartbeat: Option<Heartbeat>,
    /// It called after its settings files last changed. Otherwise it may not trust what is in them now.
    pub called_since: bool,
    /// The client keeps that it trusts the hooks here; absent if it does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted: Option<bool>,
    /// Its status line; `None` if it shows none of other programs.
    pub status_line: Option<StatusLineReport>,
    /// What a person must confirm in the client.
    pub confirm: &'static str,
}

/// One settings file with lines of ours.
#[derive(Debug, Serialize)]
pub struct InstallReport {
    pub path: PathBuf,
    /// `project`, `local` or `user`.
    pub scope: &'static str,
    pub lines_expected: usize,
    pub lines_found: usize,
    /// Events whose line is missing or has the wrong matcher.
    pub missing: Vec<&'static str>,
    pub proofs: Vec<LineProof>,
}

impl InstallReport {
    pub fn works(&self) -> bool {
        self.missing.is_empty() && self.proofs.iter().all(|proof| proof.outcome.works())
    }
}

impl Diagnosis {
    /// Returns true if everything that is installed works.
    pub fn is_sound(&self) -> bool {
        let lines_work = self.harnesses.iter().flat_map(|report| &report.installs).all(InstallReport::works);
        lines_work && self.checks.iter().all(|check| check.status < Status::Broken)
    }
}

/// Runs all checks, and every installed line.
pub fn diagnose(site: &Site<'_>, flags: &[String]) -> Diagnosis {
    let (mut checks, indexes) = project_checks(site, flags);
    let beats = indexes.as_deref().map(|indexes| heartbeats(indexes, &Harness::ALL)).unwrap_or_default();
    let forbidden = forbidden(site);
    let mut harnesses = Vec::new();
    for harness in Harness::ALL {
        let facts = &harness.client().facts;
        let mut installs = Vec::new();
        for layer in all_layers(site, harness) {
            installs.extend(examine(site, harness, &layer, forbidden.as_deref(), &mut checks));
        }
        if !installs.is_empty() {
            checks.extend(layer_checks(site, harness));
            checks.extend(twice(site, harness, &installs));
            checks.extend(server_left(site, harness));
        }
        checks.extend(server_checks(site, harness));
        let program = site.find_program(facts.program);
        let heartbeat = beats.iter().find(|(known, _)| *known == harness).map(|(_, beat)| beat.clone());
        let status_line = examine_status_line(site, harness);
        let shows_ours = status_line.as_ref().is_some_and(|line| line.shows == "stead");
        if !installs.is_empty() || program.is_some() || heartbeat.is_some() || shows_ours {
            let commands = examine_commands(site, harness)
                .into_iter()
                .filter(|report| report.found + report.foreign.len() > 0)
                .collect();
            let confirm = facts.install.confirm;
            harnesses.push(HarnessReport {
                harness: harness.name(),
                title: facts.title,
                program,
                commands,
                called_since: heartbeat
                    .as_ref()
                    .is_some_and(|beat| installs.iter().all(|file| beat.is_after(&file.path))),
                trusted: if installs.is_empty() { None } else { trust(site, harness) },
                heartbeat,
                installs,
                status_line,
                confirm,
            });
        }
    }
    Diagnosis { checks, harnesses }
}

/// A command that Stead must always block: in a project the removal of its config, elsewhere that of its lines.
fn forbidden(site: &Site<'_>) -> Option<String> {
    let config = ".agent/config.toml";
    let is_marked = stead_store::find_root(site.root).is_marked();
    is_marked.then(|| format!("rm -f {config}"))
}

fn examine(
    site: &Site<'_>,
    harness: Harness,
    layer: &Layer,
    forbidden: Option<&str>,
    checks: &mut Vec<Check>,
) -> Option<InstallReport> {
    let text = match read_text(&layer.path) {
        Ok(text) => text?,
        Err(why) => {
            checks.push(Check::odd("settings", format!("`{}`: {why}", site.brief(&layer.path))));
            return None;
        }
    };
    let lines = match our_lines(layer.shape, &text) {
        Ok(lines) => lines,
        Err(error) => {
            let message = format!("`{}` cannot be parsed by Stead or {harness}: {error}", site.brief(&layer.path));
            checks.push(Check::broken("settings", message).remedy("correct the file, then run `stead init`"));
            return None;
        }
    };
    let lines: Vec<OurLine> = lines.into_iter().filter(|line| line.harness == harness.name()).collect();
    if lines.is_empty() {
        return None;
    }
    checks.extend(fails_open(site, harness, layer, &lines));
    let install = &harness.client().facts.install;
    let own = format!("rm -f {}", quoted(&layer.path));
    let forbidden = forbidden.unwrap_or(&own);
    let is_whole = layer.shape == Shape::Whole;
    let is_there = |event: &str, matcher: Option<&str>| {
        is_whole || lines.iter().any(|line| line.event == event && line.matcher() == matcher)
    };
    let missing: Vec<&'static str> =
        install.lines.iter().filter(|line| !is_there(line.event, line.matcher)).map(|line| line.event).collect();
    let proofs = if is_whole {
        let program = whole_program(site, &text);
        install.lines.iter().map(|line| run_line(site, harness, line.event, program.clone(), forbidden)).collect()
    } else {
        lines
            .iter()
            .map(|line| {
                let command = line.command().unwrap_or_default();
                match needs_path(command) && site.find_stead().is_none() {
                    true => not_on_path(&line.event),
                    false => prove(site, harness, &line.event, &Program::Shell(command), forbidden),
                }
            })
            .collect()
    };
    Some(InstallReport {
        path: layer.path.clone(),
        scope: scope(harness, layer),
        lines_expected: install.lines.len(),
        lines_found: install.lines.len() - missing.len(),
        missing,
        proofs,
    })
}

/// Reports lines before a tool that let it run if Stead is not found, and offers the lines that do not.
fn fails_open(site: &Site<'_>, harness: Harness, layer: &Layer, lines: &[OurLine]) -> Option<Check> {
    let client = harness.client();
    let is_gate = |line: &&OurLine| {
        let kind = client.event(&line.event).map(|fact| fact.kind);
        matches!(kind, Some(EventKind::BeforeTool | EventKind::PermissionRequest))
    };
    let line = lines.iter().filter(is_gate).find(|line| line.command().is_some_and(is_lenient))?;
    let message = format!(
        "{harness}, `{}`: if `stead` is not found or its `{}` line fails, {} runs the tool without a check",
        site.brief(&layer.path),
        line.event,
        client.facts.title
    );
    Some(Check::odd("fails open", message).remedy("`stead init --strict`, if everyone in the project has Stead"))
}

/// Returns true if a command does nothing without Stead.
fn is_lenient(command: &str) -> bool {
    command.contains("command -v stead") && command.contains("exit 0")
}

fn scope(harness: Harness, layer: &Layer) -> &'static str {
    let is_local = harness.client().facts.install.local == Some(layer.spot.path);
    match (Reach::Project.covers(layer.spot), is_local) {
        (true, true) => "local",
        (true, false) => "project",
        (false, _) => "user",
    }
}

/// A bare line depends on PATH, or on the link.
fn needs_path(command: &str) -> bool {
    our_program(command).is_none_or(|program| !program.contains(['/', '\\']))
}

fn not_on_path(event: &str) -> LineProof {
    let why = "`stead` is not on PATH, so the line does nothing; add this program to PATH".to_owned();
    LineProof { event: event.to_owned(), milliseconds: 0, outcome: Outcome::Fails { why } }
}

/// The program that our plugin starts, as written in it.
fn whole_program(site: &Site<'_>, text: &str) -> Option<PathBuf> {
    let program = named_program(text)?;
    if Path::new(&program).is_absolute() { Some(PathBuf::from(program)) } else { site.find_stead() }
}

fn run_line(site: &Site<'_>, harness: Harness, event: &str, program: Option<PathBuf>, forbidden: &str) -> LineProof {
    match program {
        Some(program) => prove(site, harness, event, &Program::Direct(program), forbidden),
        None => not_on_path(event),
    }
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

/// Lines in two files run every hook twice.
fn twice(site: &Site<'_>, harness: Harness, installs: &[InstallReport]) -> Option<Check> {
    let files: Vec<String> = installs.iter().map(|install| format!("`{}`", site.brief(&install.path))).collect();
    (files.len() > 1).then(|| {
        let message = format!("{harness} has lines in {}, so every hook runs twice", files.join(" and "));
        Check::odd("twice", message).remedy(format!("`stead uninstall --harness {harness}`, with or without `--user`"))
    })
}
