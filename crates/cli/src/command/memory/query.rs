use std::num::NonZeroUsize;
use std::time::Duration;

use clap::Args;
use serde_json::Value;
use stead_memory::semantic::{SemanticError, SemanticModel};
use stead_memory::{Channel, Embedder, Filters, Level, Outcome, Query, RetrievedBy, TraceId, TraceKind, TraceStatus};
use stead_model::{rfc3339, unix_millis};

use super::Here;
use crate::answer;
use crate::cli::{Exit, one_of};
use crate::error::CliError;
use crate::memory::{retrievals, search};
use crate::project::{now_millis, project_path};
use crate::semantic::own_model_dir;
use crate::ui::Ui;

/// How long a query embeds traces that have no vector yet.
const EMBEDDING: Duration = Duration::from_secs(5);

/// Find traces by words, meaning, or what they are about
///
/// Any word counts, in any order and script; misspelt words and parts of names are found, too. Without a text, the newest
/// traces are listed. If nothing is close enough, the answer says so.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead memory query \"edited generated code\"\n  stead memory query --type violation --since 7d\n  stead memory query migrations --file src/db --level full --json"
)]
pub(crate) struct QueryArgs {
    /// What to look for
    text: Vec<String>,
    /// How much of each trace: the answer has at most 500, 1,000, or 2,000 tokens for each trace
    #[arg(long, value_name = "LEVEL", default_value = "summary", value_parser = one_of(Level::ALL, Level::name))]
    level: Level,
    /// The most traces; 20 at the level `metadata`, else 5
    #[arg(long, short = 'k', value_name = "N")]
    k: Option<NonZeroUsize>,
    /// The most tokens, instead of what the level allows
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,
    /// Look for words only, not for their meaning
    #[arg(long)]
    lexical: bool,
    /// Do not count the traces as retrieved, for lists from which somebody still chooses
    #[arg(long)]
    uncounted: bool,
    #[command(flatten)]
    filters: FilterArgs,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[command(next_help_heading = "Filters, of which each may be given several times")]
struct FilterArgs {
    /// Only traces of this type
    #[arg(long = "type", value_name = "TYPE", value_parser = one_of(TraceKind::ALL, TraceKind::name))]
    kinds: Vec<TraceKind>,
    /// Only traces in this state
    #[arg(long = "status", value_name = "STATUS", value_parser = one_of(TraceStatus::ALL, TraceStatus::name))]
    statuses: Vec<TraceStatus>,
    /// Only traces about this file or folder
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<String>,
    /// Only traces of this guard
    #[arg(long = "guard", value_name = "ID")]
    guards: Vec<String>,
    /// Only traces of this feature
    #[arg(long = "feature", value_name = "ID")]
    features: Vec<String>,
    /// Only traces of this agent
    #[arg(long = "agent", value_name = "NAME")]
    agents: Vec<String>,
    /// Only traces of this intent
    #[arg(long = "intent", value_name = "ID")]
    intents: Vec<String>,
    /// Only traces after which the agent did this
    #[arg(long = "outcome", value_name = "OUTCOME", value_parser = one_of(Outcome::ALL, Outcome::name))]
    outcomes: Vec<Outcome>,
    /// Only traces since then: a date, a moment, or how long ago, such as `7d` or `12h`
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only traces before then
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
}

pub(super) fn run(args: QueryArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let now = now_millis();
    let query = Query {
        text: args.text.join(" "),
        filters: filters(args.filters, here, now, ui)?,
        level: args.level,
        count: args.k.map(NonZeroUsize::get),
        max_tokens: args.max_tokens,
    };
    let search = search(&here.project, &here.memory);
    let model = match args.lexical || query.text.trim().is_empty() {
        true => None,
        false => model(ui),
    };
    let left = model.as_ref().map_or(0, |model| search.embed(model, EMBEDDING));
    let answer = search.query(&query, model.as_ref().map(|model| model as &dyn Embedder), now);
    if !args.uncounted {
        let ids = answer.items.iter().filter_map(|item| item["id"].as_str()).filter_map(TraceId::parse);
        // A count that could not be written is no reason to withhold the answer.
        let _ = retrievals(&here.project).record(&rfc3339(now), RetrievedBy::Query, ids);
    }
    if args.json {
        ui.json(answer::MEMORY_QUERY, &serde_json::to_value(&answer).unwrap_or_default());
        return Ok(Exit::Done);
    }
    if let Some(why) = &answer.abstained {
        ui.line(format!("nothing found: {why}"));
    }
    for item in &answer.items {
        tell(item, ui);
    }
    if answer.omitted > 0 {
        ui.note(format!("{} more did not fit; raise --max-tokens or choose a lower level", answer.omitted));
    }
    if answer.partial {
        ui.note("only the newest traces were searched, because the index cannot be written");
    }
    if left > 0 {
        ui.note(format!("{left} older traces are compared by their words only; each query embeds more of them"));
    }
    if !args.lexical && !query.text.trim().is_empty() && !answer.channels.contains(&Channel::Meaning) {
        ui.note("only words were compared, not their meaning: no model is installed (`stead model install`)");
    }
    Ok(Exit::Done)
}

/// The installed model. Without one, or with a damaged one, words have to do.
fn model(ui: &mut Ui) -> Option<SemanticModel> {
    let opened = SemanticModel::open(&own_model_dir().ok()?);
    if let Err(error) = &opened
        && !matches!(error, SemanticError::Absent { .. })
    {
        ui.warning(error.to_string());
    }
    opened.ok()
}

fn filters(args: FilterArgs, here: &Here, now: i64, ui: &Ui) -> Result<Filters, CliError> {
    let dir = ui.dir()?;
    let file = |typed: &String| project_path(&here.project, &dir, typed);
    Ok(Filters {
        kinds: args.kinds,
        statuses: args.statuses,
        outcomes: args.outcomes,
        agents: args.agents,
        features: args.features,
        guards: args.guards,
        intents: args.intents,
        files: args.files.iter().map(file).collect::<Result<_, _>>()?,
        from: args.since.as_deref().map(|typed| moment(typed, now)).transpose()?,
        to: args.until.as_deref().map(|typed| moment(typed, now)).transpose()?,
    })
}

/// Reads a date, a moment, or how long ago it was.
fn moment(typed: &str, now: i64) -> Result<i64, CliError> {
    let units = [("m", 60), ("h", 3_600), ("d", 86_400), ("w", 604_800)];
    let ago = units.into_iter().find_map(|(unit, seconds)| {
        let count: i64 = typed.strip_suffix(unit)?.parse().ok()?;
        count.checked_mul(seconds * 1_000).filter(|millis| *millis >= 0).map(|millis| now - millis)
    });
    let found = ago.or_else(|| unix_millis(typed)).or_else(|| unix_millis(&format!("{typed}T00:00")));
    found.ok_or_else(|| {
        CliError::usage(format!("`{typed}` is not a time"))
            .hinted("write `2026-11-15`, `2026-11-15T19:45Z`, `7d` or `12h`")
    })
}

fn tell(item: &Value, ui: &mut Ui) {
    let word = |name: &str| item[name].as_str().unwrap_or_default();
    let words = |list: &Value| -> String {
        let all = list.as_array().into_iter().flatten().filter_map(Value::as_str);
        all.collect::<Vec<_>>().join(", ")
    };
    let mut marks = vec![word("type").to_owned(), format!("{} ago", word("age")), word("freshness").to_owned()];
    marks.extend(["status", "foreign"].into_iter().map(|name| word(name).to_owned()).filter(|mark| !mark.is_empty()));
    ui.line(format!("{}  {}", word("id"), marks.join(", ")));
    if let Some(new) = item["superseded_by"].as_str() {
        ui.line(format!("  superseded by {new}"));
    }
    let event = &item["event"];
    let texts = [("", word("title")), ("", event["what_happened"].as_str().unwrap_or_default())];
    let reasons = [
        ("correct: ", event["what_was_correct"].as_str().unwrap_or_default()),
        ("why: ", event["why"].as_str().unwrap_or_default()),
    ];
    for (name, text) in texts.into_iter().chain(reasons).filter(|(_, text)| !text.is_empty()) {
        ui.line(format!("  {name}{}", text.replace('\n', "\n  ")));
    }
    let matched = words(&item["matched"]["terms"]);
    if !matched.is_empty() {
        ui.line(format!("  matched: {matched} ({})", words(&item["matched"]["channels"])));
    }
}
