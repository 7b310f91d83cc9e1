//! From its documentation: it does not run without an account.

use crate::headless::{Headless, PromptWay};

pub(super) const HEADLESS: Headless = Headless {
    args: &["-p", "--output-format", "stream-json", "--force"],
    may: "edits files and runs commands that its settings do not deny; without `--force` it only proposes",
    prompt: PromptWay::Argument("--"),
    session_vars: &["CURSOR_TRACE_ID"],
    ..Headless::PLAIN
};
