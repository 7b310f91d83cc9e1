//! The `stead` binary. Hook calls leave by the first door, before the command line parser or anything else is built;
//! see ARCHITECTURE.md, "Speed".

use std::process::ExitCode;

mod cli;
mod command;
mod error;
mod here;
mod project;
mod ui;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|verb| verb == "hook")
        && let Some(call) = stead_hook::Call::parse(args)
    {
        return stead_hook::answer(&call);
    }
    cli::run()
}
