//! The `stead` binary. Hook calls are handled before the command line parser or anything else is built; see
//! ARCHITECTURE.md, "Speed".
#![cfg_attr(not(test), no_main)]

mod answer;
mod chain_check;
mod cli;
mod command;
mod error;
mod error_code;
mod git;
mod guard_counts;
mod guards;
mod heard;
mod help;
mod here;
mod intent_map;
mod ledger;
mod lessons;
mod line_source;
mod log;
mod memory;
mod notify;
mod patterns;
mod person;
mod precedents;
mod preflight;
mod progress;
mod project;
mod proof;
mod run_report;
mod run_room;
mod seal;
mod semantic;
mod sent;
mod session;
mod settle;
mod span;
mod speaker;
mod spelling;
mod trusting;
mod ui;
mod verdict;

use std::ffi::{OsStr, OsString};
#[cfg(not(test))]
use std::ffi::{c_char, c_int};

use stead_hook::{Call, StatusCall};

/// Called by the C runtime. The start-up of Rust's own runtime (finding the stack's bounds, a stack for overflow
/// messages) costs a tenth of a hook call, and a hook needs none of it.
#[cfg(not(test))]
#[expect(unsafe_code, reason = "an unmangled symbol is the only way in without Rust's own runtime")]
#[unsafe(no_mangle)]
extern "C" fn main(count: c_int, words: *const *const c_char) -> c_int {
    // SAFETY: these are the arguments that the C runtime gives to `main`.
    c_int::from(enter(unsafe { stead_store::words_of(count, words) }))
}

/// `words` are those after the name of the program.
#[cfg_attr(test, expect(dead_code, reason = "tests have their own entry point"))]
fn enter(words: Vec<OsString>) -> u8 {
    let rest = || words.iter().skip(1).cloned();
    match words.first().map(OsString::as_os_str).and_then(OsStr::to_str) {
        Some("hook") => Call::parse(rest()).map(|call| stead_hook::answer(&call)),
        Some("statusline") => StatusCall::parse(rest()).map(|call| call.answer()),
        _ => None,
    }
    .unwrap_or_else(|| cli::run(words))
}
