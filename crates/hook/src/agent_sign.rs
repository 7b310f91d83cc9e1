//! Signs that an agent runs a program: the variables that its client sets, and the client among the parent processes.

use std::ffi::OsString;
use std::path::Path;

use stead_client::Harness;
use stead_store::{Process, ancestry};

use crate::location::DOCTOR;

/// Set by the engine for every process that it starts.
const RUN: &str = "STEAD_RUN";

const OWN: &str = "stead";

/// This process and those above it. A test that runs inside an agent can name others; release builds do not have this.
pub fn lineage() -> Vec<Process> {
    if cfg!(debug_assertions)
        && let Some(said) = std::env::var_os("STEAD_TEST_ANCESTORS")
    {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
        let above = said.to_string_lossy().into_owned();
        let above = above.lines().map(|line| Process { words: words(line), ..Process::default() });
        return std::iter::once(Process::default()).chain(above).collect();
    }
    ancestry()
}

/// Returns true if this hook is called by `stead doctor`, whose process the variable names. Set by anybody else, it means
/// nothing: such calls are neither looked at nor recorded.
pub(crate) fn is_by_doctor(env: &dyn Fn(&str) -> Option<OsString>) -> bool {
    let Some(named) = env(DOCTOR).and_then(|value| value.into_string().ok()) else { return false };
    let is_it = |process: &Process| {
        let is_stead = process.words.first().is_some_and(|word| is_program(word, "stead"));
        process.id.to_string() == named && is_stead && process.words.iter().any(|word| word == "doctor")
    };
    match ancestry().get(1..) {
        // The system does not tell who is above.
        None | Some([]) => true,
        Some(above) => above.iter().any(is_it),
    }
}

/// A sign of an agent.
pub struct AgentSign {
    /// Its client; unknown for a run of the engine.
    pub harness: Option<Harness>,
    /// Why it seems to run this command.
    pub why: String,
}

impl AgentSign {
    /// Looks for an agent above a client that calls a hook. `line` starts with the hook itself.
    pub(crate) fn above_client(
        env: &dyn Fn(&str) -> Option<OsString>,
        line: &[Process],
        client: Harness,
    ) -> Option<Self> {
        let program = client.client().facts.program;
        let is_client = |process: &&Process| runs(process, program);
        let mut above = line.get(1..).unwrap_or_default();
        let mut variables = Vec::new();
        if let Some(at) = above.iter().position(|process| is_client(&process)) {
            let own = &above[at];
            variables.clone_from(&own.variables);
            above = &above[at + 1..];
            // Some clients start themselves a second time, with the same arguments.
            if let Some(launcher) = above.first().filter(is_client)
                && arguments(launcher, program) == arguments(own, program)
            {
                above = &above[1..];
            }
        }
        // Variables that the client has from its start were set by something above it.
        let marks = Process { variables, ..Process::default() };
        let above: Vec<Process> = std::iter::once(marks).chain(above.iter().cloned()).collect();
        Self::of_agent(&|name| env(name).filter(|_| name == RUN), &above)
    }

    /// Looks for an agent that started this process, the first of `line`.
    pub fn above_command(env: &dyn Fn(&str) -> Option<OsString>, line: &[Process]) -> Option<Self> {
        let mut above = line.get(1..).unwrap_or_default().to_vec();
        if let (Some(own), Some(parent)) = (line.first(), above.first_mut())
            && is_launcher(parent, own)
        {
            parent.words.clear();
        }
        Self::of_agent(env, &above)
    }

    /// Looks for an agent; `above` are the parent processes, nearest first.
    fn of_agent(env: &dyn Fn(&str) -> Option<OsString>, above: &[Process]) -> Option<Self> {
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
            if above.iter().any(|process| runs(process, facts.program)) {
                return Some(Self::of(harness, format!("`{}` started this command", facts.program)));
            }
        }
        let is_run = |process: &Process| {
            let mut words = process.words.iter();
            words.next().is_some_and(|word| is_program(word, OWN)) && words.any(|word| word == "run")
        };
        let why = || "a run of `stead` started this command".to_owned();
        (has(RUN) || above.iter().any(is_run)).then(|| Self { harness: None, why: why() })
    }

    fn of(harness: Harness, why: String) -> Self {
        Self { harness: Some(harness), why }
    }
}

