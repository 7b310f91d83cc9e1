//! The command line: global options, the list of commands, and what happens around each of them.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use stead_hook::Call;
use stead_model::nearest;
use stead_pipeline::RunStatus;
use stead_store::{UserDirs, keep_private, terminal_columns};

use crate::command;
use crate::error::CliError;
use crate::help::grouped;
use crate::person::remember_person;
use crate::project::env;
use crate::session::Caller;
use crate::settle::{is_quick, settle};
use crate::spelling::{options_before, respelled};
use crate::ui::{Captured, Ui};
use crate::{ledger, memory, precedents, seal};

/// Keeps coding agents in check: context that survives, rules that are enforced, evidence instead of claims.
#[derive(Parser)]
#[command(name = "stead", version)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Options that every command takes.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Global {
    /// Run as if started in this folder
    #[arg(short = 'C', long = "dir", value_name = "DIR", global = true)]
    pub(crate) dir: Option<PathBuf>,
    /// Set one config value for this call, e.g. `record.sessions=false`; can be repeated
    #[arg(long = "config", value_name = "KEY=VALUE", global = true)]
    pub(crate) config: Vec<String>,
    /// Print the time in front of each line: an engine in the background writes a log
    #[arg(long, global = true, hide = true)]
    pub(crate) log_times: bool,
}

macro_rules! commands {
    ($($name:ident $room:ident $args:ident,)+) => {
        #[derive(Subcommand)]
        enum Command {
            $($name(Box<command::$room::$args>),)+
        }

        impl Command {
            fn run(self, ui: &mut Ui) -> Result<Exit, CliError> {
                match self {
                    $(Self::$name(args) => command::$room::run(*args, ui),)+
                }
            }
        }
    };
}

// In the order in which help lists them.
commands! {
    Init init InitArgs,
    Uninstall uninstall UninstallArgs,
    Trust trust TrustArgs,
    Doctor doctor DoctorArgs,
    Migrate migrate MigrateArgs,
    Context context ContextArgs,
    Handoff handoff HandoffArgs,
    Pickup pickup PickupArgs,
    Packet packet PacketArgs,
    Note note NoteArgs,
    Lesson lesson LessonArgs,
    Files files FilesArgs,
    Loop loop_ LoopArgs,
    Role role RoleArgs,
    Intent intent IntentArgs,
    Feature feature FeatureArgs,
    Orchestrate orchestrate OrchestrateArgs,
    Verify verify VerifyArgs,
    Evidence evidence EvidenceArgs,
    Reflect reflect ReflectArgs,
    Memory memory MemoryArgs,
    Stats stats StatsArgs,
    Trace trace TraceArgs,
    Model model ModelArgs,
    Why why WhyArgs,
    Blame blame BlameArgs,
    Log log LogArgs,
    Logs logs LogsArgs,
    Run run RunArgs,
    Status status StatusArgs,
    Wait wait WaitArgs,
    Report report ReportArgs,
    Runs runs RunsArgs,
    Tail tail TailArgs,
    Stop stop StopArgs,
    Test test TestArgs,
    DryRun dry_run DryRunArgs,
    Lint lint LintArgs,
    Stage stage StageArgs,
    Pipeline pipeline PipelineArgs,
    Guard guard GuardArgs,
    Seal seal SealArgs,
    Check check CheckArgs,
    Explain explain ExplainArgs,
    Allow allow AllowArgs,
    Appeal appeal AppealArgs,
    Agent agent AgentArgs,
    Agents agents AgentsArgs,
    Where where_ WhereArgs,
    WhereIs where_is WhereIsArgs,
    Config config ConfigArgs,
    Schema schema SchemaArgs,
    Mcp mcp McpArgs,
    Demo demo DemoArgs,
    Completions completions CompletionsArgs,
    Man man ManArgs,
    Hook hook HookArgs,
    Statusline statusline StatuslineArgs,
}

impl Command {
    /// Returns true for a command that ends a piece of work or looks at it: what happened until then becomes traces. So does
    /// a reflection, which may help in the same trial.
    fn is_boundary(&self) -> bool {
        let ends = matches!(self, Self::Handoff(_) | Self::Run(_) | Self::Orchestrate(_) | Self::Reflect(_));
        ends || matches!(self, Self::Status(_) | Self::Pickup(_))
    }

    /// Returns true for a command that people run to see where they are. It leaves to others what would take long.
    fn only_looks(&self) -> bool {
        matches!(self, Self::Status(_) | Self::Log(_) | Self::Explain(_))
    }

