//! Files changed by a file tool: every file of the call, including earlier changes by the same call.

use std::path::{Path, PathBuf};

use stead_model::{Change, FileChange};
use stead_shell::{Facts, Place, absolute, names};

use super::denial::{Denial, holder, own, would};
use super::rule::Rule;
use super::settings;
use super::shield::{Shield, Standing, Width};
use super::tree;

/// Judges the changes in order; stops at the first denial.
pub(crate) fn judge_changes(
    shield: &Shield<'_>,
    changes: &[FileChange<'_>],
    place: &Place<'_>,
    facts: &dyn Facts,
) -> Option<Denial> {
    let mut desk = Desk { shield, place, cwd: place.cwd, facts, written: Vec::new() };
    changes.iter().find_map(|change| desk.judge(change))
}

struct Desk<'d> {
    shield: &'d Shield<'d>,
    place: &'d Place<'d>,
    cwd: &'d Path,
    facts: &'d dyn Facts,
    /// The content of a file after earlier changes of this call; `None` if it is unknown.
    written: Vec<(PathBuf, Option<String>)>,
}

impl Desk<'_> {
    fn judge(&mut self, file: &FileChange<'_>) -> Option<Denial> {
        let path = absolute(&file.path, self.cwd, self.shield.home());
        match &file.change {
            Change::Write { content } => {
                let after = content.as_deref().ok_or("the call does not contain the new text");
                self.judge_result(&file.path, &path, after.map(str::to_owned))
            }
            Change::Edit(edits) => {
                let after = settings::apply(self.text(&path).as_deref(), edits);
                self.judge_result(&file.path, &path, after)
            }
            Change::Delete => {
                let denial = self.judge_removal(&file.path, &path);
                self.written.push((path, None));
                denial
            }
            Change::Rename { to } => {
                let target = absolute(to, self.cwd, self.shield.home());
                let moved = self.text(&path);
                self.judge_removal(&file.path, &path)
                    .or_else(|| self.judge_cover(to, &target))
                    .or_else(|| self.judge_result(to, &target, moved.ok_or("the moved file's text is unknown")))
            }
        }
    }

    /// Judges a new text of a file.
    fn judge_result(&mut self, shown: &str, path: &Path, after: Result<String, &'static str>) -> Option<Denial> {
        let denial = match self.shield.standing_of(path, self.facts) {
            Some(Standing::In(entry)) if matches!(entry.rule, Rule::Settings { .. }) => match &after {
                Ok(after) => {
                    let before = self.text(path);
                    let unread = before.is_none() && settings::loses_unread(entry, path, after, self.facts);
                    if unread {
                        Some(settings::unforeseen(entry, shown, "the current file cannot be read"))
                    } else {
                        settings::judge_text(self.shield, entry, (shown, path), before.as_deref(), after, self.facts)
                    }
                }
                Err(why) => Some(settings::unforeseen(entry, shown, why)),
            },
            Some(Standing::In(entry)) => Some(own(entry, would("change", shown))),
            Some(Standing::Above(..)) | None => None,
        };
        self.written.push((path.to_path_buf(), after.ok()));
        denial
    }

    /// Judges the removal of a file or folder.
    fn judge_removal(&self, shown: &str, path: &Path) -> Option<Denial> {
        match self.shield.standing_of(path, self.facts)? {
            Standing::In(entry) if matches!(entry.rule, Rule::Settings { .. }) => {
                settings::removal(entry, shown, path, self.facts)
            }
            Standing::In(entry) => Some(own(entry, would("remove", shown))),
            Standing::Above(entry, Width::Tree) if entry.is_of_project() => {
                let lost = self.shield.of_project().find(|entry| tree::is_lost(entry, path, self.place, self.facts))?;
                Some(holder(lost, would("remove", shown)))
            }
            Standing::Above(entry, _) => Some(holder(entry, would("remove", shown))),
        }
    }

    /// Judges the replacement of a folder that contains protected files.
    fn judge_cover(&self, shown: &str, path: &Path) -> Option<Denial> {
        match self.shield.standing(&names(path))? {
            Standing::Above(entry, _) => Some(holder(entry, would("replace", shown))),
            Standing::In(_) => None,
        }
    }

    fn text(&self, path: &Path) -> Option<String> {
        match self.written.iter().rev().find(|(written, _)| written == path) {
            Some((_, text)) => text.clone(),
            None => self.facts.read(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use stead_model::Level::{self, Allow, Deny};
    use stead_model::{Action, Change, FileChange, Replacement, ToolCall};

    use crate::protection::testing::{World, expect};

    fn call<'a>(changes: &[(&'a str, Change<'a>)]) -> ToolCall<'a> {
        let changes = changes.iter().map(|(path, change)| FileChange { path: (*path).into(), change: change.clone() });
        ToolCall { tool: "Edit".into(), id: None, action: Action::Change(changes.collect()), input: "".into() }
    }

    fn write(content: &str) -> Change<'_> {
        Change::Write { content: Some(content.into()) }
    }

    fn edit<'a>(old: &'a str, new: &'a str) -> Change<'a> {
        Change::Edit(vec![Replacement { old: old.into(), new: new.into(), all: false }])
    }

    #[track_caller]
    fn check(changes: &[(&str, Change<'_>)], level: Level) {
        check_with(&World::new(), changes, level);
    }

    #[track_caller]
    fn check_with(world: &World, changes: &[(&str, Change<'_>)], level: Level) {
        expect(&world.before(call(changes)), level, &format!("{changes:?}"));
    }

    #[test]
    fn own_files_in_every_spelling() {
        for path in [
            ".agent/config.toml",
            "./.agent/config.toml",
            "src/../.agent/config.toml",
            "/home/ann/proj/.agent/config.toml",
            "/home/ann/proj/src/../.agent//config.toml",
            "~/proj/.agent/config.toml",
            "file:///home/ann/proj/.agent/config.toml",
            ".Agent/CONFIG.toml",
            ".agent/config.local.toml",
            ".agent/context/root.json",
            ".agent/context/indexes/sessions.jsonl",
            ".agent/context/loops/l1.md",
            ".agent/guards/new/deep.yaml",
            ".agent/intents/agent_trace.jsonl",
            ".agent/intents/intent_map.md",
            ".agent/features/evidence/f/a.json",
            ".agent/graph/patterns.jsonl",
            ".agent/cache/policy",
            ".agent/runs/r/state.json",
            "~/.config/stead/guards/a.yaml",
            "~/.local/state/stead/install.json",
        ] {
            check(&[(path, write("x"))], Deny);
            check(&[(path, edit("a", "b"))], Deny);
            check(&[(path, Change::Delete)], Deny);
            check(&[(path, Change::Rename { to: "x".into() })], Deny);
            check(&[("x", Change::Rename { to: path.into() })], Deny);
            check(&[("src/a.rs", write("x")), (path, write("x"))], Deny);
        }
    }

    #[test]
    fn the_agents_files_and_others() {
        for path in [
            "src/main.rs",
            ".agent/context/packets/a.md",
            ".agent/context/scratch/x",
            ".agent/roles/dev.context.md",
            ".agent/stages/a/prompt.md",
            ".agent/pipelines/a.yaml",
            ".agent/intents/AGENT.md",
            ".agent/features/feature-list.json",
            ".agent/runs/r/stage-00-a/progress.md",
            ".agent/runs/r/stage-00-a/output.md",
            ".agent/runs/r/stage-00-a/iterations/002/status.json",
            ".agentic/config.toml",
            "sub/.agent/config.toml",
            ".tool/commands/a.md",
            "~/.config/steadfast/x",
        ] {
            check(&[(path, write("x"))], Allow);
            check(&[(path, edit("a", "b"))], Allow);
            check(&[(path, Change::Delete)], Allow);
            check(&[(path, Change::Rename { to: "other".into() })], Allow);
        }
    }

    #[test]
    fn folders_around_protected_files_stay() {
        for path in [".agent", ".agent/context", ".", "..", "/", "~", "/home/ann/proj", ".tool", "~/.config"] {
            check(&[(path, Change::Delete)], Deny);
            check(&[(path, Change::Rename { to: "/tmp/x".into() })], Deny);
        }
        check(&[("x", Change::Rename { to: ".agent".into() })], Deny);
        check(&[("src", Change::Delete)], Allow);
        check(&[("/tmp/x", Change::Delete)], Allow);
    }

    #[test]
    fn links_are_followed() {
        let mut world = World::new();
        let root = PathBuf::from(World::ROOT);
        world.links.insert(root.join("link"), root.join(".agent"));
        world.links.insert(root.join(".agent/context/packets/evil.md"), root.join(".agent/config.toml"));
        check_with(&world, &[("link/config.toml", write("x"))], Deny);
        check_with(&world, &[("link/context/packets/a.md", write("x"))], Allow);
        check_with(&world, &[(".agent/context/packets/evil.md", write("x"))], Deny);
        world.links.insert(root.clone(), PathBuf::from("/disk/proj"));
        check_with(&world, &[("/disk/proj/.agent/config.toml", write("x"))], Deny);
    }

    #[test]
    fn relative_paths_start_where_the_agent_stands() {
        check_with(&World::at("/home/ann/proj/.agent"), &[("config.toml", write("x"))], Deny);
        check_with(&World::at("/home/ann/proj/src"), &[("../.agent/config.toml", write("x"))], Deny);
        check_with(&World::at("/home/ann/proj/src"), &[(".agent/config.toml", write("x"))], Allow);
    }

    #[test]
    fn settings_pass_while_our_lines_survive() {
        let path = ".tool/settings.json";
        let lighter = World::OURS.replace("dark", "light");
        check(&[(path, write(&lighter))], Allow);
        check(&[(path, edit("dark", "light"))], Allow);
        check(&[(path, write("{}"))], Deny);
        check(&[(path, write("not json"))], Deny);
        check(&[(path, edit("stead hook", "true"))], Deny);
        check(&[(path, edit("\"theme\"", "\"disableAllHooks\":true,\"theme\""))], Deny);
        check(&[(path, edit("not there", "x"))], Deny);
        check(&[(path, edit("", "x"))], Deny);
        check(&[(path, Change::Edit(Vec::new()))], Deny);
        check(&[(path, Change::Write { content: None })], Deny);
        check(&[(path, Change::Delete)], Deny);
        check(&[(path, Change::Rename { to: "x.json".into() })], Deny);
        check(&[("x.json", Change::Rename { to: path.into() })], Deny);
    }

    #[test]
    fn settings_without_our_lines_are_the_agents() {
        let path = ".tool/settings.local.json";
        check(&[(path, write("{\"theme\":\"dark\"}"))], Allow);
        check(&[(path, edit("", "{}"))], Allow);
        check(&[(path, Change::Delete)], Allow);
        check(&[(path, write("{\"disableAllHooks\":true}"))], Deny);
        let mut world = World::new();
        world.files.insert(format!("{}/{path}", World::ROOT).into(), "{\"a\":1}\n".to_owned());
        check_with(&world, &[(path, edit("\"a\":1", "\"a\":2"))], Allow);
        check_with(&world, &[(path, Change::Rename { to: "x".into() })], Allow);
    }

    #[test]
    fn settings_that_cannot_be_read_keep_their_lines() {
        let path = ".tool/settings.json";
        let mut world = World::new();
        world.files.clear();
        check_with(&world, &[(path, write("{}"))], Deny);
        check_with(&world, &[(path, write(World::OURS))], Allow);
        check_with(&world, &[(path, Change::Delete)], Deny);
    }

    #[test]
    fn edits_of_one_call_build_on_each_other() {
        let path = ".tool/settings.json";
        check(&[(path, edit("dark", "mid")), (path, edit("mid", "light"))], Allow);
        check(&[(path, edit("dark", "mid")), (path, edit("dark", "light"))], Deny);
        let moved = [("new.json", write("{}")), ("new.json", Change::Rename { to: path.into() })];
        check(&moved, Deny);
        let ours = [("new.json", write(World::OURS)), ("new.json", Change::Rename { to: path.into() })];
        check(&ours, Allow);
    }

    #[test]
    fn the_last_line_of_a_patch_needs_no_line_end() {
        let old = format!("{}\n", World::OURS);
        let new = World::OURS.replace("dark", "light");
        check(&[(".tool/settings.json", edit(&old, &new))], Allow);
    }

    #[test]
    fn the_reason_names_the_path_and_a_way_on() {
        let text = World::new().before(call(&[(".agent/config.toml", write("x"))])).reason_text();
        assert!(text.contains("`.agent/config.toml`") && text.contains("stead config set"), "{text}");
        let text = World::new().before(call(&[(".tool/settings.json", write("{}"))])).reason_text();
        assert!(text.contains("PreToolUse") && text.contains("keep Stead's hooks"), "{text}");
    }
}
