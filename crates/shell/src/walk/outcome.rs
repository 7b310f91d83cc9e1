//! What the end of a call tells about the commands in it: whether exit 0 means that a command ran and succeeded, and
//! whether its output is the call's own.

use stead_model::{Hidden, RunOutput};

use crate::parse::syntax::{Command, Group, GroupKind, Item, Join, Output, Part, Redirect, Simple, Value, Word};
use crate::programs::options::operands_without;
use crate::programs::table::{Given, Program};
use crate::walk::redirect::Opened;

/// How the command at hand stands in the call.
#[derive(Clone, Copy, Default)]
pub(crate) struct Outcome {
    /// Why the call may succeed although the command never runs.
    runs: Option<Hidden>,
    /// Why the call may succeed although the command does not, or does not run.
    pub(crate) ends: Option<Hidden>,
    /// Why the call may succeed although the shell at hand ends here with a failure.
    shell: Option<Hidden>,
    /// The same for the function at hand.
    function: Option<Hidden>,
    /// `$PIPESTATUS` of its first command is what counts of a pipeline.
    counts_first: bool,
    pub(crate) output: RunOutput,
    pub(crate) passes_on: bool,
    /// `set -e`, `set -o pipefail` and `set -a`.
    errexit: bool,
    pipefail: bool,
    pub(crate) exports_all: bool,
    /// What `set -e` is blind to: conditions, and what stands before `&&` and `||`.
    exempt: bool,
    left: Option<Left>,
}

/// What an `exit`, `return` or `continue` before may have ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Left {
    Loop,
    Function,
    Shell,
}

impl Outcome {
    /// Goes to one item of a list.
    pub(crate) fn enter(&mut self, items: &[Item], at: usize) {
        let item = &items[at];
        self.counts_first = false;
        let is_start = |at: &usize| items[*at].join == Join::Always;
        let start = (0..=at).rev().find(is_start).unwrap_or(0);
        let end = (at + 1..items.len()).find(is_start).unwrap_or(items.len());
        let other = (at + 1..end).find(|at| items[*at].join == Join::Or);
        let secured = match other {
            Some(other) => fails(&items[other], true).map(|left| self.leaving(left)),
            None => kept_status(items, end).map(|kept| {
                self.counts_first = kept == Kept::First;
                self.shell
            }),
        };
        self.ends = match secured {
            _ if item.background => Some(Hidden::Background),
            _ if self.left.is_some() => Some(Hidden::Exit),
            _ if item.join == Join::Or => Some(Hidden::Or),
            Some(hidden) => self.runs.or(hidden),
            None if other.is_some() => Some(Hidden::Or),
            None if end == items.len() => self.ends,
            None if self.errexit && !self.exempt && end - start == 1 => self.runs.or(self.shell),
            None => self.runs.or(Some(Hidden::Followed)),
        };
        if at > start || self.left.is_some() {
            self.runs = self.ends;
        }
        if item.background {
            (self.shell, self.function) = (self.ends, self.ends);
        }
        self.exempt |= at + 1 < end;
    }

    /// Comes back from an item: what the shell was told holds on.
    pub(crate) fn leave(&mut self, outer: Self) {
        let Self { errexit, pipefail, exports_all, left, output, .. } = *self;
        *self = Self { errexit, pipefail, exports_all, left, output, ..outer };
    }

    /// Goes to one command of a pipeline; each runs in a shell of its own.
    pub(crate) fn enter_part(&mut self, commands: &[Command], at: usize) {
        let counts = if self.counts_first { at == 0 } else { at + 1 == commands.len() };
        if !counts && !self.pipefail {
            self.ends = self.ends.or(Some(Hidden::Pipe));
        }
        (self.shell, self.function, self.counts_first) = (self.ends, self.ends, false);
        if !commands[at + 1..].iter().all(passes_on) {
            self.output = RunOutput::Elsewhere;
        }
        self.passes_on = at > 0 && passes_on(&commands[at]);
    }

    /// Goes into a shell of its own, with its own options if it is another program.
    pub(crate) fn enter_shell(&mut self) {
        (self.shell, self.function) = (self.ends, self.ends);
    }

