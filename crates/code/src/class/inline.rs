//! Puts the value of a variable in the place of its name, where that changes neither what is evaluated nor when.

use std::collections::{HashMap, HashSet};

use super::expr::{Expr, Leaf, is_small};
use crate::language::{Flags, Place, Step, Table};

/// Rounds after which a unit is as simple as it gets.
const ROUNDS: usize = 200;

/// Inlines variables that are set once, until there are none left.
pub(super) fn simplify(exprs: &mut [Expr], table: &Table) {
    for _ in 0..ROUNDS {
        let fixed = fixed(exprs, table);
        if !is_small(exprs) || fixed.is_empty() || !exprs.iter_mut().any(|expr| round(expr, table, &fixed)) {
            return;
        }
    }
}

/// The name and the value of a declaration.
pub(super) fn binding<'e>(statement: &'e Expr, table: &Table) -> Option<(&'e Expr, &'e Expr)> {
    let inner = || {
        let mut operands = statement.operands();
        operands.next().filter(|_| statement.is(table, Flags::EXPRESSION) && operands.next().is_none())
    };
    declared(statement, table).or_else(|| inner().and_then(|inner| declared(inner, table)))
}

fn declared<'e>(statement: &'e Expr, table: &Table) -> Option<(&'e Expr, &'e Expr)> {
    let (_, pattern, value) = table.lets.iter().find(|(kind, ..)| *kind == statement.kind)?;
    // `let mut`, `let … else`, and several names at once are left alone.
    let odd = |child: &Expr| matches!(table.name(child.kind), "mutable_specifier" | "else");
    if statement.children.iter().any(odd)
        || may_convert(statement, table)
        || statement.follow(&pattern[..1]).is_some_and(|first| twins(statement, first) > 1)
    {
        return None;
    }
    let alone = |mut expr: &'e Expr| {
        while expr.is(table, Flags::LIST) || table.name(expr.kind).ends_with("_declarator") {
            let mut operands = expr.operands();
            let inner = operands.next()?;
            if operands.next().is_some() {
                return None;
            }
            expr = inner;
        }
        Some(expr)
    };
    let value = match value.last() {
        // The value has no field: it is what follows the name.
        Some(Step::Bare) => statement.follow(&value[..value.len() - 1])?.operands().nth(1)?,
        _ => statement.follow(value)?,
    };
    Some((alone(statement.follow(pattern)?)?, alone(value)?))
}

/// `int x = a / 2.0;` gives another number than `a / 2.0`.
fn may_convert(statement: &Expr, table: &Table) -> bool {
    const NUMBERS: &[&str] = &["int", "long", "short", "char", "byte", "float", "double", "unsigned", "size_t"];
    let is_number = |expr: &Expr| {
        let kind = table.name(expr.kind);
        let is_type = kind.contains("type") || kind == "int" || NUMBERS.contains(&kind);
        is_type && (NUMBERS.contains(&kind) || expr.word().is_some_and(|word| NUMBERS.contains(&word)))
            || matches!(kind, "integral_type" | "floating_point_type")
    };
    let converts = |expr: &Expr| {
        let kind = table.name(expr.kind);
        matches!(kind, "/" | "<<" | ">>")
            || kind.contains("cast")
            || expr.is(table, Flags::NUMBER) && expr.word().is_some_and(|word| word.contains('.'))
    };
    statement.any(&mut |expr| is_number(expr)) && statement.any(&mut |expr| converts(expr))
}

fn twins(parent: &Expr, child: &Expr) -> usize {
    parent.children.iter().filter(|other| other.kind == child.kind && other.field == child.field).count()
}

/// Variables with one declaration that are never set again.
fn fixed(exprs: &[Expr], table: &Table) -> HashSet<u32> {
    let mut sites: HashMap<u32, usize> = HashMap::new();
    for expr in exprs {
        expr.visit(&mut |expr| {
            if let Some(variable) = declared(expr, table).and_then(|(name, _)| name.variable()) {
                *sites.entry(variable).or_default() += 1;
            }
            let is_set = |child: &&Expr| table.places(expr.kind, child.field).any(|place| place == Place::Assign);
            let set = expr.children.iter().filter(is_set);
            for child in set.chain(Some(expr).filter(|expr| expr.is(table, Flags::PARAMETERS))) {
                child.visit(&mut |inner| {
                    if let Leaf::Variable(variable) = inner.leaf {
                        *sites.entry(variable).or_default() += 2;
                    }
                });
            }
        });
    }
    sites.into_iter().filter(|(_, count)| *count == 1).map(|(variable, _)| variable).collect()
}

