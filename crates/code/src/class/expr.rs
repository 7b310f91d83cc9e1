use std::collections::HashMap;

use crate::language::{Flags, Place, Step, Table};
use crate::tree::{Text, Tree};

/// A syntax tree that can be changed. Its depth is within the budget of the tree it was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expr {
    pub(super) kind: u16,
    pub(super) field: u16,
    pub(super) leaf: Leaf,
    pub(super) children: Vec<Expr>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    None,
    Word(String),
    Variable(u32),
}

impl Expr {
    pub(super) fn of(tree: &Tree<'_>, at: usize) -> Self {
        let term = &tree.terms[at];
        let mut children = Vec::new();
        let leaf = match (term.variable, tree.embedded.get(&(at as u32))) {
            (0, Some(places)) => {
                let text = tree.text(at);
                let part = |leaf| Self { kind: 0, field: 0, leaf, children: Vec::new() };
                let mut from = 0;
                for (place, variable) in places {
                    children.push(part(Leaf::Word(text[from..place.start].to_owned())));
                    children.push(part(Leaf::Variable(*variable)));
                    from = place.end;
                }
                children.push(part(Leaf::Word(text[from..].to_owned())));
                Leaf::None
            }
            (0, None) if term.text == Text::None => Leaf::None,
            (0, None) => Leaf::Word(tree.text(at).to_owned()),
            (variable, _) => Leaf::Variable(variable),
        };
        children.extend(tree.children(at).map(|child| Self::of(tree, child)));
        Self { kind: term.kind, field: term.field, leaf, children }
    }

    pub(super) fn word(&self) -> Option<&str> {
        match &self.leaf {
            Leaf::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn variable(&self) -> Option<u32> {
        match self.leaf {
            Leaf::Variable(variable) if self.children.is_empty() => Some(variable),
            _ => None,
        }
    }

    /// A token, which its kind describes.
    pub(super) fn is_token(&self) -> bool {
        self.leaf == Leaf::None && self.children.is_empty()
    }

    pub(super) fn is(&self, table: &Table, flag: Flags) -> bool {
        table.is(self.kind, flag)
    }

    /// Calls the function for this and all below, in the order of the text.
    pub(super) fn visit<'e>(&'e self, look: &mut dyn FnMut(&'e Expr)) {
        look(self);
        for child in &self.children {
            child.visit(look);
        }
    }

    pub(super) fn any(&self, test: &mut dyn FnMut(&Expr) -> bool) -> bool {
        test(self) || self.children.iter().any(|child| child.any(test))
    }

    pub(super) fn has(&self, table: &Table, flag: Flags) -> bool {
        self.any(&mut |expr| expr.is(table, flag))
    }

    pub(super) fn mentions(&self, word: &str) -> bool {
        self.any(&mut |expr| expr.word() == Some(word))
    }

    pub(super) fn uses(&self, variable: u32) -> usize {
        let mut count = 0;
        self.visit(&mut |expr| count += usize::from(expr.leaf == Leaf::Variable(variable)));
        count
    }

    pub(super) fn in_field(&self, field: u16) -> Option<&Expr> {
        self.children.iter().find(|child| child.field == field)
    }

    /// The children that are no tokens.
    pub(super) fn operands(&self) -> impl Iterator<Item = &Expr> {
        self.children.iter().filter(|child| !child.is_token())
    }

    pub(super) fn follow(&self, path: &[Step]) -> Option<&Expr> {
        path.iter().try_fold(self, |at, step| match *step {
            Step::Field(field) | Step::Repeated(field) => at.in_field(field),
            Step::Kind(kind) => at.children.iter().find(|child| child.kind == kind),
            Step::Bare => at.operands().find(|child| child.field == 0),
        })
    }

    /// Is this variable set somewhere in here, other than by its declaration?
    pub(super) fn assigns(&self, table: &Table, variable: u32) -> bool {
        let is_set =
            |parent: &Expr, child: &Expr| table.places(parent.kind, child.field).any(|place| place == Place::Assign);
        self.any(&mut |expr| expr.children.iter().any(|child| is_set(expr, child) && child.uses(variable) > 0))
    }

    /// Writes the tree as bytes, with variables numbered by first appearance.
    pub(super) fn encode(&self, numbers: &mut HashMap<u32, u32>, out: &mut Vec<u8>) {
        out.push(b'(');
        out.extend(self.kind.to_be_bytes());
        out.extend(self.field.to_be_bytes());
        match &self.leaf {
            Leaf::None => {}
            Leaf::Word(word) => {
                out.push(b'w');
                out.extend((word.len() as u32).to_be_bytes());
                out.extend(word.as_bytes());
            }
            Leaf::Variable(variable) => {
                let next = numbers.len() as u32;
                let number = *numbers.entry(*variable).or_insert(next);
                out.push(b'v');
                out.extend(number.to_be_bytes());
            }
        }
        for child in &self.children {
            child.encode(numbers, out);
        }
        out.push(b')');
    }

    /// Replaces a variable by an expression, which takes the field of the place.
    pub(super) fn substitute(&mut self, variable: u32, value: &Expr) {
        if self.leaf == Leaf::Variable(variable) {
            *self = Expr { field: self.field, ..value.clone() };
            return;
        }
        self.children.iter_mut().for_each(|child| child.substitute(variable, value));
    }

    pub(super) fn shift(&mut self, by: u32) {
        if let Leaf::Variable(variable) = &mut self.leaf {
            *variable += by;
        }
        self.children.iter_mut().for_each(|child| child.shift(by));
    }

    pub(super) fn highest(&self) -> u32 {
        let mut highest = 0;
        self.visit(&mut |expr| {
            if let Leaf::Variable(variable) = expr.leaf {
                highest = highest.max(variable);
            }
        });
        highest
    }

    /// How many nodes it has, and how deep it is.
    fn extent(&self) -> (usize, usize) {
        let below = self.children.iter().map(Expr::extent);
        below.fold((1, 1), |(size, depth), (more, deeper)| (size + more, depth.max(deeper + 1)))
    }
}

/// Returns true if the trees may be rewritten: each rewriting makes them larger.
pub(super) fn is_small(exprs: &[Expr]) -> bool {
    let limit = |(size, depth): (usize, usize)| size <= 20_000 && depth <= 400;
    exprs.iter().map(Expr::extent).all(limit)
}