    pub(crate) fn enter_program(&mut self, flags: &[String]) {
        self.enter_shell();
        let letter = |letter: char| move |flag: &String| !flag.starts_with("--") && flag.contains(letter);
        let flags = || flags.iter().take_while(|flag| flag.starts_with(['-', '+']) || *flag == "pipefail");
        self.errexit = flags().filter(|flag| flag.starts_with('-')).any(letter('e'));
        self.pipefail = flags().any(|flag| flag == "pipefail");
        (self.exempt, self.left, self.exports_all) = (false, None, false);
    }

    pub(crate) fn enter_function(&mut self) {
        self.function = self.ends;
    }

    pub(crate) fn leave_function(&mut self, outer: Self) {
        self.function = outer.function;
        self.left = self.left.filter(|left| *left > Left::Function).max(outer.left);
    }

    pub(crate) fn leave_loop(&mut self, outer: Self) {
        self.left = self.left.filter(|left| *left > Left::Loop).max(outer.left);
    }

    /// Goes into something that may not run, or whose end nobody asks for.
    pub(crate) fn hide(&mut self, why: Hidden) {
        (self.runs, self.ends) = (Some(why), Some(why));
    }

    /// Loses how the command ends.
    pub(crate) fn lose(&mut self, why: Hidden) {
        self.ends = Some(why);
    }

    /// Goes into a substitution.
    pub(crate) fn capture(&mut self) {
        self.ends = Some(Hidden::Captured);
        self.output = RunOutput::Captured;
        self.enter_shell();
    }

    /// Follows the files that take what is printed.
    pub(crate) fn redirect(&mut self, opened: &[Opened]) {
        if opened.iter().any(Opened::takes_output) {
            self.output = RunOutput::Elsewhere;
        }
    }

    /// Carries out `exit`, `return`, `break` or `continue`.
    pub(crate) fn exit(&mut self, name: &str, argv: &[String]) {
        let left = match name {
            "exit" => Left::Shell,
            "return" => Left::Function,
            _ => {
                self.left = self.left.max(Some(Left::Loop));
                return;
            }
        };
        let fails = match argv.get(1).map(|code| code.parse::<u8>()) {
            Some(Ok(code)) => code != 0,
            // Behind `||` it is the failure before that it ends with.
            Some(Err(_)) | None => self.runs == Some(Hidden::Or),
        };
        if !fails || self.leaving(left).is_some() {
            self.left = self.left.max(Some(left));
        }
    }

    /// Notes that nothing runs behind `exec`.
    pub(crate) fn replaced(&mut self) {
        self.left = Some(Left::Shell);
    }

    /// Carries out `set`.
    pub(crate) fn set(&mut self, argv: &[String]) {
        let mut words = argv.iter().skip(1);
        while let Some(word) = words.next().filter(|word| *word != "--") {
            let Some(sign @ ('-' | '+')) = word.chars().next() else { break };
            let on = sign == '-';
            for letter in word.chars().skip(1) {
                match letter {
                    'e' => self.errexit = on,
                    'a' => self.exports_all = on,
                    'o' => match words.next().map(String::as_str) {
                        Some("pipefail") => self.pipefail = on,
                        Some("errexit") => self.errexit = on,
                        Some("allexport") => self.exports_all = on,
                        _ => {}
                    },
                    _ => {}
                }
            }
        }
    }

    fn leaving(&self, left: Left) -> Option<Hidden> {
        match left {
            Left::Loop | Left::Function => self.function,
            Left::Shell => self.shell,
        }
    }
}

/// Says what an item ends with a failure: the shell, the function or nothing.
fn fails(item: &Item, direct: bool) -> Option<Left> {
    match item.pipeline.as_slice() {
        [Command::Simple(simple)] => {
            let left = match simple.words.first().and_then(Word::plain)? {
                "exit" => Left::Shell,
                "return" => Left::Function,
                _ => return None,
            };
            let fails = match simple.words.get(1) {
                Some(code) => match code.plain() {
                    Some(code) => code.parse::<u8>().is_ok_and(|code| code != 0),
                    None => direct && status(code) == Some(Kept::Last),
                },
                None => direct,
            };
            fails.then_some(left)
        }
        [Command::Group(Group { kind: GroupKind::Brace, body, .. })] => {
            let last = body.0.last().filter(|item| item.join == Join::Always)?;
            fails(last, direct && body.0.len() == 1)
        }
        _ => None,
    }
}

