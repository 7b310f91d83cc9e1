//! What git does to the repository and its work tree, for the action record.

use stead_model::{Access, Content, GitKind, How};

use crate::parse::syntax::mark;
use crate::programs::git::pathspec;
use crate::programs::git::pathspec::is_all;
use crate::programs::options::{has_flag, option_values};
use crate::programs::{git, patch};
use crate::walk::program::Reach;
use crate::walk::{Call, Walk};
use crate::walk::{listing, omission};

/// Reports what a sub-command does beyond reading.
pub(crate) fn note(walk: &mut Walk<'_>, verb: &str, argv: &[String], call: &Call<'_>, shown: &str) {
    if argv.iter().take_while(|word| *word != "--").any(|word| matches!(word.as_str(), "--help" | "-h" | "--dry-run")) {
        return;
    }
    let words = git::words(argv);
    let first = words.first().copied();
    let kind = match verb {
        "add" | "stage" => {
            stage(walk, argv, &words, shown);
            GitKind::Other
        }
        "gc" | "fetch" | "init" => GitKind::Other,
        "pull" | "merge" | "bisect" | "submodule" | "lfs" => {
            unforeseen(walk, first, shown);
            GitKind::Other
        }
        "clone" => {
            let name = words.first().map(|url| url.trim_end_matches('/').trim_end_matches(".git"));
            let name = name.and_then(|url| url.rsplit(['/', ':']).next());
            if let Some(folder) = words.get(1).copied().or(name) {
                walk.writes_into(folder, shown);
                let source = words.first().copied().unwrap_or_default();
                let source = source.strip_prefix("file://").unwrap_or(source);
                let source = if source == ".git" { "." } else { source.strip_suffix("/.git").unwrap_or(source) };
                walk.copies_tree(source, folder);
            }
            GitKind::Other
        }
        "commit" => {
            stage(walk, argv, &words, shown);
            GitKind::Commit
        }
        "cherry-pick" | "revert" => {
            unforeseen(walk, first, shown);
            GitKind::Commit
        }
        "am" | "apply" => {
            if !patch::git(walk, argv, call, shown) {
                return;
            }
            if verb == "am" { GitKind::Commit } else { GitKind::Paths }
        }
        "push" if has_flag(argv, "n", &[]) => return,
        "push" => push(argv, &words),
        "reset" => {
            let kind = reset(argv);
            if kind == GitKind::WholeTree {
                put_back(walk, Width::Repository, shown);
            } else if has_flag(argv, "", &["--keep"]) {
                unforeseen(walk, None, shown);
            }
            kind
        }
        "clean" => return clean(walk, argv, call, shown),
        "stash" => return stash(walk, argv, shown),
        "checkout" | "switch" | "restore" | "checkout-index" => return restore(walk, verb, argv, shown),
        "rm" | "mv" => return take(walk, verb, argv, shown),
        "worktree" => match first {
            // Without force git removes no tree with work in it.
            Some("remove") => {
                let forced = has_flag(argv, "f", &["--force"]);
                for word in words.iter().skip(1) {
                    if forced || walk.is_wide(word) {
                        walk.removes(word, Reach::Deep, shown);
                    }
                }
                if forced { GitKind::WholeTree } else { GitKind::Refs }
            }
            Some("add") => {
                if let Some(folder) = words.get(1) {
                    walk.writes_into(folder, shown);
                    walk.makes_tree(folder);
                }
                GitKind::Other
            }
            Some("move" | "prune" | "lock" | "unlock" | "repair") => GitKind::Refs,
            _ => return,
        },
        // A branch that is set elsewhere, or a name that is deleted whatever it holds, may have been all that held some work.
        "branch" if has_flag(argv, "f", &["--force"]) && !has_flag(argv, "dmc", &["--delete", "--move", "--copy"]) => {
            GitKind::WholeTree
        }
        "update-ref" if has_flag(argv, "d", &["--delete"]) => GitKind::WholeTree,
        "branch" if has_flag(argv, "dDmM", &["--delete", "--move", "--force"]) => GitKind::Refs,
        "tag" if has_flag(argv, "df", &["--delete", "--force"]) => GitKind::Refs,
        "branch" | "tag" if first.is_some() && !has_flag(argv, "lrav", &["--list", "--contains", "--merged"]) => {
            GitKind::Other
        }
        "rebase" => {
            unforeseen(walk, first, shown);
            GitKind::Refs
        }
        "update-ref" | "symbolic-ref" | "replace" => GitKind::Refs,
        "reflog" if matches!(first, Some("expire" | "delete")) => GitKind::Refs,
        "filter-branch" | "filter-repo" => {
            unforeseen(walk, None, shown);
            GitKind::WholeTree
        }
        "read-tree" if has_flag(argv, "um", &["--reset"]) => {
            put_back(walk, Width::Repository, shown);
            GitKind::WholeTree
        }
        "config" => match config(argv) {
            true => GitKind::Config,
            false => return,
        },
        "remote" if matches!(first, Some("add" | "remove" | "rm" | "rename" | "set-url" | "set-head")) => {
            GitKind::Config
        }
        "notes" if first.is_some_and(|verb| !matches!(verb, "show" | "list")) => GitKind::Refs,
        "sparse-checkout" if first != Some("list") => {
            unforeseen(walk, None, shown);
            GitKind::WholeTree
        }
        "show" | "cat-file" | "grep" | "diff" | "log" | "blame" | "annotate" | "whatchanged" => {
            return look(walk, verb, argv, shown);
        }
        "hash-object" => {
            words.iter().for_each(|word| walk.accesses(word, false, Access::Taken, shown));
            match has_flag(argv, "w", &[]) {
                true => GitKind::Other,
                false => return,
            }
        }
        "archive" | "bundle" => {
            let files = option_values(argv, 'o', "--output")
                .into_iter()
                .chain(words.get(1).copied().filter(|_| verb == "bundle"));
            files.for_each(|file| walk.note_write(file, How::Replace, false, Content::Unknown, shown));
            return;
        }
        verb if git::leaves_files(verb) => return,
        _ => return walk.gap(shown, "what the sub-command does is not known"),
    };
    walk.does_git(verb, kind, shown);
}

