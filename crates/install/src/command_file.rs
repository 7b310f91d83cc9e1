//! Files with the commands a person types in a client. Each is entirely Stead's; a file of the same name that belongs
//! to somebody else is never touched.

use std::path::{Path, PathBuf};

use serde::Serialize;
use stead_client::{CommandFormat, Commands, Harness, Scope};
use stead_model::{Shape, Spot};
use stead_settings::has_our_lines;

use crate::hook_command::shell_program;
use crate::layer::{layers, read_text};
use crate::signature::{Ownership, Remark, ownership, sign};
use crate::template::{TEMPLATES, Template};
use crate::{FileEdit, Note, Plan, Reach, Site, UndoRecord};

/// Plans the commands of the given clients. Clients that read the same folder share one copy.
pub fn plan_commands(site: &Site<'_>, harnesses: &[Harness], scope: Scope) -> Plan {
    let mut plan = Plan::default();
    for &harness in harnesses {
        if scope == Scope::Local {
            let why =
                "commands cannot be installed for this checkout only; install them for the project or with `--user`"
                    .to_owned();
            plan.notes.push(Note::NoCommands { harness, why });
            continue;
        }
        let files = files(site, harness, Reach::of(scope));
        if files.is_empty() {
            let why = "there is no home folder ($HOME is not set)".to_owned();
            plan.notes.push(Note::NoCommands { harness, why });
            continue;
        }
        for (template, path) in files {
            if !plan.has(&path) {
                plan_file(site, harness, scope, template, path, &mut plan);
            }
        }
        plan.notes.push(Note::Commands { harness });
    }
    plan
}

fn plan_file(site: &Site<'_>, harness: Harness, scope: Scope, template: &Template, path: PathBuf, plan: &mut Plan) {
    let wanted = write(site, harness, scope, template);
    match read_text(&path) {
        Ok(Some(text)) if text == wanted => {}
        Ok(Some(text)) if ownership(&text) == Ownership::Foreign => {
            plan.notes.push(Note::Kept { harness, path, why: "another file with this name exists" });
        }
        Ok(Some(text)) if ownership(&text) == Ownership::Changed => {
            plan.notes.push(Note::Kept { harness, path, why: CHANGED });
        }
        Ok(before) => plan.edits.push(whole(harness, path, before, Some(wanted))),
        Err(why) => plan.notes.push(Note::Bad { harness, path, why }),
    }
}

const CHANGED: &str = "it was changed after Stead wrote it; delete it to remove or recreate it";

/// Plans to replace older commands of the same purpose by Stead's. Only existing files are replaced; the undo record
/// keeps their bytes.
pub fn plan_old_commands(site: &Site<'_>) -> Plan {
    let mut plan = Plan::default();
    for harness in Harness::ALL {
        let known = &harness.client().facts.commands;
        let commands = Commands { typed: "/{name}", ..*known };
        for template in TEMPLATES.iter().filter(|template| known.older.contains(&template.name)) {
            let path = known.user.path.replace("stead-{name}", template.name);
            let Some(path) = site.resolve(Spot { base: known.user.base, path: &path }) else { continue };
            let wanted = sign(&template.render(&commands, &shell_program(Scope::User, site.program)), Remark::Markdown);
            match read_text(&path) {
                Ok(Some(text)) if text == wanted => plan.notes.push(Note::Current { harness, path }),
                Ok(Some(text)) if ownership(&text) == Ownership::Changed => {
                    plan.notes.push(Note::Kept { harness, path, why: CHANGED });
                }
                Ok(Some(text)) => plan.edits.push(whole(harness, path, Some(text), Some(wanted))),
                Ok(None) => {}
                Err(why) => plan.notes.push(Note::Bad { harness, path, why }),
            }
        }
    }
    plan
}

/// An edit of a file that is entirely Stead's.
fn whole(harness: Harness, path: PathBuf, before: Option<String>, after: Option<String>) -> FileEdit {
    let is_removal = after.is_none();
    FileEdit { harness, path, shape: Some(Shape::Whole), before, after, folders: Vec::new(), is_removal }
}

