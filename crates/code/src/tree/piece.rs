use std::ops::Range;

use super::{Term, Tree};
use crate::language::{Flags, Item, Place, Step};

/// A part of a file that stands for itself: an item, a member of one, an import, or a statement.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// `function`, `class`…; `import` and `statement` are no items.
    pub(crate) what: &'static str,
    pub(crate) name: String,
    /// The names of the items around it.
    pub(crate) path: Vec<String>,
    /// Its terms, with what belongs to it in front.
    pub(crate) range: Range<usize>,
    /// The term of the item itself, within wrappers.
    pub(crate) core: usize,
    /// The terms of its members, if it is open.
    pub(crate) members: Option<Range<usize>>,
}

pub(crate) const IMPORT: &str = "import";
pub(crate) const STATEMENT: &str = "statement";

impl Piece {
    pub(crate) fn qualified(&self) -> String {
        let names = self.path.iter().map(String::as_str).chain([self.name.as_str()]);
        names.filter(|name| !name.is_empty()).collect::<Vec<_>>().join("::")
    }
}

impl Tree<'_> {
    /// The parts of the file, each open item before its members.
    pub(crate) fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut lists = Vec::new();
        // The root is one term, unless the file is empty.
        if !self.terms.is_empty() {
            lists.push((0, Vec::new()));
        }
        while let Some((list, path)) = lists.pop() {
            let mut front: Option<usize> = None;
            let mut opened = Vec::new();
            for child in self.children(list) {
                if self.table.is(self.terms[child].kind, Flags::PREFIX) {
                    front.get_or_insert(child);
                    continue;
                }
                let start = front.take().unwrap_or(child);
                let piece = self.piece(child, start, &path);
                if let Some(members) = &piece.members {
                    let mut inner = path.clone();
                    inner.push(piece.name.clone());
                    opened.push((members.start, inner));
                }
                pieces.push(piece);
            }
            lists.extend(opened.into_iter().rev());
        }
        pieces.sort_by_key(|piece| piece.range.start);
        pieces
    }

    fn piece(&self, child: usize, start: usize, path: &[String]) -> Piece {
        let mut core = child;
        while self.table.is(self.terms[core].kind, Flags::WRAPPER) {
            let inner = self.children(core).filter(|at| !self.table.is(self.terms[*at].kind, Flags::PREFIX));
            match inner.filter(|at| self.item_of(*at).is_some() || self.is_wrapper(*at)).last() {
                Some(inner) => core = inner,
                None => break,
            }
        }
        let range = start..self.terms[child].end as usize;
        let mut piece = Piece { what: STATEMENT, name: String::new(), path: path.to_vec(), range, core, members: None };
        if self.table.is(self.terms[core].kind, Flags::IMPORT) {
            piece.what = IMPORT;
            return piece;
        }
        let Some((item, name)) = self.item_of(core) else {
            piece.name = self.assigned(core).unwrap_or_default();
            return piece;
        };
        piece.what = item.what;
        piece.name = name;
        if matches!(item.what, "const" | "variable") && self.binds_function(core) {
            piece.what = "function";
        }
        if item.what == "function" && !path.is_empty() && self.is_method(core) {
            piece.what = "method";
        }
        for child in self.children(core) {
            for place in self.table.places(self.terms[core].kind, self.terms[child].field) {
                if place == Place::Owner
                    && let Some(owner) = self.owner(child)
                {
                    piece.path.push(owner);
                }
            }
            if item.open && self.table.is(self.terms[child].kind, Flags::BODY) {
                piece.members = Some(child..self.terms[child].end as usize);
            }
        }
        piece
    }

    fn is_wrapper(&self, at: usize) -> bool {
        self.table.is(self.terms[at].kind, Flags::WRAPPER)
    }

    /// Inside of a type, not of a module.
    fn is_method(&self, at: usize) -> bool {
        let mut up = self.terms[at].parent as usize;
        while let Some(term) = self.terms.get(up) {
            if let Some(item) = self.table.items.iter().find(|item| item.kind == term.kind && item.open) {
                return !matches!(item.what, "module" | "namespace");
            }
            up = term.parent as usize;
        }
        false
    }

    fn item_of(&self, at: usize) -> Option<(&'static Item, String)> {
        let kind = self.terms[at].kind;
        let items = self.table.items.iter().filter(|item| item.kind == kind);
        items.filter_map(|item| Some((item, self.name_by(at, &item.name)?))).next()
    }

    fn name_by(&self, at: usize, path: &[Step]) -> Option<String> {
        if path == [Step::Bare] {
            return Some(String::new());
        }
        let end = self.follow(at, path)?;
        let term = &self.terms[end];
        let text = self.source_of(&term.bytes);
        // `Name<T>` is called `Name`.
        let name = text.split(['<', '(', '\n']).next().unwrap_or_default().trim();
        (!name.is_empty()).then(|| name.to_owned())
    }

    /// Goes down by fields and kinds.
    pub(crate) fn follow(&self, at: usize, path: &[Step]) -> Option<usize> {
        let mut at = at;
        for step in path {
            let find =
                |at: usize, fits: &dyn Fn(&Term) -> bool| self.children(at).find(|child| fits(&self.terms[*child]));
            at = match *step {
                Step::Field(field) => find(at, &|term| term.field == field)?,
                Step::Kind(kind) => find(at, &|term| term.kind == kind)?,
                Step::Bare => {
                    let named = |child: &usize| self.terms[*child].field == 0 && !self.is_token(*child);
                    self.children(at).find(named)?
                }
                Step::Repeated(field) => {
                    let mut place = find(at, &|term| term.field == field)?;
                    while let Some(inner) = find(place, &|term| term.field == field).or_else(|| self.only_child(place))
                    {
                        place = inner;
                    }
                    place
                }
            };
        }
        Some(at)
    }

    fn only_child(&self, at: usize) -> Option<usize> {
        let name = self.kind_name(at);
        let inner = self.children(at).find(|child| !self.is_token(*child));
        inner.filter(|_| name.contains("parenthesized") || name == "reference_declarator")
    }

    fn is_token(&self, at: usize) -> bool {
        self.terms[at].text == super::Text::None && self.terms[at].end as usize == at + 1
    }

    fn owner(&self, at: usize) -> Option<String> {
        let mut inside = at..self.terms[at].end as usize;
        let place = inside.find(|place| self.kind_name(*place) == "type_identifier")?;
        Some(self.text(place).to_owned())
    }

    /// The name that a statement sets.
    fn assigned(&self, at: usize) -> Option<String> {
        let is_expression = self.table.is(self.terms[at].kind, Flags::EXPRESSION);
        let inner = self.children(at).next().filter(|_| is_expression);
        [Some(at), inner].into_iter().flatten().find_map(|at| {
            let (_, pattern, _) = self.table.lets.iter().find(|(kind, ..)| *kind == self.terms[at].kind)?;
            let name = self.follow(at, pattern)?;
            (self.terms[name].text != super::Text::None).then(|| self.text(name).to_owned())
        })
    }

    /// `const f = () => …`
    fn binds_function(&self, at: usize) -> bool {
        let values = self.table.lets.iter().filter(|(kind, ..)| *kind == self.terms[at].kind);
        values
            .filter_map(|(_, _, value)| self.follow(at, value))
            .any(|value| self.table.is(self.terms[value].kind, Flags::FUNCTION))
    }
}