/// Finds one of these words in the arguments of the client above the hook, whose process is the nearest one that runs it.
pub(crate) fn client_argument(line: &[Process], client: Harness, words: &[&'static str]) -> Option<&'static str> {
    let program = client.client().facts.program;
    let own = line.iter().skip(1).find(|process| runs(process, program))?;
    // What follows `--` is no option.
    let mut options = arguments(own, program).iter().take_while(|word| *word != "--");
    options.find_map(|option| words.iter().find(|word| *option == **word).copied())
}

/// Returns true if the parent only started the right version of this program, as version managers do. The engine gives
/// what it starts a session of its own, so it is not taken for one.
fn is_launcher(parent: &Process, own: &Process) -> bool {
    let is_alike = runs(parent, OWN) && arguments(parent, OWN) == arguments(own, OWN);
    is_alike && own.session.is_some() && parent.session == own.session
}

/// Returns true if a process runs the program. If it is interpreted, it is the second word, after the interpreter.
fn runs(process: &Process, program: &str) -> bool {
    process.words.iter().take(2).any(|word| is_program(word, program))
}

/// The words after the program.
fn arguments<'a>(process: &'a Process, program: &str) -> &'a [String] {
    let at = process.words.iter().position(|word| is_program(word, program));
    at.and_then(|at| process.words.get(at + 1..)).unwrap_or_default()
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
        assert_eq!(AgentSign::of_agent(&env, &above).is_some(), expected, "{vars:?} {above:?}");
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
    fn only_what_stands_above_the_client_counts_at_a_hook() {
        let check = |vars: &[&str], line: &[&str], expected: bool| {
            let env = |name: &str| vars.contains(&name).then(|| OsString::from("1"));
            let line: Vec<Process> =
                std::iter::once(Process::default()).chain(line.iter().map(|line| process(line))).collect();
            let sign = AgentSign::above_client(&env, &line, Harness::Codex);
            assert_eq!(sign.is_some(), expected, "{vars:?} {line:?}");
        };
        check(&[], &[], false);
        check(&["CODEX_THREAD_ID"], &["sh -c x", "/opt/codex", "-zsh", "tmux"], false);
        check(&[], &["/opt/codex exec x", "node /opt/codex.js exec x", "-zsh"], false);
        check(&[], &["/opt/codex exec x", "/opt/codex", "-zsh"], true);
        check(&[], &["/opt/codex", "node /opt/codex.js", "/opt/codex", "-zsh"], true);
        check(&[], &["/opt/codex exec x", "bash -c codex", "/usr/bin/claude", "-zsh"], true);
        check(&[], &["CLAUDECODE=1 /opt/codex exec x", "/sbin/init"], true);
        check(&["STEAD_RUN"], &["/opt/codex exec x"], true);
        check(&[], &["/opt/codex exec x", "stead run night"], true);
        // A client that is not recognised hides nothing.
        check(&[], &["sh", "-zsh"], false);
        check(&[], &["sh", "/usr/bin/claude"], true);
    }

    #[test]
    fn the_arguments_of_the_nearest_client_are_read() {
        let check = |line: &[&str], expected: Option<&str>| {
            let line: Vec<Process> =
                std::iter::once(Process::default()).chain(line.iter().map(|line| process(line))).collect();
            assert_eq!(client_argument(&line, Harness::Gemini, &["--acp", "--old-acp"]), expected, "{line:?}");
        };
        check(&["sh -c x", "node /opt/gemini.js -m pro --acp", "zed"], Some("--acp"));
        check(&["/usr/bin/gemini --old-acp", "code"], Some("--old-acp"));
        check(&["sh -c x", "node /opt/gemini.js -m pro", "-zsh"], None);
        // Started by an agent that an editor drives.
        check(&["sh -c x", "gemini -p x", "bash -c x", "gemini --acp", "zed"], None);
        check(&["sh -c x", "claude --acp"], None);
        check(&["sh -c gemini --acp"], None);
        check(&["gemini -- --acp"], None);
        check(&["gemini -p what-does---acp-do"], None);
        check(&[], None);
    }

    #[test]
    fn a_launcher_of_this_program_is_no_run() {
        let check = |line: [(&str, Option<u32>); 2], expected: bool| {
            let line = line.map(|(words, session)| Process { session, ..process(words) });
            let sign = AgentSign::above_command(&|_| None, &line);
            assert_eq!(sign.is_some(), expected, "{line:?}");
        };
        let own = ("/opt/stead/0.1.0/stead run night", Some(7));
        check([own, ("/usr/bin/stead run night", Some(7))], false);
        check([own, ("STEAD_RUN=1 /usr/bin/stead run night", Some(7))], true);
        check([own, ("/usr/bin/stead run night", Some(3))], true);
        check([own, ("/usr/bin/stead run morning", Some(7))], true);
        check([own, ("/usr/bin/claude run night", Some(7))], true);
        check([("stead run night", None), ("stead run night", None)], true);
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
