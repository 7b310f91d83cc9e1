use std::collections::BTreeMap;
use std::path::Path;

use stead_client::Harness;
use stead_model::Shape;
use stead_settings::our_lines;

use crate::command_file::files;
use crate::server_entry::has_server;
use crate::signature::{Ownership, ownership};
use crate::status_entry::has_status_line;
use crate::{FileEdit, Plan, Reach, Site};

/// What a plan writes or removes, a line for each file or folder: its name, and what is in it.
pub fn summary(site: &Site<'_>, plan: &Plan) -> Vec<(String, String)> {
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    let mut folders: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for edit in &plan.edits {
        let (before, after) = (edit.before.as_deref().unwrap_or_default(), edit.after.as_deref().unwrap_or_default());
        // A removal is described by what would be written the other way round.
        let (less, more) = if edit.is_removal { (after, before) } else { (before, after) };
        if ownership(more) == Ownership::Ours {
            let count = folders.entry(format!("{}/", site.brief(folder_of(&edit.path)))).or_default();
            if is_command(site, edit) {
                count.0 += 1
            } else {
                count.1 += 1
            }
            continue;
        }
        rows.push((site.brief(&edit.path), contents(edit, less, more)));
    }
    let several = |count: usize, word: &str| match count {
        0 => None,
        1 => Some(format!("1 {word}")),
        count => Some(format!("{count} {word}s")),
    };
    let in_folders = folders.into_iter().map(|(name, (commands, others))| {
        (name, [several(commands, "command"), several(others, "agent file")].into_iter().flatten().collect())
    });
    rows.into_iter().chain(in_folders).map(|(name, what): (String, Vec<String>)| (name, what.join(", "))).collect()
}

/// The folder that the files of one kind share; each skill has a folder of its own below it.
fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().unwrap_or(path);
    if path.ends_with("SKILL.md") { folder.parent().unwrap_or(folder) } else { folder }
}

fn is_command(site: &Site<'_>, edit: &FileEdit) -> bool {
    let reaches = [Reach::Project, Reach::User].into_iter();
    reaches.flat_map(|reach| files(site, edit.harness, reach)).any(|(_, path)| path == edit.path)
}

/// What a settings file has more in the second text than in the first.
fn contents(edit: &FileEdit, before: &str, after: &str) -> Vec<String> {
    let mut what = Vec::new();
    match edit.shape {
        Some(Shape::Whole) => what.push("a plugin that calls Stead".to_owned()),
        Some(shape) => {
            let lines = |text: &str| our_lines(shape, text).map_or(0, |lines| lines.len());
            let (had, has) = (lines(before), lines(after));
            match has.saturating_sub(had) {
                0 if edit.is_removal => {}
                0 => what.push("hooks brought up to date".to_owned()),
                1 => what.push("1 hook".to_owned()),
                new => what.push(format!("{new} hooks")),
            }
        }
        None if !entries(edit.harness, after).contains(&true) => what.push("a line that names the lessons".to_owned()),
        None => {}
    }
    let new = entries(edit.harness, before).into_iter().zip(entries(edit.harness, after));
    let names = ["the MCP server", "the status line"].into_iter().zip(new);
    what.extend(names.filter(|(_, (had, has))| *has && !had).map(|(name, _)| name.to_owned()));
    if what.is_empty() {
        what.push("lines of Stead".to_owned());
    }
    what
}

/// Whether a text has the MCP server, and the status line.
fn entries(harness: Harness, text: &str) -> [bool; 2] {
    [has_server(harness, text), has_status_line(harness, text)]
}
