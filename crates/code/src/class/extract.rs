//! Functions and constants that one side has and the other does not: they are put in the place of their mentions, and
//! then both sides can be compared.

use std::collections::HashSet;

use super::expr::{Expr, Leaf, is_small};
use super::inline::{self, Walk};
use super::unit::Unit;
use crate::language::{Flags, Table};

/// Parts of a function that make it differ from its body.
const ODD: &[&str] = &[
    "async",
    "await",
    "await_expression",
    "yield",
    "yield_expression",
    "yield_statement",
    "generator_function",
    "generator_function_declaration",
    "synchronized",
    "decorator",
    "annotation",
    "marker_annotation",
    "attribute_item",
    "attribute_list",
    "virtual",
    "override",
    "abstract",
    "abstract_modifier",
    "defer_statement",
    "try_expression",
    "super",
    "goto_statement",
    "function_static_declaration",
    "nonlocal_statement",
];

/// What to put in the place of a mention.
pub(super) struct Extract {
    name: String,
    path: String,
    content: Content,
}

enum Content {
    Constant(Expr),
    Function { parameters: Vec<u32>, statements: Vec<Expr>, result: Option<Expr> },
}

impl Extract {
    pub(super) fn of(unit: &Unit) -> Option<Self> {
        if unit.name.is_empty() || unit.broken {
            return None;
        }
        let table = unit.table();
        let mut function = None;
        let mut constant = None;
        for expr in &unit.exprs {
            expr.visit(&mut |expr| {
                if function.is_none() && expr.is(table, Flags::FUNCTION) {
                    function = Some(expr);
                }
                if constant.is_none()
                    && let Some((name, value)) = inline::binding(expr, table)
                    && name.word() == Some(&unit.name)
                {
                    constant = Some(value);
                }
            });
        }
        // What is in front of a function may change when or how it runs.
        let odd = |expr: &Expr| ODD.contains(&table.name(expr.kind));
        if unit.exprs.iter().any(|expr| expr.any(&mut |expr| odd(expr))) {
            return None;
        }
        // `this` is another one in a function that is no method.
        let own_this = |function: &Expr| unit.path.is_empty() && table.name(function.kind) != "arrow_function";
        let is_this = |expr: &Expr| table.name(expr.kind) == "this";
        let content = match (function, constant) {
            (Some(function), _) if own_this(function) && function.any(&mut |expr| is_this(expr)) => return None,
            (Some(function), _) => Self::function(function, table)?,
            (None, Some(value)) if inline::is_constant(value, table) => Content::Constant(value.clone()),
            _ => return None,
        };
        Some(Self { name: unit.name.clone(), path: unit.path.clone(), content })
    }

    fn function(function: &Expr, table: &Table) -> Option<Content> {
        let mut parameters = Vec::new();
        let mut lists = Vec::new();
        function.visit(&mut |expr| lists.extend(Some(expr).filter(|expr| expr.is(table, Flags::PARAMETERS))));
        // Those of closures inside come later.
        let own = lists.iter().take_while(|list| !function.children.iter().any(|child| in_body(child, list, table)));
        for parameter in own.flat_map(|list| list.operands()) {
            let mut variables = Vec::new();
            parameter.visit(&mut |expr| variables.extend(expr.variable()));
            variables.dedup();
            let has_default = parameter.any(&mut |expr| table.name(expr.kind) == "=");
            match variables[..] {
                [variable] if !has_default => parameters.push(variable),
                [] if table.name(parameter.kind).contains("self") || parameter.operands().count() <= 1 => {}
                _ => return None,
            }
        }
        let body =
            function.children.iter().rev().find(|child| !child.is_token() && !child.is(table, Flags::PARAMETERS))?;
        let mut list = body;
        if let [inner] = &body.operands().collect::<Vec<_>>()[..]
            && inner.is(table, Flags::STATEMENTS)
        {
            list = inner;
        }
        if !body.is(table, Flags::BLOCK) {
            // The body is one expression.
            return Some(Content::Function { parameters, statements: Vec::new(), result: Some(body.clone()) });
        }
        let mut statements: Vec<Expr> = list.operands().cloned().collect();
        let result = statements.last().and_then(|last| result(last, table));
        if result.is_some() {
            statements.pop();
        }
        let returns = |expr: &Expr| expr.has(table, Flags::RETURN);
        if statements.iter().any(returns) || result.as_ref().is_some_and(returns) {
            return None;
        }
        let changed = |variable: &u32| {
            let is_declared =
                |expr: &Expr| inline::binding(expr, table).is_some_and(|(name, _)| name.variable() == Some(*variable));
            statements.iter().any(|expr| expr.assigns(table, *variable) || expr.any(&mut |expr| is_declared(expr)))
        };
        let is_changed = parameters.iter().any(changed);
        (!is_changed).then_some(Content::Function { parameters, statements, result })
    }

