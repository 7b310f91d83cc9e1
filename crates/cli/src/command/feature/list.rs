use clap::Args;
use serde_json::json;
use stead_feature::{Document, Queue, Readiness, SessionState, Status};

use super::{Here, described, line};
use crate::answer;
use crate::cli::{Exit, one_of};
use crate::error::CliError;
use crate::project::now_millis;
use crate::ui::{Ui, counted};

/// List the features
///
/// Exits with 1 if the list is invalid, and names the line.
#[derive(Args)]
#[command(after_help = "Example:\n  stead feature list --ready")]
pub(super) struct ListArgs {
    /// Only those with this status
    #[arg(long, value_name = "STATUS", value_parser = one_of(Status::ALL.iter().copied(), Status::word))]
    status: Option<Status>,
    /// Only those that can be worked on now
    #[arg(long)]
    ready: bool,
    /// Only those that are blocked, or wait for another feature
    #[arg(long, conflicts_with = "ready")]
    blocked: bool,
    /// Only those with this label
    #[arg(long, value_name = "WORD")]
    label: Option<String>,
    /// Only those of this category
    #[arg(long, value_name = "WORD")]
    category: Option<String>,
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ListArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let Some(document) = Document::read(&here.room)? else {
        match args.json {
            true => ui.json(answer::FEATURE_LIST, &json!({"items": []})),
            false => ui.note("no features yet; add one with `stead feature add`"),
        }
        return Ok(Exit::Done);
    };
    let (outline, session) = (document.outline(), SessionState::read(&here.room)?);
    let queue = Queue::of(outline, &session, now_millis());
    let chosen = queue.iter().enumerate().filter(|(_, (row, ready))| {
        let is_ready = matches!(ready, Readiness::Code | Readiness::Test);
        let is_blocked = matches!(ready, Readiness::Blocked { .. } | Readiness::Waits { .. });
        args.status.is_none_or(|status| row.status == status)
            && (!args.ready || is_ready)
            && (!args.blocked || is_blocked)
    });
    let (mut features, mut lines) = (Vec::new(), Vec::new());
    for (at, (row, ready)) in chosen {
        let heading = document.heading_at(at)?;
        if args.label.as_ref().is_some_and(|label| !heading.has_label(label))
            || args.category.as_ref().is_some_and(|category| !heading.is_of(category))
        {
            continue;
        }
        match args.json {
            true => features.push(described(document.value_at(at)?, row, ready)),
            false => lines.push(line(row, ready, heading.title())),
        }
    }
    if args.json {
        ui.json(answer::FEATURE_LIST, &json!({"items": features}));
        return Ok(Exit::Done);
    }
    ui.lines(&lines);
    let count = |status| outline.rows.iter().filter(|row| row.status == status).count();
    let (all, tested) = (counted(outline.rows.len(), "feature"), count(Status::Tested));
    ui.note(format!("{all}, {tested} tested, {} blocked", count(Status::Blocked)));
    Ok(Exit::Done)
}
