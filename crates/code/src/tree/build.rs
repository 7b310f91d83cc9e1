use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, ParseState, Parser, TreeCursor};

use super::{ROOT, Term, Text, Tree, spelling};
use crate::budget::Budget;
use crate::error::CodeError;
use crate::language::{Flags, Language, Place, Table};

pub(super) fn build<'a>(language: Language, source: &'a str, budget: &Budget) -> Result<Tree<'a>, CodeError> {
    let parsed = parse(language, source, budget)?;
    let table = language.table();
    let mut builder = Builder {
        language,
        table,
        source,
        terms: Vec::with_capacity(source.len() / 4),
        errors: Vec::new(),
        stack: Vec::new(),
        broken: parsed.root_node().has_error(),
        budget,
    };
    builder.walk(&mut parsed.walk())?;
    let Builder { terms, errors, .. } = builder;
    Ok(Tree { language, table, source, terms, errors, variables: Vec::new(), embedded: Default::default() })
}

fn parse(language: Language, source: &str, budget: &Budget) -> Result<tree_sitter::Tree, CodeError> {
    if source.len() > budget.bytes {
        return Err(CodeError::TooLong { bytes: source.len(), limit: budget.bytes });
    }
    let mut parser = Parser::new();
    let grammar = language.parser_language();
    parser.set_language(&grammar).map_err(|_| CodeError::Grammar { language: language.name() })?;
    let limit = budget.steps.saturating_mul(4 + source.len() / 1_000);
    let mut steps = 0;
    let mut progress = |_: &ParseState| {
        steps += 1;
        if steps > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = source.as_bytes();
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options)).ok_or(CodeError::TooHard { steps: limit })
}

/// A node of the parser's tree whose children are being read.
struct Frame {
    /// Its term, or that of the nearest ancestor that has one.
    term: u32,
    /// How many terms end with it; 0 if it is left out.
    terms: usize,
    kind: u16,
    /// What its children inherit if it is left out.
    field: Option<u16>,
    /// The end of the last child.
    at: usize,
    /// How many children with a name there were.
    named: usize,
    /// The last child was a comma behind another child.
    comma: bool,
    raw: bool,
}

struct Builder<'a, 'b> {
    language: Language,
    table: &'static Table,
    source: &'a str,
    terms: Vec<Term>,
    errors: Vec<u32>,
    stack: Vec<Frame>,
    broken: bool,
    budget: &'b Budget,
}

enum Visit {
    Descend,
    Done,
}