    /// Puts the helper in the place of all its mentions; false if one is left.
    pub(super) fn apply(&self, unit: &mut Unit) -> bool {
        let table = unit.table();
        if !is_small(&unit.exprs) {
            return false;
        }
        let mut next = unit.exprs.iter().map(Expr::highest).max().unwrap_or(0) + 1_000_000;
        for expr in &mut unit.exprs {
            self.rewrite(expr, table, &mut next);
        }
        is_small(&unit.exprs) && !unit.mentions(&self.name)
    }

    fn rewrite(&self, expr: &mut Expr, table: &Table, next: &mut u32) {
        for child in &mut expr.children {
            self.rewrite(child, table, next);
        }
        match &self.content {
            Content::Constant(value) => {
                let is_name = ["identifier", "name", "constant"].iter().any(|end| table.name(expr.kind).contains(end));
                if is_name && expr.word() == Some(&self.name) {
                    *expr = Expr { field: expr.field, ..value.clone() };
                }
            }
            Content::Function { statements, result: Some(result), .. } if statements.is_empty() => {
                if let Some(given) = self.arguments(expr, table)
                    && let Some((_, Some(value))) = self.filled(&[], Some(result), &given, table, next)
                {
                    *expr = Expr { field: expr.field, ..value };
                }
            }
            Content::Function { .. } if !expr.is(table, Flags::BLOCK) && !expr.is(table, Flags::STATEMENTS) => {}
            Content::Function { statements, result, .. } => {
                let mut at = 0;
                while at < expr.children.len() {
                    let Some((body, statement)) =
                        self.spliced(&expr.children[at], statements, result.as_ref(), table, next)
                    else {
                        at += 1;
                        continue;
                    };
                    let added = body.len();
                    expr.children.splice(at..=at, body.into_iter().chain(statement));
                    at += added.max(1);
                }
            }
        }
    }

    /// The statements before a statement that calls the helper, and the statement with the result in the place of the call.
    fn spliced(
        &self,
        statement: &Expr,
        statements: &[Expr],
        result: Option<&Expr>,
        table: &Table,
        next: &mut u32,
    ) -> Option<(Vec<Expr>, Option<Expr>)> {
        let mut call = None;
        statement.visit(&mut |expr| {
            if call.is_none() && self.arguments(expr, table).is_some() {
                call = Some(expr);
            }
        });
        let call = call?;
        let given = self.arguments(call, table)?;
        // The call must be what the statement does first, once and in any case.
        let mut marked = statement.clone();
        mark(&mut marked, call);
        let mut walk =
            Walk { variable: MARK, table, uses: 0, effect: false, late: false, repeated: false, skipped: false };
        walk.go(&marked, false, false);
        if walk.uses != 1 || walk.late || walk.repeated || walk.skipped {
            return None;
        }
        let (body, value) = self.filled(statements, result, &given, table, next)?;
        match value {
            Some(value) => {
                marked.substitute(MARK, &value);
                Some((body, Some(marked)))
            }
            // A call for its effect is the whole statement.
            None => {
                let is_whole = marked.leaf == Leaf::Variable(MARK)
                    || statement.is(table, Flags::EXPRESSION) && statement.operands().all(|inner| inner == call);
                is_whole.then_some((body, None))
            }
        }
    }

