//! What the kinds and fields of a grammar mean, read from a text with one statement a line. Its first word says what:
//!
//! - about kinds (`WORD KIND…`): see [`FLAGS`];
//! - about a child in a place (`WORD PARENT FIELD …`, `*` for any field): `bind`, `not`, `default`, `wrap`, `assign`;
//! - `item WHAT KIND PATH`, `open WHAT KIND PATH`: an item and the way to its name; `open` items have members;
//! - `alias KIND KIND`, `braces KIND PARENT FIELD`, `arrow`, `shorthand`: spellings that become another one;
//! - `call KIND FIELD FIELD`, `receiver KIND FIELD`, `member KIND FIELD FIELD`, `let KIND PATH PATH`: for comparing;
//! - `reflective`, `global`, `self` with names, and single words that switch something on.
//!
//! A path is a list of fields, kinds and `-` (a child without a field), joined by dots; `*` repeats the step.

use std::collections::HashMap;

/// A field of any name, in a place.
pub(crate) const ANY: u16 = u16::MAX;

/// Bits for a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags(u64);

impl Flags {
    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

macro_rules! flags {
    ($($name:ident $word:literal $doc:literal),* $(,)?) => {
        flags!(@ 0; $($name $doc;)*);
        /// The words of the flags.
        const FLAGS: &[(&str, Flags)] = &[$(($word, Flags::$name)),*];
    };
    (@ $bit:expr; $name:ident $doc:literal; $($rest:tt)*) => {
        impl Flags {
            #[doc = $doc]
            pub(crate) const $name: Self = Self(1 << ($bit));
        }
        flags!(@ $bit + 1; $($rest)*);
    };
    (@ $bit:expr;) => {};
}

flags! {
    COMMENT "comment" "A comment.",
    SKIP "skip" "Says nothing, such as an empty statement.",
    PAREN "paren" "Parentheses around an expression; the tree says what belongs together.",
    CHAIN "chain" "A link of a chain that an optional link ends.",
    STRING "string" "A string whose quotes may be written in several ways.",
    TEXT "text" "Text in which whitespace counts.",
    NUMBER "number" "A number.",
    RAW "raw" "Tokens of a macro, without structure.",
    EMBEDDED "embedded" "The text of a string, which may name variables in a macro.",
    LEAF "leaf" "A word of several tokens.",
    BODY "body" "The members of an open item.",
    WRAPPER "wrapper" "Something around an item that belongs to it.",
    PREFIX "prefix" "Something before an item that belongs to it.",
    IMPORT "import" "Makes names of other files known.",
    SCRIPT "script" "A file whose statements run from top to bottom.",
    FUNCTION "function" "A function: names bound inside are local.",
    SCOPE "scope" "A block: names bound inside are not known outside.",
    CLASS "class" "Members: names bound here are not local.",
    REF "ref" "A name that may be a variable.",
    NOBIND "nobind" "In a pattern: names inside are used, not bound.",
    PATH "path" "Names inside are not variables.",
    FREE "free" "Names inside are not local in the function.",
    KEYWORD "keyword" "Parameters after it are passed by name.",
    FUNCTIONWIDE "functionwide" "Declarations inside are known in the whole function.",
    BLOCK "block" "A list of statements.",
    STATEMENTS "statements" "A list of statements inside a block.",
    EXPRESSION "expression" "A statement that is one expression.",
    RETURN "return" "Ends the function with a value.",
    EFFECT "effect" "Does something, or depends on when it is evaluated.",
    LOOP "loop" "May evaluate its content several times, or later.",
    BRANCH "branch" "May not evaluate its content.",
    PARAMETERS "parameters" "The parameters of a function.",
    VISIBLE "visible" "Who may use the item.",
    LIST "list" "A list that may have one element.",
    FRESH "fresh" "Creates a new object each time it is evaluated.",
    HOISTED "hoisted" "An item that is known before its place.",
    WRAPPED "wrapped" "An argument around its expression.",
    PLACE "" "The parent of a place; set by the statements about places.",
    DROP "" "A token without meaning: the tree says what it separates.",
    COMMA "" "A comma.",
    CLOSER "" "A token that ends a list.",
    SPELLED "" "A part of a string or of text between tags that has one spelling here.",
}

/// Where and from when a name is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bind {
    /// In the scope around it, from here on.
    Here,
    /// In the scope around it, behind the whole declaration.
    After,
    /// In the scope around it, from the last child of the parent on.
    Late,
    /// In the whole function.
    Wide,
    /// In the scope around the parent.
    Outer,
    /// In the function, if the command says `local`.
    Local,
}

