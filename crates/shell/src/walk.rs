//! The walk through a command: where each part runs, the values of its variables, what it prints. It reports to the
//! action record what each program does, in order, and what could not be followed.

pub(crate) mod branch;
pub(crate) mod expand;
pub(crate) mod filter;
pub(crate) mod listing;
pub(crate) mod names;
pub(crate) mod omission;
pub(crate) mod outcome;
pub(crate) mod output;
pub(crate) mod program;
pub(crate) mod redirect;
pub(crate) mod report;
pub(crate) mod script;
pub(crate) mod trust;
pub(crate) mod unknown_name;
pub(crate) mod variable;

use std::path::{Path, PathBuf};

use stead_model::Hidden;

use crate::facts::Facts;
use crate::path::clean;
use crate::place::Place;

use crate::parse;
use crate::parse::reader::TooDeep;
use crate::parse::syntax::{Command, Group, GroupKind, Item, Join, Script, Simple, Word, mark};
use crate::walk::names::Names;
use crate::walk::omission::Omissions;
use crate::walk::outcome::Outcome;
use crate::walk::program::brief;
use crate::walk::report::{Report, Written};
use crate::walk::variable::VARIABLES;

/// The maximum number of simple commands of one call.
const STEPS: usize = 20_000;
/// Folders a command may be in at once, after `cd a || cd b` and the like.
const FOLDERS: usize = 8;
/// The most text that is kept of what flows through a pipe.
const UPSTREAM: usize = 64 * 1024;
/// The maximum number of values for which a loop is walked one by one; more are combined.
const ROUNDS: usize = 8;
/// Steps after which loops are no longer walked value by value.
const PATIENCE: usize = 500;
/// Rounds of a loop that takes one word after the other.
const WORDS: usize = 64;

/// The walk ended early, because a limit was reached.
pub(crate) struct Stop;

impl From<TooDeep> for Stop {
    fn from(_: TooDeep) -> Self {
        Self
    }
}

/// The earlier commands of a pipeline.
#[derive(Clone, Default)]
pub(crate) struct Upstream {
    /// Their words.
    pub(crate) text: String,
    /// What the last of them prints, where that is known.
    pub(crate) output: Option<String>,
}

/// One program with its words and its input.
pub(crate) struct Call<'c> {
    pub(crate) argv: &'c [String],
    /// Here-documents and here-strings.
    pub(crate) texts: &'c [String],
    /// The commands before it in the pipeline.
    pub(crate) feed: Option<&'c Upstream>,
}

/// What a program is given in addition to recorded effects: its words, the assignments before it, and its inline
/// programs.
#[derive(Clone, Default)]
pub(crate) struct Given {
    pub(crate) words: Vec<String>,
    pub(crate) assigned: Vec<String>,
    pub(crate) codes: Vec<String>,
}

