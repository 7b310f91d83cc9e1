//! The entry that makes a client start Stead as an MCP server.

use std::path::{Path, PathBuf};

use stead_client::{Harness, Scope, Servers};
use stead_settings::EntryPlace;
use stead_shell::OWN_SERVER;

use crate::entry_edit::{put_entry, take_entry};
use crate::layer::read_text;
use crate::server_proof::prove_server;
use crate::{Check, Note, Plan, Reach, Site, UndoRecord};

/// Adds the entries of the given clients to a plan, which may already change the same files.
pub fn plan_servers(site: &Site<'_>, harnesses: &[Harness], scope: Scope, mut plan: Plan) -> Plan {
    for &harness in harnesses {
        let servers = &harness.client().facts.servers;
        match file(site, harness, scope) {
            Ok(path) => {
                let program = match scope {
                    Scope::Project | Scope::ProjectStrict => OWN_SERVER.to_owned(),
                    Scope::Local | Scope::Personal | Scope::User => site.program.display().to_string(),
                };
                put_entry(harness, path, &place(servers), &(servers.entry)(&program), &mut plan);
            }
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

fn place(servers: &Servers) -> EntryPlace<'static> {
    EntryPlace { syntax: servers.syntax, keys: vec![servers.table, OWN_SERVER] }
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
            let place = place(&harness.client().facts.servers);
            take_entry(site, harness, path, (place, |_| true), record, plan);
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
