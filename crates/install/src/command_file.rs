//! Files with the commands a person types in a client.

use std::path::PathBuf;

use serde::Serialize;
use stead_client::{Commands, Harness, Scope};
use stead_model::Spot;

use crate::hook_command::shell_program;
use crate::layer::read_text;
use crate::own_file::{CHANGED, locate, obstacle, plan_file, whole};
use crate::signature::{Ownership, Remark, ownership, sign};
use crate::template::{TEMPLATES, Template};
use crate::{Note, Plan, Reach, Site};

/// Plans the commands of the given clients. Clients that read the same folder share one copy.
pub fn plan_commands(site: &Site<'_>, harnesses: &[Harness], scope: Scope) -> Plan {
    let mut plan = Plan::default();
    for &harness in harnesses {
        if let Some(why) = obstacle(site, scope, "commands") {
            plan.notes.push(Note::NoCommands { harness, why });
            continue;
        }
        for (template, path) in files(site, harness, Reach::of(scope)) {
            plan_file(harness, path, write(site, harness, scope, template), &mut plan);
        }
        plan.notes.push(Note::Commands { harness });
    }
    plan
}

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

/// The commands of a client within reach, and their files.
pub(crate) fn files(site: &Site<'_>, harness: Harness, reach: Reach) -> Vec<(&'static Template, PathBuf)> {
    let path = |template| command_path(site, harness, reach, template);
    TEMPLATES.iter().filter_map(|template| Some((template, path(template)?))).collect()
}

/// The file of a command; `None` if there is no home folder.
pub(crate) fn command_path(site: &Site<'_>, harness: Harness, reach: Reach, command: &Template) -> Option<PathBuf> {
    let commands = &harness.client().facts.commands;
    locate(site, reach, commands.project, commands.user, command.name)
}

/// A command as its file holds it.
fn write(site: &Site<'_>, harness: Harness, scope: Scope, template: &Template) -> String {
    // Doctor cannot tell a personal file from a shared one by its place, so both say the same.
    let scope = if scope == Scope::Personal { Scope::Project } else { scope };
    let commands = &harness.client().facts.commands;
    sign(&template.render(commands, &shell_program(scope, site.program)), Remark::of_command(commands.format))
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

/// Checks a client's commands, in each scope. In the home folder the project's are the user's, and may be of either.
pub(crate) fn examine_commands(site: &Site<'_>, harness: Harness) -> Vec<CommandReport> {
    let paths = |reach| files(site, harness, reach).into_iter().map(|(_, path)| path).collect::<Vec<_>>();
    match paths(Reach::Project) == paths(Reach::User) {
        true => vec![examine(site, harness, Reach::User, &[Scope::User, Scope::Project])],
        false => vec![
            examine(site, harness, Reach::Project, &[Scope::Project]),
            examine(site, harness, Reach::User, &[Scope::User]),
        ],
    }
}

/// Checks them in one scope; `scopes` are those in which they may have been written.
fn examine(site: &Site<'_>, harness: Harness, reach: Reach, scopes: &[Scope]) -> CommandReport {
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
                if scopes.iter().all(|scope| text != write(site, harness, *scope, template)) {
                    report.differing.push(template.name);
                }
            }
            None => report.missing.push(template.name),
        }
    }
    report
}
