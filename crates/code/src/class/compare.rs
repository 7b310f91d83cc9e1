use std::collections::{HashMap, HashSet};

use super::extract::Extract;
use super::unit::Unit;
use super::{Judgement, import, inline, rename};

/// Units without a partner, by place, and the names of those that moved to another file.
struct Difference {
    gone: Vec<usize>,
    new: Vec<usize>,
    moved: HashSet<String>,
    /// Places before and after.
    moves: Vec<(usize, usize)>,
}

/// More differing units are not brought into another form.
const MANY: usize = 500;

pub(super) fn compare(before: Vec<Unit>, after: Vec<Unit>, stems: &[String]) -> Judgement {
    let (old_imports, mut before): (Vec<_>, Vec<_>) = before.into_iter().partition(Unit::is_import);
    let (new_imports, mut after): (Vec<_>, Vec<_>) = after.into_iter().partition(Unit::is_import);
    let mut how = None;
    let mut difference = Difference::of(&before, &after);
    if !difference.is_empty() {
        let renamed = rename::find(&before, &after, &difference.gone, &difference.new);
        if !renamed.is_empty() {
            rename::apply(&mut before, &renamed);
            difference = Difference::of(&before, &after);
            how = Some("rename");
        }
    }
    let failure = difference.failure(&before, &after);
    if difference.gone.len().max(difference.new.len()) > MANY {
        return failure;
    }
    if !difference.is_empty() {
        how = Some(inlined(&mut before, &mut after, &difference));
        difference = Difference::of(&before, &after);
    }
    if !difference.is_empty() {
        return failure;
    }
    let imports = [&old_imports, &new_imports].map(|imports| imports.iter().any(|unit| unit.broken));
    if imports.contains(&true) {
        return Judgement::unknown("syntax");
    }
    if !import::agree(&old_imports, &new_imports, &difference.moved, stems, &after) {
        return Judgement::evolution("import");
    }
    let captured =
        |(old, new): &(usize, usize)| is_captured(&before, &after, &before[*old], after[*new].file, &old_imports);
    if difference.moves.iter().any(captured) {
        return Judgement::evolution("move");
    }
    if sequences(&before) != sequences(&after) || !keeps_order(&before, &after) {
        return Judgement::evolution("order");
    }
    if is_passed_by_name(&before, &after) || is_seen_by_others(&before, &after) {
        return Judgement::evolution("change");
    }
    let reordered = || order(&before) != order(&after) || order(&old_imports) != order(&new_imports);
    let locals = |units: &[Unit]| {
        let mut all: Vec<_> = units.iter().map(|unit| (unit.name.clone(), unit.locals.clone())).collect();
        all.sort();
        all
    };
    Judgement::refactor(match how {
        Some(how) => how,
        None if !difference.moved.is_empty() => "move",
        None if reordered() => "reorder",
        None if locals(&before) != locals(&after) => "locals",
        None => "format",
    })
}

impl Difference {
    fn of(before: &[Unit], after: &[Unit]) -> Self {
        let mut open: HashMap<(usize, Vec<u8>), Vec<usize>> = HashMap::new();
        for (at, unit) in after.iter().enumerate() {
            open.entry((unit.file, unit.key())).or_default().push(at);
        }
        let mut gone = Vec::new();
        for (at, unit) in before.iter().enumerate() {
            if open.get_mut(&(unit.file, unit.key())).and_then(Vec::pop).is_none() {
                gone.push(at);
            }
        }
        let mut new: Vec<usize> = open.into_values().flatten().collect();
        new.sort_unstable();
        // What moved may be seen by others then.
        let (mut moved, mut moves) = (HashSet::new(), Vec::new());
        gone.retain(|at| {
            let old = &before[*at];
            if old.is_ordered() || old.name.is_empty() {
                return true;
            }
            let key = old.hidden().key();
            let place = new.iter().position(|new| after[*new].file != old.file && after[*new].hidden().key() == key);
            if let Some(place) = place {
                moves.push((*at, new.remove(place)));
                moved.insert(old.name.clone());
            }
            place.is_none()
        });
        Self { gone, new, moved, moves }
    }

    fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.new.is_empty()
    }

    fn failure(&self, before: &[Unit], after: &[Unit]) -> Judgement {
        let broken = self.gone.iter().any(|at| before[*at].broken) || self.new.iter().any(|at| after[*at].broken);
        match (self.gone.is_empty(), self.new.is_empty()) {
            _ if broken => Judgement::unknown("syntax"),
            (true, _) => Judgement::evolution("add"),
            (_, true) => Judgement::evolution("remove"),
            _ => Judgement::evolution("change"),
        }
    }
}

/// Brings what differs into its simplest form on both sides: helpers that only one side has are put in the place of
/// their mentions, variables are replaced by their values. Says what was done.
fn inlined(before: &mut Vec<Unit>, after: &mut Vec<Unit>, difference: &Difference) -> &'static str {
    let counts = |units: &[Unit], places: &[usize]| places.iter().map(|at| units[*at].locals.len()).sum::<usize>();
    let more = counts(after, &difference.new) > counts(before, &difference.gone);
    let extracted = without_helpers(after, before, &difference.new);
    let removed = without_helpers(before, after, &difference.gone);
    // What is equal stays equal, and may be large.
    let open = Difference::of(before, after);
    for (units, places) in [(before, open.gone), (after, open.new)] {
        for at in places {
            let table = units[at].table();
            inline::simplify(&mut units[at].exprs, table);
        }
    }
    match (extracted, removed) {
        (true, _) => "extract",
        (false, true) => "inline",
        _ if more => "extract",
        _ => "inline",
    }
}

/// Removes items that the other side does not know, if all their mentions can be replaced.
fn without_helpers(units: &mut Vec<Unit>, other: &[Unit], places: &[usize]) -> bool {
    let unknown = |unit: &Unit| !other.iter().any(|known| known.name == unit.name || known.mentions(&unit.name));
    let names: Vec<(String, String)> = places
        .iter()
        .map(|at| &units[*at])
        .filter(|unit| unknown(unit))
        .map(|unit| (unit.path.clone(), unit.name.clone()))
        .collect();
    let mut any = false;
    for (path, name) in names {
        let Some(place) = units.iter().position(|unit| unit.path == path && unit.name == name) else { continue };
        let mut simple = units[place].clone();
        inline::simplify(&mut simple.exprs, simple.language.table());
        let Some(helper) = Extract::of(&simple) else { continue };
        let users: Vec<usize> = (0..units.len()).filter(|at| *at != place && units[*at].mentions(&name)).collect();
        let mut copies: Vec<(usize, Unit)> = users.iter().map(|at| (*at, units[*at].clone())).collect();
        // A helper that nobody mentions, or that mentions itself, is new behaviour.
        if copies.is_empty() || !copies.iter_mut().all(|(_, unit)| helper.apply(unit)) {
            continue;
        }
        for (at, unit) in copies {
            units[at] = unit;
        }
        units.remove(place);
        any = true;
    }
    any
}

/// What runs in order, per file and item.
fn sequences(units: &[Unit]) -> HashMap<(usize, &str, &str), Vec<Vec<u8>>> {
    let mut sequences: HashMap<(usize, &str, &str), Vec<Vec<u8>>> = HashMap::new();
    let mut sorted: Vec<_> = units.iter().collect();
    sorted.sort_by_key(|unit| unit.place);
    for unit in sorted {
        if unit.is_ordered() {
            sequences.entry((unit.file, &unit.path, "")).or_default().push(unit.key());
        } else if unit.table().on("ordered") && !unit.name.is_empty() {
            // Of several items of one name the last counts.
            sequences.entry((unit.file, &unit.path, &unit.name)).or_default().push(unit.key());
        }
    }
    sequences.retain(|(_, _, name), keys| name.is_empty() || keys.len() > 1);
    sequences
}

