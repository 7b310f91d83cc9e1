//! Package managers: the manifests and lock files that they rewrite.

use stead_model::{Content, How};

use super::program::brief;
use super::syntax::mark;
use super::walk::Walk;
use super::writer::{operands_without, option_values};

/// A program that keeps a manifest.
struct Manager {
    name: &'static str,
    manifest: &'static str,
    locks: &'static [&'static str],
    /// Verbs that rewrite both.
    edits: &'static [&'static str],
    /// Verbs that do so only if they are given a name; without one they install what the manifest says.
    adds: &'static [&'static str],
    /// Verbs that rewrite the lock file alone.
    locking: &'static [&'static str],
    /// Flags that name the folder to work in.
    folders: &'static [&'static str],
}

const NPM: Manager = Manager {
    name: "npm",
    manifest: "package.json",
    locks: &["package-lock.json"],
    edits: &["init"],
    adds: &["install", "i", "in", "add", "uninstall", "remove", "rm", "un", "r", "unlink", "version"],
    locking: &["update", "up", "upgrade", "dedupe", "shrinkwrap"],
    folders: &["--prefix", "-C"],
};

/// Sorted by name.
const MANAGERS: &[Manager] = &[
    Manager {
        name: "bun",
        locks: &["bun.lock", "bun.lockb"],
        adds: &["add", "a", "install", "i", "remove", "rm"],
        locking: &["update"],
        folders: &["--cwd"],
        ..NPM
    },
    Manager {
        name: "bundle",
        manifest: "Gemfile",
        locks: &["Gemfile.lock"],
        edits: &["init"],
        adds: &["add", "remove"],
        locking: &["update", "lock"],
        folders: &[],
    },
    Manager {
        name: "cargo",
        manifest: "Cargo.toml",
        locks: &["Cargo.lock"],
        edits: &["upgrade", "set-version", "init"],
        adds: &["add", "remove", "rm"],
        locking: &["update", "generate-lockfile"],
        folders: &["-C"],
    },
    Manager {
        name: "composer",
        manifest: "composer.json",
        locks: &["composer.lock"],
        edits: &["init", "bump"],
        adds: &["require", "req", "remove", "rm"],
        locking: &["update", "upgrade"],
        folders: &["-d", "--working-dir"],
    },
    Manager {
        name: "deno",
        manifest: "deno.json",
        locks: &["deno.lock"],
        edits: &["init"],
        adds: &["add", "remove"],
        locking: &[],
        folders: &[],
    },
    Manager {
        name: "go",
        manifest: "go.mod",
        locks: &["go.sum"],
        edits: &[],
        adds: &["get"],
        locking: &[],
        folders: &["-C"],
    },
    NPM,
    Manager { name: "pdm", locks: &["pdm.lock"], folders: &["-p", "--project"], adds: &["add", "remove"], ..POETRY },
    Manager {
        name: "pipenv",
        manifest: "Pipfile",
        locks: &["Pipfile.lock"],
        edits: &["upgrade"],
        adds: &["install", "uninstall"],
        locking: &["lock", "update"],
        folders: &[],
    },
    Manager {
        name: "pnpm",
        locks: &["pnpm-lock.yaml"],
        adds: &["add", "install", "i", "remove", "rm", "uninstall", "un", "version"],
        folders: &["-C", "--dir", "--prefix"],
        ..NPM
    },
    POETRY,
    Manager { name: "uv", locks: &["uv.lock"], folders: &["--project", "--directory"], ..POETRY },
    Manager {
        name: "yarn",
        locks: &["yarn.lock"],
        adds: &["add", "remove", "version"],
        edits: &["init", "up"],
        locking: &["upgrade", "dedupe"],
        folders: &["--cwd"],
        ..NPM
    },
];

const POETRY: Manager = Manager {
    name: "poetry",
    manifest: "pyproject.toml",
    locks: &["poetry.lock"],
    edits: &["init"],
    adds: &["add", "remove", "version"],
    locking: &["lock", "update"],
    folders: &["-C", "--directory", "-P", "--project"],
};

