//! Programs that carry files to and from somewhere else: stores, clusters, containers and forges.

use stead_model::{Content, How};

use super::program::operands;
use super::walk::Walk;
use super::writer::{has_flag, operands_after, operands_without, option_values};

/// Tells what is read on the way out, and written on the way in.
pub(super) fn note(walk: &mut Walk<'_>, name: &str, argv: &[String], shown: &str) {
    let verbs: Vec<&str> = argv.iter().skip(1).filter(|word| !word.starts_with('-')).map(String::as_str).collect();
    match (name, verbs.as_slice()) {
        ("aws", ["s3", verb @ ("cp" | "sync" | "mv"), ..]) => {
            let flags =
                ["--exclude", "--include", "--profile", "--region", "--acl", "--endpoint-url", "--storage-class"];
            let words = operands_without(argv, "", &flags);
            copy(walk, words.get(2..).unwrap_or_default(), *verb == "sync", argv, shown);
        }
        ("gsutil", [verb @ ("cp" | "mv" | "rsync"), ..]) => {
            copy(walk, operands_after(argv, "hoiXx").get(1..).unwrap_or_default(), *verb == "rsync", argv, shown);
        }
        ("gcloud", ["storage", verb @ ("cp" | "mv" | "rsync"), ..]) => {
            let words = operands_without(argv, "", &["--project"]);
            copy(walk, words.get(2..).unwrap_or_default(), *verb == "rsync", argv, shown);
        }
        ("rclone", [verb @ ("copy" | "copyto" | "sync" | "move"), ..]) => {
            copy(walk, operands(argv).get(1..).unwrap_or_default(), *verb == "sync", argv, shown);
        }
        ("docker" | "podman" | "nerdctl", ["cp", ..]) => {
            copy(walk, operands(argv).get(1..).unwrap_or_default(), true, argv, shown);
        }
        ("docker" | "podman" | "nerdctl", ["container", "cp", ..]) => {
            copy(walk, operands(argv).get(2..).unwrap_or_default(), true, argv, shown);
        }
        ("kubectl" | "oc", _) => cluster(walk, argv, shown),
        ("gh", _) => forge(walk, &verbs, argv, shown),
        _ => {}
    }
}

/// Copies between here and there; what names a place elsewhere is no file of ours.
fn copy(walk: &mut Walk<'_>, words: &[&str], whole: bool, argv: &[String], shown: &str) {
    let elsewhere = |word: &str| word.split_once(':').is_some_and(|(head, _)| !head.is_empty() && !head.contains('/'));
    let Some((target, sources)) = words.split_last().filter(|(_, sources)| !sources.is_empty()) else { return };
    let deep = whole || has_flag(argv, "rR", &["--recursive"]);
    for source in sources.iter().filter(|source| !elsewhere(source)) {
        walk.reads(source, deep, shown);
    }
    if elsewhere(target) || *target == "-" {
        return;
    }
    let folder = target.ends_with('/') || walk.is_folder(target) == Some(true);
    for source in sources {
        let last = source.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
        if deep && (folder || whole) {
            walk.writes_into(target, shown);
        } else if folder && !last.is_empty() {
            let file = format!("{}/{last}", target.trim_end_matches('/'));
            walk.note_write(&super::listing::open(&file), How::Replace, deep, Content::Unknown, shown);
        } else {
            walk.note_write(target, How::Replace, deep, Content::Unknown, shown);
        }
    }
}

/// `kubectl`: files that become secrets, and copies.
fn cluster(walk: &mut Walk<'_>, argv: &[String], shown: &str) {
    let flags = ["--namespace", "--container", "--context", "--kubeconfig", "--retries"];
    let words = operands_without(argv, "nc", &flags);
    if words.first() == Some(&"cp") {
        copy(walk, &words[1..], false, argv, shown);
        return;
    }
    let files = option_values(argv, '\0', "--from-file").into_iter();
    // `--from-file=name=path` names the key first.
    let files: Vec<&str> = files.map(|file| file.split_once('=').map_or(file, |(_, file)| file)).collect();
    let from = option_values(argv, '\0', "--from-env-file");
    files.into_iter().chain(from).for_each(|file| walk.reads(file, false, shown));
}

/// `gh`: what it publishes, and what it downloads.
fn forge(walk: &mut Walk<'_>, verbs: &[&str], argv: &[String], shown: &str) {
    match verbs {
        ["gist", "create", ..] => {
            let words = operands_without(argv, "dfR", &["--desc", "--filename"]);
            words.into_iter().skip(2).for_each(|file| walk.reads(file, false, shown));
        }
        ["gist", "edit", ..] => {
            option_values(argv, 'a', "--add").into_iter().for_each(|file| walk.reads(file, false, shown));
        }
        ["secret" | "variable", "set", ..] => {
            option_values(argv, 'f', "--env-file").into_iter().for_each(|file| walk.reads(file, false, shown));
        }
        ["release", verb @ ("create" | "upload"), ..] => {
            let flags = ["--title", "--notes", "--notes-file", "--target", "--repo", "--discussion-category"];
            let words = operands_without(argv, "tnFR", &flags);
            words.into_iter().skip(3).for_each(|file| {
                walk.reads(file.split('#').next().unwrap_or(file), false, shown);
            });
            if *verb == "create" {
                option_values(argv, 'F', "--notes-file").into_iter().for_each(|file| walk.reads(file, false, shown));
            }
        }
        ["release" | "run", "download", ..] => {
            let files = option_values(argv, 'O', "--output");
            if files.is_empty() {
                walk.writes_into(option_values(argv, 'D', "--dir").last().copied().unwrap_or("."), shown);
            }
            for file in files.into_iter().filter(|file| *file != "-") {
                walk.note_write(file, How::Replace, false, Content::Unknown, shown);
            }
        }
        ["repo", "clone", source, rest @ ..] => {
            let name = source.trim_end_matches(".git").rsplit('/').next().unwrap_or_default();
            walk.writes_into(rest.first().copied().unwrap_or(name), shown);
        }
        ["pr" | "co", "checkout", ..] => walk.gap(shown, "which files it changes is not known"),
        ["pr" | "issue", ..] => {
            option_values(argv, 'F', "--body-file").into_iter().for_each(|file| walk.reads(file, false, shown));
        }
        ["api", ..] => {
            option_values(argv, '\0', "--input").into_iter().for_each(|file| walk.reads(file, false, shown));
            let fields = option_values(argv, 'F', "--field");
            let files = fields.iter().filter_map(|field| field.split_once("=@")).map(|(_, file)| file);
            files.for_each(|file| walk.reads(file, false, shown));
        }
        _ => {}
    }
}
