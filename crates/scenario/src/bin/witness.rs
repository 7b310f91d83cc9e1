//! Replaces `stead` on a client's PATH: records calls and passes them on.

use std::process::ExitCode;

fn main() -> ExitCode {
    stead_scenario::stand_in()
}
