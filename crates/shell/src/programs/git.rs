//! `git`: its flags, aliases and the commands that it is given to run.

pub(crate) mod pathspec;
pub(crate) mod repository;

use stead_model::{Content, How};

use crate::parse::syntax::mark;
use crate::programs::options::option_values;
use crate::programs::table::{Given, Program, in_one_spelling};
use crate::walk::program::{self, brief};
use crate::walk::{Call, Stop, Walk};

/// Sub-commands that leave the work tree's files alone, or change them only as history says.
const HARMLESS: &[&str] = &[
    "add", "annotate", "blame", "branch", "bundle", "cat-file", "check-attr", "check-ignore", "cherry", "cherry-pick",
    "commit", "config", "count-objects", "describe", "diff", "diff-files", "diff-index", "diff-tree", "fetch",
    "for-each-ref", "format-patch", "fsck", "gc", "grep", "hash-object", "help", "init", "log", "ls-files",
    "ls-remote", "ls-tree", "merge", "merge-base", "name-rev", "notes", "pull", "push", "range-diff", "rebase",
    "reflog", "remote", "reset", "rev-list", "rev-parse", "revert", "shortlog", "show", "show-ref", "status", "switch",
    "symbolic-ref", "tag", "var", "verify-commit", "version", "whatchanged", "write-tree",
];

/// Returns true if a sub-command does nothing to the files of the work tree by itself.
pub(crate) fn leaves_files(verb: &str) -> bool {
    HARMLESS.contains(&verb)
}

/// Finds the sub-command, and the folder `-C` names.
pub(crate) fn split(argv: &[String]) -> (usize, Option<&String>) {
    let (mut at, mut folder) = (1, None);
    while let Some(word) = argv.get(at).filter(|word| word.starts_with('-')) {
        if word == "-C" {
            folder = argv.get(at + 1);
        }
        at += if matches!(word.as_str(), "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace") { 2 } else { 1 };
    }
    (at, folder)
}

/// Follows a `git` call.
pub(crate) fn judge(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let (sub, folder) = split(call.argv);
    // An alias or a filter given on the command line is a command.
    for text in call.argv.iter().take(sub).filter_map(|word| word.split_once("=!").map(|(_, text)| text)) {
        if !text.is_empty() && call.argv[..sub].iter().any(|word| word.contains("core.")) {
            walk.text(text)?;
        }
    }
    commands(walk, &call.argv[..sub.min(call.argv.len())])?;
    let cwds = walk.cwds.clone();
    if let Some(folder) = folder {
        let argv = ["cd".to_owned(), folder.clone()];
        program::judge(walk, &Call { argv: &argv, texts: &[], feed: None, has_file: false })?;
    }
    let result = match call.argv.get(sub) {
        Some(verb) => match alias(walk, &call.argv[..sub], verb) {
            Some(text) => run_alias(walk, &text, &call.argv[sub..], call),
            None => judge_verb(walk, verb, &call.argv[sub..], call),
        },
        None => Ok(()),
    };
    walk.cwds = cwds;
    result
}

/// Settings that git runs as commands, and variables that do the same.
const RUN: &[&str] =
    &["core.editor", "core.pager", "core.sshcommand", "core.fsmonitor", "sequence.editor", "diff.external"];
const RUN_VARIABLES: &[&str] = &[
    "GIT_EDITOR", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_SEQUENCE_EDITOR", "GIT_SSH_COMMAND", "EDITOR", "PAGER",
    "VISUAL",
];

/// Follows the commands that this call gives git to run: editors, pagers and their like.
fn commands(walk: &mut Walk<'_>, flags: &[String]) -> Result<(), Stop> {
    let given = flags.iter().filter_map(|word| word.trim_start_matches("-c").split_once('='));
    let given = given.filter(|(name, _)| {
        let name = name.to_ascii_lowercase();
        RUN.contains(&name.as_str()) || name.starts_with("pager.")
    });
    let mut texts: Vec<String> = given.map(|(_, text)| text.to_owned()).collect();
    texts.extend(RUN_VARIABLES.iter().filter_map(|name| walk.own_value(name)));
    if flags.iter().any(|word| word.to_ascii_lowercase().starts_with("core.hookspath=") && !word.ends_with("/dev/null"))
    {
        walk.gap(&brief(flags), "what its hooks do is not known");
    }
    texts.retain(|text| !text.is_empty() && !text.starts_with('!') && !matches!(text.as_str(), "true" | "false"));
    texts.iter().try_for_each(|text| walk.text(text))
}