/// A word of a moved item means something else in its new file, which has its own item of that name.
fn is_captured(before: &[Unit], after: &[Unit], unit: &Unit, file: usize, imports: &[Unit]) -> bool {
    // Elsewhere the files of a package share their names.
    if !unit.language.has_file_scope() {
        return false;
    }
    let keys = |units: &[Unit], file: usize, word: &str| -> HashSet<Vec<u8>> {
        let named = units.iter().filter(|unit| unit.file == file && unit.path.is_empty() && unit.name == word);
        named.map(|unit| unit.hidden().key()).collect()
    };
    let is_imported = |word: &str| imports.iter().any(|import| import.file == unit.file && import.mentions(word));
    unit.words().into_iter().filter(|word| *word != unit.name).any(|word| {
        let there = keys(after, file, word);
        !there.is_empty() && !is_imported(word) && there != keys(before, unit.file, word)
    })
}

/// The order of items by name.
fn order(units: &[Unit]) -> Vec<(usize, Vec<u8>)> {
    units.iter().map(|unit| (unit.file, unit.key())).collect()
}

/// In a script an item is known from its place on: what runs must find the same items as before.
fn keeps_order(before: &[Unit], after: &[Unit]) -> bool {
    let needs = |units: &[Unit]| -> HashSet<(usize, Vec<u8>, String)> {
        let mut names: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, item) in units.iter().enumerate().filter(|(_, item)| !item.name.is_empty() && item.what != "statement")
        {
            names.entry(&item.name).or_default().push(at);
        }
        let mut found = HashSet::new();
        for (at, unit) in units.iter().enumerate().filter(|(_, unit)| unit.is_ordered() && unit.table().on("ordered")) {
            let mut seen: HashSet<&str> = HashSet::new();
            let mut open = vec![unit];
            while let Some(user) = open.pop() {
                for word in user.words().into_iter().filter(|word| names.contains_key(word)) {
                    if seen.insert(word) {
                        open.extend(names[word].iter().map(|place| &units[*place]));
                        let later = names[word].iter().any(|place| *place > at && units[*place].file == unit.file);
                        found.extend(later.then(|| (unit.file, unit.key(), word.to_owned())));
                    }
                }
            }
        }
        found
    };
    needs(before) == needs(after)
}

/// A parameter got another name, and somebody passes it by the old one.
fn is_passed_by_name(before: &[Unit], after: &[Unit]) -> bool {
    let mut keywords: HashSet<&str> = HashSet::new();
    for unit in before.iter().chain(after).filter(|unit| unit.table().on("named_arguments")) {
        let table = unit.table();
        for expr in &unit.exprs {
            expr.visit(&mut |expr| {
                if matches!(table.name(expr.kind), "keyword_argument" | "argument") && expr.children.len() > 1 {
                    keywords.extend(expr.children.first().and_then(|name| name.word()));
                }
            });
        }
    }
    let passed = |unit: &&Unit| unit.parameters.iter().any(|name| keywords.contains(name.as_str()));
    let names = |units: &[Unit]| -> HashSet<(String, String, Vec<String>)> {
        let one = |unit: &Unit| (unit.path.clone(), unit.name.clone(), unit.parameters.clone());
        units.iter().filter(passed).map(one).collect()
    };
    !keywords.is_empty() && names(before) != names(after)
}

/// In a shell a function sees the local variables of its callers.
fn is_seen_by_others(before: &[Unit], after: &[Unit]) -> bool {
    let is_shell = |unit: &&Unit| unit.language == crate::Language::Bash;
    let locals = |units: &[Unit]| -> HashSet<(String, String)> {
        let one = |unit: &Unit| unit.locals.iter().map(|name| (unit.name.clone(), name.clone())).collect::<Vec<_>>();
        units.iter().filter(is_shell).flat_map(one).collect()
    };
    let (old, new) = (locals(before), locals(after));
    old.symmetric_difference(&new).any(|(_, name)| before.iter().chain(after).any(|unit| unit.mentions(name)))
}
