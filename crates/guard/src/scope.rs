//! What an expression or a program of a guard sees of a call.

use stead_model::{Op, Target};

use crate::asked::Inquiry;
use crate::evaluate::shown;
use crate::expression;
use crate::guard::Guard;
use crate::subject::Subject;

/// The names of a `when:`.
pub(crate) fn scope(inquiry: &Inquiry<'_>, subject: &Subject) -> expression::Scope {
    let event = inquiry.asked.event;
    let effects = inquiry.effects();
    let paths = |pick: fn(&Op) -> Option<&Target>| {
        effects.list.iter().filter_map(|effect| pick(&effect.op)).map(shown).collect()
    };
    let call = event.call.as_ref();
    expression::Scope {
        event: event.kind.name(),
        tool: call.map(|call| call.tool.to_string()).unwrap_or_default(),
        input: call
            .and_then(|call| serde_json::from_str(&call.input).ok())
            .filter(serde_json::Value::is_object)
            .unwrap_or_else(|| serde_json::json!({})),
        harness: inquiry.asked.harness.to_owned(),
        role: inquiry.facts.caller().name().to_owned(),
        path: subject.path.clone().unwrap_or_default(),
        command: subject.command.clone().unwrap_or_default(),
        part: subject.part.clone(),
        feature: subject.feature.clone().unwrap_or_default(),
        text: inquiry.text().unwrap_or_default().to_owned(),
        writes: paths(|op| match op {
            Op::Write { target, .. } | Op::Delete(target) | Op::Rename { to: target, .. } => Some(target),
            _ => None,
        }),
        deletes: paths(|op| match op {
            Op::Delete(target) | Op::Rename { from: target, .. } => Some(target),
            _ => None,
        }),
        reads: paths(|op| match op {
            Op::Read { target, .. } => Some(target),
            _ => None,
        }),
        runs: effects
            .list
            .iter()
            .filter_map(|effect| match &effect.op {
                Op::Run { argv, .. } => Some(argv.clone()),
                _ => None,
            })
            .collect(),
        coverage: effects.coverage.name(),
        now: inquiry.facts.now(),
    }
}

/// The JSON that an executable guard reads.
pub(crate) fn exec_input(inquiry: &Inquiry<'_>, guard: &Guard, subjects: &[Subject]) -> String {
    let call = inquiry.asked.event.call.as_ref();
    let input = call.and_then(|call| serde_json::from_str::<serde_json::Value>(&call.input).ok());
    serde_json::json!({
        "guard": guard.id,
        "event": inquiry.asked.event.kind.name(),
        "harness": inquiry.asked.harness,
        "role": inquiry.facts.caller().name(),
        "tool": call.map(|call| call.tool.as_ref()),
        "input": input,
        "coverage": inquiry.effects().coverage.name(),
        "subjects": subjects.iter().map(|subject| serde_json::json!({
            "part": subject.part, "path": subject.path, "command": subject.command,
            "feature": subject.feature, "because": subject.because,
        })).collect::<Vec<_>>(),
    })
    .to_string()
}
