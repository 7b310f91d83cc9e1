//! Copies between this machine and others: uploads read, downloads write.

use stead_model::{Access, Content, How};

use crate::parse::syntax::mark;
use crate::walk::Walk;
use crate::walk::names::Means;
use crate::walk::omission::ignored;
use crate::walk::program::Reach;

use crate::programs::table::effect::Read;

/// Returns true if a word names a place on another machine, in a container or in a store.
pub(crate) fn is_remote(word: &str) -> bool {
    word.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}

/// Reports what goes where.
pub(crate) fn note(walk: &mut Walk<'_>, read: &Read<'_>) {
    let Some((&target, sources)) = read.words.split_last().filter(|(_, sources)| !sources.is_empty()) else {
        return;
    };
    let elsewhere = |word: &str| read.program.is("remote") && is_remote(word);
    for source in sources.iter().filter(|source| !elsewhere(source)) {
        let except = omitted(walk, read, source);
        walk.leaving_out(except, |walk| walk.accesses(source, read.deep, Access::Taken, &read.shown));
        if read.given.has("delete-source") && read.changes {
            read.remove(walk, source, Reach::Deep);
        }
    }
    if elsewhere(target) || target == "-" || !read.changes {
        return;
    }
    for source in sources {
        placed(walk, read, source, target, sources.len() > 1);
    }
    if read.given.has("delete-target") || read.program.is("mirrors") {
        let except = omitted(walk, read, target);
        walk.leaving_out(except, |walk| walk.removes(target, Reach::Deep, &read.shown));
    }
}

/// Reports where one source goes.
fn placed(walk: &mut Walk<'_>, read: &Read<'_>, source: &str, target: &str, many: bool) {
    let last = source.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
    let into = many || target.ends_with('/') || matches!(target, "." | "..") || walk.is_folder(target) == Some(true);
    let inside = format!("{}/{last}", target.trim_end_matches('/'));
    let to = if into && !last.is_empty() { inside.as_str() } else { target };
    let local = !is_remote(source);
    if local {
        walk.name(to, source, Means::Copy, false);
    }
    if !read.deep {
        let text = if local { walk.file_text(source) } else { None };
        let content = text.map_or(Content::Unknown, Content::Text);
        walk.note_write(&crate::walk::listing::open(to), How::Replace, false, content, &read.shown);
        return;
    }
    // The content of a folder or a bucket goes into the target itself.
    let contents = source.ends_with(['/', mark::MANY]) || source.ends_with("/.") || source.contains("://");
    let to = if contents || read.program.is("tree") { target } else { to };
    let except = omitted(walk, read, target);
    walk.leaving_out(except, |walk| walk.writes_into(to, &read.shown));
    if local {
        walk.copies_tree(source, to);
    }
}

/// What a copy excludes below a folder. A pattern with more than one name in it may be counted from elsewhere.
fn omitted(walk: &Walk<'_>, read: &Read<'_>, folder: &str) -> Vec<String> {
    // What is taken back comes first in its list.
    if read.given.has("include") {
        return Vec::new();
    }
    let patterns = read.given.values("except");
    let patterns = patterns.filter(|pattern| pattern.starts_with('/') || !pattern.trim_end_matches('/').contains('/'));
    patterns.filter_map(|pattern| walk.left_out(&ignored(pattern, folder))).collect()
}
