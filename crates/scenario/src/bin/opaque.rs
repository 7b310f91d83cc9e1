//! Runs the shell command that its argument encodes. A hook cannot read what a compiled program will do; this one can do
//! anything.

use std::process::{Command, ExitCode};

#[expect(clippy::disallowed_methods, reason = "a tool is started by Rust's own runtime")]
fn main() -> ExitCode {
    let Some(script) = std::env::args().nth(1).and_then(|hex| stead_scenario::from_hex(&hex)) else {
        eprintln!("opaque: the argument is not a script in hexadecimal digits");
        return ExitCode::from(64);
    };
    match Command::new("/bin/sh").args(["-c", &script]).status() {
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(71)),
        Err(error) => {
            eprintln!("opaque: cannot start `/bin/sh`: {error}");
            ExitCode::from(71)
        }
    }
}
