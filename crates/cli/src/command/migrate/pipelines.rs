//! Stages and pipelines of the older format.

use serde_json::{Value, json};
use stead_install::text_diff;
use stead_migrate::{Rewrite, Rewrites, apply_rewrite, find_rewrites};
use stead_pipeline::Catalog;

use crate::error::CliError;
use crate::ui::Ui;

#[derive(Default)]
pub(super) struct Pipelines {
    found: Rewrites,
    /// Files that could not be written, and why.
    failed: Vec<(String, String)>,
}

impl Pipelines {
    pub(super) fn find(catalog: &Catalog) -> Result<Self, CliError> {
        Ok(Self { found: find_rewrites(catalog)?, failed: Vec::new() })
    }

    pub(super) fn show(&self, ui: &mut Ui) {
        for rewrite in &self.found.rewrites {
            ui.line(format!("{:<8} {}", action(rewrite), rewrite.name));
            ui.raw(text_diff(&rewrite.name, rewrite.before.as_deref(), rewrite.after.as_deref()));
            for note in &rewrite.notes {
                ui.line(format!("           check: {note}"));
            }
        }
        for (name, why) in &self.found.refused {
            ui.line(format!("REFUSED  {name}: {why}"));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.rewrites.is_empty() && self.found.refused.is_empty()
    }

    pub(super) fn has_work(&self) -> bool {
        !self.found.rewrites.is_empty()
    }

    /// New files are written before old ones are deleted, so that nothing is lost.
    pub(super) fn carry_out(&mut self) {
        for rewrite in &self.found.rewrites {
            let needs_other = rewrite.after.is_none() && !self.failed.is_empty();
            let outcome =
                if needs_other { Err("its replacement could not be written".to_owned()) } else { write(rewrite) };
            if let Err(why) = outcome {
                self.failed.push((rewrite.name.clone(), why));
            }
        }
    }

    pub(super) fn tell_failures(&self, ui: &mut Ui) {
        for (name, why) in &self.failed {
            ui.warning(format!("`{name}` was not changed: {why}"));
        }
    }

    pub(super) fn has_failed(&self) -> bool {
        !self.failed.is_empty() || !self.found.refused.is_empty()
    }

    pub(super) fn count(&self) -> usize {
        self.found.rewrites.len() - self.failed.len()
    }

    pub(super) fn as_json(&self, dry_run: bool) -> Value {
        let rewrites = self.found.rewrites.iter().map(|rewrite| {
            let failed = self.failed.iter().find(|(name, _)| *name == rewrite.name).map(|(_, why)| why);
            json!({
                "path": rewrite.name,
                "action": action(rewrite),
                "applied": !dry_run && failed.is_none(),
                "why": failed,
                "notes": rewrite.notes,
                "diff": text_diff(&rewrite.name, rewrite.before.as_deref(), rewrite.after.as_deref()),
            })
        });
        let refused = self.found.refused.iter().map(|(file, why)| json!({"path": file, "why": why}));
        json!({"rewritten": rewrites.collect::<Vec<_>>(), "refused": refused.collect::<Vec<_>>()})
    }
}

/// The action on a file, in a word.
fn action(rewrite: &Rewrite) -> &'static str {
    match (&rewrite.before, &rewrite.after) {
        (None, _) => "writes",
        (Some(_), None) => "deletes",
        (Some(_), Some(_)) => "rewrites",
    }
}

fn write(rewrite: &Rewrite) -> Result<(), String> {
    apply_rewrite(rewrite).map_err(|error| match std::error::Error::source(&error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    })
}
