use clap::Args;
use serde_json::json;
use stead_guard::State;
use stead_guard::protection::GATE;
use stead_model::rfc3339;

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::guard_counts::{Count, Counts, is_orphaned};
use crate::guards::Guards;
use crate::project::{Project, now_millis};
use crate::ui::Ui;

/// Show what each guard did: calls, hits, what it blocked or would have blocked, appeals, overrides
///
/// The counts come from the session log and go back as far as it does. A guard without a hit in 200 calls is marked
/// `dormant`, one that is often appealed or overridden `noisy`, one about folders that do not exist `orphaned`.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead guard stats\n  stead guard stats infra-is-reviewed --days 7")]
pub(super) struct StatsArgs {
    /// Only these guards, or packs of them
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Only the last N days
    #[arg(long, value_name = "N")]
    days: Option<u32>,
    /// Print the counts as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &StatsArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    let since = args.days.map(|days| rfc3339(now_millis() - i64::from(days) * 24 * 3600 * 1000)).unwrap_or_default();
    let mut asked: Vec<&str> = Vec::new();
    for id in args.ids.iter().filter(|id| *id != GATE) {
        asked.extend(guards.members(id)?.iter().map(|guard| guard.id.as_str()));
    }
    let is_asked = |id: &str| args.ids.is_empty() || asked.contains(&id) || args.ids.iter().any(|asked| asked == id);
    let counts = Counts::read(&project, &since)?;
    let rows: Vec<(String, Count, Vec<&str>)> = guards
        .list
        .iter()
        .filter(|guard| guard.state == State::Active || !args.ids.is_empty())
        .map(|guard| (guard.id.as_str(), guard.on.as_slice(), is_orphaned(&project, guard)))
        .chain([(GATE, &["before-tool"][..], false)])
        .filter(|(id, ..)| is_asked(id))
        .map(|(id, on, orphaned)| {
            let count = counts.of(id, on);
            let marks = count.marks(id).into_iter().chain(orphaned.then_some("orphaned")).collect();
            (id.to_owned(), count, marks)
        })
        .collect();
    if args.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|(id, count, marks)| {
                json!({
                    "id": id, "evaluations": count.evaluations, "hits": count.hits, "blocked": count.came_to.stopped,
                    "would_block": count.came_to.shadow, "warned": count.came_to.warned, "let_go": count.came_to.let_go,
                    "overridden": count.came_to.overridden,
                    "appeals": count.appeals, "upheld": count.upheld, "overrides": count.overrides, "last_hit_at": count.last, "marks": marks,
                })
            })
            .collect();
        ui.json(answer::GUARD_STATS, &json!({"since": since, "items": rows}));
        return Ok(Exit::Done);
    }
    let width = rows.iter().map(|(id, ..)| id.chars().count()).max().unwrap_or(0);
    ui.line(format!("{:width$}  calls  hits blocked would warned appeals allowed", "guard"));
    for (id, count, marks) in rows {
        let let_go = (count.came_to.let_go > 0).then(|| format!("let {} pass", count.came_to.let_go));
        let marks: Vec<String> = marks.into_iter().map(str::to_owned).chain(let_go).collect();
        let row = format!(
            "{id:width$}  {:>5} {:>5} {:>7} {:>5} {:>6} {:>7} {:>7}  {}",
            count.evaluations,
            count.hits,
            count.came_to.stopped,
            count.came_to.shadow,
            count.came_to.warned,
            count.appeals,
            count.overrides,
            marks.join(", ")
        );
        ui.line(row.trim_end());
    }
    Ok(Exit::Done)
}
