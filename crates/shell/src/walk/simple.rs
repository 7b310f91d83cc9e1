//! Simple commands: assignments, words, redirections and the program that gets them.

use crate::parse;
use crate::parse::syntax::{Simple, Word};
use crate::walk::program::{self, brief};
use crate::walk::redirect::give_input;
use crate::walk::{Call, Stop, Upstream, Walk};

impl Walk<'_> {
    pub(super) fn simple(&mut self, simple: &Simple, feed: Option<&Upstream>) -> Result<(), Stop> {
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
            program::judge(self, &Call { argv: &argv, texts: &texts, feed, has_file: give_input(&simple.redirects) })?;
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
}

/// Says whether programs see what is assigned.
fn exports(simple: &Simple) -> bool {
    let mut words = simple.words.iter().filter_map(Word::plain);
    words.next() == Some("export") || words.any(|flag| flag == "-x")
}
