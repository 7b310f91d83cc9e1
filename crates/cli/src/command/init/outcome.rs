//! What `stead init` says when it is done.

use serde_json::{Value, json};
use stead_client::Scope;
use stead_install::{Note, diff};
use stead_store::{Did, Done};

use super::Work;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::ui::Ui;

impl Work<'_> {
    pub(super) fn finish(&self, ui: &mut Ui) -> Result<Exit, CliError> {
        if self.args.json {
            ui.json(answer::INIT, &self.as_json());
        } else {
            self.tell(ui);
        }
        let has_failed = self.applied.as_ref().is_some_and(|applied| !applied.failed.is_empty());
        let has_bad = self.plan.notes.iter().any(|note| matches!(note, Note::Bad { .. }));
        Ok(if has_failed || has_bad { Exit::Failed } else { Exit::Done })
    }

    fn tell(&self, ui: &mut Ui) {
        let site = self.here.site();
        let Some(applied) = &self.applied else {
            if !self.args.user && !self.here.project.found.is_marked() {
                ui.line(format!("would create a project in {}", self.here.project.root().display()));
            }
            ui.note("dry run; nothing was changed");
            return;
        };
        let is_new = self.done.iter().any(|done| done.did != Did::Kept);
        // Whoever was asked has seen the list.
        for Done { path, did } in self.done.iter().filter(|_| !self.is_asked) {
            match did {
                Did::Created => ui.line(format!("created  {}", path.display())),
                Did::Adopted { room, because } => {
                    ui.line(format!("adopted  {} as {} ({because})", path.display(), room.name()));
                }
                Did::Kept => {}
            }
        }
        for name in &self.trusted {
            ui.line(format!("trusted  {name}"));
        }
        for id in self.guards.iter().filter(|_| !self.is_asked) {
            ui.line(format!("created  .agent/guards/{id}.yaml"));
        }
        for path in applied.done.iter().filter(|_| !self.is_asked) {
            ui.line(format!("wrote    {}", site.brief(path)));
        }
        if self.is_asked && (is_new || !applied.done.is_empty()) {
            ui.line("\nDone. `stead uninstall` takes it back.");
        }
        for (path, why) in &applied.failed {
            ui.warning(format!("`{}` was not changed: {why}", site.brief(path)));
        }
        if applied.done.is_empty() && applied.failed.is_empty() && !is_new {
            ui.line("nothing to change");
        }
        self.next_steps(ui);
    }

    fn next_steps(&self, ui: &mut Ui) {
        let site = self.here.site();
        let confirm: Vec<String> = self
            .plan
            .notes
            .iter()
            .filter(|note| matches!(note, Note::Confirm { .. } | Note::Commands { .. } | Note::Agents { .. }))
            .map(|n| n.words(&site))
            .collect();
        if confirm.is_empty() && self.guards.is_empty() {
            return;
        }
        ui.line("\nNext:");
        for words in &confirm {
            ui.line(format!("  {words}"));
        }
        for id in &self.guards {
            ui.line(format!(
                "  guards `{id}` only record what they would stop; `stead guard enable {id}` enforces them"
            ));
        }
        if confirm.is_empty() {
            return;
        }
        ui.line("  then run `stead doctor` to prove that the hooks work");
    }

    fn as_json(&self) -> Value {
        let site = self.here.site();
        let edits = self.plan.edits.iter().map(|edit| {
            let is_done = self.applied.as_ref().is_some_and(|applied| applied.done.contains(&edit.path));
            json!({"harness": edit.harness.name(), "path": edit.path, "applied": is_done, "diff": diff(&site, edit)})
        });
        let failed = self.applied.iter().flat_map(|applied| &applied.failed);
        json!({
            "root": self.here.project.root(),
            "scope": match self.scope {
                Scope::Project => "project",
                Scope::ProjectStrict => "strict",
                Scope::Local => "local",
                Scope::Personal => "personal",
                Scope::User => "user",
            },
            "dry_run": self.args.dry_run,
            "created": self.done.iter().filter(|done| done.did != Did::Kept).map(|done| &done.path).collect::<Vec<_>>(),
            "guards": self.guards,
            "edits": edits.collect::<Vec<_>>(),
            "notes": self.plan.notes.iter().map(|note| note_json(note, &note.words(&site))).collect::<Vec<_>>(),
            "failed": failed.map(|(path, why)| json!({"path": path, "why": why})).collect::<Vec<_>>(),
        })
    }
}

fn note_json(note: &Note, words: &str) -> Value {
    let kind = match note {
        Note::Bad { .. } => "bad",
        Note::Skipped { .. } => "skipped",
        Note::Current { .. } => "current",
        Note::Found { .. } => "found",
        Note::Confirm { .. } => "confirm",
        Note::Commands { .. } => "commands",
        Note::Agents { .. } => "agents",
        Note::NoCommands { .. } => "no-commands",
        Note::NoServer { .. } => "no-server",
        Note::NoStatusLine { .. } => "no-status-line",
        Note::Kept { .. } => "kept",
    };
    json!({"harness": note.harness().name(), "kind": kind, "text": words})
}
