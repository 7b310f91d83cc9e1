use std::collections::HashMap;

use super::expr::{Expr, Leaf};
use crate::language::{Flags, Language, Table};
use crate::tree::{Piece, Tree};

/// A piece of a file, ready to be compared.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub(super) language: Language,
    pub(super) what: &'static str,
    pub(super) name: String,
    /// The items around it.
    pub(super) path: String,
    pub(super) file: usize,
    /// Its place in the file.
    pub(super) place: usize,
    /// What belongs in front, and the item.
    pub(super) exprs: Vec<Expr>,
    /// Which of them is the item, and where in it.
    pub(super) broken: bool,
    /// The names of its parameters, and those of all its variables.
    pub(super) parameters: Vec<String>,
    pub(super) locals: Vec<String>,
}

impl Unit {
    pub(super) fn table(&self) -> &'static Table {
        self.language.table()
    }

    pub(super) fn key(&self) -> Vec<u8> {
        let mut out = format!("{}\0{}\0{}\0", self.language.name(), self.path, self.broken).into_bytes();
        let mut numbers = HashMap::new();
        self.exprs.iter().for_each(|expr| expr.encode(&mut numbers, &mut out));
        out
    }

    /// The item without what says who may use it.
    pub(super) fn hidden(&self) -> Self {
        let mut unit = self.clone();
        let table = self.table();
        for expr in &mut unit.exprs {
            while table.name(expr.kind) == "export_statement" {
                let is_default = expr.children.iter().any(|child| table.name(child.kind) == "default");
                let [inner] = &expr.operands().collect::<Vec<_>>()[..] else { break };
                if is_default {
                    break;
                }
                *expr = Expr { field: 0, ..(*inner).clone() };
            }
            expr.children.retain(|child| !child.is(table, Flags::VISIBLE));
            for child in &mut expr.children {
                child.children.retain(|inner| !(inner.is(table, Flags::VISIBLE) && inner.is_token()));
            }
        }
        unit
    }

    pub(super) fn mentions(&self, word: &str) -> bool {
        self.exprs.iter().any(|expr| expr.mentions(word))
    }

    /// The order of these in a file counts.
    pub(super) fn is_ordered(&self) -> bool {
        let table = self.table();
        let runs = |expr: &Expr| expr.has(table, Flags::EFFECT);
        match self.what {
            "statement" | "field" | "event" => true,
            "const" | "variable" | "static" => !table.on("pure_const") && self.exprs.iter().any(runs),
            "macro" => true,
            _ => false,
        }
    }

    pub(super) fn is_import(&self) -> bool {
        self.what == "import"
            || self.what == "module" && self.exprs.iter().all(|expr| !expr.has(self.table(), Flags::BODY))
    }

    pub(super) fn words(&self) -> Vec<&str> {
        let mut words = Vec::new();
        for expr in &self.exprs {
            expr.visit(&mut |expr| words.extend(expr.word()));
        }
        words
    }
}

pub(super) fn units(tree: &Tree<'_>) -> Vec<Unit> {
    tree.pieces().iter().enumerate().map(|(place, piece)| unit(tree, piece, place)).collect()
}

fn unit(tree: &Tree<'_>, piece: &Piece, place: usize) -> Unit {
    let broken = tree.is_broken(piece.range.clone()) && piece.members.is_none();
    let mut exprs = Vec::new();
    if broken {
        let (first, last) = (piece.range.start, piece.range.end - 1);
        let bytes = tree.terms[first].bytes.start..tree.terms[piece.core].bytes.end.max(tree.terms[last].bytes.end);
        let leaf = Leaf::Word(tree.source_of(&bytes).to_owned());
        exprs.push(Expr { kind: 0, field: 0, leaf, children: Vec::new() });
    } else {
        let mut at = piece.range.start;
        while at < piece.range.end {
            let mut expr = Expr::of(tree, at);
            expr.field = 0;
            if let Some(members) = &piece.members {
                // Members are units of their own.
                hollow(&mut expr, tree, at, members.start);
            }
            exprs.push(expr);
            at = tree.terms[at].end as usize;
        }
    }
    let mut parameters = Vec::new();
    let mut locals = Vec::new();
    let mut inside = 0;
    for at in piece.range.clone().filter(|_| piece.members.is_none()) {
        if tree.table.is(tree.terms[at].kind, Flags::PARAMETERS) {
            inside = inside.max(tree.terms[at].end as usize);
        }
        if tree.terms[at].variable != 0 {
            let name = tree.text(at).to_owned();
            if at < inside {
                parameters.push(name.clone());
            }
            if !locals.contains(&name) {
                locals.push(name);
            }
        }
    }
    Unit {
        language: tree.language,
        what: piece.what,
        name: piece.name.clone(),
        path: piece.path.join("::"),
        file: 0,
        place,
        exprs,
        broken,
        parameters,
        locals,
    }
}

/// Removes the children of the term `body` from the copy of the term `at`.
fn hollow(expr: &mut Expr, tree: &Tree<'_>, at: usize, body: usize) {
    if at == body {
        expr.children.clear();
        return;
    }
    for (child, place) in expr.children.iter_mut().zip(tree.children(at)) {
        if place <= body && body < tree.terms[place].end as usize {
            hollow(child, tree, place, body);
        }
    }
}

/// The name of a file without folder and ending.
pub(super) fn stem(path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.split('.').next().unwrap_or(file).to_owned()
}
