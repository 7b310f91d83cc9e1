//! Package managers that install or remove the `stead` program: an effect on the file that they would write or remove.

use std::path::Path;

use stead_model::{Content, How};

use crate::parse::syntax::mark;
use crate::programs::options::option_values;
use crate::walk::Walk;
use crate::walk::program::{Reach, brief};

/// The names under which package managers know Stead.
const PACKAGES: &[&str] = &["stead", "stead-cli"];

/// A package manager: which of its sub-commands install and remove programs.
struct Manager {
    names: &'static [&'static str],
    /// The words of a sub-command, one or more. An option may be one.
    installs: &'static [&'static str],
    removes: &'static [&'static str],
    /// Only with one of these words does it concern programs on PATH.
    global: &'static [&'static str],
}

const MANAGERS: &[Manager] = &[
    Manager { names: &["cargo"], installs: &["install", "binstall"], removes: &["uninstall"], global: &[] },
    Manager {
        names: &["npm", "pnpm", "bun", "cnpm"],
        installs: &["install", "i", "in", "add", "link", "ln", "update", "up"],
        removes: &["uninstall", "un", "unlink", "remove", "rm", "r"],
        global: &["-g", "--global", "--location=global", "link", "ln", "unlink"],
    },
    Manager { names: &["yarn"], installs: &["global add"], removes: &["global remove"], global: &[] },
    Manager {
        names: &[
            "brew", "port", "scoop", "choco", "winget", "snap", "flatpak", "nix-env", "apk", "zypper", "dnf", "yum",
        ],
        installs: &["install", "reinstall", "upgrade", "update", "add", "link", "unpin", "downgrade", "-i", "-u"],
        removes: &["uninstall", "remove", "rm", "unlink", "del", "erase", "-e", "--uninstall"],
        global: &[],
    },
    Manager {
        names: &["apt", "apt-get", "aptitude", "nala"],
        installs: &["install", "reinstall", "upgrade"],
        removes: &["remove", "purge", "autoremove", "autopurge"],
        global: &[],
    },
    Manager {
        names: &["dpkg", "rpm"],
        installs: &["-i", "-U", "-F"],
        removes: &["-r", "-P", "-e", "--remove", "--purge", "--erase"],
        global: &[],
    },
    Manager {
        names: &["pacman", "yay", "paru"],
        installs: &["-S", "-U", "-Sy"],
        removes: &["-R", "-Rs", "-Rns", "-Rn", "--remove"],
        global: &[],
    },
    Manager {
        names: &["pip", "pip3", "pipx", "gem"],
        installs: &["install", "upgrade", "reinstall"],
        removes: &["uninstall"],
        global: &[],
    },
    Manager {
        names: &["uv", "mise", "asdf", "rtx", "nix"],
        installs: &["tool install", "tool upgrade", "install", "use", "profile install", "profile add", "global"],
        removes: &["tool uninstall", "uninstall", "unuse", "remove", "rm", "profile remove"],
        global: &[],
    },
];

/// A path of the program that is protected wherever it is installed.
pub(crate) fn installed(walk: &Walk<'_>) -> String {
    walk.home().unwrap_or(Path::new("/")).join(".cargo/bin/stead").to_string_lossy().into_owned()
}

/// Reports that a package manager writes or removes the program.
pub(crate) fn judge(walk: &mut Walk<'_>, name: &str, argv: &[String]) {
    let Some(manager) = MANAGERS.iter().find(|manager| manager.names.contains(&name)) else { return };
    if argv.iter().any(|word| matches!(word.as_str(), "--dry-run" | "--help" | "-h" | "--list" | "--simulate")) {
        return;
    }
    let is_global = manager.global.is_empty() || argv.iter().any(|word| manager.global.contains(&word.as_str()));
    let removes = begins(argv, manager.removes);
    if !is_global || !removes && !begins(argv, manager.installs) {
        return;
    }
    let shown = brief(argv);
    let names = argv.iter().skip(1).any(|word| is_package(word)) || name == "cargo" && !removes && builds(walk, argv);
    if names && removes {
        walk.removes(&installed(walk), Reach::Flat, &shown);
    } else if names {
        let root = option_values(argv, '\0', "--root").last().map(|root| format!("{root}/bin/stead"));
        walk.writes(&root.unwrap_or_else(|| installed(walk)), How::Replace, Content::Unknown, &shown);
    }
}

/// Returns true if a sub-command is among the first words. Options and what may be their values are between.
fn begins(argv: &[String], verbs: &[&str]) -> bool {
    verbs.iter().any(|verb| {
        let mut wanted = verb.split(' ').peekable();
        let mut after_option = false;
        for word in argv.iter().skip(1) {
            let is_option = word.starts_with(['-', '+']);
            if wanted.peek() == Some(&word.as_str()) {
                wanted.next();
            } else if !is_option && !after_option {
                return wanted.peek().is_none();
            }
            if wanted.peek().is_none() {
                return true;
            }
            after_option = is_option && !word.contains('=');
        }
        false
    })
}

/// Returns true if a word names Stead's package: with a version, an owner, an address or a file.
fn is_package(word: &str) -> bool {
    if word.starts_with('-') || word.contains(mark::is_mark) {
        return false;
    }
    let word = word.trim_end_matches('/').trim_end_matches(".git");
    let last = word.rsplit(['/', ':', '#']).next().unwrap_or(word);
    let bare = last.split(['@', '=', '<', '>', '~', '[']).next().unwrap_or(last);
    PACKAGES.contains(&bare) || bare.starts_with("stead_") || bare.starts_with("stead-") && word.contains(['/', '.'])
}

/// Returns true if cargo would install what is built from a folder or repository that is Stead's.
fn builds(walk: &Walk<'_>, argv: &[String]) -> bool {
    let option = |name: &str| option_values(argv, '\0', name);
    if option("--git").iter().chain(&option("--bin")).any(|value| is_package(value)) {
        return true;
    }
    let folders = option("--path");
    let manifests = folders.iter().map(|folder| format!("{folder}/Cargo.toml"));
    let texts =
        manifests.flat_map(|manifest| walk.paths(&manifest)).flatten().filter_map(|path| walk.facts.read(&path));
    texts.into_iter().any(|text| PACKAGES.iter().any(|name| text.contains(&format!("\"{name}\""))))
}