impl Builder<'_, '_> {
    fn walk(&mut self, cursor: &mut TreeCursor<'_>) -> Result<(), CodeError> {
        loop {
            let node = cursor.node();
            let field = cursor.field_id().map_or(0, |id| id.get());
            let descend = matches!(self.visit(node, field), Visit::Descend);
            if self.terms.len() > self.budget.terms {
                return Err(CodeError::TooManyNodes { limit: self.budget.terms });
            }
            if self.stack.len() > self.budget.depth {
                return Err(CodeError::TooDeep { limit: self.budget.depth });
            }
            if descend && cursor.goto_first_child() {
                continue;
            }
            if descend {
                self.leave(node.end_byte());
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Ok(());
                }
                self.leave(cursor.node().end_byte());
            }
        }
    }

    fn visit(&mut self, node: Node<'_>, field: u16) -> Visit {
        let kind = node.kind_id();
        let flags = self.table.flags(kind);
        self.gap(node.start_byte());
        if let Some(frame) = self.stack.last_mut() {
            frame.at = frame.at.max(node.end_byte());
        }
        if self.broken && (node.is_error() || node.is_missing()) {
            self.errors.push(self.terms.len() as u32);
        }
        if flags.has(Flags::SKIP) {
            return Visit::Done;
        }
        if flags.has(Flags::COMMENT) {
            if spelling::is_directive(self.text_of(node), node.start_byte() as u32) {
                self.leaf(node, kind, field, Text::Source);
            }
            return Visit::Done;
        }
        let (raw, parent, inherited, first) = match self.stack.last() {
            Some(frame) => (frame.raw, frame.kind, frame.field, frame.named == 0),
            None => (false, 0, None, true),
        };
        let field = inherited.unwrap_or(field);
        if !node.is_named() {
            self.token(node, flags, field, raw);
            return Visit::Done;
        }
        if let Some(frame) = self.stack.last_mut() {
            frame.named += 1;
            frame.comma = false;
        }
        if first && self.is_docstring(node, parent) {
            return Visit::Done;
        }
        if self.rewritten(node, kind, flags, parent, field) {
            return Visit::Done;
        }
        let left_out =
            flags.has(Flags::PAREN) && self.is_optional(node, parent) || self.is_braced(node, kind, parent, field);
        if left_out {
            let term = self.stack.last().map_or(ROOT, |frame| frame.term);
            self.stack.push(self.frame(node, term, 0, parent, Some(field), raw));
            return Visit::Descend;
        }
        let kind = self.table.alias(kind);
        if node.child_count() == 0 || flags.has(Flags::LEAF) {
            let text = flags.has(Flags::NUMBER).then(|| spelling::number(self.text_of(node))).flatten();
            self.leaf(node, kind, field, text.map_or(Text::Source, |text| Text::Owned(text.into())));
            return Visit::Done;
        }
        let mut count = 1;
        let wrap = self.table.places(parent, field).find_map(|place| match place {
            Place::Wrap(block) => Some(block),
            _ => None,
        });
        let mut own_field = field;
        if let Some(block) = wrap.filter(|block| *block != kind && !raw && node.kind() != "colon_block") {
            self.open(node, block, field);
            count = 2;
            own_field = 0;
        }
        self.open(node, kind, own_field);
        let term = self.terms.len() as u32 - 1;
        let raw = raw || flags.has(Flags::RAW);
        self.stack.push(self.frame(node, term, count, kind, None, raw));
        Visit::Descend
    }

    fn frame(&self, node: Node<'_>, term: u32, terms: usize, kind: u16, field: Option<u16>, raw: bool) -> Frame {
        Frame { term, terms, kind, field, at: node.start_byte(), named: 0, comma: false, raw }
    }

    fn token(&mut self, node: Node<'_>, flags: Flags, field: u16, raw: bool) {
        if raw {
            return self.leaf(node, node.kind_id(), field, Text::None);
        }
        if flags.has(Flags::CLOSER) {
            self.drop_comma();
        }
        let left_out = self.stack.last().is_some_and(|frame| frame.terms == 0);
        if left_out && node.kind() == "return" {
            return;
        }
        // `[x; n]` is not `[x, n]`.
        let kept = flags.has(Flags::COMMA) || !flags.has(Flags::DROP);
        if kept {
            // In text a token may have whitespace in front, which counts there.
            let is_text = |frame: &Frame| self.table.is(frame.kind, Flags::TEXT);
            let is_longer = || node.byte_range().len() != node.kind().len();
            let text = self.stack.iter().rev().take(3).any(is_text) && is_longer();
            self.leaf(node, node.kind_id(), field, if text { Text::Source } else { Text::None });
        }
        if let Some(frame) = self.stack.last_mut() {
            frame.comma = flags.has(Flags::COMMA) && frame.named > 0 && !frame.comma;
        }
    }

    /// Removes the comma behind the last element, unless it makes a list of one element what it is.
    fn drop_comma(&mut self) {
        let Some(frame) = self.stack.last().filter(|frame| frame.comma) else { return };
        let name = self.table.name(frame.kind);
        let lonely = || ["tuple", "pattern_list", "expression_list"].iter().any(|kind| name.contains(kind));
        let is_comma = self.terms.last().is_some_and(|term| self.table.is(term.kind, Flags::COMMA));
        if frame.comma && is_comma && name != "subscript" && (frame.named > 1 || !lonely()) {
            self.terms.pop();
        }
        if let Some(frame) = self.stack.last_mut() {
            frame.comma = false;
        }
    }

    /// Keeps text that no child covers.
    fn gap(&mut self, until: usize) {
        let Some(frame) = self.stack.last() else { return };
        let Some(gap) = self.source.get(frame.at..until).filter(|gap| !gap.is_empty()) else { return };
        let is_text = self.table.is(frame.kind, Flags::TEXT);
        if is_text || !gap.trim_matches(|char: char| char.is_whitespace() || char == '\\').is_empty() {
            let parent = frame.term;
            let end = self.terms.len() as u32 + 1;
            let text = Text::Owned(if is_text { gap.into() } else { gap.trim().into() });
            let bytes = frame.at as u32..until as u32;
            self.terms.push(Term { kind: 0, field: 0, parent, end, bytes, text, variable: 0 });
        }
    }

    fn leave(&mut self, end_byte: usize) {
        self.gap(end_byte);
        self.drop_comma();
        let Some(frame) = self.stack.pop() else { return };
        let end = self.terms.len() as u32;
        let mut at = frame.term;
        for _ in 0..frame.terms {
            let Some(term) = self.terms.get_mut(at as usize) else { return };
            term.end = end;
            at = term.parent;
        }
    }

    fn open(&mut self, node: Node<'_>, kind: u16, field: u16) {
        // A wrapper was opened just before, if the last term has no end.
        let parent = match self.terms.last() {
            Some(last) if last.end == 0 => self.terms.len() as u32 - 1,
            _ => self.stack.last().map_or(ROOT, |frame| frame.term),
        };
        let bytes = node.start_byte() as u32..node.end_byte() as u32;
        self.terms.push(Term { kind, field, parent, end: 0, bytes, text: Text::None, variable: 0 });
    }

    fn leaf(&mut self, node: Node<'_>, kind: u16, field: u16, text: Text) {
        self.open(node, kind, field);
        let end = self.terms.len() as u32;
        if let Some(last) = self.terms.last_mut() {
            last.end = end;
            last.text = text;
        }
    }

    fn text_of(&self, node: Node<'_>) -> &str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns true if the node was written in its one spelling.
    fn rewritten(&mut self, node: Node<'_>, kind: u16, flags: Flags, parent: u16, field: u16) -> bool {
        if flags.has(Flags::STRING)
            && let Some(text) = spelling::string(self.language, self.text_of(node))
        {
            self.leaf(node, self.table.alias(kind), field, Text::Owned(text.into()));
            return true;
        }
        let spelled = if flags.has(Flags::SPELLED) { node.kind() } else { "" };
        if spelled == "jsx_text" {
            let text = spelling::tag_text(self.text_of(node));
            if text.as_deref() != Some("") {
                self.leaf(node, kind, field, text.map_or(Text::Source, |text| Text::Owned(text.into())));
            }
            return true;
        }
        if spelled == "string_start" {
            // What is left is the prefix: `f`, `rb`.
            let prefix = self.text_of(node).trim_end_matches(['"', '\'']).to_ascii_lowercase();
            self.leaf(node, kind, field, Text::Owned(prefix.into()));
            return true;
        }
        if spelled == "string_end" {
            return true;
        }
        if let Some(short) = self.table.shorthands.iter().find(|short| short.kind == kind) {
            if short.inner != 0 && node.named_child_count() != 1 {
                return false;
            }
            let open = self.terms.len();
            if short.whole != 0 {
                self.open(node, short.whole, field);
            }
            let top = self.terms.len();
            for (kind, field) in short.kinds.into_iter().zip(short.fields) {
                self.leaf(node, kind, field, Text::Source);
                if let Some(last) = self.terms.last_mut().filter(|_| short.whole != 0) {
                    last.parent = open as u32;
                }
            }
            if let Some(whole) = self.terms.get_mut(open).filter(|_| short.whole != 0) {
                whole.end = top as u32 + 2;
            }
            return true;
        }
        match &self.table.arrow {
            Some(arrow) if arrow.parent == parent && arrow.field == field => {
                let first = self.terms.len();
                for (kind, field) in &arrow.around {
                    self.open(node, *kind, *field);
                }
                self.leaf(node, kind, arrow.inner, Text::Source);
                let end = self.terms.len() as u32;
                self.terms[first..].iter_mut().for_each(|term| term.end = end);
                true
            }
            _ => false,
        }
    }

    /// Parentheses that decide something the tree does not show are kept.
    fn is_optional(&self, node: Node<'_>, parent: u16) -> bool {
        let Some(inner) = node.named_child(0) else { return false };
        let others = 1..u32::try_from(node.named_child_count()).unwrap_or(u32::MAX);
        if !others.into_iter().all(|at| self.is_comment(node, at)) {
            return false;
        }
        let parent_name = self.table.name(parent);
        match self.language {
            // `(a.f)(x)` calls a field, `a.f(x)` a method.
            Language::Rust => !(parent_name == "call_expression" && inner.kind() == "field_expression"),
            // `('use strict')` is no directive; `(a?.b).c` ends the chain.
            Language::JavaScript | Language::TypeScript | Language::Tsx => {
                let chained = self.table.is(parent, Flags::CHAIN) && self.text_of(inner).contains("?.");
                !(chained || parent_name == "expression_statement" && inner.kind() == "string")
            }
            // `decltype((x))` and `return (x)` may give a reference.
            Language::Cpp => !matches!(inner.kind(), "identifier" | "field_expression" | "qualified_identifier"),
            Language::Python => parent_name != "expression_statement",
            _ => true,
        }
    }

    fn is_comment(&self, node: Node<'_>, at: u32) -> bool {
        node.named_child(at).is_some_and(|child| self.table.is(child.kind_id(), Flags::COMMENT))
    }

    /// A block around one expression, where the expression alone means the same.
    fn is_braced(&self, node: Node<'_>, kind: u16, parent: u16, field: u16) -> bool {
        if !self.table.braces.contains(&(kind, parent, field))
            || self.table.is(kind, Flags::BLOCK) && node.child_count() != 3
        {
            return false;
        }
        let Some(inner) = node.named_child(0) else { return false };
        match self.language {
            Language::Rust => {
                let other = ["_statement", "_declaration", "_item", "_comment", "_invocation", "_definition", "label"];
                !other.iter().any(|end| inner.kind().ends_with(end))
            }
            // `{ return x; }`, and then the `return` in it.
            _ if self.table.is(kind, Flags::BLOCK) => {
                self.table.is(inner.kind_id(), Flags::RETURN) && inner.named_child_count() == 1
            }
            _ => true,
        }
    }

    /// Text at the start of a body, which documents it.
    fn is_docstring(&self, node: Node<'_>, parent: u16) -> bool {
        if self.language != Language::Python || node.kind() != "expression_statement" {
            return false;
        }
        let above = self.stack.iter().rev().nth(1).map_or("", |frame| self.table.name(frame.kind));
        let of_item = matches!(above, "function_definition" | "class_definition");
        let is_text = node.named_child_count() == 1
            && node.named_child(0).is_some_and(|child| matches!(child.kind(), "string" | "concatenated_string"));
        is_text && (self.table.is(parent, Flags::SCRIPT) || of_item)
    }
}