/// Whose status a word is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// `$?`
    Last,
    /// `${PIPESTATUS[0]}`
    First,
}

fn status(word: &Word) -> Option<Kept> {
    match word.0.as_slice() {
        [Part::Variable { name, instead: None, .. }] if name == "?" => Some(Kept::Last),
        [Part::Variable { name, instead: None, .. }] if matches!(name.as_str(), "PIPESTATUS" | "PIPESTATUS[0]") => {
            Some(Kept::First)
        }
        _ => None,
    }
}

/// Says whether the list ends with the status that the command before `at` had: `…; exit $?`, `…; rc=$?; …; exit $rc`.
fn kept_status(items: &[Item], at: usize) -> Option<Kept> {
    let exits = |item: &Item| match (item.join, item.background, item.pipeline.as_slice()) {
        (Join::Always, false, [Command::Simple(Simple { words, .. })]) => match words.as_slice() {
            [exit, code] if exit.plain() == Some("exit") => Some(code.clone()),
            _ => None,
        },
        _ => None,
    };
    let code = items.last().and_then(exits)?;
    if at + 1 == items.len() {
        return status(&code);
    }
    let [Command::Simple(Simple { words, assignments, .. })] = items.get(at)?.pipeline.as_slice() else { return None };
    let [assignment] = assignments.as_slice() else { return None };
    let Value::One(value) = &assignment.value else { return None };
    let named = matches!(code.0.as_slice(), [Part::Variable { name, instead: None, .. }] if *name == assignment.name);
    let once = items[at + 1..].iter().all(|item| !assigns(item, &assignment.name));
    if named && once && words.is_empty() && !assignment.adds { status(value) } else { None }
}

/// Says whether an item may give the variable another value.
fn assigns(item: &Item, variable: &str) -> bool {
    item.pipeline.iter().any(|command| match command {
        Command::Simple(simple) => {
            let reads = simple.words.first().and_then(Word::plain);
            simple.assignments.iter().any(|assignment| assignment.name == variable)
                || reads
                    .is_none_or(|name| !matches!(name, "echo" | "printf" | "exit" | "tail" | "head" | "cat" | "grep"))
        }
        Command::Group(_) => true,
    })
}

/// Programs that pass on what they are fed, the flags of theirs that take a value, and how many words are no files.
const FILTERS: &[(&str, &str, usize)] = &[
    ("cat", "", 0),
    ("grep", "ABCmef", 1),
    ("egrep", "ABCmef", 1),
    ("head", "nc", 0),
    ("less", "", 0),
    ("sort", "kt", 0),
    ("tail", "nc", 0),
    ("tee", "", usize::MAX),
    ("ts", "", 1),
    ("uniq", "fsw", 0),
    ("wc", "", 0),
];

/// Says whether a command in a pipe passes on what it is fed, or some of its lines, and adds nothing.
fn passes_on(command: &Command) -> bool {
    let Command::Simple(Simple { assignments, words, redirects }) = command else { return false };
    let Some(words) = words.iter().map(|word| word.plain().map(str::to_owned)).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let filter = FILTERS.iter().find(|(name, ..)| words.first().is_some_and(|word| word == name));
    let is_error = |redirect: &Redirect| matches!(redirect, Redirect::Write { kind: Output::Other, .. });
    filter.is_some_and(|(_, valued, own)| {
        assignments.is_empty() && redirects.iter().all(is_error) && operands_without(&words, valued, &[]).len() <= *own
    })
}

/// Says how far programs tell how the commands ended that they run.
pub(crate) fn hides(name: &str, argv: &[String]) -> Option<Hidden> {
    let program = Program::of(name)?;
    let why = match () {
        () if program.is("repeats") => Hidden::Repeated,
        () if program.is("detaches") && !Given::read(&program, argv).has("attaches") => Hidden::Ignored,
        () if program.is("elsewhere") || program.is("container") => Hidden::Remote,
        () => return None,
    };
    Some(why)
}
