//! A project in memory, and effects in one line each.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use stead_model::{Access, Action, Effects, GitKind, How, Op, Target, ToolCall};
use stead_shell::{Facts, Place, effects};

pub(crate) const ROOT: &str = "/home/ann/proj";
const HOME: &str = "/home/ann";

/// Files of the project, with their text.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("clean.sh", "#!/bin/bash\nset -e\nrm -rf infra/old\necho done > status.txt\n"),
    ("bin/here.sh", "#!/bin/bash\ncd \"$(dirname \"$0\")/..\"\nrm -rf infra/old\n"),
    ("tool.py", "import os, sys\nos.remove('infra/main.tf')\n"),
    ("args.sh", "rm \"$1\"\n"),
    ("bin/deploy", "#!/usr/bin/env python3\nopen('infra/out.tf','w').write('x')\n"),
    ("loop.sh", "sh loop.sh\n"),
    ("fix.patch", "--- a/infra/main.tf\n+++ b/infra/main.tf\n@@ -1 +1 @@\n-a\n+b\n"),
    ("list.txt", "infra/a.tf\ninfra/b.tf\n"),
    ("vars.sh", "DIR=infra\nexport NAME=main.tf\n"),
    (
        "src/package.json",
        r#"{"scripts": {"fix": "sed -i s/a/b/ ../infra/main.tf", "prefix": "rm ../infra/old.tf", "show": "cat x", "put": "touch"}}"#,
    ),
    (
        "src/Makefile",
        "DIR := ../infra\n.PHONY: all fix\nall: show\nfix: clean\n\t@sed -i s/a/b/ $(DIR)/main.tf\n\
        clean:\n\trm -rf $(DIR)/old $(UNKNOWN)\nshow:\n\tcat $(DIR)/main.tf # fix: x\n",
    ),
    ("new.json", "{\"a\":1}\n"),
    ("tools/x.py", "import os\nos.remove('infra/main.tf')\n"),
    ("tools/run.py", "from helper import go\ngo()\n"),
    ("tools/helper.py", "def go():\n    open('infra/main.tf', 'w')\n"),
    ("tools/run.js", "const step = require('./step')\nstep.go()\n"),
    ("tools/step.js", "exports.go = () => require('fs').rmSync('infra/main.tf')\n"),
    ("tools/beside.py", "from pathlib import Path\n(Path(__file__).parent / 'out.txt').write_text('x')\n"),
    ("arg.js", "require('fs').unlinkSync(process.argv[2])\n"),
    ("m.sh", "action=\"${1:-plan}\"\nterraform \"$action\"\n"),
    ("deploy/run.sh", "HERE=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\nsource \"$HERE/lib.sh\"\nup\n"),
    ("deploy/lib.sh", "up() { terraform apply; }\n"),
    ("opts.sh", "while getopts f:v o; do case $o in f) F=$OPTARG;; esac; done\nrm \"$F\"\n"),
    ("flags.sh", "while [ $# -gt 0 ]; do case $1 in -f) F=$2; shift 2;; *) shift;; esac; done\nrm \"$F\"\n"),
    ("prog.awk", "{ print > \"infra/awk.tf\" }\n"),
];
pub(crate) const FOLDERS: &[&str] = &["", "infra", "src", "docs", "bin", "build", "infra/modules"];

pub(crate) struct World;

impl Facts for World {
    fn read(&self, path: &Path) -> Option<String> {
        let below = path.strip_prefix(ROOT).ok()?;
        FILES.iter().find(|(name, _)| Path::new(name) == below).map(|(_, text)| (*text).to_owned())
    }

    fn real(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(format!("{ROOT}/link")) {
            Ok(rest) => Path::new(ROOT).join("infra").join(rest),
            Err(_) => path.to_path_buf(),
        }
    }

    fn had_lines(&self, _: &Path) -> bool {
        false
    }

    fn started_loop(&self, _: &str) -> bool {
        false
    }