/// Files that are named go into the repository as they are. Of a folder, git takes what it does not ignore, which is not
/// known here.
fn stage(walk: &mut Walk<'_>, argv: &[String], words: &[&str], shown: &str) {
    if has_flag(argv, "", &["--dry-run"])
        || argv.first().is_some_and(|verb| verb != "commit") && has_flag(argv, "n", &[])
    {
        return;
    }
    for word in words.iter().filter(|word| !is_all(word) && !word.starts_with(':')) {
        if walk.is_folder(word) != Some(true) {
            walk.accesses(word, false, Access::Taken, shown);
        }
    }
}

/// Deleting a branch overwrites nothing.
fn push(argv: &[String], words: &[&str]) -> GitKind {
    let refspecs = words.iter().skip(1).any(|word| word.starts_with('+'));
    let flags = ["--force", "--force-with-lease", "--mirror", "--prune"];
    if refspecs || has_flag(argv, "f", &flags) { GitKind::ForcePush } else { GitKind::Push }
}

fn reset(argv: &[String]) -> GitKind {
    if has_flag(argv, "", &["--hard", "--merge"]) {
        GitKind::WholeTree
    } else if has_flag(argv, "", &["--soft", "--keep", "--mixed"]) {
        GitKind::Refs
    } else {
        GitKind::Other
    }
}

fn clean(walk: &mut Walk<'_>, argv: &[String], call: &Call<'_>, shown: &str) {
    let forced = has_flag(argv, "fi", &["--force", "--interactive"]);
    if has_flag(argv, "n", &["--dry-run"]) || !forced && needs_force(walk, call) {
        return;
    }
    let words = git::words(argv);
    let meant = pathspec::read(walk, &words);
    let mut except: Vec<String> = meant.except.clone();
    for pattern in option_values(argv, 'e', "--exclude") {
        except.extend(walk.left_out(&omission::ignored(pattern, ".")));
    }
    walk.leaving_out(except.clone(), |walk| {
        if meant.all {
            walk.removes(".", Reach::Deep, shown);
        }
        meant.paths.iter().for_each(|(path, _)| walk.removes(path, Reach::Deep, shown));
    });
    if !words.is_empty() {
        return walk.does_git("clean", if meant.all { GitKind::WholeTree } else { GitKind::Paths }, shown);
    }
    let ignored = has_flag(argv, "xX", &[]);
    walk.leaving_out(except, |walk| walk.takes_untracked("clean", GitKind::WholeTree, ".", ignored, shown));
}

/// Without force git deletes nothing, unless a setting allows it.
fn needs_force(walk: &mut Walk<'_>, call: &Call<'_>) -> bool {
    let setting = |text: &str| text.to_ascii_lowercase().contains("requireforce");
    let root = pathspec::root(walk).unwrap_or_else(|| ".".to_owned());
    !call.argv.iter().any(|word| setting(word))
        && !walk.file_text(&format!("{root}/.git/config")).is_some_and(|text| setting(&text))
}

