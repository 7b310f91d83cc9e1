//! Finds out which names are local variables, and which occurrences mean the same one. If in doubt a name is not local:
//! then it counts by its text, and two texts differ that might be the same.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::{Tree, Variable};
use crate::language::{Bind, Flags, Place, Table};

pub(super) fn resolve(tree: &mut Tree<'_>) {
    let (variables, links, embedded) = {
        let mut scopes = Scopes {
            tree,
            table: tree.table,
            scopes: Vec::new(),
            names: HashMap::new(),
            places: HashMap::new(),
            free: HashSet::new(),
            sites: Vec::new(),
        };
        scopes.declare();
        scopes.forget_reflective();
        let mut variables = Vec::new();
        scopes.number(&mut variables);
        let (links, embedded) = scopes.link();
        (variables, links, embedded)
    };
    for (at, variable) in links {
        tree.terms[at].variable = variable;
    }
    tree.variables = variables;
    tree.embedded = embedded;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Block,
    Function,
    Class,
}

#[derive(Clone, Debug)]
struct Scope {
    range: Range<usize>,
    sort: Sort,
}

/// A name in a scope.
#[derive(Clone, Debug)]
struct Entry {
    scope: usize,
    /// From which term on it is known.
    from: usize,
    variable: u32,
    /// The entry of the same name in the nearest scope around this one.
    outer: Option<usize>,
}