/// What a child in a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Bind(Bind),
    Not,
    Default,
    Assign,
    Wrap(u16),
    Owner,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Field(u16),
    Kind(u16),
    Bare,
    Repeated(u16),
}

#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) what: &'static str,
    pub(crate) kind: u16,
    pub(crate) name: Vec<Step>,
    pub(crate) open: bool,
}

/// A short form and its long one: `kind` (around `inner`) becomes two children of the same text, in a `whole` unless
/// that is 0.
#[derive(Clone, Debug)]
pub(crate) struct Shorthand {
    pub(crate) kind: u16,
    pub(crate) inner: u16,
    pub(crate) whole: u16,
    pub(crate) fields: [u16; 2],
    pub(crate) kinds: [u16; 2],
}

/// A single parameter without its list.
#[derive(Clone, Debug)]
pub(crate) struct Arrow {
    pub(crate) parent: u16,
    pub(crate) field: u16,
    /// What to put around it, with fields.
    pub(crate) around: Vec<(u16, u16)>,
    /// Its own field then.
    pub(crate) inner: u16,
}

#[derive(Debug)]
pub(crate) struct Table {
    grammar: tree_sitter::Language,
    flags: Vec<Flags>,
    aliases: HashMap<u16, u16>,
    places: HashMap<(u16, u16), Vec<Place>>,
    pub(crate) items: Vec<Item>,
    pub(crate) shorthands: Vec<Shorthand>,
    /// Blocks that may be left out around one expression: (block, parent, field).
    pub(crate) braces: Vec<(u16, u16, u16)>,
    pub(crate) arrow: Option<Arrow>,
    /// Fields of properties that are set: (grandparent, parent, field).
    pub(crate) props: Option<(u16, u16, u16)>,
    pub(crate) calls: Vec<(u16, u16, u16)>,
    pub(crate) receivers: Vec<(u16, u16)>,
    pub(crate) member: Option<(u16, u16, u16)>,
    pub(crate) lets: Vec<(u16, Vec<Step>, Vec<Step>)>,
    words: HashMap<&'static str, Vec<&'static str>>,
    switches: Vec<&'static str>,
    /// Words of the text that the grammar does not have.
    pub(crate) unknown: Vec<String>,
}

const SWITCHES: &[&str] = &[
    "hoist", "wide", "lower", "pure_const", "implicit", "ordered", "members", "named_arguments", "tail", "callable",
    "macros",
];