    /// The body with the arguments in the place of the parameters.
    fn filled(
        &self,
        statements: &[Expr],
        result: Option<&Expr>,
        given: &[Expr],
        table: &Table,
        next: &mut u32,
    ) -> Option<(Vec<Expr>, Option<Expr>)> {
        let Content::Function { parameters, .. } = &self.content else { return None };
        if parameters.len() != given.len() {
            return None;
        }
        let mut body: Vec<Expr> = statements.iter().chain(result).cloned().collect();
        let highest =
            body.iter().map(Expr::highest).max().unwrap_or(0).max(parameters.iter().copied().max().unwrap_or(0));
        let by = *next;
        *next += highest + 1;
        body.iter_mut().for_each(|expr| expr.shift(by));
        let nothing = HashSet::new();
        for (parameter, value) in parameters.iter().zip(given) {
            let parameter = parameter + by;
            let is_fixed = value.variable().is_some();
            let is_used = body.iter().any(|expr| expr.uses(parameter) > 0);
            if is_used && !is_fixed && !inline::may_move(value, parameter, &body, table, &nothing)
                || !is_used && !inline::is_plain(value, table)
            {
                return None;
            }
            body.iter_mut().for_each(|expr| expr.substitute(parameter, value));
        }
        let value = if result.is_some() { body.pop() } else { None };
        Some((body, value))
    }

    /// The arguments, if this is a call of the helper.
    fn arguments(&self, expr: &Expr, table: &Table) -> Option<Vec<Expr>> {
        let (_, callee, list) = table.calls.iter().find(|(kind, ..)| *kind == expr.kind)?;
        let callee = expr.in_field(*callee)?;
        let receiver = table.receivers.iter().find(|(kind, _)| *kind == expr.kind);
        let mut object = receiver.and_then(|(_, field)| expr.in_field(*field));
        let mut name = callee;
        if let Some((kind, owner, member)) = table.member
            && callee.kind == kind
        {
            object = Some(callee.in_field(owner)?);
            name = callee.in_field(member)?;
        }
        if name.word() != Some(&self.name) {
            return None;
        }
        let unwrapped = |argument: &Expr| match (argument.is(table, Flags::WRAPPED), argument.operands().count()) {
            (true, 1) => argument.operands().next().cloned(),
            (true, _) => None,
            (false, _) => Some(argument.clone()),
        };
        let list = expr.in_field(*list);
        let mut given = list.iter().flat_map(|list| list.operands()).map(unwrapped).collect::<Option<Vec<_>>>()?;
        if let Some(object) = object {
            let is_self = |expr: &Expr| {
                let words = table.words("self");
                words.contains(&table.name(expr.kind)) || expr.word().is_some_and(|word| words.contains(&word))
            };
            let Content::Function { parameters, .. } = &self.content else { return None };
            match parameters.len().checked_sub(given.len())? {
                // The object is a parameter, as in Python and Go.
                1 if object.variable().is_some() => given.insert(0, object.clone()),
                0 if is_self(object) && !self.path.is_empty() => {}
                _ => return None,
            }
        }
        Some(given)
    }
}

/// A variable that nobody has.
const MARK: u32 = u32::MAX;

fn mark(expr: &mut Expr, call: &Expr) {
    if expr == call {
        *expr = Expr { kind: 0, field: expr.field, leaf: Leaf::Variable(MARK), children: Vec::new() };
        return;
    }
    expr.children.iter_mut().for_each(|child| mark(child, call));
}

/// The value of a last statement.
fn result(last: &Expr, table: &Table) -> Option<Expr> {
    let only = |expr: &Expr| {
        let mut operands = expr.operands();
        operands.next().filter(|_| operands.next().is_none()).cloned()
    };
    let mut last = last.clone();
    if last.is(table, Flags::EXPRESSION) {
        last = only(&last).filter(|inner| inner.is(table, Flags::RETURN))?;
    }
    if last.is(table, Flags::RETURN) {
        let value = only(&last)?;
        return if value.is(table, Flags::LIST) { only(&value) } else { Some(value) };
    }
    let is_tail = table.on("tail") || table.on("callable");
    (is_tail && inline::binding(&last, table).is_none()).then_some(last)
}

fn in_body(child: &Expr, list: &Expr, table: &Table) -> bool {
    child.is(table, Flags::BLOCK) && child.any(&mut |expr| std::ptr::eq(expr, list))
}