struct Scopes<'t, 'a> {
    tree: &'t Tree<'a>,
    table: &'static Table,
    scopes: Vec<Scope>,
    names: HashMap<&'t str, Vec<Entry>>,
    /// Where an entry is.
    places: HashMap<(usize, &'t str), usize>,
    free: HashSet<(usize, &'t str)>,
    /// Terms that declare a name, with its scope.
    sites: Vec<(usize, usize)>,
}

type Links = (Vec<(usize, u32)>, HashMap<u32, Vec<(Range<usize>, u32)>>);

impl<'t> Scopes<'t, '_> {
    fn declare(&mut self) {
        let tree = self.tree;
        let terms = &tree.terms;
        let hoist = self.table.on("hoist");
        let implicit = self.table.on("implicit");
        let mut open: Vec<usize> = Vec::new();
        // Binders inside of a pattern are part of it.
        let mut keyword_from: Option<u32> = None;
        for at in 0..terms.len() {
            while open.last().is_some_and(|scope| self.scopes[*scope].range.end <= at) {
                open.pop();
            }
            let term = &terms[at];
            let flags = self.table.flags(term.kind);
            let parent = term.parent as usize;
            let parent_kind = terms.get(parent).map_or(0, |parent| parent.kind);
            for place in self.table.places(parent_kind, term.field) {
                let Place::Bind(bind) = place else { continue };
                if flags.has(Flags::KEYWORD) && terms.get(parent).is_some() {
                    keyword_from = Some(term.parent);
                }
                let by_name = keyword_from == Some(term.parent) && !flags.has(Flags::KEYWORD);
                let wide = bind == Bind::Wide || self.is_functionwide(at, parent);
                let Some(scope) = self.scope_for(&open, bind, wide, parent) else { continue };
                if bind == Bind::Local && !self.is_local_command(parent, at) {
                    continue;
                }
                let from = match bind {
                    _ if hoist => 0,
                    Bind::After => terms[parent].end as usize,
                    Bind::Late => self.last_child(parent),
                    _ => at,
                };
                self.collect(at, scope, from, by_name);
            }
            if flags.has(Flags::FREE)
                && let Some(scope) = self.nearest(&open, &[Sort::Function])
            {
                for name in self.refs(at..term.end as usize) {
                    self.free.insert((scope, name));
                }
            }
            if implicit
                && flags.has(Flags::REF)
                && !self.table.words("global").contains(&tree.text(at))
                && let Some(scope) = self.nearest(&open, &[Sort::Function, Sort::Class])
            {
                self.enter(tree.text(at), scope, 0);
            }
            let sort = match () {
                () if flags.has(Flags::FUNCTION) => Some(Sort::Function),
                () if flags.has(Flags::CLASS) => Some(Sort::Class),
                () if flags.has(Flags::SCOPE) => Some(Sort::Block),
                () => None,
            };
            if let Some(sort) = sort {
                open.push(self.scopes.len());
                self.scopes.push(Scope { range: at..term.end as usize, sort });
            }
        }
    }

    fn scope_for(&self, open: &[usize], bind: Bind, wide: bool, parent: usize) -> Option<usize> {
        let scope = match bind {
            Bind::Outer => {
                let outer = open.iter().rposition(|scope| self.scopes[*scope].range.start < parent)?;
                open[outer]
            }
            Bind::Local => self.nearest(open, &[Sort::Function])?,
            _ if wide => self.nearest(open, &[Sort::Function, Sort::Class])?,
            _ => *open.last()?,
        };
        (self.scopes[scope].sort != Sort::Class).then_some(scope)
    }

    fn nearest(&self, open: &[usize], sorts: &[Sort]) -> Option<usize> {
        let found = open.iter().rev().find(|scope| sorts.contains(&self.scopes[**scope].sort))?;
        (self.scopes[*found].sort != Sort::Class).then_some(*found)
    }

    fn is_functionwide(&self, at: usize, parent: usize) -> bool {
        let terms = &self.tree.terms;
        let grandparent = terms.get(parent).and_then(|parent| terms.get(parent.parent as usize));
        // `for (var x in y)`: the word stands beside the pattern.
        let beside = || {
            let before = self.tree.children(parent).take_while(|child| *child < at);
            before.into_iter().any(|child| self.tree.kind_name(child) == "var")
        };
        grandparent.is_some_and(|up| self.table.is(up.kind, Flags::FUNCTIONWIDE))
            || terms.get(parent).is_some_and(|up| self.table.is(up.kind, Flags::SCOPE)) && beside()
    }

    /// In `local x=1`, `x`.
    fn is_local_command(&self, parent: usize, at: usize) -> bool {
        let first = self.tree.children(parent).next();
        first != Some(at) && first.is_some_and(|first| self.tree.kind_name(first) == "local")
    }

    fn last_child(&self, parent: usize) -> usize {
        self.tree.children(parent).last().unwrap_or(parent)
    }

    /// Declares the names of a pattern.
    fn collect(&mut self, at: usize, scope: usize, from: usize, by_name: bool) {
        let tree = self.tree;
        let end = tree.terms[at].end as usize;
        let mut place = at;
        while place < end {
            let term = &tree.terms[place];
            let flags = self.table.flags(term.kind);
            let parent = if place == at { 0 } else { tree.terms[term.parent as usize].kind };
            let skipped = flags.has(Flags::NOBIND)
                || flags.has(Flags::PATH)
                || self.table.places(parent, term.field).any(|place| matches!(place, Place::Not | Place::Default));
            if skipped {
                place = term.end as usize;
                continue;
            }
            if flags.has(Flags::REF) {
                let name = tree.text(place);
                if by_name {
                    self.free.insert((scope, name));
                } else if !(self.table.on("lower") && name.starts_with(char::is_uppercase)) {
                    self.enter(name, scope, from);
                    self.sites.push((place, scope));
                }
                // The value beside a declared name is not part of the pattern.
                if self.table.on("macros") || term.parent as usize == at && tree.kind_name(at) == "variable_assignment"
                {
                    return;
                }
            }
            place += 1;
        }
    }

    fn enter(&mut self, name: &'t str, scope: usize, from: usize) {
        let entries = self.names.entry(name).or_default();
        match self.places.get(&(scope, name)) {
            Some(place) => entries[*place].from = entries[*place].from.min(from),
            None => {
                self.places.insert((scope, name), entries.len());
                entries.push(Entry { scope, from, variable: 0, outer: None });
            }
        }
    }

    fn refs(&self, range: Range<usize>) -> Vec<&'t str> {
        let is_ref = |at: &usize| self.table.is(self.tree.terms[*at].kind, Flags::REF);
        range.filter(is_ref).map(|at| self.tree.text(at)).collect()
    }

    /// A function that looks at names at run time has no local ones.
    fn forget_reflective(&mut self) {
        let words = self.table.words("reflective");
        let mut hit: HashSet<usize> = HashSet::new();
        if !words.is_empty() && words.iter().any(|word| self.tree.source.contains(word)) {
            let is_leaf = |at: &usize| self.tree.terms[*at].end as usize == at + 1;
            let places = (0..self.tree.terms.len()).filter(is_leaf).filter(|at| words.contains(&self.tree.text(*at)));
            for at in places {
                let around = self.scopes.iter().enumerate().filter(|(_, scope)| scope.range.contains(&at));
                hit.extend(around.map(|(scope, _)| scope));
            }
        }
        let free = &self.free;
        for (name, entries) in &mut self.names {
            entries.retain(|entry| !hit.contains(&entry.scope) && !free.contains(&(entry.scope, *name)));
        }
    }