/// Inlines one variable, if it can.
fn round(expr: &mut Expr, table: &Table, fixed: &HashSet<u32>) -> bool {
    for at in 0..expr.children.len() {
        let Some((name, value)) = binding(&expr.children[at], table) else { continue };
        let Some(variable) = name.variable().filter(|variable| fixed.contains(variable)) else { continue };
        let value = value.clone();
        let rest = &expr.children[at + 1..];
        if value.uses(variable) == 0 && may_move(&value, variable, rest, table, fixed) {
            expr.children[at + 1..].iter_mut().for_each(|rest| rest.substitute(variable, &value));
            expr.children.remove(at);
            return true;
        }
    }
    expr.children.iter_mut().any(|child| round(child, table, fixed))
}

/// May the value be evaluated where the variable is used?
pub(super) fn may_move(value: &Expr, variable: u32, rest: &[Expr], table: &Table, fixed: &HashSet<u32>) -> bool {
    let mut walk = Walk { variable, table, uses: 0, effect: false, late: false, repeated: false, skipped: false };
    rest.iter().for_each(|expr| walk.go(expr, false, false));
    if walk.uses == 0 {
        return false;
    }
    if !is_plain(value, table) {
        let first = rest.iter().find(|expr| !expr.is_token());
        let next = first.is_some_and(|next| next.uses(variable) == 1);
        return walk.uses == 1 && next && !walk.late && !walk.repeated && !walk.skipped;
    }
    is_stable(value, table, fixed) || !walk.late && !walk.repeated
}

/// An expression that does nothing and gives the same as often as it is evaluated, if nothing happens in between.
pub(super) fn is_plain(value: &Expr, table: &Table) -> bool {
    const KINDS: &[&str] = &[
        "binary", "unary", "comparison", "boolean", "not_operator", "member", "field", "attribute", "subscript",
        "index", "selector", "ternary", "conditional", "element_access", "argument", "scope", "string", "literal",
        "content",
    ];
    let name = table.name(value.kind);
    let is_known = value.children.is_empty() || KINDS.iter().any(|kind| name.contains(kind));
    let bad = value.is(table, Flags::EFFECT) || value.is(table, Flags::FRESH) || value.is(table, Flags::LOOP);
    is_known && !bad && value.children.iter().all(|child| is_plain(child, table))
}

/// Gives the same at any time.
pub(super) fn is_constant(value: &Expr, table: &Table) -> bool {
    is_plain(value, table) && is_stable(value, table, &HashSet::new())
}

/// Depends on nothing that may change: literals, constants in capitals, variables that are set once.
fn is_stable(value: &Expr, table: &Table, fixed: &HashSet<u32>) -> bool {
    const READS: &[&str] = &["member", "field", "attribute", "subscript", "index", "selector", "element_access"];
    let name = table.name(value.kind);
    let leaf = match &value.leaf {
        Leaf::None => !READS.iter().any(|kind| name.contains(kind)),
        Leaf::Variable(variable) => fixed.contains(variable),
        Leaf::Word(word) => {
            let is_name = ["identifier", "name", "constant"].iter().any(|kind| name.contains(kind));
            !is_name || !word.contains(char::is_lowercase)
        }
    };
    leaf && value.children.iter().all(|child| is_stable(child, table, fixed))
}

/// Looks at all uses of a variable in the order of evaluation.
pub(super) struct Walk<'t> {
    pub(super) variable: u32,
    pub(super) table: &'t Table,
    pub(super) uses: usize,
    /// Something was done.
    pub(super) effect: bool,
    /// Something was done before a use.
    pub(super) late: bool,
    /// A use may be evaluated several times.
    pub(super) repeated: bool,
    /// A use may not be evaluated.
    pub(super) skipped: bool,
}

impl Walk<'_> {
    pub(super) fn go(&mut self, expr: &Expr, repeated: bool, skipped: bool) {
        if expr.leaf == Leaf::Variable(self.variable) {
            self.uses += 1;
            self.late |= self.effect;
            self.repeated |= repeated;
            self.skipped |= skipped;
            return;
        }
        let repeated = repeated || expr.is(self.table, Flags::LOOP);
        let skipped = skipped || expr.is(self.table, Flags::BRANCH);
        let short = |child: &Expr| matches!(self.table.name(child.kind), "&&" | "||" | "??" | "and" | "or" | "?");
        let short = expr.children.iter().position(short);
        for (at, child) in expr.children.iter().enumerate() {
            self.go(child, repeated, skipped || short.is_some_and(|operator| at > operator));
        }
        self.effect |= expr.is(self.table, Flags::EFFECT);
    }
}
