//! What a call ran, as its effects tell: which of its programs is the test, and why it can or cannot be believed. It
//! reads effects and never a command's text.

use std::path::Path;

use stead_model::{Effects, Hidden, How, Op, RunOutput};

use crate::About;
use crate::environment::{self, is_talk};
use crate::observe::shown;
use crate::runner::{Run, Tools, recognise};
use crate::summary::looks_like_one;
use crate::verifier::Command;

#[derive(Clone, Copy)]
pub(crate) struct Ran<'e> {
    effects: &'e Effects,
    tools: Tools<'e>,
}

/// One program of a call, by its place among the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At(usize);

impl<'e> Ran<'e> {
    pub(crate) fn of(effects: &'e Effects, tools: Tools<'e>) -> Self {
        Self { effects, tools }
    }

    /// The run that the call is about: its last test, else its last build. A task that runs the test is the test.
    pub(crate) fn main(&self) -> Option<(At, Run)> {
        let known: Vec<(At, Run)> = self.all().filter_map(|at| Some((at, self.recognise(at)?))).collect();
        let is_test = |run: &Run| run.about == About::Test;
        let found = *known.iter().rev().find(|(_, run)| is_test(run)).or(known.last())?;
        if !is_test(&found.1) {
            return Some(found);
        }
        let tasks = self.above(found.0).filter_map(|at| Some((at, self.recognise(at)?)));
        Some(tasks.filter(|(_, run)| is_test(run)).last().unwrap_or(found))
    }

    /// The only test runner that the call runs: what is printed about tests is its own.
    pub(crate) fn only_test(&self) -> Option<At> {
        // What a runner starts itself is part of its run.
        let mut tests =
            self.all().filter(|at| self.is_runner(*at) && !self.above(*at).any(|above| self.is_runner(above)));
        let only = tests.next()?;
        tests.next().is_none().then_some(only)
    }

    /// The last program that is this command.
    pub(crate) fn find(&self, is_it: impl Fn(&Command) -> bool) -> Option<At> {
        self.all().rev().find(|at| is_it(&self.command(*at)))
    }

    /// The program, if it is the only one of the call and how it ends and what it writes are the call's own.
    pub(crate) fn only(&self) -> Option<Command> {
        let last = self.last()?;
        let wraps = |at: At| at == last || self.above(last).any(|above| above == at);
        let at = self.main().map_or(last, |(at, _)| at);
        let run = self.run(at);
        let is_plain = run.hidden.is_none() && run.output == RunOutput::Shown && !self.effects.gave_up;
        (is_plain && self.all().all(wraps)).then(|| self.command(at)).filter(|command| command.dir.is_some())
    }

    /// The folder of the last program, below the root.
    pub(crate) fn last_dir(&self) -> Option<String> {
        self.dir(self.last()?)
    }

    /// Any program of the call, to stand for all of it.
    pub(crate) fn last(&self) -> Option<At> {
        self.effects.runs.len().checked_sub(1).map(At)
    }

    /// A program as it is compared with verifiers.
    pub(crate) fn command(&self, at: At) -> Command {
        let env = self.run(at).env.iter().filter(|(name, _)| !is_talk(name)).cloned().collect();
        Command { words: self.argv(at).to_vec(), env, dir: self.dir(at) }
    }

    /// Where a program ran, below the root; `None` where that cannot be told or lies outside.
    pub(crate) fn dir(&self, at: At) -> Option<String> {
        let Op::Run { dir, .. } = &self.effects.list.get(self.run(at).effect)?.op else { return None };
        if self.run(at).elsewhere || dir.contains('…') {
            return None;
        }
        let (dir, root) = (stead_model::clean(Path::new(dir)), self.tools.root);
        let below = dir.strip_prefix(root).ok().map(Path::to_owned);
        // The root may be spelt through a link.
        let real = || dir.canonicalize().ok()?.strip_prefix(root.canonicalize().ok()?).ok().map(Path::to_owned);
        Some(below.or_else(real)?.to_string_lossy().replace('\\', "/"))
    }

    /// Says why the call's end is not the run's own, why its output may be somebody else's, or why the program may be
    /// another one than its name says.
    pub(crate) fn doubt(&self, at: At) -> Option<String> {
        if self.effects.gave_up {
            return Some("the command around it is more than can be followed".into());
        }
        self.own_doubt(at).or_else(|| self.company(at)).or_else(|| self.recipe(at))
    }

