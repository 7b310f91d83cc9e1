//! Installs real agent programs and plays the scenarios in them. `cargo xtask clients` and `cargo xtask test --clients`
//! call it.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use stead_scenario::{Choice, Client, Inside, OnDifference, enter, install, refresh, run};

#[derive(Parser)]
#[command(about = "Real agent programs, driven by a scripted model")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Install the pinned clients below target/clients
    Install { clients: Vec<String> },
    /// Play the scenarios; the last line is `N passed, N failed`
    Run {
        clients: Vec<String>,
        /// Play only these, by number
        #[arg(long = "scenario", value_name = "NUMBER")]
        scenarios: Vec<u8>,
        /// Write the results to docs/harnesses.md instead of comparing them
        #[arg(long)]
        write: bool,
    },
    /// Print the names of the clients
    List,
    /// Regenerate docs/harnesses.md from the code, keeping its results
    Page,
}

#[expect(clippy::disallowed_methods, reason = "a tool is started by Rust's own runtime")]
fn main() -> ExitCode {
    match work(Arguments::parse().verb) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn work(verb: Verb) -> Result<ExitCode> {
    match verb {
        Verb::Install { clients } => install(&Client::choose(&clients)?)?,
        Verb::List => Client::ALL.iter().for_each(|client| println!("{}", client.harness)),
        Verb::Page => refresh()?,
        Verb::Run { clients, scenarios, write } => {
            let choice = Choice::new(&clients, &scenarios)?;
            return match enter()? {
                Inside::Yes => run(&choice, if write { OnDifference::Write } else { OnDifference::Tell }),
                Inside::Done(code) => Ok(code),
                Inside::Impossible(why) => {
                    println!("{why}");
                    println!("0 passed, 0 failed, {} skipped (no network namespaces here)", choice.clients());
                    Ok(ExitCode::SUCCESS)
                }
            };
        }
    }
    Ok(ExitCode::SUCCESS)
}