pub(crate) struct Walk<'w> {
    pub(crate) place: &'w Place<'w>,
    pub(crate) facts: &'w dyn Facts,
    home: Option<PathBuf>,
    root: Option<PathBuf>,
    pub(crate) report: Report<'w>,
    /// What the current program is given; a gap names it.
    pub(crate) given: Given,
    /// Where the next command may run; never empty. A folder with an unknown part contains a mark.
    pub(crate) cwds: Vec<String>,
    /// The folders that `popd` goes back to.
    pub(crate) stack: Vec<Vec<String>>,
    /// Where the command was before its last `cd`.
    pub(crate) came_from: Vec<String>,
    pub(crate) variables: Vec<(String, Vec<String>)>,
    /// Variables that end with the function being run.
    pub(crate) locals: Vec<String>,
    /// Variables that are other names for variables.
    pub(crate) references: Vec<(String, String)>,
    /// The last word of the command before.
    pub(crate) last_word: Option<String>,
    /// Conditions within the function or script being run that may keep the next command from running.
    pub(crate) branches: usize,
    pub(crate) functions: Vec<(String, Script)>,
    /// Names given to commands, in the shell and in git.
    pub(crate) aliases: Vec<(String, String)>,
    /// What this command wrote into files so far.
    pub(crate) files: Vec<(String, Written)>,
    /// The folders it made.
    pub(crate) folders: Vec<String>,
    pub(crate) upstream: Upstream,
    /// What is known of what the commands print; `None` from the first part that is not.
    pub(crate) printed: Option<String>,
    /// What the commands inside a group are fed.
    pub(crate) input: Option<String>,
    /// More was printed than is kept.
    pub(crate) spilled: bool,
    /// The output is used.
    pub(crate) heard: bool,
    /// The last expanded word has several possible values.
    pub(crate) plural: bool,
    pub(crate) depth: usize,
    /// Scripts read from files so far.
    pub(crate) scripts: usize,
    /// Bytes of text created by expansion so far.
    pub(crate) work: usize,
    /// Second names that this command gave to files: links, moves and copies.
    pub(crate) names: Names,
    /// What it excludes of folders and patterns.
    pub(crate) omissions: Omissions,
    /// The command names `stead`.
    pub(crate) names_stead: bool,
    /// What the call's end and output tell about the command at hand.
    pub(crate) outcome: Outcome,
    /// The run that the command at hand is part of.
    pub(crate) run: Option<usize>,
    /// Variables that the programs to come see.
    pub(crate) exported: Vec<String>,
    /// Why the programs to come may be others than their names say.
    pub(crate) doubts: Vec<String>,
    /// The program whose output a substitution took last.
    pub(crate) captured: Option<String>,
    steps: usize,
}

impl<'w> Walk<'w> {
    pub(crate) fn new(place: &'w Place<'w>, facts: &'w dyn Facts, report: Report<'w>, cwd: String) -> Self {
        Self {
            place,
            facts,
            home: place.home(),
            root: place.root.map(clean),
            report,
            given: Given::default(),
            cwds: vec![cwd],
            stack: Vec::new(),
            came_from: Vec::new(),
            variables: Vec::new(),
            locals: Vec::new(),
            references: Vec::new(),
            last_word: None,
            branches: 0,
            functions: Vec::new(),
            aliases: Vec::new(),
            files: Vec::new(),
            folders: Vec::new(),
            upstream: Upstream::default(),
            printed: Some(String::new()),
            input: None,
            spilled: false,
            heard: false,
            plural: false,
            depth: 0,
            scripts: 0,
            work: 0,
            names: Names::default(),
            omissions: Omissions::default(),
            names_stead: false,
            outcome: Outcome::default(),
            run: None,
            exported: Vec::new(),
            doubts: Vec::new(),
            captured: None,
            steps: 0,
        }
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    pub(crate) fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// Reads and walks a text as a command.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Stop> {
        self.depth += 1;
        let reading = parse::parse(text, self.depth)?;
        if reading.torn {
            self.gap("…", "a quote or a parenthesis is not closed");
        }
        self.script(&reading.script)?;
        self.depth -= 1;
        if reading.whole { Ok(()) } else { Err(Stop) }
    }

    pub(crate) fn script(&mut self, script: &Script) -> Result<(), Stop> {
        self.items(&script.0)
    }

    pub(crate) fn items(&mut self, items: &[Item]) -> Result<(), Stop> {
        let mut before = self.cwds.clone();
        // Where the variables begin that a part sets which runs only if the one before it did, or did not.
        let (mut chain, mut join) = (None, Join::Always);
        for (at, item) in items.iter().enumerate() {
            if item.join != join
                && let Some(from) = chain.take()
            {
                self.keep_both(from)?;
            }
            join = item.join;
            if join != Join::Always && chain.is_none() {
                chain = Some(self.variables.len());
            }
            // The part after `||` runs if the part before it failed.
            let after = match item.join {
                Join::Or => std::mem::replace(&mut self.cwds, before.clone()),
                Join::And | Join::Always => Vec::new(),
            };
            if item.join != Join::Or {
                before.clone_from(&self.cwds);
            }
            let heard = self.printed.as_ref().map(String::len);
            let branches = self.branches;
            self.branches += usize::from(item.join != Join::Always);
            let outcome = self.outcome;
            self.outcome.enter(items, at);
            let result = self.item(item);
            self.outcome.leave(outcome);
            result?;
            self.branches = branches;
            if item.join == Join::Or {
                if heard != self.printed.as_ref().map(String::len) {
                    self.printed = None;
                }
                if leaves(item) {
                    self.cwds = after;
                    continue;
                }
            }
            self.also_in(after);
        }
        chain.map_or(Ok(()), |from| self.keep_both(from))
    }

