//! Ways through a command of which the shell goes one: what a variable holds after them is what any of them left in it.

use crate::parse::syntax::{Arm, Command, GroupKind, Item, Script};
use crate::walk::item::leaves;
use crate::walk::{Stop, Walk};

/// Variables that one way sets.
pub(crate) type Way = Vec<(String, Vec<String>)>;

impl Walk<'_> {
    /// Walks `if` or `case`: each way begins where the condition ended.
    pub(crate) fn choose(&mut self, body: &Script) -> Result<(), Stop> {
        let starts: Vec<(usize, Arm)> =
            body.0.iter().enumerate().filter_map(|(at, item)| Some((at, arm(item)?))).collect();
        let first = starts.first().map_or(0, |(at, _)| *at);
        self.items(&body.0[..first])?;
        let (cwds, known) = (self.cwds.clone(), self.variables.len());
        let (mut ways, mut folders, mut all) = (Vec::new(), Vec::new(), false);
        let ends = starts.iter().skip(1).map(|(at, _)| *at).chain([body.0.len()]);
        let whole = [(0, Arm::Way)];
        let starts = if starts.is_empty() { &whole[..] } else { &starts[..] };
        for ((from, arm), to) in starts.iter().zip(ends) {
            let items = &body.0[*from..to];
            self.cwds.clone_from(&cwds);
            self.items(items)?;
            let way = self.variables.split_off(known.min(self.variables.len()));
            all |= *arm == Arm::Rest;
            // What a way holds that ends the script is nothing to what follows.
            let ends = items.last().is_some_and(leaves);
            if !ends && (*arm != Arm::Condition || !way.is_empty()) {
                ways.push(way);
                folders.append(&mut self.cwds);
            }
        }
        self.cwds = if all && !folders.is_empty() { Vec::new() } else { cwds };
        self.also_in(folders);
        self.keep_either(ways, all)
    }

    /// Takes back what was set from a place on, and keeps it beside what was there before.
    pub(crate) fn keep_both(&mut self, from: usize) -> Result<(), Stop> {
        if self.variables.len() <= from {
            return Ok(());
        }
        let way = self.variables.split_off(from);
        self.keep_either(vec![way], false)
    }

    /// Gives variables all values that the ways leave in them; what was there before stays, unless `all` ways are known.
    fn keep_either(&mut self, ways: Vec<Way>, all: bool) -> Result<(), Stop> {
        let mut names: Vec<&String> = Vec::new();
        for (name, _) in ways.iter().flatten() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut kept = Way::new();
        for name in names {
            let before = self.known_value(name);
            let ends: Vec<Option<&Vec<String>>> =
                ways.iter().map(|way| way.iter().rev().find(|(known, _)| known == name).map(|(_, end)| end)).collect();
            let stays = !all || ends.contains(&None);
            let mut ends: Vec<&Vec<String>> = ends.into_iter().flatten().collect();
            // The words of a function cannot be told side by side.
            ends.extend(before.iter().filter(|_| stays && name != "@"));
            let mut values = ends.first().map(|first| (*first).clone()).unwrap_or_default();
            if name == "@" {
                values = ends.last().map(|last| (*last).clone()).unwrap_or_default();
            } else {
                let others = ends.iter().skip(1).filter(|end| Some(**end) != ends.first().copied());
                values.extend(others.flat_map(|end| end.iter().cloned()));
                if !name.ends_with("[@]") {
                    values = values
                        .iter()
                        .enumerate()
                        .filter(|(at, value)| !values[..*at].contains(value))
                        .map(|(_, value)| value.clone())
                        .collect();
                }
            }
            self.bear(&values)?;
            kept.push((name.clone(), values));
        }
        self.variables.extend(kept);
        Ok(())
    }
}

/// What an item begins, if it is a way through `if` or `case`.
fn arm(item: &Item) -> Option<Arm> {
    match item.pipeline.first()? {
        Command::Group(group) => match group.kind {
            GroupKind::Arm(arm) => Some(arm),
            _ => None,
        },
        Command::Simple(_) => None,
    }
}