/// Plans to remove the commands. A file that other clients share stays while one of them has lines.
pub(crate) fn plan_command_removal(
    site: &Site<'_>,
    harnesses: &[Harness],
    reach: Reach,
    record: &UndoRecord,
    plan: &mut Plan,
) {
    for &harness in harnesses {
        for (_, path) in files(site, harness, reach) {
            if plan.has(&path) || is_used_elsewhere(site, &path, harnesses, reach) {
                continue;
            }
            match read_text(&path) {
                Ok(Some(text)) => match ownership(&text) {
                    Ownership::Ours => {
                        let folders = folders(site, record, &path);
                        plan.edits.push(FileEdit { folders, ..whole(harness, path, Some(text), None) });
                    }
                    Ownership::Changed => plan.notes.push(Note::Kept { harness, path, why: CHANGED }),
                    Ownership::Foreign => {}
                },
                Ok(None) => {}
                Err(why) => plan.notes.push(Note::Bad { harness, path, why }),
            }
        }
    }
}

/// The folders that are removed with a command: those in the record, else the one with Stead's name.
fn folders(site: &Site<'_>, record: &UndoRecord, path: &Path) -> Vec<PathBuf> {
    let own = path.parent().filter(|dir| {
        dir.file_name().and_then(|name| name.to_str()).is_some_and(|name| name == "stead" || name.starts_with("stead-"))
    });
    match record.file(site.root, path) {
        Some(known) => known.folders(site.root),
        None => own.map(Path::to_owned).into_iter().collect(),
    }
}

fn is_used_elsewhere(site: &Site<'_>, path: &Path, leaving: &[Harness], reach: Reach) -> bool {
    let others = Harness::ALL.into_iter().filter(|harness| !leaving.contains(harness));
    others
        .filter(|harness| files(site, *harness, reach).iter().any(|(_, used)| used == path))
        .any(|harness| has_lines(site, harness))
}

/// Returns true if a client has lines of ours in any of its settings.
fn has_lines(site: &Site<'_>, harness: Harness) -> bool {
    let layers = [Reach::Project, Reach::User].into_iter().flat_map(|reach| layers(site, harness, reach));
    layers
        .into_iter()
        .any(|layer| read_text(&layer.path).ok().flatten().is_some_and(|text| has_our_lines(layer.shape, &text)))
}

/// The commands of a client within reach, and their files.
pub(crate) fn files(site: &Site<'_>, harness: Harness, reach: Reach) -> Vec<(&'static Template, PathBuf)> {
    let commands = &harness.client().facts.commands;
    let path = |template: &Template| match reach {
        Reach::Project => Some(site.root.join(commands.project.replace("{name}", template.name))),
        Reach::User => {
            let path = commands.user.path.replace("{name}", template.name);
            site.resolve(Spot { base: commands.user.base, path: &path })
        }
    };
    TEMPLATES.iter().filter_map(|template| Some((template, path(template)?))).collect()
}

/// A command as its file holds it.
fn write(site: &Site<'_>, harness: Harness, scope: Scope, template: &Template) -> String {
    let commands = &harness.client().facts.commands;
    let remark = if commands.format == CommandFormat::Toml { Remark::Toml } else { Remark::Markdown };
    sign(&template.render(commands, &shell_program(scope, site.program)), remark)
}

/// The commands of one client in one scope, as doctor found them.
#[derive(Debug, Serialize)]
pub struct CommandReport {
    /// `project` or `user`.
    pub scope: &'static str,
    /// What a person types for one of them.
    pub typed: String,
    pub expected: usize,
    pub found: usize,
    pub missing: Vec<&'static str>,
    /// Older than this program, or changed by somebody.
    pub differing: Vec<&'static str>,
    /// The name is taken by somebody else's file.
    pub foreign: Vec<&'static str>,
}

/// Checks a client's commands in one scope.
pub(crate) fn examine_commands(site: &Site<'_>, harness: Harness, reach: Reach) -> CommandReport {
    let scope = match reach {
        Reach::Project => Scope::Project,
        Reach::User => Scope::User,
    };
    let commands = &harness.client().facts.commands;
    let mut report = CommandReport {
        scope: if reach == Reach::Project { "project" } else { "user" },
        typed: commands.typed.replace("{name}", "handoff"),
        expected: TEMPLATES.len(),
        found: 0,
        missing: Vec::new(),
        differing: Vec::new(),
        foreign: Vec::new(),
    };
    for (template, path) in files(site, harness, reach) {
        match read_text(&path).ok().flatten() {
            Some(text) if ownership(&text) == Ownership::Foreign => report.foreign.push(template.name),
            Some(text) => {
                report.found += 1;
                if text != write(site, harness, scope, template) {
                    report.differing.push(template.name);
                }
            }
            None => report.missing.push(template.name),
        }
    }
    report
}