    fn number(&mut self, variables: &mut Vec<Variable>) {
        for entries in self.names.values_mut() {
            entries.sort_by_key(|entry| self.scopes[entry.scope].range.start);
            let mut open: Vec<usize> = Vec::new();
            for at in 0..entries.len() {
                let range = self.scopes[entries[at].scope].range.clone();
                while open.last().is_some_and(|outer| self.scopes[entries[*outer].scope].range.end <= range.start) {
                    open.pop();
                }
                variables.push(Variable { scope: range.start as u32 });
                entries[at].variable = variables.len() as u32;
                entries[at].outer = open.last().copied();
                open.push(at);
            }
        }
    }

    /// Scopes are nested, so the last one that starts before is the right one, or the way to it.
    fn lookup(&self, name: &str, at: usize) -> u32 {
        let Some(entries) = self.names.get(name) else { return 0 };
        let mut place = entries.partition_point(|entry| self.scopes[entry.scope].range.start <= at).checked_sub(1);
        while let Some(entry) = place.map(|place| &entries[place]) {
            if self.scopes[entry.scope].range.contains(&at) && entry.from <= at {
                return entry.variable;
            }
            place = entry.outer;
        }
        0
    }

    fn link(&self) -> Links {
        let tree = self.tree;
        let terms = &tree.terms;
        let (mut links, mut embedded) = (Vec::new(), HashMap::new());
        let declared = self.sites.iter().filter_map(|(at, scope)| {
            let entries = self.names.get(tree.text(*at))?;
            let start = self.scopes[*scope].range.start;
            let place = entries.binary_search_by_key(&start, |entry| self.scopes[entry.scope].range.start).ok()?;
            Some((*at, entries[place].variable))
        });
        // Inside of a macro until here.
        let mut raw_until = 0;
        let mut at = 0;
        while at < terms.len() {
            let term = &terms[at];
            let flags = self.table.flags(term.kind);
            let parent = terms.get(term.parent as usize);
            let parent_kind = parent.map_or(0, |parent| parent.kind);
            let is_not = self.table.places(parent_kind, term.field).any(|place| place == Place::Not);
            if flags.has(Flags::PATH) || is_not || self.is_property(at) {
                at = term.end as usize;
                continue;
            }
            if flags.has(Flags::RAW) {
                raw_until = raw_until.max(term.end as usize);
            }
            if flags.has(Flags::REF) && !(at < raw_until && self.is_other_word(at)) {
                // The name of a function is known outside of it, not where the function starts.
                let variable = self.lookup(tree.text(at), at);
                if variable != 0 {
                    links.push((at, variable));
                }
            }
            if flags.has(Flags::EMBEDDED) && at < raw_until {
                let named = self.named_in(tree.text(at), at);
                if !named.is_empty() {
                    embedded.insert(at as u32, named);
                }
            }
            at += 1;
        }
        links.extend(declared);
        (links, embedded)
    }

    fn is_property(&self, at: usize) -> bool {
        let Some((grandparent, parent, field)) = self.table.props else { return false };
        let terms = &self.tree.terms;
        let up = terms.get(terms[at].parent as usize);
        terms[at].field == field
            && up.is_some_and(|up| {
                up.kind == parent && terms.get(up.parent as usize).is_some_and(|top| top.kind == grandparent)
            })
    }

    /// In a macro a name beside some tokens is a field, a path or a label.
    fn is_other_word(&self, at: usize) -> bool {
        let beside = |place: Option<usize>| {
            let place = place.filter(|place| *place < self.tree.terms.len());
            place.map(|place| self.tree.kind_name(place)).unwrap_or_default()
        };
        matches!(beside(at.checked_sub(1)), "." | "::") || matches!(beside(Some(at + 1)), "::" | "!" | ":" | "=" | "=>")
    }

    /// Variables in `"{name:?}"`.
    fn named_in(&self, text: &str, at: usize) -> Vec<(Range<usize>, u32)> {
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(brace) = text[from..].find('{') {
            let start = from + brace + 1;
            let length = text[start..].find(|char: char| char != '_' && !char.is_alphanumeric());
            let end = length.map_or(text.len(), |length| start + length);
            let variable = if text[start..].starts_with('{') { 0 } else { self.lookup(&text[start..end], at) };
            if variable != 0 {
                found.push((start..end, variable));
            }
            from = if text[start..].starts_with('{') { start + 1 } else { end };
        }
        found
    }
}