impl Table {
    pub(crate) fn read(grammar: &tree_sitter::Language, text: &'static str) -> Self {
        let table = Self {
            grammar: grammar.clone(),
            flags: Vec::new(),
            aliases: HashMap::new(),
            places: HashMap::new(),
            items: Vec::new(),
            shorthands: Vec::new(),
            braces: Vec::new(),
            arrow: None,
            props: None,
            calls: Vec::new(),
            receivers: Vec::new(),
            member: None,
            lets: Vec::new(),
            words: HashMap::new(),
            switches: Vec::new(),
            unknown: Vec::new(),
        };
        let mut reader = Reader { grammar, table, kinds: HashMap::new() };
        reader.tokens();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<_> = line.split_whitespace().collect();
            reader.statement(&words);
        }
        reader.table
    }

    pub(crate) fn name(&self, kind: u16) -> &str {
        self.grammar.node_kind_for_id(kind).unwrap_or_default()
    }

    pub(crate) fn flags(&self, kind: u16) -> Flags {
        self.flags.get(usize::from(kind)).copied().unwrap_or_default()
    }

    pub(crate) fn is(&self, kind: u16, flag: Flags) -> bool {
        self.flags(kind).has(flag)
    }

    pub(crate) fn alias(&self, kind: u16) -> u16 {
        self.aliases.get(&kind).copied().unwrap_or(kind)
    }

    /// What the grammar's table says about a child of this parent in this field.
    pub(crate) fn places(&self, parent: u16, field: u16) -> impl Iterator<Item = Place> {
        let known = self.is(parent, Flags::PLACE);
        let named = known.then(|| self.places.get(&(parent, field))).flatten();
        let any = known.then(|| self.places.get(&(parent, ANY))).flatten();
        named.into_iter().chain(any).flatten().copied()
    }

    pub(crate) fn words(&self, about: &str) -> &[&'static str] {
        self.words.get(about).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn on(&self, switch: &str) -> bool {
        self.switches.contains(&switch)
    }
}

struct Reader<'a> {
    grammar: &'a tree_sitter::Language,
    table: Table,
    kinds: HashMap<&'a str, Vec<u16>>,
}

impl<'a> Reader<'a> {
    fn tokens(&mut self) {
        let count = self.grammar.node_kind_count();
        self.table.flags = vec![Flags::default(); count];
        for kind in 0..count {
            let Ok(id) = u16::try_from(kind) else { return };
            let grammar: &'a tree_sitter::Language = self.grammar;
            let token = grammar.node_kind_for_id(id).unwrap_or_default();
            self.kinds.entry(token).or_default().push(id);
            if self.grammar.node_kind_is_named(id) {
                if matches!(token, "jsx_text" | "string_start" | "string_end") {
                    self.table.flags[kind].0 |= Flags::SPELLED.0;
                }
                continue;
            }
            let mut flags = 0;
            if matches!(token, ";" | "(" | ")" | "{" | "}" | "\"" | "'" | "`") || token.trim().is_empty() {
                flags |= Flags::DROP.0;
            }
            if token == "," {
                flags |= Flags::COMMA.0;
            }
            if matches!(token, ")" | "]" | "}" | ">" | "|") {
                flags |= Flags::CLOSER.0;
            }
            self.table.flags[kind].0 |= flags;
        }
    }

    fn kinds(&mut self, name: &str) -> Vec<u16> {
        let found = self.kinds.get(name).cloned().unwrap_or_default();
        if found.is_empty() {
            self.table.unknown.push(format!("kind {name}"));
        }
        found
    }

    /// The kind as nodes report it.
    fn kind(&mut self, name: &str) -> u16 {
        match self.grammar.id_for_node_kind(name, true) {
            0 => self.kinds(name).first().copied().unwrap_or(0),
            id => id,
        }
    }

    fn field(&mut self, name: &str) -> u16 {
        match (name, self.grammar.field_id_for_name(name)) {
            ("*", _) => ANY,
            ("-", _) => 0,
            (_, Some(id)) => id.get(),
            (_, None) => {
                self.table.unknown.push(format!("field {name}"));
                0
            }
        }
    }

    fn path(&mut self, text: &str) -> Vec<Step> {
        let mut steps = Vec::new();
        for word in text.split('.') {
            steps.push(match word.strip_suffix('*') {
                Some(field) => Step::Repeated(self.field(field)),
                None if word == "-" => Step::Bare,
                None => match self.grammar.field_id_for_name(word) {
                    Some(id) => Step::Field(id.get()),
                    None => Step::Kind(self.kind(word)),
                },
            });
        }
        steps
    }

    fn place(&mut self, parent: &str, field: &str, place: Place) {
        let field = self.field(field);
        for kind in self.kinds(parent) {
            self.table.flags[usize::from(kind)].0 |= Flags::PLACE.0;
            self.table.places.entry((kind, field)).or_default().push(place);
        }
    }

