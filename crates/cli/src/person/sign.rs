//! Signs that an agent runs a command: the variables that its client sets, and the client among the parent processes.

use std::ffi::OsString;
use std::path::Path;

use stead_client::Harness;
use stead_store::Process;

/// Set by the engine for every process that it starts.
const RUN: &str = "STEAD_RUN";

/// A sign of an agent.
pub(crate) struct Sign {
    /// Its client; unknown for a run of the engine.
    pub(crate) harness: Option<Harness>,
    /// Why it seems to run this command.
    pub(crate) why: String,
}

impl Sign {
    /// Looks for an agent; `above` are the parent processes, nearest first.
    pub(super) fn of_agent(env: &dyn Fn(&str) -> Option<OsString>, above: &[Process]) -> Option<Self> {
        // A shell started by an agent can unset the variables, but not those in its own initial environment.
        let has = |name: &str| {
            let own = env(name).is_some_and(|value| !value.is_empty());
            own || above.iter().any(|process| process.variables.iter().any(|variable| variable == name))
        };
        for harness in Harness::ALL {
            let facts = &harness.client().facts;
            if let Some(name) = facts.shell_vars.iter().find(|name| has(name)) {
                return Some(Self::of(harness, format!("`{name}` is set, so {} runs this command", facts.title)));
            }
            // For an interpreted program, the second word, after the interpreter.
            let is_it = |process: &Process| process.words.iter().take(2).any(|word| is_program(word, facts.program));
            if above.iter().any(is_it) {
                return Some(Self::of(harness, format!("`{}` started this command", facts.program)));
            }
        }
        let is_run = |process: &Process| {
            let mut words = process.words.iter();
            words.next().is_some_and(|word| is_program(word, "stead")) && words.any(|word| word == "run")
        };
        let why = || "a run of `stead` started this command".to_owned();
        (has(RUN) || above.iter().any(is_run)).then(|| Self { harness: None, why: why() })
    }

    fn of(harness: Harness, why: String) -> Self {
        Self { harness: Some(harness), why }
    }
}

fn is_program(word: &str, program: &str) -> bool {
    let name = Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let plain = [".js", ".mjs", ".cjs", ".exe", ".cmd"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    plain == program
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(vars: &[&str], above: &[&str], expected: bool) {
        let env = |name: &str| vars.contains(&name).then(|| OsString::from("1"));
        let above: Vec<Process> = above.iter().map(|line| process(line)).collect();
        assert_eq!(Sign::of_agent(&env, &above).is_some(), expected, "{vars:?} {above:?}");
    }

    /// A process by its command line, with `NAME=VALUE` in front for its variables.
    fn process(line: &str) -> Process {
        let (vars, words): (Vec<&str>, Vec<&str>) = line.split_whitespace().partition(|word| word.contains("=1"));
        let variables = vars.iter().map(|var| var.trim_end_matches("=1").to_owned()).collect();
        Process { words: words.iter().map(|word| (*word).to_owned()).collect(), variables, ..Process::default() }
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

    #[test]
    fn every_client_that_sets_a_variable_shows_by_it() {
        for harness in Harness::ALL {
            let facts = &harness.client().facts;
            facts.shell_vars.iter().for_each(|name| check(&[name], &["-zsh"], true));
            check(&[], &["sh", facts.program], true);
        }
    }

    #[test]
    fn dropped_variables_and_runs_show_above() {
        check(&[], &["CLAUDECODE=1 bash -c stead"], true);
        check(&[], &["HOME=1 TERM=1 bash"], false);
        check(&["STEAD_RUN"], &["sh"], true);
        check(&[], &["STEAD_RUN=1 sh -c make"], true);
        check(&[], &["sh", "stead run nightly --max 3"], true);
        check(&[], &["sh", "stead -C x run nightly"], true);
        check(&[], &["sh", "stead tail nightly", "cargo run"], false);
    }
}
