//! Whether a person sits at this terminal. Some things only a person may do, and an agent can start any command; so a
//! terminal alone does not prove it.

use std::ffi::OsString;
use std::path::Path;

use stead_harness::Harness;
use stead_store::ancestors;

use crate::error::CliError;
use crate::project::env;
use crate::ui::Ui;

/// Refuses to go on unless a person is asking.
pub(crate) fn require_person(what: &str, ui: &Ui) -> Result<(), CliError> {
    let terminal = if ui.is_interactive() { None } else { Some("there is no terminal".to_owned()) };
    match terminal.or_else(|| agent_above(&env, &above())) {
        None => Ok(()),
        Some(why) => Err(CliError::user(format!("only a person may {what}, and {why}"))
            .hinted("open a terminal of your own, outside of any agent, and run it there")),
    }
}

/// Says why an agent seems to be running this command; `None` when nothing points to one.
pub(crate) fn agent_is_near() -> Option<String> {
    agent_above(&env, &above())
}

fn agent_above(env: &dyn Fn(&str) -> Option<OsString>, above: &[Vec<String>]) -> Option<String> {
    for harness in Harness::ALL {
        let facts = &harness.doorway().facts;
        if let Some(name) = facts.shell_vars.iter().find(|name| env(name).is_some_and(|value| !value.is_empty())) {
            return Some(format!("`{name}` says that {} runs this command", facts.title));
        }
        // An interpreted program is the second word, behind its interpreter.
        let is_it = |line: &Vec<String>| line.iter().take(2).any(|word| is_program(word, facts.program));
        if above.iter().any(is_it) {
            return Some(format!("`{}` started this command", facts.program));
        }
    }
    None
}

fn is_program(word: &str, program: &str) -> bool {
    let name = Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let plain = [".js", ".mjs", ".cjs", ".exe", ".cmd"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    plain == program
}

/// The command lines above this one. A test that runs within an agent must be able to say otherwise; release builds
/// have no such door.
fn above() -> Vec<Vec<String>> {
    if cfg!(debug_assertions)
        && let Some(said) = env("STEAD_TEST_ANCESTORS")
    {
        let lines = said.to_string_lossy().into_owned();
        return lines.lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect();
    }
    ancestors()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(vars: &[&str], above: &[&str], expected: bool) {
        let env = |name: &str| vars.contains(&name).then(|| OsString::from("1"));
        let above: Vec<Vec<String>> =
            above.iter().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect();
        assert_eq!(agent_above(&env, &above).is_some(), expected, "{vars:?} {above:?}");
    }

    #[test]
    fn an_agent_shows_by_its_variables_and_its_process() {
        check(&[], &[], false);
        check(&["HOME", "TERM"], &["-zsh", "/usr/bin/login", "/sbin/init"], false);
        check(&["CLAUDECODE"], &[], true);
        check(&[], &["bash -c stead", "/usr/local/bin/codex exec"], true);
        check(&[], &["node /opt/gemini/bundle/gemini.js -p x"], true);
        check(&[], &["vim notes-about/claude.md", "less claude.txt"], false);
        check(&[], &["/opt/cursor/cursor --type=renderer"], false);
    }
}
