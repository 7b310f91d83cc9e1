//! Programs that take their commands from a terminal: what is typed there is seen by nobody.

use crate::inline::embedded;
use crate::programs::table::{Given, Program};
use crate::walk::program::brief;
use crate::walk::{Call, Walk};

/// Roles of options that say what a program is to do.
const TOLD: [&str; 8] = ["no-prompt", "help", "dry-run", "command", "sql", "sql-file", "shell-escape", "run"];

/// Records that nobody will see what a program is told, if it takes that from a terminal.
pub(crate) fn note(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) {
    if walk.is_fed(call) {
        return;
    }
    walk.prints_typed |= passes(name, call.argv);
    if prompts(name, call.argv) {
        walk.gap_typed(&brief(call.argv));
    }
}

/// Returns true if a program passes on what is typed.
fn passes(name: &str, argv: &[String]) -> bool {
    let Some(program) = Program::of(name) else { return false };
    let is_bare = || Given::read(&program, argv).words.iter().all(|word| embedded::is_input(word));
    program.is("stdin") || program.is("passes") && is_bare()
}

fn prompts(name: &str, argv: &[String]) -> bool {
    let Some(program) = Program::of_call(name, argv) else { return false };
    let is_one = program.is("prompts") && program.verbs == 0;
    if !is_one && program.field("prompt").is_none() {
        return false;
    }
    let given = Given::read(&program, argv);
    if !given.inner.is_empty() || TOLD.iter().any(|role| given.has(role)) {
        return false;
    }
    let most = program.field("prompt-words").and_then(|number| number.parse().ok()).unwrap_or(0);
    let mut words = given.words.iter().filter(|word| !embedded::is_input(word));
    // What stands behind a script is the script's.
    let script = words.next().and_then(|first| argv.iter().position(|word| word == first));
    let own = Given::read(&program, &argv[..script.unwrap_or(argv.len())]);
    own.has("prompt") || is_one && words.count() + usize::from(script.is_some()) <= most
}
