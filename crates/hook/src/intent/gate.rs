//! Is there a valid intent, and does it own what the call changes?

use std::path::{Path, PathBuf};

use stead_guard::command_matches;
use stead_ledger::Selection;
use stead_ledger::intent::{Compiled, CompiledIntent, Reach, Scope, Status};
use stead_model::{Level, Target};
use stead_shell::Facts;
use stead_store::Room;

use super::need::{Need, Program, Unknown};
use super::selected::cited;
use super::{Objection, message, programs, selected};
use crate::answer::has_own_line;
use crate::request::Request;

/// Files that Stead asks agents to write, by room. They need no intent.
const ASKED_FOR: &[(Room, &str)] = &[
    (Room::Runs, "*/stage-*/progress.md"),
    (Room::Runs, "*/stage-*/output.md"),
    (Room::Runs, "*/stage-*/iterations/*/status.json"),
    (Room::Roles, "*.context.md"),
    (Room::Context, "packets/*.md"),
    (Room::Context, "scratch/**"),
];

pub(super) fn judge(request: &Request<'_>, compiled: &Compiled, need: &Need) -> Option<Objection> {
    let intent = match valid_intent(request, compiled) {
        Ok(intent) => intent,
        Err(_) if need.is_read_only() => return None,
        Err(_) if need.unknown.is_empty() && need.folders.is_empty() && is_asked_for(request, &need.changes) => {
            return None;
        }
        Err(why) => {
            // From now on a missing intents file blocks this session.
            let session = request.session().filter(|_| request.writable_root().is_some());
            let _ = session.map(|session| Selection::mark(request.indexes(), session));
            let part = need.changes.first().map(shown).unwrap_or_default();
            return Some(Objection::deny(message::no_intent(request, compiled.head(), &why), part));
        }
    };
    let home = (request.env)("HOME").map(|home| home.to_string_lossy().into_owned());
    let is_outside = |target: &&Target| !is_in_scope(request, compiled, &intent, target, home.as_deref());
    let is_astray = |target: &&Target| is_outside(target) && !intent.leads_to(&reach(target));
    let changed = need.changes.iter().filter(is_outside).chain(need.folders.iter().filter(is_astray));
    let mut outside: Vec<String> = changed.map(shown).collect();
    if !outside.is_empty() {
        outside.sort();
        outside.dedup();
        let part = outside[0].clone();
        return Some(Objection::deny(message::out_of_scope(request, &intent.id, &outside), part));
    }
    let is_known = |unknown: &&Unknown| {
        let known = |program: &Program| {
            let argv = &program.argv;
            programs::is_builder(argv, request.work())
                || programs::is_read_only(argv)
                || intent.commands().any(|pattern| command_matches(pattern, argv))
                || is_own_program(request, compiled, &intent, program, home.as_deref())
                || programs::agent_program(argv).is_some_and(|agent| has_own_line(agent, request.location, request.env))
        };
        unknown.programs.iter().any(known)
    };
    let unknown: Vec<&Unknown> = need.unknown.iter().filter(|unknown| !is_known(unknown)).collect();
    if let Some(first) = unknown.first() {
        let part = first.gap.part.clone();
        return Some(Objection::deny(message::not_known(request, &intent.id, &unknown), part));
    }
    let mut files: Vec<String> = need.changes.iter().map(shown).collect();
    if intent.needs_approval() && !files.is_empty() && !is_asked_for(request, &need.changes) {
        files.sort();
        files.dedup();
        let text = message::approval(request, &intent.id, &files);
        return Some(Objection { level: Level::Ask, text, part: files.remove(0), only_warns: false });
    }
    None
}

/// Returns true if the call has a valid intent.
pub(super) fn has_intent(request: &Request<'_>, compiled: &Compiled) -> bool {
    valid_intent(request, compiled).is_ok()
}

