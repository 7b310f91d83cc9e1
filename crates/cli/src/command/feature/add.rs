use clap::Args;
use serde_json::{Map, Value, json};
use stead_feature::{BY_AGENT, BY_PERSON, FeatureError, VERIFIERS_BY, transact};
use stead_model::FileId;

use super::{Here, is_worked_on};
use crate::cli::Exit;
use crate::error::CliError;
use crate::person::agent_near;
use crate::session::calling_session;
use crate::ui::Ui;

/// Add a feature to the list
///
/// The list is created if there is none. Without an id, the next free one is used: F-001, F-002 …
#[derive(Args)]
#[command(
    after_help = "Example:\n  stead feature add login --title 'Sign in' --file 'src/login/**' \\\n    --verifier 'cargo test login' --depends-on accounts"
)]
pub(super) struct AddArgs {
    /// The id, such as `login`
    id: Option<String>,
    /// What it is, in a few words
    #[arg(long)]
    title: String,
    #[command(flatten)]
    fields: Fields,
    /// Print the feature as JSON
    #[arg(long)]
    json: bool,
}

/// The fields that can be given on the command line.
#[derive(Args)]
pub(super) struct Fields {
    /// What it is, in full
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// A step of it; can be repeated
    #[arg(long = "step", value_name = "TEXT")]
    steps: Vec<String>,
    /// A path pattern of its files; can be repeated
    #[arg(long = "file", value_name = "PATTERN")]
    files: Vec<String>,
    /// A command that proves it; can be repeated
    #[arg(long = "verifier", value_name = "COMMAND")]
    verifiers: Vec<String>,
    /// A feature that has to be tested first; can be repeated
    #[arg(long = "depends-on", value_name = "ID")]
    depends_on: Vec<String>,
    /// Lower numbers come first
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    priority: Option<i64>,
    /// A category, such as `api`
    #[arg(long, value_name = "WORD")]
    category: Option<String>,
    /// A label; can be repeated
    #[arg(long = "label", value_name = "WORD")]
    labels: Vec<String>,
    /// It has a user interface and needs evidence from a browser
    #[arg(long)]
    ui: bool,
    /// The intent that binds the agents that work on it
    #[arg(long, value_name = "ID")]
    intent: Option<String>,
    /// Time limit of an agent that works on it
    #[arg(long = "timeout", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout_seconds: Option<u64>,
}

impl Fields {
    /// The fields that were given, in the order of the list.
    pub(super) fn members(self) -> Map<String, Value> {
        let mut members = Map::new();
        let mut set = |name: &str, value: Value, is_given: bool| {
            if is_given {
                members.insert(name.to_owned(), value);
            }
        };
        set("description", json!(self.description), self.description.is_some());
        set("steps", json!(self.steps), !self.steps.is_empty());
        set("category", json!(self.category), self.category.is_some());
        set("labels", json!(self.labels), !self.labels.is_empty());
        set("priority", json!(self.priority), self.priority.is_some());
        set("depends_on", json!(self.depends_on), !self.depends_on.is_empty());
        set("files", json!(self.files), !self.files.is_empty());
        set("verifiers", json!(self.verifiers), !self.verifiers.is_empty());
        set("ui", json!(true), self.ui);
        set("intent", json!(self.intent), self.intent.is_some());
        set("timeout_seconds", json!(self.timeout_seconds), self.timeout_seconds.is_some());
        members
    }
}

pub(super) fn run(args: AddArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    if let Some(id) = &args.id {
        FileId::check(id).map_err(|why| FeatureError::BadId { id: id.clone(), why: why.to_string() })?;
    }
    if args.title.trim().is_empty() {
        return Err(CliError::usage("the title is empty"));
    }
    let by_agent = agent_near(&here.project).is_some() || calling_session(&here.project).is_some();
    let mut entry = Map::from_iter([("title".to_owned(), json!(args.title))]);
    let members = args.fields.members();
    let author = match by_agent {
        true => Some(BY_AGENT),
        // Otherwise a run would take what appears in the list while an agent works for that agent's.
        false => is_worked_on(here)?.then_some(BY_PERSON),
    };
    let author = author.filter(|_| members.contains_key("verifiers"));
    entry.extend(members);
    entry.extend(author.map(|author| (VERIFIERS_BY.to_owned(), json!(author))));
    entry.extend([("status".to_owned(), json!("pending")), ("tested".to_owned(), json!(false))]);
    let id = transact(&here.room, |opened| {
        let document = opened.document_mut(&here.room);
        let id = match args.id {
            Some(id) => id,
            None => free_id(document.outline().rows.iter().map(|row| row.id.as_str())),
        };
        let mut whole = Map::from_iter([("id".to_owned(), json!(id))]);
        whole.extend(entry);
        document.edit(&[whole], &[])?;
        Ok::<_, CliError>(id)
    })?;
    here.tell(&id, args.json, ui)
}

/// The id after the highest of its kind.
fn free_id<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let highest = ids.filter_map(|id| id.strip_prefix("F-")?.parse::<u32>().ok()).max().unwrap_or(0);
    format!("F-{:03}", highest.saturating_add(1))
}
