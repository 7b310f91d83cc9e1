use std::collections::HashMap;

use crate::budget::Budget;
use crate::error::CodeError;
use crate::hash::{Hash, Lines};
use crate::language::{Flags, Language};
use crate::tree::{Piece, Tree};

/// A part of a file that has a name: a function, a type, a constant; or a statement of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// `function`, `method`, `class`, `impl`, `statement`…
    pub kind: &'static str,
    /// With the names of the items around it, as in `module::Type::method`; for a statement the variable it sets, if any.
    pub name: String,
    /// The first line, from 1.
    pub start: usize,
    /// The last line.
    pub end: usize,
    /// The hash of its lines.
    pub raw: Hash,
    /// The hash of its syntax; a node that does not parse has none.
    pub normal: Option<Hash>,
}

/// Lists the items of a file in the order of their first lines, each before its members.
pub fn nodes(language: Language, text: &str, budget: &Budget) -> Result<Vec<Node>, CodeError> {
    let tree = Tree::parse(language, text, budget)?;
    let lines = Lines::of(text);
    let starts: Vec<usize> = line_starts(text);
    let line_of = |byte: usize| starts.partition_point(|start| *start <= byte);
    let is_script = tree.terms.first().is_some_and(|root| tree.table.is(root.kind, Flags::SCRIPT));
    let is_node = |piece: &&Piece| match piece.what {
        "import" => false,
        "statement" => {
            is_script && piece.path.is_empty() && !tree.table.is(tree.terms[piece.core].kind, Flags::COMMENT)
        }
        _ => true,
    };
    let mut nodes = Vec::new();
    // A minified file has thousands of nodes on one line.
    let mut hashed: HashMap<(usize, usize), Hash> = HashMap::new();
    for piece in tree.pieces().iter().filter(is_node) {
        let range = piece.range.clone();
        let Some((first, last)) = range.clone().next().zip(range.clone().last()) else { continue };
        let bytes = tree.terms[first].bytes.start as usize..tree.terms[piece.core].bytes.end as usize;
        let bytes = bytes.start..bytes.end.max(tree.terms[last].bytes.end as usize);
        let tail = text.get(bytes.clone()).unwrap_or_default().trim_end();
        let (start, end) =
            (line_of(bytes.start), line_of((bytes.start + tail.len()).saturating_sub(1).max(bytes.start)));
        let known = hashed.get(&(start, end)).copied();
        let Some(raw) = known.or_else(|| lines.range_hash(start, end)) else { continue };
        hashed.insert((start, end), raw);
        let normal = (!tree.is_broken(range.clone())).then(|| tree.normal_hash(range));
        nodes.push(Node { kind: piece.what, name: piece.qualified(), start, end, raw, normal });
    }
    Ok(nodes)
}

fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).collect()
}