fn stash(walk: &mut Walk<'_>, argv: &[String], shown: &str) {
    let words = git::words(argv);
    let verb = words.first().copied().filter(|word| !word.contains('/')).unwrap_or("push");
    let paths: Vec<&str> = match argv.iter().position(|word| word == "--") {
        Some(at) => argv[at + 1..].iter().map(String::as_str).collect(),
        None if verb == "push" => words.iter().skip(1).copied().collect(),
        None => Vec::new(),
    };
    let kind = match verb {
        // With a patch they show what was put aside, as a log does.
        "list" | "show" => return show_paths(walk, "log", argv, shown),
        // What was put aside is work, too.
        "drop" | "clear" => {
            walk.does_git("stash", GitKind::WholeTree, shown);
            return;
        }
        "push" | "save" if !paths.is_empty() && !paths.iter().any(|word| is_all(word)) => {
            let meant = pathspec::read(walk, &paths);
            walk.leaving_out(meant.except, |walk| {
                let here = meant.all.then(|| (".".to_owned(), true));
                for (path, _) in meant.paths.iter().chain(&here) {
                    walk.note_write(path, How::Replace, true, Content::Unknown, shown);
                }
            });
            GitKind::Paths
        }
        "push" | "save" if has_flag(argv, "ua", &["--include-untracked", "--all"]) => {
            unforeseen(walk, None, shown);
            let root = pathspec::root(walk).unwrap_or_else(|| ".".to_owned());
            let ignored = has_flag(argv, "a", &["--all"]);
            return walk.takes_untracked("stash", GitKind::WholeTree, &root, ignored, shown);
        }
        _ => {
            unforeseen(walk, None, shown);
            GitKind::Other
        }
    };
    walk.does_git("stash", kind, shown);
}

/// `checkout`, `switch`, `restore`: files put back, or another branch taken.
fn restore(walk: &mut Walk<'_>, verb: &str, argv: &[String], shown: &str) {
    let split = argv.iter().position(|word| word == "--");
    let words = git::words(argv);
    if verb == "restore" && has_flag(argv, "S", &["--staged"]) && !has_flag(argv, "W", &["--worktree"]) {
        return;
    }
    let paths: Vec<&str> = match (verb, split) {
        ("switch", _) => Vec::new(),
        (_, Some(at)) => argv[at + 1..].iter().map(String::as_str).collect(),
        ("restore", None) => words,
        // `git checkout main src` names a commit first; a single word is a branch, unless it can only be a path.
        ("checkout", None) if words.len() > 1 && !has_flag(argv, "bB", &["--orphan"]) => words[1..].to_vec(),
        ("checkout", None) => {
            words.into_iter().filter(|word| word.contains(['*', ':']) || is_all(word) || is_path(walk, word)).collect()
        }
        _ => vec!["."],
    };
    if paths.is_empty() {
        let forced = has_flag(argv, "f", &["--force", "--discard-changes"]);
        let creates = has_flag(argv, "bBcC", &["--orphan", "--create", "--force-create"]);
        if forced {
            put_back(walk, Width::Repository, shown);
        } else if !creates || git::words(argv).len() > 1 {
            unforeseen(walk, None, shown);
        }
        walk.does_git(verb, if forced { GitKind::WholeTree } else { GitKind::Other }, shown);
        return;
    }
    let meant = pathspec::read(walk, &paths);
    if meant.all {
        let width = if meant.top { Width::Repository } else { Width::Here };
        walk.leaving_out(meant.except, |walk| put_back(walk, width, shown));
        walk.does_git(verb, GitKind::WholeTree, shown);
        return;
    }
    walk.leaving_out(meant.except, |walk| {
        for (path, tree) in &meant.paths {
            walk.note_write(path, How::Replace, *tree, Content::Unknown, shown);
        }
    });
    walk.does_git(verb, GitKind::Paths, shown);
}

/// `rm` and `mv`.
fn take(walk: &mut Walk<'_>, verb: &str, argv: &[String], shown: &str) {
    if has_flag(argv, "n", &["--cached", "--dry-run"]) {
        return;
    }
    let mut words = git::words(argv);
    if verb == "mv" {
        let Some(target) = words.pop() else { return };
        let into = words.len() > 1 || target.ends_with('/') || walk.is_folder(target) == Some(true);
        for word in words {
            let last = word.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            let to = if into { format!("{}/{last}", target.trim_end_matches('/')) } else { target.to_owned() };
            walk.note_move(word, &to, shown);
        }
    } else {
        let reach = if has_flag(argv, "r", &[]) { Reach::Deep } else { Reach::Flat };
        let meant = pathspec::read(walk, &words);
        walk.leaving_out(meant.except, |walk| {
            if meant.all {
                walk.removes(".", Reach::Deep, shown);
            }
            meant.paths.iter().for_each(|(path, tree)| {
                // A pattern means the files below, too, whatever the flags say.
                let reach = if *tree && path.contains(mark::MANY) { Reach::Deep } else { reach };
                walk.removes(path, reach, shown);
            });
        });
    }
    walk.does_git(verb, GitKind::Paths, shown);
}

