//! What the commands about stages and about pipelines share.

use clap::Args;
use serde_json::Value;
use stead_pipeline::{Origin, lint};

use crate::ui::Ui;

#[derive(Args)]
pub(super) struct ListArgs {
    /// Print them as JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args)]
pub(super) struct ShowArgs {
    /// Its name
    pub(super) name: String,
    /// Print its details as JSON
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn has_errors(findings: &[lint::Finding]) -> bool {
    findings.iter().any(lint::Finding::is_error)
}

/// What a list says about a definition: its description, unless it has errors.
pub(super) fn about<'d>(findings: &[lint::Finding], description: Option<&'d str>) -> &'d str {
    if has_errors(findings) { "(has errors: `stead lint`)" } else { description.unwrap_or("") }
}

/// Adds how many findings there are, last.
pub(super) fn with_counts(mut value: Value, findings: &[lint::Finding]) -> Value {
    let errors = findings.iter().filter(|finding| finding.is_error()).count();
    value["error_count"] = errors.into();
    value["warning_count"] = (findings.len() - errors).into();
    value
}

pub(super) fn warn_of_errors(kind: &str, name: &str, findings: &[lint::Finding], ui: &mut Ui) {
    if has_errors(findings) {
        ui.warning(format!("it has errors: `stead lint {kind} {name}` shows them"));
    }
}

/// Says what a new definition overrides, if it does.
pub(super) fn tell_override(kind: &str, name: &str, known: &[(String, Origin)], ui: &mut Ui) {
    if known.contains(&(name.to_owned(), Origin::Builtin)) {
        ui.note(format!("it overrides the built-in {kind} `{name}`"));
    }
}
