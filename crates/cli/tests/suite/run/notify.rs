//! A person is told how a run goes.

use super::{CONTINUE, bounded, events, state, with_stage};
use crate::world::at_terminal;

#[test]
fn a_person_is_told_by_a_command_of_theirs() {
    let world = with_stage(
        &bounded(1),
        r#"echo '{"decision": "stop", "reason": "which key? sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF", "blocked_on": "human"}' > "$STEAD_STATUS""#,
    );
    let told = || world.exists("project/told").then(|| world.read("project/told"));
    assert_eq!(world.stead(&["run", "stage", "chore", "quiet"]).code, 4);
    assert_eq!(told(), None, "off by default");
    let command = "printf '%s|%s|%s\\n' \"$STEAD_RUN\" \"$STEAD_EVENT\" \"$STEAD_MESSAGE\" >> told";
    world.stead(&["config", "set", "--user", "notify.command", command]).ok();
    assert_eq!(world.stead(&["run", "stage", "chore", "it"]).code, 4);
    let said = told().unwrap();
    assert!(said.starts_with("it|blocked|it: blocked: which key?") && said.lines().count() == 1, "{said}");
    assert!(!said.contains("abcdefghijklmnop"), "{said}");
    // A command that fails or hangs harms nothing; that it came with the repository keeps it from running.
    world.stead(&["config", "set", "--user", "notify.command", "exit 7"]).ok();
    assert_eq!(world.stead(&["run", "stage", "chore", "bad"]).code, 4);
    world.stead(&["config", "set", "--user", "notify.terminal", "osc9"]).ok();
    let seen = at_terminal(&world, 100, &["run", "stage", "chore", "seen"]).stdout;
    assert!(seen.contains("\u{1b}]9;seen: blocked: which key?"), "{seen:?}");
    assert_eq!(world.stead(&["run", "stage", "chore", "piped"]).stderr.matches('\u{1b}').count(), 0);
}

/// The person's command runs after the last state was written.
#[test]
fn a_kill_by_the_command_that_notifies_costs_nothing() {
    let world = with_stage(&bounded(1), CONTINUE);
    world.stead(&["config", "set", "--user", "notify.command", "kill -9 $PPID"]).ok();
    assert_eq!(world.stead(&["run", "stage", "chore", "it"]).code, 128 + 9);
    assert_eq!((&state(&world, "it")["status"], events(&world, "it", "run-ended").len()), (&"done".into(), 1));
    assert_eq!(world.stead(&["wait", "it"]).code, 0);
}
