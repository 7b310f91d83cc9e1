use std::ffi::OsString;
use std::path::{Path, PathBuf};

use stead_client::{Harness, Headless, PromptWay};
use stead_model::{clean, expected_one_of, nearest};
use stead_store::{Durability, Exact, find_program, replace};

use super::{ProviderError, Task};
use crate::custody::{Capture, Launch};
use crate::{Provider, os};

/// One argument may have 128 KiB on Linux, all of them together a good deal more.
const LONGEST_ARGUMENT: usize = 100 << 10;

/// A prompt that does not go in directly lies here, beside the log.
const PROMPT_FILE: &str = "prompt.md";

type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// Makes a launch of a task.
pub fn prepare(provider: &Provider, task: &Task<'_>) -> Result<Launch, ProviderError> {
    match provider {
        Provider::Known(name) => known(harness(name)?, task),
        Provider::Command(command) => {
            let (program, args) = command.split_first().ok_or(ProviderError::EmptyCommand)?;
            let mut argv = vec![command_program(program, task.root, task.env)?];
            argv.extend(args.iter().cloned());
            Ok(launch(task, argv, task.prompt.as_bytes().to_vec(), Capture::End))
        }
        Provider::Mock => Err(ProviderError::NothingToStart),
    }
}

/// The command line of a provider, without the prompt and without looking for its program. For people.
pub fn argv(provider: &Provider, model: Option<&str>, args: &[String]) -> Result<Vec<String>, ProviderError> {
    match provider {
        Provider::Known(name) => {
            let client = harness(name)?.client();
            let mut argv = vec![client.facts.program.to_owned()];
            argv.extend(arguments(&client.headless, model, args));
            Ok(argv)
        }
        Provider::Command(command) if command.is_empty() => Err(ProviderError::EmptyCommand),
        Provider::Command(command) => Ok(command.clone()),
        Provider::Mock => Ok(vec!["mock".to_owned()]),
    }
}

/// Says whether a budget in money can be kept with this provider.
pub fn reports_cost(provider: &Provider) -> bool {
    matches!(provider, Provider::Known(name) if Harness::from_name(name).is_some_and(|known| known.client().headless.reports_cost))
}

/// Says why a provider's program cannot be started, without starting it.
pub fn check(provider: &Provider, root: &Path, env: Env<'_>) -> Result<(), ProviderError> {
    match provider {
        Provider::Known(name) => known_program(harness(name)?, root, env).map(drop),
        Provider::Command(command) => {
            let program = command.first().ok_or(ProviderError::EmptyCommand)?;
            command_program(program, root, env).map(drop)
        }
        Provider::Mock => Ok(()),
    }
}

fn harness(name: &str) -> Result<Harness, ProviderError> {
    Harness::from_name(name).ok_or_else(|| ProviderError::Unknown {
        name: name.to_owned(),
        expected: expected_one_of(Harness::NAMES.iter().copied()),
        nearest: nearest(name, Harness::NAMES.iter().copied()),
    })
}

fn known(harness: Harness, task: &Task<'_>) -> Result<Launch, ProviderError> {
    let headless = &harness.client().headless;
    let mut argv = vec![known_program(harness, task.root, task.env)?];
    argv.extend(arguments(headless, task.model, task.args));
    let mut stdin = Vec::new();
    match headless.prompt {
        PromptWay::Stdin => stdin = task.prompt.as_bytes().to_vec(),
        PromptWay::Argument(flag) if task.prompt.len() <= LONGEST_ARGUMENT => {
            argv.extend([flag.to_owned(), task.prompt.to_owned()]);
        }
        PromptWay::Argument(flag) => {
            let file = save_prompt(task)?;
            let pointer = format!("Read the whole file `{}` and do what it says.", file.display());
            argv.extend([flag.to_owned(), pointer]);
        }
        PromptWay::File(flag) => {
            argv.extend([flag.to_owned(), save_prompt(task)?.to_string_lossy().into_owned()]);
        }
    }
    Ok(launch(task, argv, stdin, Capture::Lines(headless.heed)))
}

fn arguments(headless: &Headless, model: Option<&str>, args: &[String]) -> Vec<String> {
    let mut all: Vec<String> = headless.args.iter().map(|arg| (*arg).to_owned()).collect();
    all.extend(model.into_iter().flat_map(|model| [Headless::MODEL_FLAG.to_owned(), model.to_owned()]));
    all.extend(args.iter().cloned());
    all.extend(headless.last_args.iter().map(|arg| (*arg).to_owned()));
    all
}

fn known_program(harness: Harness, root: &Path, env: Env<'_>) -> Result<String, ProviderError> {
    let program = harness.client().facts.program;
    on_path(program, root, env).ok_or_else(|| ProviderError::MissingProgram {
        provider: harness.name().to_owned(),
        program: program.to_owned(),
    })
}

fn on_path(program: &str, root: &Path, env: Env<'_>) -> Option<String> {
    let path: OsString = env("PATH").unwrap_or_default();
    find_program(&path, program).map(|found| root.join(found).to_string_lossy().into_owned())
}

/// A path begins at the project's root, wherever the agent works; a bare name is looked up.
fn command_program(program: &str, root: &Path, env: Env<'_>) -> Result<String, ProviderError> {
    if program.is_empty() {
        return Err(ProviderError::EmptyCommand);
    }
    if !program.contains(std::path::is_separator) {
        let missing = || ProviderError::MissingProgram { provider: program.to_owned(), program: program.to_owned() };
        return on_path(program, root, env).ok_or_else(missing);
    }
    let path = clean(&root.join(program));
    match path.metadata() {
        Ok(data) if data.is_file() && os::may_run(&data) => Ok(path.to_string_lossy().into_owned()),
        Ok(data) if data.is_file() => Err(ProviderError::NotExecutable { path }),
        _ => Err(ProviderError::NoSuchFile { path }),
    }
}

/// The file of a prompt that is too long for the command line, beside the agent's log.
pub(crate) fn prompt_file(log: &Path) -> PathBuf {
    log.with_file_name(PROMPT_FILE)
}

fn save_prompt(task: &Task<'_>) -> Result<PathBuf, ProviderError> {
    let path = prompt_file(task.log);
    replace(&path, Exact::Copied.bytes(&task.prompt), Durability::Quick)
        .map_err(|source| ProviderError::PromptFile { path: path.clone(), source })?;
    Ok(path)
}

fn launch(task: &Task<'_>, argv: Vec<String>, stdin: Vec<u8>, capture: Capture) -> Launch {
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let env = [
        ("STEAD_RUN", task.run.to_owned()),
        ("STEAD_STAGE", task.stage.to_owned()),
        ("STEAD_ITERATION", task.iteration.to_string()),
        ("STEAD_CONTEXT", path(task.context)),
        ("STEAD_STATUS", path(task.status)),
        ("STEAD_OUTPUT", path(task.output)),
        ("STEAD_PROGRESS", path(task.progress)),
    ]
    .into_iter()
    .chain(task.command.map(|command| ("STEAD_COMMAND", path(command))))
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    Launch {
        argv,
        stdin,
        dir: task.dir.to_owned(),
        env,
        unset: Harness::session_vars().map(str::to_owned).collect(),
        log: task.log.to_owned(),
        timeout: task.timeout,
        run_id: task.run_id.to_owned(),
        capture,
    }
}
