//! The items of a script, in order: what is joined, piped, grouped and repeated.

use stead_model::Hidden;

use crate::parse::syntax::{Command, Group, GroupKind, Item, Join, Script, Word, mark};
use crate::walk::limit::join_text;
use crate::walk::redirect::give_input;
use crate::walk::{Stop, Upstream, Walk};

/// Folders a command may be in at once, after `cd a || cd b` and the like.
const FOLDERS: usize = 8;
/// The maximum number of values for which a loop is walked one by one; more are combined.
const ROUNDS: usize = 8;
/// Rounds of a loop that takes one word after the other.
const WORDS: usize = 64;

impl Walk<'_> {
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
        let (depth, heard, input, is_fed_around) = (self.depth, self.heard, self.input.clone(), self.is_fed_around);
        let (branches, given) = (self.branches, self.given.clone());
        match self.pipeline(&item.pipeline) {
            Err(Stop) if self.has_strength() => {
                (self.depth, self.heard, self.input, self.printed) = (depth, heard, input, None);
                (self.branches, self.given, self.is_fed_around) = (branches, given, is_fed_around);
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
        let fetched = std::mem::take(&mut self.prints_download);
        for (position, command) in commands.iter().enumerate() {
            let comes_down = std::mem::take(&mut self.prints_download);
            let is_typed = std::mem::take(&mut self.prints_typed);
            let feed = Upstream { output: self.printed.take(), fetched: comes_down, is_typed, ..self.upstream.clone() };
            self.mind_spill(&feed);
            self.printed = Some(String::new());
            self.heard = heard || position + 1 < commands.len();
            if position > 0 {
                self.input.clone_from(&feed.output);
            }
            self.outcome = outcome;
            self.outcome.enter_part(commands, position);
            self.command(command, (position > 0).then_some(&feed))?;
            // A filter passes on what it is fed.
            self.prints_download |= comes_down && self.printed.is_none();
            self.cwds.clone_from(&cwds);
            self.doubts.truncate(doubts);
        }
        self.outcome = outcome;
        (self.input, self.heard) = (input, heard);
        self.prints_download |= fetched;
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
        let is_fed_around = self.is_fed_around;
        self.is_fed_around |= feed.is_some_and(|feed| !feed.is_typed) || give_input(&group.redirects);
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
        (self.input, self.is_fed_around) = (input, is_fed_around);
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
        if all.len() > ROUNDS || self.is_tired() {
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
            if self.is_tired() {
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
