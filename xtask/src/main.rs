//! The chores of this repository, run as `cargo xtask <chore>`.
//!
//! What CI does and what a person does are the same commands, so they live here and not in a CI file. Chores use cargo
//! and the system's tools; they depend on no room of Stead, so that they run when a room does not compile.

use std::process::ExitCode;

use anyhow::{Result, bail};

mod arguments;
mod bench;
mod clients;
mod dependencies;
mod fuzz;
mod licence;
mod metadata;
mod prerequisite;
mod program;
mod repository;
mod test;
mod tidy;

use arguments::Arguments;

const HELP: &str = "\
Chores of this repository

Usage: cargo xtask <chore> [options]

Chores:
  test                      run everything CI runs; the last line is `N passed, N failed`
      --only <step>         run one step (may be repeated)
      --list                name the steps
      --clients [name…]     play the scenarios in these real clients, and nothing else
          --write           write what was seen to docs/harnesses.md instead of comparing it
  tidy                      check the rules of the house: arrows, file lengths, docs
  dependencies              check licences and bans of everything Cargo.lock names
  bench hook                measure one hook call against other programs (Linux)
      --rounds <n>          spawns of each program (default 300, with --day 10)
      --day                 measure a day's mix of 200 calls instead, by kind and in sum
      --json                print the figures as JSON
      --instructions        only count instructions and compare with xtask/hook-instructions.txt
      --accept              count instructions and make them the baseline
  bench gate                measure what guards add to a hook call (Linux)
      --rounds <n>          spawns of each program (default 300)
      --json                print the figures as JSON
  order                     write crates/cli/hot-functions.txt anew: what a hook call enters (x86-64 Linux)
  clients install [name…]   install the pinned real clients below target/clients
  bench context             measure a stop with a long transcript, and a handoff in a large repository (Linux)
      --rounds <n>          spawns of each program (default 30)
      --json                print the figures as JSON
  bench engine              measure a run of many iterations beside a bash loop with jq (Linux)
      --iterations <n>      iterations of the long run, in thousands (default 10000)
      --json                print the figures as JSON
      --check               fail when a target is missed by far
  fuzz <target>             fuzz one decoder until it fails or the time is over
  fuzz --smoke              fuzz every target briefly
      --seconds <n>         how long each target runs (default 60, with --smoke 3)
      --list                name the targets
";

fn main() -> ExitCode {
    match run(Arguments::from_env()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut arguments: Arguments) -> Result<ExitCode> {
    if arguments.flag("--help") || arguments.flag("-h") {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    match arguments.word().as_deref() {
        Some("test") => test::run(arguments),
        Some("tidy") => tidy::run(arguments),
        Some("dependencies") => dependencies::run(arguments),
        Some("bench") => bench::run(arguments),
        Some("order") => {
            arguments.finish()?;
            bench::order::run().map(|()| ExitCode::SUCCESS)
        }
        Some("clients") => clients::run(arguments),
        Some("fuzz") => fuzz::run(arguments),
        Some(other) => bail!("there is no chore `{other}`; see `cargo xtask --help`"),
        None => {
            print!("{HELP}");
            Ok(ExitCode::FAILURE)
        }
    }
}