/// Returns true if a call of `git config` sets something.
fn config(argv: &[String]) -> bool {
    let words = git::words(argv);
    let asks = ["--get", "--get-all", "--list", "-l", "--get-regexp", "--show-origin", "--get-urlmatch"];
    if argv.iter().any(|word| asks.contains(&word.as_str())) || matches!(words.first(), Some(&("get" | "list"))) {
        return false;
    }
    let sets =
        ["--unset", "--unset-all", "--add", "--replace-all", "--edit", "-e", "--remove-section", "--rename-section"];
    words.len() > 1 || argv.iter().any(|word| sets.contains(&word.as_str()))
}

/// Files whose text is shown by name: as they are, or as they were.
fn look(walk: &mut Walk<'_>, verb: &str, argv: &[String], shown: &str) {
    let words = git::words(argv);
    match verb {
        "grep" => {
            let paths: Vec<&str> = match argv.iter().position(|word| word == "--") {
                Some(at) => argv[at + 1..].iter().map(String::as_str).collect(),
                None => words.into_iter().skip(1).filter(|word| is_path(walk, word) || word.starts_with('.')).collect(),
            };
            for path in paths {
                walk.reads(&listing::open(path), true, shown);
            }
        }
        "diff" if argv.iter().any(|word| word == "--no-index") => {
            words.iter().for_each(|word| walk.reads(word, true, shown));
        }
        "diff" | "log" | "blame" | "annotate" | "whatchanged" => show_paths(walk, verb, argv, shown),
        _ => {
            if verb == "show" {
                show_paths(walk, verb, argv, shown);
            }
            let root = walk.root().map(|root| root.to_string_lossy().into_owned());
            for path in words.iter().filter_map(|word| word.split_once(':')).map(|(_, path)| path) {
                let here = path.starts_with("./") || path.starts_with("../") || path.starts_with('/');
                let from_root = root.as_ref().filter(|_| !here && !path.is_empty());
                let path = from_root.map_or(path.to_owned(), |root| format!("{root}/{path}"));
                walk.reads(&path, false, shown);
            }
        }
    }
}

/// The paths whose text a diff, a log or a blame shows. Who names none, or all there is, looks at the change as such.
fn show_paths(walk: &mut Walk<'_>, verb: &str, argv: &[String], shown: &str) {
    let short =
        ["--stat", "--name-only", "--name-status", "--shortstat", "--numstat", "--summary", "--quiet", "--no-patch"];
    if has_flag(argv, "", &short) {
        return;
    }
    let patches = has_flag(argv, "pu", &["--patch"]) || argv.iter().any(|word| word.starts_with("-L"));
    if matches!(verb, "log" | "whatchanged") && !patches {
        return;
    }
    let named: Vec<&str> = match argv.iter().position(|word| word == "--") {
        Some(at) => argv[at + 1..].iter().map(String::as_str).collect(),
        None => {
            let words = git::words(argv).into_iter();
            words.filter(|word| !word.contains("..") && !word.contains(':') && is_path(walk, word)).collect()
        }
    };
    let ranges = option_values(argv, 'L', "\0").into_iter().filter_map(|range| range.rsplit_once(':'));
    let ranges: Vec<&str> = ranges.map(|(_, path)| path).filter(|_| verb == "log").collect();
    let meant = pathspec::read(walk, &named);
    for (path, tree) in meant.paths {
        walk.reads(&path, tree, shown);
    }
    ranges.into_iter().for_each(|path| walk.reads(path, false, shown));
}

/// How far a command that names no file reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// The folder it runs in.
    Here,
    /// All of the work tree.
    Repository,
}

/// Every file of the tree may get another text, and those that differ will.
fn put_back(walk: &mut Walk<'_>, width: Width, shown: &str) {
    let root = if width == Width::Repository { pathspec::root(walk) } else { None };
    let folder = root.unwrap_or_else(|| ".".to_owned());
    walk.note_write(&folder, How::Replace, true, Content::Unknown, shown);
}

/// Files change as history says; which ones cannot be seen from here.
fn unforeseen(walk: &mut Walk<'_>, verb: Option<&str>, shown: &str) {
    if !matches!(verb, Some("log" | "status" | "list" | "ls-files" | "track" | "view" | "env")) {
        walk.gap(shown, "which files it changes is not known");
    }
}

/// A word that names a file that is there, or ends like one.
fn is_path(walk: &Walk<'_>, word: &str) -> bool {
    let ending = word.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
    walk.is_folder(word) == Some(true)
        || ending
            .is_some_and(|ending| (1..5).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphabetic()))
}
