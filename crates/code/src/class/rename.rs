//! Items with another name, and everything that mentions them.

use std::collections::{HashMap, HashSet};

use super::expr::{Expr, Leaf};
use super::unit::Unit;
use crate::language::Table;

/// Methods that many types have: a mention may mean another type's.
const COMMON: &[&str] = &[
    "add", "all", "any", "append", "apply", "call", "clear", "close", "contains", "copy", "count", "delete", "each",
    "end", "equals", "extend", "filter", "find", "first", "format", "get", "has", "index", "insert", "items", "iter",
    "join", "keys", "last", "len", "length", "map", "max", "min", "name", "next", "open", "pop", "push", "put", "read",
    "reduce", "remove", "replace", "reverse", "run", "send", "set", "size", "slice", "sort", "split", "start", "stop",
    "sum", "test", "to_s", "toString", "trim", "update", "value", "values", "write",
];

/// So many items do not get other names in one call.
const MANY: usize = 50;

/// Finds items that only have another name, and which name it is. All mentions must follow: an old name that is still
/// there, or a new one that was there before, proves nothing.
pub(super) fn find(before: &[Unit], after: &[Unit], gone: &[usize], new: &[usize]) -> HashMap<String, String> {
    let names = |units: &[Unit]| units.iter().map(|unit| unit.name.clone()).collect::<HashSet<_>>();
    let (old_names, new_names) = (names(before), names(after));
    let lost: Vec<_> = gone.iter().filter(|at| !new_names.contains(&before[**at].name)).collect();
    let found: Vec<_> = new.iter().filter(|at| !old_names.contains(&after[**at].name)).collect();
    let movable: HashSet<&str> = lost
        .iter()
        .map(|at| before[**at].name.as_str())
        .chain(found.iter().map(|at| after[**at].name.as_str()))
        .filter(|name| !name.is_empty())
        .collect();
    let mut renamed: HashMap<String, String> = HashMap::new();
    if lost.len() > MANY || found.len() > MANY {
        return renamed;
    }
    let shapes: HashMap<usize, Vec<u8>> = found.iter().map(|at| (**at, shape(&after[**at], &movable))).collect();
    let mut taken: HashSet<usize> = HashSet::new();
    for at in lost {
        let old = &before[*at];
        let shape = shape(old, &movable);
        let same = |place: usize| {
            let unit = &after[place];
            unit.what == old.what && !unit.name.is_empty() && shapes.get(&place) == Some(&shape)
        };
        let Some(place) = found.iter().find(|place| !taken.contains(**place) && same(***place)) else {
            continue;
        };
        taken.insert(**place);
        let to = &after[**place].name;
        let is_used = before.iter().any(|unit| !std::ptr::eq(unit, old) && unit.mentions(&old.name));
        let is_clean = !after.iter().any(|unit| unit.mentions(&old.name) || unit.locals.contains(&old.name))
            && !before.iter().any(|unit| unit.mentions(to) || unit.locals.contains(to));
        // Several items of one name, such as overloads, would be renamed together.
        let is_one = before.iter().filter(|unit| unit.name == old.name).count() == 1;
        let is_common = !old.path.is_empty() && (COMMON.contains(&old.name.as_str()) || COMMON.contains(&to.as_str()));
        if !old.name.is_empty() && is_used && is_clean && is_one && !is_common {
            renamed.insert(old.name.clone(), to.clone());
        }
    }
    renamed
}

/// The key of a unit in which the names that may change are only numbered.
fn shape(unit: &Unit, movable: &HashSet<&str>) -> Vec<u8> {
    let mut unit = unit.hidden();
    let mut seen: Vec<String> = Vec::new();
    for expr in &mut unit.exprs {
        number(expr, movable, &mut seen);
    }
    unit.key()
}

fn number(expr: &mut Expr, movable: &HashSet<&str>, seen: &mut Vec<String>) {
    if let Leaf::Word(word) = &mut expr.leaf
        && movable.contains(word.as_str())
    {
        let place = seen.iter().position(|known| known == word).unwrap_or_else(|| {
            seen.push(word.clone());
            seen.len() - 1
        });
        *word = format!("\0{place}");
    }
    expr.children.iter_mut().for_each(|child| number(child, movable, seen));
}

/// Gives items and mentions their new names.
pub(super) fn apply(units: &mut [Unit], renamed: &HashMap<String, String>) {
    for unit in units {
        let table = unit.table();
        if let Some(to) = renamed.get(&unit.name) {
            unit.name.clone_from(to);
        }
        let path = unit.path.split("::").map(|name| renamed.get(name).map_or(name, String::as_str));
        unit.path = path.collect::<Vec<_>>().join("::");
        unit.exprs.iter_mut().for_each(|expr| replace(expr, table, renamed));
    }
}

fn replace(expr: &mut Expr, table: &Table, renamed: &HashMap<String, String>) {
    let kind = table.name(expr.kind);
    let is_name = ["identifier", "name", "constant", "word"].iter().any(|end| kind.contains(end));
    if let Leaf::Word(word) = &mut expr.leaf
        && is_name
        && let Some(to) = renamed.get(word)
    {
        word.clone_from(to);
    }
    // What callers elsewhere use as a key is not the item's name.
    let keyed = matches!(kind, "pair" | "keyword_argument" | "keyed_element");
    expr.children.iter_mut().skip(usize::from(keyed)).for_each(|child| replace(child, table, renamed));
}