    fn own_doubt(&self, at: At) -> Option<String> {
        let run = self.run(at);
        if run.output != RunOutput::Shown {
            return Some("its output went elsewhere".into());
        }
        if let Some(hidden) = run.hidden {
            return Some(describe(hidden).into());
        }
        run.doubt
            .clone()
            .or_else(|| environment::doubt(&run.env, self.tools))
            .or_else(|| self.was_written(at).map(|path| format!("the call itself wrote `{}`", shown(path))))
    }

    /// The program itself, if the call wrote it.
    fn was_written(&self, at: At) -> Option<&'e str> {
        let argv = self.argv(at);
        let Op::Run { dir, .. } = &self.effects.list.get(self.run(at).effect)?.op else { return None };
        let own = if argv[0].contains('/') { Some(stead_model::clean(&Path::new(dir).join(&argv[0]))) } else { None };
        let module = argv.iter().position(|word| word == "-m").and_then(|flag| argv.get(flag + 1));
        let module = module.map(|name| Path::new(dir).join(format!("{name}.py")));
        let folders = self.run(at).env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_str());
        self.written().find(|path| {
            let path = Path::new(path);
            own.as_deref() == Some(path)
                || module.as_deref() == Some(path)
                || own.is_none()
                    && path.file_name().is_some_and(|name| name == argv[0].as_str())
                    && path.parent().is_some_and(|folder| self.tools.finds_in(folder, folders))
        })
    }

    /// The files that the call writes, each by its name.
    fn written(&self) -> impl Iterator<Item = &'e str> {
        self.effects.list.iter().filter_map(|effect| match &effect.op {
            Op::Write { target, how, .. } if !target.tree && *how != How::Attributes => Some(target.path.as_str()),
            Op::Rename { to, .. } => Some(to.path.as_str()),
            _ => None,
        })
    }

    /// Says who else may have written the summary. What a recipe or script of the project runs beside its test is the
    /// project's own, unless the call wrote the recipe.
    fn company(&self, at: At) -> Option<String> {
        let above: Vec<At> = self.above(at).collect();
        let own = |other: At| other == at || above.contains(&other) || self.above(other).any(|above| above == at);
        let is_captured_shown = self.effects.prints.iter().any(|print| print.text.contains('…'));
        let is_recipe =
            |at: At| is_recipe(self.argv(at)) && !self.written().any(|path| is_recipe_file(path, self.argv(at)));
        let beside = self.all().filter(|other| !own(*other)).filter(|other| match self.by(*other) {
            None => true,
            Some(by) => above.contains(&by) && !is_recipe(by) && !self.above(by).any(is_recipe),
        });
        for other in beside {
            let run = self.run(other);
            let arrives = match run.output {
                RunOutput::Shown => true,
                RunOutput::Captured => is_captured_shown,
                RunOutput::Elsewhere => false,
            };
            if arrives && !run.passes_on && !self.is_harmless(other) {
                return Some(format!("`{}` beside it may have written the summary", shown(&self.argv(other)[0])));
            }
        }
        // What a test runner prints is its summary, though it be a script.
        let by_runner =
            |by: At| !self.recognise(at).is_some_and(|run| run.is_task()) && own(by) && !above.contains(&by);
        let mut prints = self.effects.prints.iter().filter(|print| !print.by.is_some_and(|by| by_runner(At(by))));
        let forged = &prints.find(|print| looks_like_one(&print.text))?.text;
        let line = forged.lines().find(|line| looks_like_one(line)).unwrap_or(forged).trim();
        Some(format!("the call itself printed `{}`", shown(line)))
    }

    /// Says why a task is no test: its recipe runs none that is known.
    fn recipe(&self, at: At) -> Option<String> {
        if !self.recognise(at).is_some_and(|run| run.about == About::Test && run.is_task()) {
            return None;
        }
        let below: Vec<At> = self.all().filter(|other| self.above(*other).any(|above| above == at)).collect();
        let tests: Vec<At> = below.iter().copied().filter(|at| self.is_runner(*at)).collect();
        let doubts: Vec<Option<String>> = tests.iter().map(|at| self.own_doubt(*at)).collect();
        let name = shown(&self.argv(at)[0]);
        match doubts.into_iter().find(Option::is_none).is_some() {
            true => None,
            false => Some(match (tests.first(), below.is_empty()) {
                (Some(test), _) => {
                    let why = self.own_doubt(*test).unwrap_or_default();
                    format!("`{}` in its recipe proves nothing: {why}", shown(&self.argv(*test).join(" ")))
                }
                (None, false) => format!("the recipe of `{name}` runs no test runner that is known"),
                (None, true) => format!("the recipe of `{name}` could not be read or runs nothing"),
            }),
        }
    }

    /// Programs that write nothing a summary could be mistaken for.
    fn is_harmless(&self, at: At) -> bool {
        let argv = self.argv(at);
        let is_run = || self.recognise(at).is_some();
        let verb = argv.get(1).map(String::as_str).unwrap_or_default();
        match argv[0].as_str() {
            "git" => !matches!(verb, "log" | "show" | "diff" | "grep" | "cat-file" | "blame" | "reflog"),
            "npm" | "pnpm" | "yarn" | "bun" => matches!(verb, "ci" | "install" | "i" | "add") || is_run(),
            "pip" | "pip3" | "uv" | "poetry" | "bundle" | "composer" | "go" | "mix" | "deno" | "cargo" => {
                matches!(
                    verb,
                    "install" | "sync" | "mod" | "get" | "deps.get" | "fetch" | "fmt" | "clean" | "update" | "add"
                ) || is_run()
            }
            program => QUIET.contains(&program) || is_run(),
        }
    }

    /// Says whether a program is a test runner itself, and no task that may run one.
    fn is_runner(&self, at: At) -> bool {
        self.recognise(at).is_some_and(|run| run.about == About::Test && !run.is_task())
    }

    pub(crate) fn recognise(&self, at: At) -> Option<Run> {
        let run = recognise(self.argv(at), self.tools)?;
        let narrowed = environment::narrows(&self.run(at).env);
        Some(Run { is_whole: run.is_whole && !narrowed, ..run })
    }

    fn all(&self) -> impl DoubleEndedIterator<Item = At> + use<'e> {
        (0..self.effects.runs.len()).map(At)
    }

    fn run(&self, at: At) -> &'e stead_model::Run {
        &self.effects.runs[at.0]
    }

    fn by(&self, at: At) -> Option<At> {
        self.run(at).by.filter(|by| *by < at.0).map(At)
    }

    /// What started a program, from the nearest up.
    fn above(&self, at: At) -> impl Iterator<Item = At> + use<'e> {
        let ran = *self;
        std::iter::successors(self.by(at), move |at| ran.by(*at))
    }

    fn argv(&self, at: At) -> &'e [String] {
        match self.effects.list.get(self.run(at).effect).map(|effect| &effect.op) {
            Some(Op::Run { argv, .. }) if !argv.is_empty() => argv,
            _ => const { &[String::new()] },
        }
    }
}