/// The intent of the call, or why there is none.
fn valid_intent(request: &Request<'_>, compiled: &Compiled) -> Result<CompiledIntent, String> {
    let head = compiled.head();
    if let Some(problem) = head.broken() {
        return Err(format!("The intents cannot be read: {problem}; a person has to repair the file"));
    }
    if head.is_missing() {
        return Err("The intents file is gone, although this session had one; a person has to restore it".to_owned());
    }
    let selection = selected(request).map(|selected| selected.intent);
    let cited = cited(request).filter(|cited| !cited.is_empty());
    let is_selected = cited.is_none() || cited == selection;
    let Some(id) = cited.or(selection) else { return Err(String::new()) };
    let Some(intent) = compiled.find(&id) else { return Err(format!("There is no intent `{id}`")) };
    match intent.status {
        _ if head.bars(&id) => Err(format!("`.intentignore` bars `{id}` from changing anything")),
        Status::Completed => Err(format!("`{id}` is COMPLETED")),
        Status::Pending if !is_selected => Err(format!("`{id}` is PENDING and not selected")),
        _ if !is_selected && intent.is_exclusive() => Err(format!("`{id}` is exclusive and not selected")),
        _ => Ok(intent),
    }
}

/// Returns true if a program is a file of the intent. It can do what the intent's tests can do.
fn is_own_program(
    request: &Request<'_>,
    compiled: &Compiled,
    intent: &CompiledIntent,
    program: &Program,
    home: Option<&str>,
) -> bool {
    let is_owned = |file: &PathBuf| {
        let real = request.facts.real(file);
        let inside = real.strip_prefix(request.work()).ok().map(|below| below.to_string_lossy().into_owned());
        let reach = Reach { path: &real.to_string_lossy(), inside: inside.as_deref(), tree: false, open: false };
        intent.owns(&reach, home) || compiled.head().frees(&reach)
    };
    programs::own_files(&program.argv, &program.dir, home).iter().any(is_owned)
}

pub(super) fn is_in_scope(
    request: &Request<'_>,
    compiled: &Compiled,
    intent: &CompiledIntent,
    target: &Target,
    home: Option<&str>,
) -> bool {
    let reach = reach(target);
    intent.owns(&reach, home)
        || compiled.head().frees(&reach)
        || is_temporary(request, target)
        || is_asked_for(request, std::slice::from_ref(target))
}

fn reach(target: &Target) -> Reach<'_> {
    let Target { path, inside, tree, glob, guessed, .. } = target;
    // All that is below a folder is the folder as a tree.
    let folder = inside.as_deref().and_then(|inside| inside.strip_suffix("/**")).filter(|_| *glob && !guessed);
    match folder {
        Some(folder) => Reach {
            path: path.trim_end_matches("/**"),
            inside: Some(folder),
            tree: true,
            open: folder.contains(['*', '?', '[']),
        },
        None => Reach { path, inside: inside.as_deref(), tree: *tree, open: *glob || *guessed },
    }
}

/// Returns true if all of these are files that Stead asks agents to write.
fn is_asked_for(request: &Request<'_>, changes: &[Target]) -> bool {
    let patterns = ASKED_FOR.iter().filter_map(|(room, pattern)| {
        let folder = request.room(*room);
        let below = folder.strip_prefix(request.dir()).ok()?;
        Some(format!("{}/{pattern}", below.to_string_lossy().trim_end_matches('/')))
    });
    let scope = Scope::new(&patterns.collect::<Vec<_>>());
    !changes.is_empty() && changes.iter().all(|target| target.inside.is_some() && scope.owns(&reach(target), None))
}

/// Returns true if a path lies in a folder for temporary files, outside the project.
fn is_temporary(request: &Request<'_>, target: &Target) -> bool {
    let path = Path::new(&target.path);
    let named = ["TMPDIR", "TEMP", "TMP"].iter().filter_map(|name| (request.env)(name)).map(PathBuf::from);
    // A variable that names a folder above the project would free everything.
    let named = named.filter(|folder| folder.is_absolute() && !request.dir().starts_with(folder));
    let usual = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/folders"].map(PathBuf::from);
    let is_below = |folder: &Path| path.starts_with(folder) && path != folder;
    target.inside.is_none() && named.chain(usual).any(|folder| is_below(&folder))
}

/// A path as messages name it: below the project root, or absolute outside.
fn shown(target: &Target) -> String {
    match target.inside.as_deref() {
        Some("") => ".".to_owned(),
        Some(inside) => inside.to_owned(),
        None => target.path.clone(),
    }
}
