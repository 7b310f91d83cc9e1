//! The action record: what a tool call of any client would do, as typed effects.
//!
//! The input of file tools is read directly, shell commands are walked, and for unknown tools the shape of the input
//! decides. What cannot be followed is recorded as a gap; nothing is guessed.

mod input;
mod record;
mod target;
mod tool;
mod tool_name;
mod web;

use std::borrow::Cow;

use stead_model::{Action, Coverage, Effects, Op, ToolCall};

use crate::command;
use crate::facts::Facts;
use crate::own_tool::OwnTool;
use crate::path::absolute;
use crate::place::Place;

pub(crate) use record::Record;
pub(crate) use target::{Ground, Last};
pub use tool_name::is_plain_input;

/// Computes what a tool call would do.
pub fn effects(call: &ToolCall<'_>, place: &Place<'_>, facts: &dyn Facts) -> Effects {
    let ground = Ground::new(place, facts);
    let mut record = Record::default();
    match &call.action {
        Action::Change(changes) => tool::changes(&mut record, &ground, changes),
        Action::Read(paths) => tool::reads(&mut record, &ground, call, paths),
        Action::Run { command, dir } => {
            let folder = match dir {
                Some(dir) => Cow::Owned(absolute(dir, place.cwd, ground.home())),
                None => Cow::Borrowed(place.cwd),
            };
            record = command::effects(command, &folder, place, facts, record);
        }
        Action::Mcp { server, tool } => {
            let op = Op::Mcp { server: server.to_string(), tool: tool.to_string() };
            let part = format!("{server}/{tool}");
            record.push(op, &part);
            match OwnTool::called(server, tool) {
                Some(own) => record.push(own.effect(&call.input), &part),
                None => {
                    web::note(&mut record, tool, &call.input);
                    record = input::effects(record, &ground, tool, &call.input, place, facts);
                }
            }
        }
        Action::Spawn { role, .. } => {
            let role = role.as_ref().map(ToString::to_string);
            let part = role.clone().unwrap_or_else(|| call.tool.to_string());
            record.push(Op::Spawn { role }, &part);
        }
        Action::Inert => web::note(&mut record, &call.tool, &call.input),
        Action::Other => {
            web::note(&mut record, &call.tool, &call.input);
            record = input::effects(record, &ground, &call.tool, &call.input, place, facts);
            if record.is_empty() {
                return record.finish(Coverage::None);
            }
        }
    }
    record.finish(Coverage::Full)
}
