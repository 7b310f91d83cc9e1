use clap::Args;
use stead_feature::{BlockedOn, Event};

use super::Here;
use crate::cli::{Exit, one_of};
use crate::error::CliError;
use crate::ui::Ui;

/// Block a feature until a person unblocks it
///
/// With `--question`, it waits for an answer of a person.
#[derive(Args)]
#[command(after_help = "Example:\n  stead feature block login --question 'Which provider do we use?'")]
pub(super) struct BlockArgs {
    id: String,
    /// What it waits for
    #[arg(long, value_name = "WHAT", value_parser = one_of(BlockedOn::ALL.iter().copied(), BlockedOn::word))]
    on: Option<BlockedOn>,
    /// A question to a person
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["on", "reason"])]
    question: Option<String>,
    /// Why it cannot go on
    #[arg(long, value_name = "TEXT", required_unless_present = "question")]
    reason: Option<String>,
    /// Print the feature as JSON
    #[arg(long)]
    json: bool,
}

/// Make a blocked or skipped feature available again (a person's decision)
///
/// Its attempts stay counted.
#[derive(Args)]
#[command(after_help = "Example:\n  stead feature unblock login")]
pub(super) struct UnblockArgs {
    id: String,
    /// Print the feature as JSON
    #[arg(long)]
    json: bool,
}

/// Do without a feature (a person's decision)
///
/// Features that depend on it can start.
#[derive(Args)]
#[command(after_help = "Example:\n  stead feature skip login --reason 'moved to the next release'")]
pub(super) struct SkipArgs {
    id: String,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    /// Print the feature as JSON
    #[arg(long)]
    json: bool,
}

/// Answer the question of a feature (a person's decision)
///
/// If it waited for the answer, it is available again.
#[derive(Args)]
#[command(after_help = "Example:\n  stead feature answer login 'We use our own accounts'")]
pub(super) struct AnswerArgs {
    id: String,
    /// The answer
    answer: String,
    /// Print the feature as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn block(args: &BlockArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let feature = args.id.clone();
    let why = args.reason.clone().unwrap_or_default();
    let event = match (&args.question, args.on) {
        (Some(question), _) => Event::NeedsPerson { feature, question: question.clone() },
        (None, on) => Event::Blocked { feature, on: on.unwrap_or(BlockedOn::Human), why },
    };
    here.apply(&event, args.json, ui)
}

pub(super) fn unblock(args: &UnblockArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    here.require_person("unblock a feature")?;
    here.apply(&Event::Unblocked { feature: args.id.clone() }, args.json, ui)
}

pub(super) fn skip(args: &SkipArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    here.require_person("skip a feature")?;
    here.apply(&Event::Skipped { feature: args.id.clone(), why: args.reason.clone() }, args.json, ui)
}

pub(super) fn answer(args: &AnswerArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    here.require_person("answer for a person")?;
    if args.answer.trim().is_empty() {
        return Err(CliError::usage("the answer is empty"));
    }
    here.apply(&Event::Answered { feature: args.id.clone(), answer: args.answer.clone() }, args.json, ui)
}
