//! The list of what passes and what does not. Rows are commands people and agents really write.

use stead_model::Level::{self, Allow, Deny};
use stead_model::{Action, ToolCall};

use super::testing::{World, expect};

mod allowed;
mod denied;
mod disguise;
mod doubt;
mod loops;
mod memory;
mod property;
mod rows;

fn judge(world: &World, command: &str) -> stead_model::Verdict {
    let action = Action::Run { command: command.into(), dir: None };
    world.before(ToolCall { tool: "Bash".into(), id: None, action, input: "".into() })
}

#[track_caller]
fn check(command: &str, level: Level) {
    expect(&judge(&World::new(), command), level, command);
}

#[track_caller]
fn check_in(cwd: &str, command: &str, level: Level) {
    expect(&judge(&World::at(cwd), command), level, &format!("in {cwd}: {command}"));
}

/// Judges each line of a table and shows every row that is wrong.
#[track_caller]
fn check_all(rows: &str, level: Level) {
    let world = World::new();
    let rows = rows.lines().map(str::trim).filter(|row| !row.is_empty());
    let wrong: Vec<&str> = rows.filter(|row| judge(&world, row).level != level).collect();
    assert!(wrong.is_empty(), "not {}:\n{}", level.name(), wrong.join("\n"));
}

#[track_caller]
fn deny(rows: &str) {
    check_all(rows, Deny);
}

#[track_caller]
fn allow(rows: &str) {
    check_all(rows, Allow);
}
