//! A client's settings file: whether our lines survive an edit.

use std::path::{Path, PathBuf};

use stead_model::{Detail, Event, Replacement, Verdict};
use stead_settings::{Watch, has_our_lines};
use stead_shell::Facts;

use super::denial::Denial;
use super::entry::Entry;
use super::rule::Rule;
use super::shield::{Shield, Standing};

const KEEP: &str = "keep Stead's hooks and change only the rest, or ask the person to edit the file";

/// Judges the new text of a settings file.
pub(crate) fn judge_text(
    shield: &Shield<'_>,
    entry: &Entry<'_>,
    (shown, path): (&str, &Path),
    before: Option<&str>,
    after: &str,
    facts: &dyn Facts,
) -> Option<Denial> {
    let Rule::Settings { client, shape, watch, .. } = &entry.rule else {
        return None;
    };
    let roots = shield.roots(facts);
    let project: Vec<&Path> = roots.iter().map(PathBuf::as_path).collect();
    let watch = Watch { shape: *shape, clauses: watch, variables: &shield.variables(), project: &project, file: path };
    let problem = watch.judge(before, after).into_iter().next()?;
    Some(Denial::new(format!("the change of `{shown}` ({client} settings)"), problem.to_string(), KEEP))
}

/// Denies a change with an unknown result.
pub(crate) fn unforeseen(entry: &Entry<'_>, shown: &str, why: &str) -> Denial {
    let client = client(entry);
    Denial::new(
        format!("the change of `{shown}` ({client} settings)"),
        format!("Stead cannot check whether its hooks survive, because {why}"),
        "use the edit or write tool with the exact text, so that the result can be checked",
    )
}

/// Denies the removal of a settings file that contains our lines.
pub(crate) fn removal(entry: &Entry<'_>, shown: &str, path: &Path, facts: &dyn Facts) -> Option<Denial> {
    if !holds_lines(entry, path, facts) {
        return None;
    }
    Some(Denial::new(
        format!("the removal of `{shown}` ({} settings)", client(entry)),
        "it contains Stead's hooks",
        "leave the file in place, or ask the person to run `stead uninstall`",
    ))
}

/// Returns true if a settings file currently contains our lines.
pub(crate) fn holds_lines(entry: &Entry<'_>, path: &Path, facts: &dyn Facts) -> bool {
    let Rule::Settings { shape, .. } = &entry.rule else {
        return false;
    };
    match facts.read(path) {
        Some(text) => has_our_lines(*shape, &text),
        None => facts.had_lines(path),
    }
}

/// Returns true if a new text removes our lines from a file that cannot be parsed.
pub(crate) fn loses_unread(entry: &Entry<'_>, path: &Path, after: &str, facts: &dyn Facts) -> bool {
    match &entry.rule {
        Rule::Settings { shape, .. } => facts.had_lines(path) && !has_our_lines(*shape, after),
        _ => false,
    }
}

/// Applies replacements in order; the error says why the result is unknown.
pub(crate) fn apply(before: Option<&str>, edits: &[Replacement<'_>]) -> Result<String, &'static str> {
    if edits.is_empty() {
        return Err("the call does not say what it replaces");
    }
    let mut text = before.unwrap_or_default().to_owned();
    for edit in edits {
        let old = edit.old.as_ref();
        if old.is_empty() {
            if !text.is_empty() {
                return Err("it inserts text at an unknown position");
            }
            text = edit.new.to_string();
        } else if !text.contains(old) {
            // A patch has lines, but not whether the last one ends with a newline.
            let Some(head) = old.strip_suffix('\n').and_then(|last| text.strip_suffix(last)) else {
                return Err("the text it replaces is not in the file");
            };
            text = format!("{head}{}", edit.new);
        } else if edit.all {
            text = text.replace(old, &edit.new);
        } else {
            text = text.replacen(old, &edit.new, 1);
        }
    }
    Ok(text)
}

/// Judges a settings file that changed on disk.
pub(crate) fn judge_config_change(
    shield: &Shield<'_>,
    event: &Event<'_>,
    cwd: &Path,
    facts: &dyn Facts,
) -> Option<Verdict> {
    let Detail::Config { path: Some(written), .. } = &event.detail else {
        return None;
    };
    let path = stead_shell::absolute(written, cwd, shield.home());
    let Some(Standing::In(entry)) = shield.standing_of(&path, facts) else {
        return None;
    };
    let Rule::Settings { shape, client, .. } = &entry.rule else {
        return None;
    };
    let text = facts.read(&path);
    let denial = match &text {
        Some(text) => judge_text(shield, entry, (written, &path), None, text, facts).map(|denial| denial.why),
        None => None,
    };
    let lost = facts.had_lines(&path) && !text.is_some_and(|text| has_our_lines(*shape, &text));
    let why = denial.or_else(|| lost.then(|| "Stead's hooks were removed from it".to_owned()))?;
    Some(
        Denial::new(
            format!("the new {client} settings in `{written}`"),
            why,
            "restore the file, or ask the person to run `stead init` again",
        )
        .verdict(),
    )
}

fn client<'e>(entry: &'e Entry<'_>) -> &'e str {
    match &entry.rule {
        Rule::Settings { client, .. } => client,
        _ => "client",
    }
}

#[cfg(test)]
mod tests {
    use stead_model::Level::{self, Allow, Deny};
    use stead_model::{Detail, Event, EventKind};

    use crate::protection::testing::{World, expect};

    #[track_caller]
    fn check(path: &str, text: Option<&str>, level: Level) {
        let mut world = World::new();
        let file = format!("{}/{path}", World::ROOT).into();
        match text {
            Some(text) => world.files.insert(file, text.to_owned()),
            None => world.files.remove(&file),
        };
        let mut event = Event::new(EventKind::ConfigChange, "ConfigChange");
        event.detail = Detail::Config { source: None, path: Some(path.into()) };
        expect(&world.judge(&event), level, &format!("{path} {text:?}"));
    }

    #[test]
    fn settings_that_changed_on_disk() {
        let ours = ".tool/settings.json";
        check(ours, Some(World::OURS), Allow);
        check(ours, Some(&World::OURS.replace("dark", "light")), Allow);
        check(ours, Some("{}"), Deny);
        check(ours, Some("broken"), Deny);
        check(ours, None, Deny);
        check(ours, Some(&World::OURS.replace("{\"hooks\"", "{\"disableAllHooks\":true,\"hooks\"")), Deny);
        check(".tool/settings.local.json", Some("{}"), Allow);
        check(".tool/settings.local.json", None, Allow);
        check(".tool/settings.local.json", Some("{\"disableAllHooks\":true}"), Deny);
        check("src/main.rs", Some("x"), Allow);
    }

    #[test]
    fn a_change_without_a_path_says_nothing() {
        let event = Event::new(EventKind::ConfigChange, "ConfigChange");
        expect(&World::new().judge(&event), Allow, "no path");
    }
}
