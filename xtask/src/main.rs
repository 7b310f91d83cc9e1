//! The tasks of this repository, run as `cargo xtask <task>`.
//!
//! CI and people run the same commands, so they are here and not in a CI file. Tasks use cargo and the system's tools;
//! they depend on no crate of Stead, so that they run even if a crate does not compile.

use std::process::ExitCode;

use anyhow::{Result, bail};

mod arguments;
mod bench;
mod clients;
mod dependencies;
mod dist;
mod eval;
mod fuzz;
mod licence;
mod mcp;
mod metadata;
mod node;
mod picture;
mod prerequisite;
mod program;
mod repository;
mod test;
mod tidy;

use arguments::Arguments;

const HELP: &str = "\
Tasks of this repository

Usage: cargo xtask <task> [options]

Tasks:
  test                      run what needs no other compiler and no real client; the last line is `N passed, N failed`
      --slow                run the rest of what CI runs: clippy, real clients, fuzzing, instructions, musl
      --only <step>         run one step, of either (can be repeated)
      --list                list the steps
      --clients [name…]     play the scenarios in these real clients, and nothing else
          --write           write the results to docs/harnesses.md instead of comparing them
  tidy                      check style and structure: dependencies, file lengths, docs
  dependencies              check licences and bans of all packages in Cargo.lock
  bench hook                compare one hook call with other programs (Linux)
      --rounds <n>          spawns of each program (default 300, with --day 10)
      --day                 measure a mix of 200 calls instead, by kind and in total
      --json                print the figures as JSON
      --instructions        only count instructions and compare with xtask/hook-instructions.txt
      --accept              count instructions and store them as the baseline
  bench gate                measure what guards add to a hook call (Linux)
      --rounds <n>          spawns of each program (default 300)
      --json                print the figures as JSON
  order                     regenerate crates/cli/hot-*, what a hook call touches in the binary (x86-64 Linux)
  clients install [name…]   install the pinned real clients below target/clients
  bench context             measure a stop with a long transcript, and a handoff in a large repository (Linux)
      --rounds <n>          spawns of each program (default 30)
      --json                print the figures as JSON
  bench ledger              measure a call after an edit, and many processes that append at once (Linux)
      --rounds <n>          spawns of each program (default 60)
      --json                print the figures as JSON
  bench look                measure `stead status` and `stead log` with a million records, and completions (Linux)
      --rounds <n>          spawns of each program (default 30)
      --json                print the figures as JSON
  bench feature             measure questions about a list of 10,000 features (Linux)
      --rounds <n>          spawns of each program (default 60)
      --json                print the figures as JSON
  bench engine              compare a run of many iterations with a bash loop with jq (Linux)
      --iterations <n>      iterations of the long run, in thousands (default 10000)
      --json                print the figures as JSON
      --check               fail if a target is missed by far
  bench memory              search a million traces, beside FTS5 and grep (Linux)
      --rounds <n>          spawns of each program (default 15)
      --json                print the figures as JSON
  bench semantic            measure the sentence model, beside the original in Python if that is installed
      --json                print the figures as JSON
  picture                   draw docs/orchestrator.svg, and docs/demo.svg with what `stead demo` prints
  eval mutation             judge labelled changes of code and print how often the class is right
      --cases               list wrong answers, except for the half that is held out
  eval search               search for labelled traces and print how often the right one is found
      --model <dir>         the folder of the sentence model
  fuzz <target>             fuzz one decoder until it fails or the time limit is reached
  fuzz --smoke              fuzz every target briefly
      --seconds <n>         how long each target runs (default 60, with --smoke 3)
      --list                list the targets
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
        Some("picture") => {
            arguments.finish()?;
            picture::run().map(|()| ExitCode::SUCCESS)
        }
        Some("eval") => eval::run(arguments),
        Some("fuzz") => fuzz::run(arguments),
        Some(other) => bail!("there is no task `{other}`; see `cargo xtask --help`"),
        None => {
            print!("{HELP}");
            Ok(ExitCode::FAILURE)
        }
    }
}
