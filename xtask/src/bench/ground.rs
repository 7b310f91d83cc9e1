//! The environment of the benchmarks: the shipped binary, a static no-op, and generated projects, all below
//! `target/bench`.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::metadata::Metadata;
use crate::{program, repository};

pub(super) struct Ground {
    pub(super) folder: PathBuf,
    pub(super) stead: PathBuf,
    pub(super) project: Project,
}

/// The minimum number of literals that a call is searched for; the compared programs get the same.
const RULES: usize = 20;

/// The folder of recorded payloads.
const FIXTURES: &str = "crates/client/fixtures";

/// A recorded payload, such as `claude/Stop`.
pub(super) fn fixture(name: &str) -> Result<Value> {
    let path = repository::path(FIXTURES).join(format!("{name}.json"));
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("cannot read `{}`", path.display()))
}

/// Waits until files that were just written count as old; otherwise they are compiled twice.
pub(super) fn settle() {
    thread::sleep(Duration::from_millis(150));
}

/// Copies a program, as installing it does. What a linker has just written lies in single pages in the system's cache, and
/// starting it costs up to a quarter more than starting a copy, or after the next start of the machine.
fn installed(program: &Path, copy: &Path) -> Result<PathBuf> {
    let _ = fs::remove_file(copy);
    fs::copy(program, copy).with_context(|| format!("cannot copy `{}`", program.display()))?;
    Ok(copy.to_owned())
}

impl Ground {
    pub(super) fn prepare() -> Result<Self> {
        let target = PathBuf::from(Metadata::load()?.target_directory);
        Self::build(&target, &mut program::cargo())
    }

    /// The same, and where the linker's map of the binary lies.
    pub(super) fn prepare_with_map() -> Result<(Self, PathBuf)> {
        let target = PathBuf::from(Metadata::load()?.target_directory);
        let map = target.join("stead.map");
        Ok((Self::build(&target, program::cargo().env("STEAD_LINK_MAP", &map))?, map))
    }

    fn build(target: &Path, cargo: &mut Command) -> Result<Self> {
        // Exactly as it is shipped, because this is the binary that people use.
        program::run(cargo.args(["build", "--profile", "dist", "--locked", "--bin", "stead"]))?;
        let folder = target.join("bench");
        // Projects are made anew, and what is known about the old ones would be held against the new ones.
        let _ = fs::remove_dir_all(folder.join("home"));
        fs::create_dir_all(folder.join("home")).with_context(|| format!("cannot make `{}`", folder.display()))?;
        let stead = installed(&target.join(program::host()?).join("dist/stead"), &folder.join("stead"))?;
        let project = Project::make(&stead, &folder, "project", Keep::Nothing)?;
        Ok(Self { folder, stead, project })
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// A program that does nothing, built like the shipped binary.
    pub(super) fn no_op(&self) -> Result<PathBuf> {
        let source = self.folder.join("no_op.rs");
        let linked = self.folder.join("no_op.linked");
        fs::write(&source, "fn main() {}\n")?;
        program::run(static_rustc(&mut Command::new("rustc")).arg("-o").arg(&linked).arg(&source))?;
        installed(&linked, &self.folder.join("no_op"))
    }

    pub(super) fn script(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
        Ok(path)
    }

    /// The literals of the compiled policy, one per line, for the compared programs.
    pub(super) fn rules(&self) -> Result<PathBuf> {
        self.script("rules.txt", &(self.project.literals()?.join("\n") + "\n"))
    }

    /// A project whose logs all have a million lines. Generated once, because it takes a while.
    pub(super) fn million(&self) -> Result<Project> {
        let project = Project::make(&self.stead, &self.folder, "million", Keep::Files)?;
        for path in project.growing()? {
            fill(&path)?;
        }
        Ok(project)
    }
}

/// Makes `rustc` build like the shipped binary: small, static and without relocations.
pub(super) fn static_rustc(rustc: &mut Command) -> &mut Command {
    rustc.current_dir(repository::root()).args(["--edition", "2024", "-C", "opt-level=3", "-C", "lto=fat"]);
    rustc.args(["-C", "codegen-units=1", "-C", "panic=abort", "-C", "strip=symbols"]);
    rustc.args(["-C", "target-feature=+crt-static", "-C", "relocation-model=static"])
}

/// A git project with Stead in it.
pub(super) struct Project {
    pub(super) folder: PathBuf,
    call: Value,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Keep {
    Nothing,
    Files,
}

impl Project {
    pub(super) fn make(stead: &Path, below: &Path, name: &str, keep: Keep) -> Result<Self> {
        Self::make_for(stead, below, name, keep, &below.join("home"))
    }