    fn statement(&mut self, words: &[&'static str]) {
        match *words {
            [] => {}
            ["item", what, kind, name] | ["open", what, kind, name] => {
                let (kind, name) = (self.kind(kind), self.path(name));
                self.table.items.push(Item { what, kind, name, open: words[0] == "open" });
            }
            ["alias", from, to] => {
                let (from, to) = (self.kind(from), self.kind(to));
                self.table.aliases.insert(from, to);
            }
            ["bind", parent, field, mode] => {
                let mode = match mode {
                    "after" => Bind::After,
                    "late" => Bind::Late,
                    "wide" | "function" => Bind::Wide,
                    "outer" => Bind::Outer,
                    "local" => Bind::Local,
                    _ => Bind::Here,
                };
                self.place(parent, field, Place::Bind(mode));
            }
            ["not", parent, field] => self.place(parent, field, Place::Not),
            ["default", parent, field] => self.place(parent, field, Place::Default),
            ["assign", parent, field] => self.place(parent, field, Place::Assign),
            ["owner", parent, field] => self.place(parent, field, Place::Owner),
            ["wrap", parent, field, block] => {
                let block = self.kind(block);
                self.place(parent, field, Place::Wrap(block));
            }
            ["braces", block, parent, field] => {
                let braces = (self.kind(block), self.kind(parent), self.field(field));
                self.table.braces.push(braces);
            }
            ["arrow", parent, field, ref around @ ..] => {
                let outer = (self.kind(around.first().unwrap_or(&"")), self.field("parameters"));
                let inner = around.get(1).map(|kind| (self.kind(kind), 0));
                let field = (self.field(field), inner.map_or(0, |_| self.field("pattern")));
                let around = [Some(outer), inner].into_iter().flatten().collect();
                self.table.arrow = Some(Arrow { parent: self.kind(parent), field: field.0, around, inner: field.1 });
            }
            ["props", grandparent, parent, field] => {
                self.table.props = Some((self.kind(grandparent), self.kind(parent), self.field(field)));
            }
            ["shorthand", kind, inner, whole, first, second, one, other] => {
                // The long form has a colon, which says nothing.
                for colon in self.kinds(":") {
                    self.table.flags[usize::from(colon)].0 |= Flags::DROP.0;
                }
                let mut optional = |name| if name == "-" { 0 } else { self.kind(name) };
                let (inner, whole) = (optional(inner), optional(whole));
                let shorthand = Shorthand {
                    kind: self.kind(kind),
                    inner,
                    whole,
                    fields: [self.field(first), self.field(second)],
                    kinds: [self.kind(one), self.kind(other)],
                };
                self.table.shorthands.push(shorthand);
            }
            ["call", kind, callee, arguments] => {
                let call = (self.kind(kind), self.field(callee), self.field(arguments));
                self.table.calls.push(call);
            }
            ["receiver", kind, field] => {
                let receiver = (self.kind(kind), self.field(field));
                self.table.receivers.push(receiver);
            }
            ["member", kind, object, name] => {
                self.table.member = Some((self.kind(kind), self.field(object), self.field(name)));
            }
            ["let", kind, pattern, value] => {
                let declaration = (self.kind(kind), self.path(pattern), self.path(value));
                self.table.lets.push(declaration);
            }
            [about @ ("reflective" | "global" | "self"), ref names @ ..] => {
                self.table.words.insert(about, names.to_vec());
            }
            [switch] if SWITCHES.contains(&switch) => self.table.switches.push(switch),
            [word, ref kinds @ ..] => match FLAGS.iter().find(|(name, _)| *name == word && !word.is_empty()) {
                Some((_, flag)) => {
                    for kind in kinds.iter().flat_map(|name| self.kinds(name)).collect::<Vec<_>>() {
                        self.table.flags[usize::from(kind)].0 |= flag.0;
                    }
                }
                None => self.table.unknown.push(words.join(" ")),
            },
        }
    }
}