/// Programs that print nothing about tests. What `echo` prints is looked at by itself.
const QUIET: &[&str] = &[
    ".", ":", "[", "[[", "alias", "basename", "break", "cd", "chmod", "continue", "eval", "exit", "export", "hash",
    "let", "popd", "pushd", "return", "set", "shift", "source", "test", "trap", "true", "ulimit", "umask", "unset",
    "wait", "clear", "cp", "date", "dirname", "echo", "fnm", "hostname", "id", "kill", "ln", "ls", "mkdir", "mktemp",
    "mv", "nvm", "pkill", "printf", "pwd", "pyenv", "rbenv", "readlink", "realpath", "rm", "rmdir", "sleep", "stat",
    "touch", "uname", "which", "whoami",
];

/// Says whether a program runs what a file of the project says: a task runner, a script.
fn is_recipe(argv: &[String]) -> bool {
    let name = argv[0].rsplit('/').next().unwrap_or_default();
    match name {
        "make" | "gmake" | "just" | "npm" | "pnpm" | "yarn" | "bun" | "composer" => true,
        "sh" | "bash" | "dash" | "zsh" | "ksh" => argv[1..].iter().any(|word| !word.starts_with(['-', '+'])),
        _ => argv[0].contains('/'),
    }
}

/// Says whether a file is the recipe or script that a program runs.
fn is_recipe_file(path: &str, argv: &[String]) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let recipes = ["makefile", "gnumakefile", "justfile", ".justfile", "package.json", "composer.json"];
    recipes.contains(&name.to_lowercase().as_str()) || argv.iter().any(|word| word.rsplit('/').next() == Some(name))
}

fn describe(hidden: Hidden) -> &'static str {
    match hidden {
        Hidden::Pipe => "the pipe hides how it ended",
        Hidden::Or => "`||` hides how it ended",
        Hidden::Followed => "the command behind it hides how it ended",
        Hidden::Background => "`&` hides how it ended",
        Hidden::Condition => "a condition hides whether it ran and how it ended",
        Hidden::Repeated => "how often it ran is not known",
        Hidden::Negated => "`!` hides how it ended",
        Hidden::Captured => "a substitution hides how it ended",
        Hidden::Exit => "an `exit` or `return` before it may have ended the call",
        Hidden::Ignored => "the program that started it hides how it ended",
        Hidden::Remote => "it ran in a container or on another machine",
    }
}
