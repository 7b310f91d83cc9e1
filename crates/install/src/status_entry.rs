//! The setting that makes a client show Stead's status line.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use stead_client::{Harness, Scope, StatusLine};
use stead_settings::EntryPlace;

use crate::entry_edit::{put_entry, take_entry};
use crate::hook_command::{shared_call, shell_program};
use crate::layer::read_text;
use crate::{Note, Plan, Reach, Site, UndoRecord};

/// How the command of a status line ends that is Stead's.
const VERB: &str = "statusline";

/// A client's status line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StatusLineReport {
    /// `stead`, `other` (a person's own) or `none`.
    pub shows: &'static str,
    /// The file that has the setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
}

/// Adds the status lines of the given clients to a plan, which may already change the same files.
pub fn plan_status_lines(site: &Site<'_>, harnesses: &[Harness], scope: Scope, mut plan: Plan) -> Plan {
    for &harness in harnesses {
        let no = |why: String| Note::NoStatusLine { harness, why };
        let Some(line) = &harness.client().facts.status_line else {
            plan.notes.push(no("it shows no status line of other programs".to_owned()));
            continue;
        };
        let path = match target(site, line, scope) {
            Ok(path) => path,
            Err(why) => {
                plan.notes.push(no(why));
                continue;
            }
        };
        // Also one in another file, which this one would replace.
        let others = files(site, line);
        let foreign = others.iter().find(|path| matches!(shown(line, path), Some(entry) if !is_ours(&entry)));
        if let Some(path) = foreign {
            plan.notes.push(no(format!(
                "the status line in `{}` is yours and stays; to combine them, pass the JSON that its command reads to \
                 `{} {VERB} {harness}` as well, and print that line, too",
                site.brief(path),
                shell_program(scope, site.program),
            )));
            continue;
        }
        let entry = (line.entry)(&command(site, harness, scope));
        put_entry(harness, path, &place(line), &entry, &mut plan);
    }
    plan
}

/// Adds the removal of Stead's status lines to a plan.
pub(crate) fn plan_status_removal(
    site: &Site<'_>,
    harnesses: &[Harness],
    reach: Reach,
    record: &UndoRecord,
    plan: &mut Plan,
) {
    for &harness in harnesses {
        let Some(line) = &harness.client().facts.status_line else { continue };
        let files = match reach {
            Reach::Project => in_project(site, line),
            Reach::User => site.resolve(line.user).into_iter().collect(),
        };
        for path in files {
            take_entry(site, harness, path, (place(line), is_ours), record, plan);
        }
    }
}

/// Which status line a client shows; `None` if it shows none of other programs. The first file that has one counts.
pub(crate) fn examine_status_line(site: &Site<'_>, harness: Harness) -> Option<StatusLineReport> {
    let line = harness.client().facts.status_line.as_ref()?;
    let found = files(site, line).into_iter().find_map(|path| Some((shown(line, &path)?, path)));
    Some(match found {
        Some((entry, path)) => {
            StatusLineReport { shows: if is_ours(&entry) { "stead" } else { "other" }, path: Some(path) }
        }
        None => StatusLineReport { shows: "none", path: None },
    })
}

/// Returns true if a text has Stead's status line.
pub(crate) fn has_status_line(harness: Harness, text: &str) -> bool {
    let line = harness.client().facts.status_line.as_ref();
    line.and_then(|line| place(line).find(text).ok()?).is_some_and(|entry| is_ours(&entry))
}

fn place(line: &StatusLine) -> EntryPlace<'static> {
    EntryPlace { syntax: line.syntax, keys: line.keys.to_vec() }
}

/// The files that may have the setting, the one that counts most first.
fn files(site: &Site<'_>, line: &StatusLine) -> Vec<PathBuf> {
    in_project(site, line).into_iter().chain(site.resolve(line.user)).collect()
}

fn in_project(site: &Site<'_>, line: &StatusLine) -> Vec<PathBuf> {
    [line.local, line.project].into_iter().flatten().map(|path| site.root.join(path)).collect()
}

fn target(site: &Site<'_>, line: &StatusLine, scope: Scope) -> Result<PathBuf, String> {
    let in_project = match scope {
        Scope::Project | Scope::ProjectStrict => line.project,
        Scope::Local => line.local,
        Scope::Personal => line.local.or(line.project),
        Scope::User => None,
    };
    if let Some(path) = in_project {
        return Ok(site.root.join(path));
    }
    if scope != Scope::User {
        let what = if scope == Scope::Local { "for this checkout only" } else { "of a project" };
        return Err(format!("it reads no status line {what}; install it with `--user`"));
    }
    match site.resolve(line.user) {
        None => Err("no home folder ($HOME is not set)".to_owned()),
        Some(path) if line.only_existing && !path.exists() => {
            Err(format!("`{}` is not there yet; start the program once, then run this again", site.brief(&path)))
        }
        Some(path) => Ok(path),
    }
}

/// In a shared file, the command does nothing for a teammate without Stead.
fn command(site: &Site<'_>, harness: Harness, scope: Scope) -> String {
    let call = format!("{} {VERB} {harness}", shell_program(scope, site.program));
    match scope {
        Scope::Project => shared_call("exit 0", &call),
        _ => call,
    }
}

fn shown(line: &StatusLine, path: &Path) -> Option<Value> {
    place(line).find(&read_text(path).ok().flatten()?).ok()?
}

/// Returns true if a setting only runs Stead. A command that also runs Stead is a person's own.
fn is_ours(entry: &Value) -> bool {
    let command = StatusLine::command(entry).unwrap_or_default();
    let call = command.rsplit_once("; exec ").map_or(command, |(_, call)| call);
    let words: Vec<&str> = call.rsplitn(3, ' ').collect();
    let [harness, verb, program] = words.as_slice() else { return false };
    let name = Path::new(program.trim_matches('\'')).file_stem().and_then(|name| name.to_str());
    *verb == VERB
        && Harness::from_name(harness).is_some()
        && name == Some("stead")
        && !program.contains(['|', ';', '&'])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(command: &str, expected: bool) {
        assert_eq!(is_ours(&json!({"type": "command", "command": command})), expected, "{command}");
    }

    #[test]
    fn what_stead_writes_is_found_again() {
        let name = Harness::ALL[0].name();
        for program in ["/opt/bin/stead", "/home/o'hara/my tools/stead"] {
            let site = Site { root: Path::new("/p"), program: Path::new(program), env: &|_| None };
            for scope in [Scope::Project, Scope::ProjectStrict, Scope::Local, Scope::Personal, Scope::User] {
                check(&command(&site, Harness::ALL[0], scope), true);
            }
        }
        check(&format!("cat | stead statusline {name} | tr a b"), false);
        check(&format!("date; stead statusline {name}"), false);
        check(&format!("~/mine.sh && stead statusline {name}"), false);
        check("stead statusline", false);
        check("~/.claude/statusline.sh", false);
        assert!(!is_ours(&json!({"type": "preset", "items": []})));
        assert!(!is_ours(&json!("stead statusline")));
    }
}
