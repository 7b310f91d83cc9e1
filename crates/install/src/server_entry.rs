//! The entry that makes a client start Stead as an MCP server.

use std::path::{Path, PathBuf};

use stead_client::{Harness, Scope, Servers};
use stead_settings::ServerPlace;
use stead_shell::OWN_SERVER;

use crate::layer::read_text;
use crate::server_proof::prove_server;
use crate::{Check, FileEdit, Note, Plan, Reach, Site, UndoRecord};

/// Adds the entries of the given clients to a plan, which may already change the same files.
pub fn plan_servers(site: &Site<'_>, harnesses: &[Harness], scope: Scope, mut plan: Plan) -> Plan {
    for &harness in harnesses {
        let servers = &harness.client().facts.servers;
        match file(site, harness, scope) {
            Ok(path) => add(site, harness, path, scope, &mut plan),
            // A client that gets no hooks here was reported.
            Err(_)
                if plan
                    .notes
                    .iter()
                    .any(|note| matches!(note, Note::Skipped { harness: skipped, .. } if *skipped == harness)) =>
            {
                continue;
            }
            Err(why) => {
                plan.notes.push(Note::NoServer { harness, why: why.to_owned() });
                continue;
            }
        }
        if let Some(what) = servers.confirm {
            plan.notes.push(Note::Confirm { harness, what });
        }
    }
    plan
}

fn file(site: &Site<'_>, harness: Harness, scope: Scope) -> Result<PathBuf, &'static str> {
    let servers = &harness.client().facts.servers;
    match scope {
        Scope::Project | Scope::ProjectStrict | Scope::Personal => {
            servers.project.map(|path| site.root.join(path)).ok_or(servers.by_hand)
        }
        Scope::Local => Err("it has no file of MCP servers for this checkout only"),
        Scope::User => match servers.user {
            Some(spot) => site.resolve(spot).ok_or("no home folder ($HOME is not set)"),
            None => Err(servers.by_hand),
        },
    }
}

/// Returns true if a text registers the server of a client.
pub(crate) fn has_server(harness: Harness, text: &str) -> bool {
    place(&harness.client().facts.servers).find(text).is_ok_and(|entry| entry.is_some())
}

fn place(servers: &Servers) -> ServerPlace<'static> {
    ServerPlace { syntax: servers.syntax, table: servers.table, name: OWN_SERVER }
}

fn add(site: &Site<'_>, harness: Harness, path: PathBuf, scope: Scope, plan: &mut Plan) {
    let servers = &harness.client().facts.servers;
    let program = match scope {
        Scope::Project | Scope::ProjectStrict => OWN_SERVER.to_owned(),
        Scope::Local | Scope::Personal | Scope::User => site.program.display().to_string(),
    };
    let entry = (servers.entry)(&program);
    if plan.notes.iter().any(|note| matches!(note, Note::Bad { path: bad, .. } if *bad == path)) {
        return;
    }
    let known = plan.edits.iter().position(|edit| edit.path == path);
    let text = match known {
        Some(at) => Ok(plan.edits[at].after.clone()),
        None => read_text(&path),
    };
    let before = match text {
        Ok(before) => before,
        Err(why) => return plan.notes.push(Note::Bad { harness, path, why }),
    };
    match place(servers).insert(before.as_deref(), &entry) {
        Ok(after) if Some(&after) == before.as_ref() => {}
        Ok(after) => match known {
            Some(at) => plan.edits[at].after = Some(after),
            None => plan.edits.push(edit(harness, path, before, Some(after))),
        },
        Err(error) => plan.notes.push(Note::Bad { harness, path, why: error.to_string() }),
    }
}

fn edit(harness: Harness, path: PathBuf, before: Option<String>, after: Option<String>) -> FileEdit {
    FileEdit { harness, path, shape: None, before, after, folders: Vec::new(), is_removal: false }
}

/// Adds the removal of the entries to a plan. A file that gets its old bytes back is left as it is planned.
pub(crate) fn plan_server_removal(
    site: &Site<'_>,
    harnesses: &[Harness],
    reach: Reach,
    record: &UndoRecord,
    plan: &mut Plan,
) {
    for &harness in harnesses {
        if let Some(path) = file_of(site, harness, reach) {
            remove(site, harness, path, record, plan);
        }
    }
}

fn remove(site: &Site<'_>, harness: Harness, path: PathBuf, record: &UndoRecord, plan: &mut Plan) {
    let place = place(&harness.client().facts.servers);
    let known = plan.edits.iter().position(|edit| edit.path == path);
    let text = match known {
        Some(at) => Ok(plan.edits[at].after.clone()),
        None => read_text(&path),
    };
    let removed = match &text {
        Ok(Some(text)) => place.remove(text).map_err(|error| error.to_string()),
        Ok(None) => Ok(None),
        Err(why) => Err(why.clone()),
    };
    let rest = match removed {
        Ok(Some(rest)) => rest,
        Ok(None) => return,
        Err(why) => return plan.notes.push(Note::Bad { harness, path, why }),
    };
    let remembered = record.file(site.root, &path);
    let was_made_for_us = remembered.is_some_and(|known| known.before.is_none());
    let after = (!(was_made_for_us && place.is_bare(&rest))).then_some(rest);
    match known {
        Some(at) => plan.edits[at].after = after,
        None => {
            let folders = remembered.map(|known| known.folders(site.root)).unwrap_or_default();
            let before = text.ok().flatten();
            plan.edits.push(FileEdit { folders, is_removal: true, ..edit(harness, path, before, after) });
        }
    }
}

/// The file of a client in which the entry may be.
fn file_of(site: &Site<'_>, harness: Harness, reach: Reach) -> Option<PathBuf> {
    let scope = match reach {
        Reach::Project => Scope::Project,
        Reach::User => Scope::User,
    };
    file(site, harness, scope).ok()
}

/// Starts every registered server the way its client does, and lists its tools.
pub(crate) fn server_checks(site: &Site<'_>, harness: Harness) -> Vec<Check> {
    let mut checks = Vec::new();
    let place = place(&harness.client().facts.servers);
    for path in [Reach::Project, Reach::User].into_iter().filter_map(|reach| file_of(site, harness, reach)) {
        let Ok(Some(text)) = read_text(&path) else { continue };
        let shown = site.brief(&path);
        // A text that cannot be parsed is reported with the hooks, if it has any.
        let Ok(Some(entry)) = place.find(&text) else { continue };
        let proof = match Servers::command(&entry) {
            Some(words) => prove_server(site, harness, &words),
            None => Err("its entry names no command".to_owned()),
        };
        checks.push(match proof {
            Ok(tools) => Check::good("mcp", format!("the MCP server in `{shown}` has {tools} tools")),
            Err(why) => Check::broken("mcp", format!("the MCP server in `{shown}` does not work: {why}"))
                .remedy("run `stead init` again, or `stead mcp` by hand to see what is wrong"),
        });
    }
    checks
}

/// Returns true if a path is a file of servers and nothing else.
pub(crate) fn is_server_file(site: &Site<'_>, harness: Harness, path: &Path) -> bool {
    let reaches = [Reach::Project, Reach::User];
    let is_settings = |reach| crate::layer::layers(site, harness, reach).iter().any(|layer| layer.path == path);
    reaches.into_iter().any(|reach| file_of(site, harness, reach).is_some_and(|file| file == path))
        && !reaches.into_iter().any(is_settings)
}