    /// Walks one item. A part that exceeds a limit is a gap, and the rest is still reported.
    fn item(&mut self, item: &Item) -> Result<(), Stop> {
        let (depth, heard, input) = (self.depth, self.heard, self.input.clone());
        let (branches, given) = (self.branches, self.given.clone());
        match self.pipeline(&item.pipeline) {
            Err(Stop) if self.has_strength() => {
                (self.depth, self.heard, self.input, self.printed) = (depth, heard, input, None);
                (self.branches, self.given) = (branches, given);
                self.give_up();
                Ok(())
            }
            result => result,
        }
    }

    pub(crate) fn also_in(&mut self, folders: Vec<String>) {
        for folder in folders {
            if self.cwds.len() < FOLDERS && !self.cwds.contains(&folder) {
                self.cwds.push(folder);
            }
        }
    }

    fn pipeline(&mut self, commands: &[Command]) -> Result<(), Stop> {
        if matches!(commands.first(), Some(Command::Group(Group { kind: GroupKind::Not, .. }))) {
            self.outcome.lose(Hidden::Negated);
        }
        if let [only] = commands {
            return self.command(only, None);
        }
        let (outcome, doubts) = (self.outcome, self.doubts.len());
        let cwds = self.cwds.clone();
        let outer = std::mem::take(&mut self.upstream);
        let (input, heard) = (self.input.clone(), self.heard);
        let (mut printed, spilled) = (self.printed.take(), std::mem::take(&mut self.spilled));
        for (position, command) in commands.iter().enumerate() {
            let feed = Upstream { output: self.printed.take(), ..self.upstream.clone() };
            self.mind_spill(&feed);
            self.printed = Some(String::new());
            self.heard = heard || position + 1 < commands.len();
            if position > 0 {
                self.input.clone_from(&feed.output);
            }
            self.outcome = outcome;
            self.outcome.enter_part(commands, position);
            self.command(command, (position > 0).then_some(&feed))?;
            self.cwds.clone_from(&cwds);
            self.doubts.truncate(doubts);
        }
        self.outcome = outcome;
        (self.input, self.heard) = (input, heard);
        self.spilled |= spilled | !join_text(&mut printed, self.printed.take());
        self.printed = printed;
        let inner = std::mem::replace(&mut self.upstream, outer);
        self.note(&inner.text);
        Ok(())
    }

    fn command(&mut self, command: &Command, feed: Option<&Upstream>) -> Result<(), Stop> {
        self.step()?;
        match command {
            Command::Simple(simple) => self.simple(simple, feed),
            Command::Group(group) => self.group(group, feed),
        }
    }

