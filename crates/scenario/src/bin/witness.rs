//! Stands where `stead` stands on a client's PATH: writes down what was said and passes it on.

use std::process::ExitCode;

fn main() -> ExitCode {
    stead_scenario::stand_in()
}