    /// Returns true for a command that is about the program itself, or answers a client. Nothing is due after it, and a shell
    /// or the client may wait for it.
    fn stands_alone(&self) -> bool {
        matches!(self, Self::Completions(_) | Self::Man(_) | Self::Hook(_))
    }
}

/// A parser of one of several names.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static>(
    all: impl IntoIterator<Item = T>,
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let all: Vec<T> = all.into_iter().collect();
    let names: Vec<&'static str> = all.iter().map(|one| name(*one)).collect();
    PossibleValuesParser::new(names).try_map(move |typed| {
        let chosen = all.iter().find(|one| name(**one) == typed);
        chosen.copied().ok_or("unknown value")
    })
}

/// How a command ended if it did what it was asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    /// The thing checked or asked for failed; the output says how.
    Failed,
    /// As the run that it was about.
    Run(RunStatus),
    /// As a run that stopped because no hook of an agent arrived.
    Unheard,
    /// What it waited for did not happen in time.
    TimedOut,
    /// As the answer to a hook call.
    Answered(u8),
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Run(status) => status.exit_code(),
            Self::Unheard => 7,
            Self::TimedOut => 124,
            Self::Answered(code) => code,
        }
    }
}

/// Parses the command line, runs the command, prints its error and returns the exit code. `words` are those after the name
/// of the program.
pub(crate) fn run(words: Vec<OsString>) -> u8 {
    let (cli, is_json) = match parse(&words) {
        Ok(parsed) => parsed,
        // A client would read the code of a wrong command line as a denial.
        Err(error) => match called_hook(&words) {
            Some(call) if error.use_stderr() => return stead_hook::answer(&call),
            _ => return refuse(error, &words),
        },
    };
    let mut ui = Ui::new(cli.global.clone(), is_json, words);
    if cli.command.stands_alone() {
        return exit_code(cli.command.run(&mut ui), &mut ui);
    }
    let is_boundary = cli.command.is_boundary();
    let only_looks = cli.command.only_looks();
    if let Some(dirs) = UserDirs::from_env(&env) {
        keep_private(&dirs.state, "");
    }
    seal::look(&mut ui);
    let outcome = cli.command.run(&mut ui);
    if !only_looks || is_quick(&ui) {
        ledger::finish_waiting(&ui);
        if is_boundary {
            memory::capture_quietly(&ui);
        }
        settle(&mut ui);
        precedents::refresh(&ui);
    }
    remember_person(&ui);
    exit_code(outcome, &mut ui)
}

fn exit_code(outcome: Result<Exit, CliError>, ui: &mut Ui) -> u8 {
    match outcome {
        Ok(exit) => exit.code(),
        Err(error) => {
            ui.error(&error);
            error.exit_code()
        }
    }
}

/// Runs a command, given as the words after `stead`, for a program that reads its answer. What is due afterwards is done
/// only if the command `changes` something: nobody waits longer for something that was only read.
pub(crate) fn run_for(words: &[String], dir: &Path, caller: Caller, changes: bool) -> Result<Captured, CliError> {
    let words = std::iter::once("stead").chain(words.iter().map(String::as_str));
    let matches = Cli::command().try_get_matches_from(words);
    let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches)).map_err(|error| wrong_words(&error))?;
    let mut ui = Ui::capturing(Global { dir: Some(dir.to_owned()), ..cli.global }, caller);
    seal::look(&mut ui);
    let outcome = cli.command.run(&mut ui);
    ledger::finish_waiting(&ui);
    if changes {
        settle(&mut ui);
    }
    precedents::refresh(&ui);
    outcome.map(|_| ui.captured())
}