    /// The same for a person with another home.
    pub(super) fn make_for(stead: &Path, below: &Path, name: &str, keep: Keep, home: &Path) -> Result<Self> {
        let folder = below.join(name);
        if keep == Keep::Nothing && folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("cannot remove `{}`", folder.display()))?;
        }
        fs::create_dir_all(&folder)?;
        fs::create_dir_all(home)?;
        program::run(Command::new("git").args(["init", "--quiet"]).current_dir(&folder))?;
        let mut init = Command::new(stead);
        init.args(["init", "--no-hooks", "--yes"]).current_dir(&folder).env("HOME", home);
        program::read(&mut init)?;
        settle();
        let mut call = fixture("claude/PreToolUse.Bash")?;
        call["cwd"] = folder.to_string_lossy().into();
        Ok(Self { folder, call })
    }

    /// The recorded call, with another command.
    pub(super) fn payload(&self, command: &str) -> String {
        let mut call = self.call.clone();
        call["tool_input"]["command"] = command.into();
        call.to_string()
    }

    pub(super) fn session_log(&self) -> PathBuf {
        self.folder.join(".agent/context/indexes/sessions.jsonl")
    }

    fn literals(&self) -> Result<Vec<String>> {
        let path = self.folder.join(".agent/cache/policy");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let needles = |line: &str| {
            let needles = line.strip_prefix("at\t")?.split('\t').skip(1);
            Some(needles.filter_map(|needle| needle.get(1..).map(str::to_owned)).collect::<Vec<_>>())
        };
        let literals: Vec<_> = text.lines().filter_map(needles).flatten().collect();
        let rules = text.lines().filter(|line| line.starts_with("own\t") || line.starts_with("settings\t")).count();
        if literals.is_empty() || literals.len() + rules < RULES {
            bail!("the compiled policy has {} literals and {rules} rules; {RULES} are promised", literals.len());
        }
        Ok(literals)
    }

    /// Every file that grows with use.
    pub(super) fn growing(&self) -> Result<Vec<PathBuf>> {
        let agent = self.folder.join(".agent");
        let mut paths: Vec<_> = ["intents/agent_trace.jsonl", "graph/traces.jsonl", "graph/patterns.jsonl"]
            .map(|path| agent.join(path))
            .into();
        collect_logs(&agent, &mut paths)?;
        paths.sort();
        paths.dedup();
        Ok(paths)
    }
}

fn collect_logs(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list `{}`", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            collect_logs(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            paths.push(path);
        }
    }
    Ok(())
}

pub(super) const MILLION: u64 = 1_000_000;
const LINE: &str = "{\"v\":1,\"ts\":\"2026-01-01T00:00:00.000Z\",\"session\":\"bench\",\"event\":\"before-tool\"}\n";

/// Fills a log with a million lines.
pub(super) fn fill(path: &Path) -> Result<()> {
    let length = MILLION * LINE.len() as u64;
    if path.metadata().is_ok_and(|metadata| metadata.len() >= length) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let file = fs::File::create(path).with_context(|| format!("cannot write `{}`", path.display()))?;
    let mut writer = BufWriter::with_capacity(1 << 20, file);
    for _ in 0..MILLION {
        writer.write_all(LINE.as_bytes())?;
    }
    writer.flush().with_context(|| format!("cannot write `{}`", path.display()))
}