    fn is_folder(&self, path: &Path) -> Option<bool> {
        let below = path.strip_prefix(ROOT).ok()?;
        let folder = FOLDERS.iter().any(|name| Path::new(name) == below);
        let file = FILES.iter().any(|(name, _)| Path::new(name) == below);
        (folder || file).then_some(folder)
    }
}

pub(crate) fn call(action: Action<'_>) -> Effects {
    of(&ToolCall { tool: "Tool".into(), id: None, action, input: "".into() })
}

pub(crate) fn of(call: &ToolCall<'_>) -> Effects {
    let env = |name: &str| (name == "HOME").then(|| OsString::from(HOME));
    effects(
        call,
        &Place { root: Some(Path::new(ROOT)), tree: None, others: &[], cwd: Path::new(ROOT), env: &env },
        &World,
    )
}

pub(crate) fn run(command: &str) -> Effects {
    call(Action::Run { command: command.into(), dir: None })
}

/// Which effects a table is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    /// Writes, deletions, renamings, and what git does to the tree, the remote and its settings.
    Changes,
    Reads,
    Network,
    Runs,
}

/// Shows the effects in question, each once, in order: `w` for a write, `s` for one somewhere below, `d` a deletion, `m` a renaming, `r` a reading, `t` one of
/// a whole folder, `u` a use;
/// a path that ends in `/` goes with all that is in it, save what follows `!`.
pub(crate) fn show(effects: &Effects, about: About) -> String {
    let mut shown: Vec<String> = Vec::new();
    for effect in &effects.list {
        let text = match (&effect.op, about) {
            (Op::Write { target, how: How::Somewhere, .. }, About::Changes) => format!("s {}", path(target)),
            (Op::Write { target, .. }, About::Changes) => format!("w {}", path(target)),
            (Op::Delete(target), About::Changes) => format!("d {}", path(target)),
            (Op::Rename { from, to }, About::Changes) => format!("m {} {}", path(from), path(to)),
            (Op::Git(git), About::Changes) => match kind(git.kind) {
                "" => continue,
                kind => format!("git {kind}"),
            },
            (Op::Read { target, access: Access::Used }, About::Reads) => format!("u {}", path(target)),
            (Op::Read { target, access: Access::Taken }, About::Reads) if target.tree => {
                format!("t {}", path(target))
            }
            (Op::Read { target, .. }, About::Reads) => format!("r {}", path(target)),
            (Op::Network { program, host }, About::Network) => {
                format!("{program} {}", host.as_deref().unwrap_or("?"))
            }
            (Op::Run { argv, .. }, About::Runs) => argv.join(" "),
            _ => continue,
        };
        if !shown.contains(&text) {
            shown.push(text);
        }
    }
    shown.join(", ")
}

fn kind(kind: GitKind) -> &'static str {
    match kind {
        GitKind::Commit | GitKind::Other => "",
        GitKind::Push => "push",
        GitKind::ForcePush => "force-push",
        GitKind::WholeTree => "whole-tree",
        GitKind::Paths => "paths",
        GitKind::Refs => "refs",
        GitKind::Config => "config",
    }
}

fn path(target: &Target) -> String {
    let path = target.inside.as_deref().unwrap_or(&target.path);
    let path = if path.is_empty() { "." } else { path };
    let except =
        target.except.iter().map(|path| format!(" !{}", path.trim_start_matches(ROOT).trim_start_matches('/')));
    format!("{path}{}{}", if target.tree { "/" } else { "" }, except.collect::<String>())
}

/// Checks a table: a command, ` => `, its effects. `⏎` stands for a line end.
#[track_caller]
pub(crate) fn check(about: About, rows: &str) -> usize {
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in rows.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let (command, expected) = row.split_once(" => ").unwrap_or((row.trim_end_matches(" =>"), ""));
        let command = command.replace('⏎', "\n");
        let shown = show(&run(&command), about);
        count += 1;
        if shown != expected.trim() {
            wrong.push(format!("{row}\n    {shown}"));
        }
    }
    assert!(wrong.is_empty(), "{} rows are wrong:\n{}", wrong.len(), wrong.join("\n"));
    count
}
