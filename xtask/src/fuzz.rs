//! `cargo xtask fuzz`: arbitrary input for every parser, with libFuzzer, on the pinned stable toolchain.
//!
//! cargo-fuzz needs a nightly compiler for its address sanitizer. Safe Rust gains little from that; what finds bugs
//! here is coverage, and the flags for coverage are stable. So plain cargo builds the targets with the flags that
//! cargo-fuzz would pass, without the sanitizer. `cargo +nightly fuzz run <target>` works too.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::arguments::Arguments;
use crate::metadata::Metadata;
use crate::{prerequisite, program, repository};

/// Recorded payloads, one folder per harness: each folder is a target.
const FIXTURES: &str = "crates/client/fixtures";

/// Something to fuzz.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Target {
    name: String,
    /// The program below `fuzz/fuzz_targets`.
    program: &'static str,
    /// Examples of what it reads.
    seeds: String,
}

/// One target per decoder, and the other parsers.
fn targets() -> Result<Vec<Target>> {
    let reader =
        |program: &'static str, seeds: &str| Target { name: program.to_owned(), program, seeds: seeds.to_owned() };
    let mut targets = vec![
        reader("boundary", "crates/client/fixtures/claude"),
        reader("code", "crates/fuzz/seeds/code"),
        reader("effect", "crates/fuzz/seeds/effect"),
        reader("jsonl", "crates/fuzz/seeds/jsonl"),
        reader("ledger", "crates/fuzz/seeds/ledger"),
        reader("packet", "crates/fuzz/seeds/packet"),
        reader("redact", "crates/fuzz/seeds/redact"),
        reader("shell", "crates/fuzz/seeds/shell"),
    ];
    for entry in fs::read_dir(repository::path(FIXTURES)).with_context(|| format!("cannot list `{FIXTURES}`"))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            let name = entry.file_name().to_string_lossy().into_owned();
            targets.push(Target { program: "client", seeds: format!("{FIXTURES}/{name}"), name });
        }
    }
    targets.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(targets)
}

const FLAGS: &[&str] = &[
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

const SMOKE_SECONDS: u32 = 3;
const SECONDS: u32 = 60;

pub(crate) fn run(mut arguments: Arguments) -> Result<ExitCode> {
    let every = arguments.flag("--smoke");
    let list = arguments.flag("--list");
    let seconds = arguments.number("--seconds")?;
    let name = arguments.word();
    arguments.finish()?;
    if list {
        for target in targets()? {
            println!("{:<10} {}", target.name, target.seeds);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let failed = match (every, name) {
        (true, None) => fuzz_every(seconds.unwrap_or(SMOKE_SECONDS))?.1,
        (false, Some(name)) => {
            let Some(target) = targets()?.into_iter().find(|known| known.name == name) else {
                bail!("there is no target `{name}`; see `cargo xtask fuzz --list`");
            };
            let fuzzer = Fuzzer::build(Some(target.program))?;
            u32::from(!fuzzer.run(&target, seconds.unwrap_or(SECONDS))?)
        }
        _ => bail!("name one target, or `--smoke` for all of them"),
    };
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs every target briefly and counts those that passed and failed.
pub(crate) fn smoke() -> Result<(u32, u32)> {
    fuzz_every(SMOKE_SECONDS)
}

fn fuzz_every(seconds: u32) -> Result<(u32, u32)> {
    let fuzzer = Fuzzer::build(None)?;
    let (mut passed, mut failed) = (0, 0);
    for target in targets()? {
        if fuzzer.run(&target, seconds)? {
            passed += 1;
        } else {
            failed += 1;
        }
    }
    Ok((passed, failed))
}

struct Fuzzer {
    /// The folder of the built targets.
    programs: PathBuf,
}

impl Fuzzer {
    /// Builds one program, or all of them.
    fn build(only: Option<&str>) -> Result<Self> {
        prerequisite::ensure(prerequisite::FOR_FUZZ)?;
        let target_directory = PathBuf::from(Metadata::load()?.target_directory).join("fuzz");
        let host = program::host()?;
        let mut cargo = program::cargo();
        cargo.args(["build", "--manifest-path", "fuzz/Cargo.toml", "--release", "--target", &host]);
        cargo.arg("--target-dir").arg(&target_directory);
        match only {
            Some(name) => cargo.args(["--bin", name]),
            None => cargo.arg("--bins"),
        };
        // Replaces the flags of .cargo/config.toml: libFuzzer is C++ and is not linked statically.
        cargo.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}"));
        program::run(&mut cargo)?;
        Ok(Self { programs: target_directory.join(host).join("release") })
    }

    /// Fuzzes one target. Returns true if it passed.
    fn run(&self, target: &Target, seconds: u32) -> Result<bool> {
        let name = &target.name;
        let corpus = folder(&format!("fuzz/corpus/{name}"))?;
        let artifacts = folder(&format!("fuzz/artifacts/{name}"))?;
        let mut command = Command::new(self.programs.join(target.program));
        command.current_dir(repository::root()).arg(&corpus).arg(repository::path(&target.seeds));
        if target.program == "client" {
            command.env("STEAD_FUZZ_HARNESS", name);
        }
        command.args([format!("-max_total_time={seconds}"), "-timeout=10".into(), "-max_len=16384".into()]);
        command.args([format!("-artifact_prefix={}/", artifacts.display()), "-print_final_stats=1".into()]);
        let output = command.output().with_context(|| format!("cannot start the target `{name}`"))?;
        let talk = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            println!("{name:<10} passed {} inputs", executed(&talk).unwrap_or(0));
            return Ok(true);
        }
        println!("{name:<10} FAILED\n{}", last_lines(&talk, 40));
        Ok(false)
    }
}

fn folder(relative: &str) -> Result<PathBuf> {
    let path = repository::path(relative);
    fs::create_dir_all(&path).with_context(|| format!("cannot make `{relative}`"))?;
    Ok(path)
}

fn executed(talk: &str) -> Option<u64> {
    talk.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"))?.trim().parse().ok()
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_harness_has_a_target() {
        let targets = targets().unwrap();
        let sources = fs::read_dir(repository::path("crates/client/src")).unwrap();
        for folder in sources.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
            let name = folder.file_name().unwrap().to_str().unwrap();
            assert!(targets.iter().any(|target| target.name == name && target.program == "client"), "{name}");
        }
    }

    #[test]
    fn every_target_has_a_program_and_seeds() {
        for target in targets().unwrap() {
            let source = repository::path(&format!("fuzz/fuzz_targets/{}.rs", target.program));
            assert!(source.is_file(), "{}", source.display());
            assert!(fs::read_dir(repository::path(&target.seeds)).unwrap().next().is_some(), "{}", target.seeds);
        }
    }

    #[test]
    fn libfuzzers_count_is_read() {
        assert_eq!(executed("Done\nstat::number_of_executed_units: 4711\n"), Some(4711));
        assert_eq!(executed("Done\n"), None);
    }
}