/// Finds what a sub-command stands for, given on this command line or set earlier in the command.
fn alias(walk: &Walk<'_>, flags: &[String], verb: &str) -> Option<String> {
    let given = flags.iter().filter_map(|word| word.split_once('=')).find(|(name, _)| {
        let name = name.trim_start_matches("-c").trim_start_matches("--config-env");
        name.strip_prefix("alias.").is_some_and(|name| name.eq_ignore_ascii_case(verb))
    });
    let set = || walk.aliases.iter().rev().find(|(name, _)| name.strip_prefix("git ") == Some(verb));
    given.map(|(_, text)| text.to_owned()).or_else(|| set().map(|(_, text)| text.clone()))
}

fn run_alias(walk: &mut Walk<'_>, text: &str, argv: &[String], call: &Call<'_>) -> Result<(), Stop> {
    let aliases = std::mem::take(&mut walk.aliases);
    let words: Vec<String> = argv[1..].iter().map(|word| program::quoted(word)).collect();
    let result = match text.strip_prefix('!') {
        Some(text) => walk.text(&format!("{text} {}", words.join(" "))),
        None => {
            let mut words = vec!["git".to_owned()];
            words.extend(text.split_whitespace().map(|word| word.trim_matches(['\'', '"']).to_owned()));
            words.extend_from_slice(&argv[1..]);
            walk.runs(&words);
            match words.get(1).cloned() {
                Some(verb) if !verb.starts_with('-') => judge_verb(walk, &verb, &words[1..], call),
                _ => Ok(()),
            }
        }
    };
    walk.aliases = aliases;
    result
}

/// The entry of a sub-command, if it has one.
fn entry(verb: &str) -> Option<Program> {
    Program::of_call("git", &["git".to_owned(), verb.to_owned()])
}

/// The words of a sub-command that are neither options nor their values.
pub(crate) fn words(argv: &[String]) -> Vec<&str> {
    let program = argv.first().and_then(|verb| entry(verb)).or_else(|| Program::of("git"));
    program.map(|program| Given::read(&program, argv).words).unwrap_or_default()
}

fn judge_verb(walk: &mut Walk<'_>, verb: &str, argv: &[String], call: &Call<'_>) -> Result<(), Stop> {
    let shown = format!("git {}", brief(argv));
    let spelled = entry(verb).map(|program| in_one_spelling(&program, argv));
    let argv = spelled.as_deref().unwrap_or(argv);
    for target in
        option_values(argv, '\0', "--output").into_iter().chain(option_values(argv, '\0', "--output-directory"))
    {
        walk.writes(target, How::Replace, Content::Unknown, &shown);
    }
    repository::note(walk, verb, argv, call, &shown);
    match verb {
        "submodule" | "bisect" | "rebase" | "filter-branch" | "difftool" | "mergetool" => {
            if verb == "submodule" {
                walk.cwds = vec![mark::UNKNOWN.to_string()];
            }
            for text in argv.iter().filter(|word| word.contains(char::is_whitespace)) {
                walk.text(text)?;
            }
            let inner = argv.iter().position(|word| word == "foreach" || word == "run");
            match inner {
                Some(at) if argv[at + 1..].iter().all(|word| !word.contains(char::is_whitespace)) => {
                    program::judge(walk, &Call { argv: &argv[at + 1..], ..*call })
                }
                _ => Ok(()),
            }
        }
        "config" => {
            config(walk, argv, &shown);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Settings that are commands: an alias is learned, and what git will run later is named.
fn config(walk: &mut Walk<'_>, argv: &[String], shown: &str) {
    let mut words = words(argv);
    if words.first() == Some(&"set") {
        words.remove(0);
    }
    let [name, text, ..] = words.as_slice() else { return };
    let Some(alias) = name.strip_prefix("alias.") else { return };
    walk.aliases.push((format!("git {alias}"), (*text).to_owned()));
    if let Some(command) = text.strip_prefix('!') {
        walk.gap_with(shown, "git will run it when the alias is used", vec![command.to_owned()]);
    }
}