/// Other flags that take a value.
const VALUED: &[&str] = &[
    "--cache",
    "--features",
    "--group",
    "--include",
    "--index-url",
    "--install-strategy",
    "--jobs",
    "--loglevel",
    "--manifest-path",
    "--omit",
    "--package",
    "--path",
    "--python",
    "--registry",
    "--rename",
    "--tag",
    "--target",
    "--userconfig",
    "--workspace",
];

/// Tells which manifests a package manager rewrites.
pub(super) fn note(walk: &mut Walk<'_>, name: &str, argv: &[String]) {
    if walk.report.is_none() {
        return;
    }
    let Ok(at) = MANAGERS.binary_search_by(|known| known.name.cmp(name)) else { return };
    let manager = &MANAGERS[at];
    let global = |word: &String| matches!(word.as_str(), "-g" | "--global" | "--no-save" | "--dry-run" | "--help");
    if argv.iter().any(global) {
        return;
    }
    let long: Vec<&str> = VALUED.iter().chain(manager.folders).copied().collect();
    let words = operands_without(argv, "wCdpPF", &long);
    let words: Vec<&str> = words.into_iter().filter(|word| !word.starts_with('+')).collect();
    let Some((verb, rest)) = words.split_first() else { return };
    let (manifest, lock) = match (name, *verb, rest.first().copied()) {
        ("npm" | "pnpm" | "bun", "pkg", Some("set" | "delete" | "fix")) => (true, false),
        ("npm" | "pnpm", "audit", Some("fix")) => (true, true),
        ("go", "mod", Some("tidy" | "init" | "vendor")) => (true, true),
        ("go", "mod", Some("edit")) => (!argv.iter().any(|word| word == "-json" || word == "-print"), false),
        ("go", "mod", Some("download")) => (false, true),
        (_, verb, _) if manager.edits.contains(&verb) => (true, true),
        (_, verb, Some(_)) if manager.adds.contains(&verb) => (true, true),
        (_, verb, _) if manager.locking.contains(&verb) => (false, true),
        _ => return,
    };
    let shown = brief(argv);
    for folder in folders(manager, name, argv, manifest) {
        let head = if folder == "." { String::new() } else { format!("{}/", folder.trim_end_matches('/')) };
        let files = std::iter::once(manager.manifest).filter(|_| manifest);
        for file in files.chain(manager.locks.iter().copied().filter(|_| lock)) {
            walk.note_write(&format!("{head}{file}"), How::Edit, false, Content::Unknown, &shown);
        }
    }
}

/// The folders whose manifest is meant. Which one belongs to a package of a workspace only the workspace says.
fn folders(manager: &Manager, name: &str, argv: &[String], manifest: bool) -> Vec<String> {
    let mut folders: Vec<String> = Vec::new();
    for flag in manager.folders {
        let short = flag.chars().nth(1).filter(|_| flag.len() == 2);
        let long = if short.is_some() { "\0" } else { *flag };
        folders.extend(option_values(argv, short.unwrap_or('\0'), long).iter().map(|&folder| folder.to_owned()));
    }
    let files = option_values(argv, '\0', "--manifest-path").into_iter().filter(|_| name == "cargo");
    folders.extend(files.map(|file| file.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned()));
    if folders.is_empty() {
        folders.push(".".to_owned());
    }
    let member = argv.iter().any(|word| {
        let flag = word.split_once('=').map_or(word.as_str(), |(flag, _)| flag);
        matches!((name, flag), ("cargo", "-p" | "--package") | ("npm", "-w" | "--workspace"))
            || matches!((name, flag), ("pnpm", "--filter" | "-F") | ("uv", "--package"))
    });
    if member && manifest {
        folders.push(format!("{0}{0}", mark::MANY));
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_searched() {
        assert!(MANAGERS.is_sorted_by_key(|known| known.name));
    }
}
