//! A client's server that outlives its windows and runs all hooks with the environment of the first one.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use stead_client::Harness;

use crate::{Check, Site};

/// Reports a server that does not find Stead, whatever a shell finds now.
pub(crate) fn server_left(site: &Site<'_>, harness: Harness) -> Option<Check> {
    let facts = &harness.client().facts;
    let word = facts.server_word?;
    let found = servers(facts.program, word).into_iter().find(|process| !reaches(site, process))?;
    let message = format!(
        "{} keeps a server running (process {found}) that was started without `stead` on its PATH: hooks do nothing in its windows",
        facts.title
    );
    Some(
        Check::broken("server", message)
            .remedy(format!("close its windows, then `kill {found}`; the next one finds it")),
    )
}

/// The processes of a program that were started with this word.
fn servers(program: &str, word: &str) -> Vec<u32> {
    let ids = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| {
        let words = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let mut words = words.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        let is_program = |word: &str| Path::new(word).file_name().is_some_and(|name| name == program);
        words.by_ref().take(4).any(|word| is_program(&word)) && words.any(|one| one == word)
    })
    .collect()
}

/// Returns true if hooks that it runs find Stead. Of a process of somebody else, or in another home, nothing is known.
fn reaches(site: &Site<'_>, process: &u32) -> bool {
    let Ok(environment) = fs::read(format!("/proc/{process}/environ")) else { return true };
    let env = |name: &str| -> Option<OsString> {
        let mut entries = environment.split(|byte| *byte == 0);
        let value = entries.find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
        Some(OsString::from(String::from_utf8_lossy(value).into_owned()))
    };
    env("HOME") != (site.env)("HOME") || Site { env: &env, ..*site }.find_stead().is_some()
}