    /// Counts steps, so that no command takes too long.
    pub(crate) fn step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps > STEPS { Err(Stop) } else { Ok(()) }
    }

    /// Returns true if the walk may go on at all.
    fn has_strength(&self) -> bool {
        self.steps < STEPS && self.work < expand::WORK && self.variables.len() < VARIABLES
    }

    fn group(&mut self, group: &Group, feed: Option<&Upstream>) -> Result<(), Stop> {
        let cwds = self.cwds.clone();
        if let Some(feed) = feed {
            self.upstream = feed.clone();
        }
        let (texts, opened) = self.redirects(&group.redirects)?;
        let input = self.input.clone();
        if let Some(text) = texts.last() {
            self.input = Some(text.clone());
        }
        let heard = self.hear(&opened);
        let outcome = self.outcome;
        self.outcome.redirect(&opened);
        match &group.kind {
            GroupKind::Function { name } => {
                // Its effects are reported when it is called.
                self.functions.push((name.clone(), group.body.clone()));
                self.cwds = cwds;
            }
            GroupKind::For { variable, values } => {
                self.rounds(variable, values, &group.body)?;
                self.outcome.leave_loop(outcome);
                self.also_in(cwds);
            }
            GroupKind::Maybe => {
                self.outcome.hide(Hidden::Condition);
                self.branches += 1;
                self.choose(&group.body)?;
                self.branches -= 1;
                self.printed = self.printed.take().filter(String::is_empty);
            }
            GroupKind::Loop => {
                let known = self.variables.len();
                self.outcome.hide(Hidden::Repeated);
                self.repeat(&group.body)?;
                self.keep_both(known)?;
                self.outcome.leave_loop(outcome);
                self.printed = self.printed.take().filter(String::is_empty);
                self.also_in(cwds);
            }
            GroupKind::Brace | GroupKind::Not | GroupKind::Arm(_) => self.script(&group.body)?,
            GroupKind::Subshell => {
                let (stack, doubts) = (self.stack.clone(), self.doubts.len());
                self.outcome.enter_shell();
                self.script(&group.body)?;
                (self.cwds, self.stack) = (cwds, stack);
                self.doubts.truncate(doubts);
                self.outcome = outcome;
            }
        }
        self.outcome.leave(outcome);
        self.outcome.output = outcome.output;
        self.input = input;
        self.close(heard, &opened, "{ … }")
    }

    /// Walks a loop: value by value if there are few, else with all of them at once.
    fn rounds(&mut self, variable: &str, values: &[Word], body: &Script) -> Result<(), Stop> {
        let mut all = Vec::new();
        for value in values {
            all.extend(self.expand(value)?);
        }
        if values.is_empty() {
            all.push(mark::UNKNOWN.to_string());
        }
        if all.len() > ROUNDS || self.steps > PATIENCE {
            self.outcome.hide(Hidden::Repeated);
            self.set(variable, all)?;
            return self.script(body);
        }
        let start = self.cwds.clone();
        let (outcome, rounds) = (self.outcome, all.len());
        for (round, value) in all.into_iter().enumerate() {
            self.outcome.leave(outcome);
            if value.contains(mark::is_mark) {
                self.outcome.hide(Hidden::Repeated);
            } else if round + 1 < rounds {
                self.outcome.lose(Hidden::Repeated);
            }
            self.set(variable, vec![value])?;
            let before = std::mem::replace(&mut self.cwds, start.clone());
            self.script(body)?;
            self.also_in(before);
        }
        Ok(())
    }

    /// Goes through a loop once, and again as long as it takes words away from the front.
    fn repeat(&mut self, body: &Script) -> Result<(), Stop> {
        for _ in 0..WORDS {
            let before = (self.words_left(), self.value("1"));
            self.script(body)?;
            let after = (self.words_left(), self.value("1"));
            if before == after || after.0.is_none_or(|words| words == 0) {
                return Ok(());
            }
            if self.steps > PATIENCE {
                break;
            }
        }
        self.gap("shift", "it goes through more words than are followed");
        Ok(())
    }

    /// How many words the function or script still has.
    fn words_left(&self) -> Option<usize> {
        self.variables.iter().rev().find(|(name, _)| name == "@").map(|(_, words)| words.len())
    }

    fn simple(&mut self, simple: &Simple, feed: Option<&Upstream>) -> Result<(), Stop> {
        let mut assigned = Vec::new();
        let known = self.variables.len();
        for assignment in &simple.assignments {
            assigned.extend(self.assign(assignment)?);
        }
        // What stands before a command holds for it alone, and not for its own words yet.
        let kept = simple.words.first().is_none_or(parse::declares);
        let passing = if kept { Vec::new() } else { self.variables.split_off(known.min(self.variables.len())) };
        let names = || simple.assignments.iter().map(|assignment| assignment.name.clone());
        if kept && self.declares_locals(simple) {
            self.locals.extend(names());
            self.refer(simple, known);
        }
        if kept && exports(simple) {
            self.exported.extend(names());
        }
        self.plural = false;
        let mut argv = Vec::new();
        for word in &simple.words {
            argv.extend(self.expand(word)?);
        }
        let plural = self.plural;
        let (from, count) = (self.variables.len(), passing.len());
        self.variables.extend(passing);
        let (texts, opened) = self.redirects(&simple.redirects)?;
        argv.iter().for_each(|word| self.note(word));
        texts.iter().for_each(|text| self.note(text));
        let heard = self.hear(&opened);
        let output = self.outcome.output;
        self.outcome.redirect(&opened);
        if !argv.is_empty() {
            let outer = std::mem::replace(&mut self.given.assigned, assigned);
            let exported = self.exported.len();
            if !kept {
                self.exported.extend(names());
            }
            program::judge(self, &Call { argv: &argv, texts: &texts, feed })?;
            let end = exported + simple.assignments.len();
            if !kept && self.exported.len() >= end {
                self.exported.drain(exported..end);
            }
            self.given.assigned = outer;
            self.last_word = argv.last().cloned();
        }
        // `exec > file` holds for all that follows.
        if argv.len() != 1 || argv[0] != "exec" {
            self.outcome.output = output;
        }
        if count > 0 && self.variables.len() >= from + count {
            self.variables.drain(from..from + count);
        }
        if plural {
            self.printed = self.printed.take().filter(String::is_empty);
        }
        self.close(heard, &opened, &brief(&argv))
    }

    /// Returns true if what is assigned belongs to the function being run.
    fn declares_locals(&self, simple: &Simple) -> bool {
        let first = simple.words.first().and_then(Word::plain);
        first.is_some_and(|name| matches!(name, "local" | "declare" | "typeset"))
    }

    /// Adds to what is printed; `None` if that is unknown.
    pub(crate) fn print(&mut self, text: Option<String>) {
        self.spilled |= !join_text(&mut self.printed, text);
    }

    /// Gives up if output is used that was too long to keep.
    pub(crate) fn mind_spill(&mut self, taken: &Upstream) {
        if std::mem::take(&mut self.spilled) && taken.output.is_none() {
            self.give_up();
        }
    }

    /// What a program reads from its input, if known.
    pub(crate) fn fed(&self, call: &Call<'_>) -> Option<String> {
        match (call.texts.last(), call.feed) {
            (Some(text), _) => Some(text.clone()),
            (None, Some(feed)) => feed.output.clone(),
            (None, None) => self.input.clone(),
        }
    }

    /// Keeps the words of a command for whatever runs what it prints.
    fn note(&mut self, text: &str) {
        if self.heard && self.upstream.text.len() + text.len() < UPSTREAM {
            self.upstream.text.push(' ');
            self.upstream.text.push_str(text);
        }
    }
}

/// Says whether programs see what is assigned.
fn exports(simple: &Simple) -> bool {
    let mut words = simple.words.iter().filter_map(Word::plain);
    words.next() == Some("export") || words.any(|flag| flag == "-x")
}

/// The most that is kept of what is printed: as much as a command may be long.
const PRINTED: usize = crate::command::LIMIT;

/// Adds text; returns true if there was room for it.
fn join_text(text: &mut Option<String>, more: Option<String>) -> bool {
    let (before, more) = match (text.take(), more) {
        (Some(before), Some(more)) => (before, more),
        _ => return true,
    };
    let room = before.len() + more.len() <= PRINTED;
    *text = room.then(|| before + &more);
    room
}

/// Returns true if nothing runs after the item.
pub(crate) fn leaves(item: &Item) -> bool {
    let Some(Command::Simple(simple)) = item.pipeline.last() else {
        return matches!(item.pipeline.last(), Some(Command::Group(group)) if group.body.0.last().is_some_and(leaves));
    };
    simple
        .words
        .first()
        .and_then(Word::plain)
        .is_some_and(|name| matches!(name, "exit" | "return" | "break" | "continue"))
}