/// What the parser has against a command, without the usage of the command line.
fn wrong_words(error: &clap::Error) -> CliError {
    let text = error.to_string();
    let (message, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let tip = rest.lines().find_map(|line| line.trim().strip_prefix("tip: "));
    CliError::usage(message.strip_prefix("error: ").unwrap_or(&message)).hinted_if(tip)
}

/// The command line as it is, for completions and manual pages.
pub(crate) fn command() -> clap::Command {
    grouped(Cli::command(), width())
}

/// Parses the command line, and says whether it asks for JSON.
fn parse(words: &[OsString]) -> Result<(Cli, bool), clap::Error> {
    let mut words = words.to_vec();
    let plain = words.iter().map(|word| word.to_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
    if let Some(own) = plain.as_deref().and_then(respelled) {
        let mut ui = Ui::new(Global::default(), asks_for_json(&words), Vec::new());
        ui.note(format!("note: read as `stead {}`", own.join(" ")));
        words = own.into_iter().map(OsString::from).collect();
    }
    let line = std::iter::once(OsString::from("stead")).chain(words);
    let matches = command().term_width(width()).try_get_matches_from(line)?;
    Ok((Cli::from_arg_matches(&matches)?, has_json(&matches)))
}

/// Prints what the parser says instead of a command, help among it, and returns the exit code.
fn refuse(error: clap::Error, words: &[OsString]) -> u8 {
    let error = sensible(error);
    if error.use_stderr() && asks_for_json(words) {
        let error = wrong_words(&error);
        Ui::new(Global::default(), true, Vec::new()).error(&error);
        return error.exit_code();
    }
    let _ = error.print();
    u8::try_from(error.exit_code()).unwrap_or(1)
}

/// The hook call of a line with something wrong in front of `hook`.
fn called_hook(words: &[OsString]) -> Option<Call> {
    let plain: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let before = options_before(&plain);
    let at = before + plain[before..].iter().take_while(|word| word.starts_with('-')).count();
    let (verb, rest) = words[at..].split_first()?;
    (verb == "hook").then(|| Call::parse(rest.iter().cloned())).flatten()
}

/// Returns true if the command that was parsed has `--json`.
fn has_json(matches: &ArgMatches) -> bool {
    match matches.subcommand() {
        Some((_, below)) => has_json(below) || own_json(matches),
        None => own_json(matches),
    }
}

fn own_json(matches: &ArgMatches) -> bool {
    matches.try_get_one::<bool>("json").ok().flatten().is_some_and(|is_set| *is_set)
}

/// As [`has_json`], for words that could not be parsed.
fn asks_for_json(words: &[OsString]) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| word == "--json")
}

/// Drops suggestions that are no likely typing error: nothing helps more than a wrong hint.
fn sensible(mut error: clap::Error) -> clap::Error {
    let pairs = [
        (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand),
        (ContextKind::InvalidArg, ContextKind::SuggestedArg),
        (ContextKind::InvalidValue, ContextKind::SuggestedValue),
    ];
    for (typed, suggested) in pairs {
        let Some(ContextValue::String(typed)) = error.get(typed) else { continue };
        let is_near = |name: &String| nearest(typed.trim_start_matches('-'), [name.trim_start_matches('-')]).is_some();
        let kept = match error.get(suggested) {
            Some(ContextValue::String(name)) => is_near(name).then(|| ContextValue::String(name.clone())),
            Some(ContextValue::Strings(names)) => {
                let near: Vec<String> = names.iter().filter(|name| is_near(name)).cloned().collect();
                (!near.is_empty()).then_some(ContextValue::Strings(near))
            }
            _ => continue,
        };
        match kept {
            Some(kept) => error.insert(suggested, kept),
            None => error.remove(suggested),
        };
    }
    // An empty list would still be given its blank line.
    if matches!(error.get(ContextKind::Suggested), Some(ContextValue::StyledStrs(tips)) if tips.is_empty()) {
        error.remove(ContextKind::Suggested);
    }
    error
}

/// The width of help: the terminal's, at most a hundred columns; eighty if it is unknown.
fn width() -> usize {
    let told = || env("COLUMNS").and_then(|columns| columns.to_str()?.parse().ok());
    let seen = terminal_columns(io::stdout()).or_else(|| terminal_columns(io::stderr()));
    seen.or_else(told).unwrap_or(80).clamp(40, 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ids, long and short names that a command's arguments take.
    fn names(command: &clap::Command, is_wanted: fn(&clap::Arg) -> bool) -> Vec<String> {
        let wanted = command.get_arguments().filter(|argument| is_wanted(argument));
        wanted
            .flat_map(|argument| {
                let long = argument.get_long_and_visible_aliases().unwrap_or_default().into_iter();
                let short = argument.get_short_and_visible_aliases().unwrap_or_default().into_iter();
                let id = std::iter::once(format!("id {}", argument.get_id()));
                id.chain(long.map(|long| format!("--{long}"))).chain(short.map(|short| format!("-{short}")))
            })
            .collect()
    }

    fn walk(command: &clap::Command, global: &[String], found: &mut Vec<String>) {
        for below in command.get_subcommands() {
            let taken = names(below, |_| true).into_iter().filter(|name| global.contains(name));
            found.extend(taken.map(|name| format!("{}: {name}", below.get_name())));
            walk(below, global, found);
        }
    }

    #[test]
    fn no_command_takes_the_name_of_an_option_of_all() {
        let command = Cli::command();
        let global = names(&command, |argument| argument.is_global_set());
        assert!(["id dir", "--dir", "-C", "--config"].iter().all(|name| global.iter().any(|known| known == name)));
        let mut found = Vec::new();
        walk(&command, &global, &mut found);
        // The value of the one would be taken for the other's.
        assert_eq!(found, [] as [String; 0]);
    }
}
