//! Redirects a file tool to another path, or tells the agent to do so if the client does not support it.

use serde_json::Value;
use stead_model::{Action, Change, Event, FileChange, How, Level, Op, ToolCall, Verdict};

use crate::asked::Inquiry;
use crate::guard::Guard;
use crate::judge::reason;
use crate::subject::Subject;

/// Applies a template to a path.
pub(crate) fn new_path(template: &str, path: &str) -> String {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, ext) = match name.rsplit_once('.') {
        Some((stem, ext)) if !stem.is_empty() => (stem, ext),
        _ => (name, ""),
    };
    let filled = template.replace("{name}", name).replace("{stem}", stem).replace("{ext}", ext).replace("{dir}", dir);
    filled.replace("//", "/").trim_end_matches('.').to_owned()
}

/// Returns true if the file is already written to the right place.
pub(crate) fn is_there(template: &str, subject: &Subject) -> bool {
    subject.path.as_deref().is_some_and(|path| new_path(template, path).trim_start_matches("./") == path)
}

/// Returns true if something is written there, and not only deleted or moved away.
pub(crate) fn brings_a_file(inquiry: &Inquiry<'_>, subject: &Subject) -> bool {
    let effect = subject.effect.and_then(|at| inquiry.effects().list.get(at));
    match effect.map(|effect| &effect.op) {
        Some(Op::Write { how, .. }) => *how != How::Attributes,
        Some(Op::Rename { from, .. }) => subject.path.as_deref() != from.inside.as_deref(),
        Some(_) => false,
        None => true,
    }
}

pub(crate) fn verdict(inquiry: &Inquiry<'_>, guard: &Guard, subject: &Subject, text: &str) -> Verdict {
    let target = subject.path.as_deref().map(|path| new_path(guard.to.as_deref().unwrap_or("{name}"), path));
    let Some(target) =
        target.and_then(|target| free(&target, &|path| inquiry.facts.measure(&inquiry.absolute(path), 0).is_some()))
    else {
        return refuse(text, None);
    };
    match changed_input(inquiry, &target) {
        Some(input) if inquiry.asked.can_rewrite => Verdict {
            rewrite: Some(input),
            context: vec![stead_model::Capped::new(format!("{text} It is now written to {target}."))],
            ..Verdict::allow()
        },
        _ => refuse(text, Some(&target)),
    }
}

/// The path, with a number if the file already exists, so that nothing is overwritten.
fn free(target: &str, exists: &dyn Fn(&str) -> bool) -> Option<String> {
    const MOST: usize = 100;
    let start = target.rfind('/').map_or(0, |slash| slash + 1);
    let dot = target[start..].rfind('.').filter(|at| *at > 0).map_or(target.len(), |at| start + at);
    let (stem, ending) = target.split_at(dot);
    let numbered = (2..=MOST).map(|number| format!("{stem}-{number}{ending}"));
    std::iter::once(target.to_owned()).chain(numbered).find(|path| !exists(path))
}

fn refuse(text: &str, target: Option<&str>) -> Verdict {
    let text = match target {
        Some(target) => format!("{text} Write it to {target} instead."),
        None => text.to_owned(),
    };
    Verdict { level: Level::Deny, reasons: vec![reason(&text)], ..Verdict::allow() }
}

/// The tool's input with the new path, if it is a file tool with one path in a separate field.
fn changed_input(inquiry: &Inquiry<'_>, target: &str) -> Option<String> {
    let call = inquiry.asked.event.call.as_ref()?;
    let Action::Change(changes) = &call.action else { return None };
    let [change] = changes.as_slice() else { return None };
    // For an edit in place, the old text is at the old path.
    if !matches!(change.change, Change::Write { .. }) {
        return None;
    }
    let mut input: Value = serde_json::from_str(&call.input).ok()?;
    let path = change.path.as_ref();
    let new = if path.starts_with('/') { inquiry.absolute(target) } else { from_here(inquiry, target) };
    let fields: Vec<&mut Value> =
        input.as_object_mut()?.values_mut().filter(|value| value.as_str() == Some(path)).collect();
    // If two fields have the same text, it is unknown which one is the path.
    let [field] = fields.try_into().ok()?;
    let field: &mut Value = field;
    *field = new.into();
    Some(input.to_string())
}

/// The event after the rewrite: the same tool with another path. It must be judged again.
pub fn rewritten<'e>(event: &Event<'e>, input: &str) -> Option<(Event<'e>, String)> {
    let call = event.call.as_ref()?;
    let Action::Change(changes) = &call.action else { return None };
    let [change] = changes.as_slice() else { return None };
    let value: Value = serde_json::from_str(input).ok()?;
    let old: Value = serde_json::from_str(&call.input).ok()?;
    let (_, path) = value.as_object()?.iter().find(|(key, value)| old.get(key) != Some(value))?;
    let path = path.as_str()?.to_owned();
    let change = FileChange { path: path.clone().into(), change: change.change.clone() };
    let call = ToolCall { action: Action::Change(vec![change]), input: input.to_owned().into(), ..call.clone() };
    Some((Event { call: Some(call), ..event.clone() }, path))
}

/// A path below the root, relative to the agent's folder.
fn from_here(inquiry: &Inquiry<'_>, target: &str) -> String {
    match inquiry.asked.event.cwd.as_deref() {
        Some(cwd) if cwd.trim_end_matches('/') != inquiry.asked.root.trim_end_matches('/') => inquiry.absolute(target),
        _ => target.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_not_overwritten() {
        let there = ["docs/a.md", "docs/a-2.md", "docs/.env", "x.d/README"];
        let check = |path: &str, expected: &str| {
            assert_eq!(free(path, &|path| there.contains(&path)).as_deref(), Some(expected));
        };
        check("docs/b.md", "docs/b.md");
        check("docs/a.md", "docs/a-3.md");
        check("docs/.env", "docs/.env-2");
        check("x.d/README", "x.d/README-2");
        assert_eq!(free("a", &|_| true), None);
    }

    #[test]
    fn templates_are_filled() {
        let check = |template: &str, path: &str, expected: &str| {
            assert_eq!(new_path(template, path), expected, "{template} {path}");
        };
        check("docs/summaries/{name}", "a/b/SUMMARY.md", "docs/summaries/SUMMARY.md");
        check("{dir}/old/{stem}-1.{ext}", "a/x.md", "a/old/x-1.md");
        check("out/{stem}.{ext}", "README", "out/README");
        check("out/{name}", ".env", "out/.env");
    }
}
