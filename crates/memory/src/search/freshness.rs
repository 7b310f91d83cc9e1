use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path};

use stead_code::{Budget, Language, Node, file_hash, nodes};

use crate::Anchor;

stead_model::named! {
    /// Whether what a trace is about is still as it was, by equal hashes; never by similarity or age.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Freshness {
        Fresh = "fresh",
        /// Something changed since.
        Drifted = "drifted",
        /// Something is gone.
        Orphaned = "orphaned",
        /// It names nothing that could change.
        Unanchored = "unanchored",
    }
}

/// The largest file that is compared.
const LARGEST: u64 = 4_000_000;

/// The files of a project as they are now, each read once.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    root: &'a Path,
    files: HashMap<String, Option<Now>>,
}

#[derive(Debug)]
struct Now {
    hash: String,
    text: Option<String>,
    /// Parsed on first use.
    nodes: Option<Vec<Node>>,
}

impl<'a> Tree<'a> {
    pub(crate) fn of(root: &'a Path) -> Self {
        Self { root, files: HashMap::new() }
    }

    /// The worst of all anchors.
    pub(crate) fn freshness(&mut self, anchors: &[Anchor]) -> Freshness {
        let each: Vec<Freshness> = anchors.iter().map(|anchor| self.anchor(anchor)).collect();
        let worst = [Freshness::Orphaned, Freshness::Drifted, Freshness::Fresh];
        worst.into_iter().find(|worst| each.contains(worst)).unwrap_or(Freshness::Unanchored)
    }

    fn anchor(&mut self, anchor: &Anchor) -> Freshness {
        let path = Path::new(&anchor.path);
        if anchor.path.is_empty() || !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return Freshness::Unanchored;
        }
        let root = self.root;
        let now = self.files.entry(anchor.path.clone()).or_insert_with(|| Now::read(&root.join(path)));
        let Some(now) = now else { return Freshness::Orphaned };
        if anchor.hash.as_ref() == Some(&now.hash) {
            return Freshness::Fresh;
        }
        match (&anchor.node, &anchor.node_hash) {
            (name, Some(hash)) => now.node(&anchor.path, name.as_deref(), hash),
            (_, None) if anchor.hash.is_some() => Freshness::Drifted,
            _ => Freshness::Unanchored,
        }
    }
}

impl Now {
    fn read(path: &Path) -> Option<Self> {
        let data = fs::metadata(path).ok()?;
        if !data.is_file() || data.len() > LARGEST {
            return data.is_file().then(|| Self { hash: String::new(), text: None, nodes: None });
        }
        let bytes = fs::read(path).ok()?;
        Some(Self { hash: file_hash(&bytes).to_string(), text: String::from_utf8(bytes).ok(), nodes: None })
    }

    /// A node with the same syntax anywhere in the file is the same node: it moved, or its format changed.
    fn node(&mut self, path: &str, name: Option<&str>, hash: &str) -> Freshness {
        let text = self.text.as_deref();
        let parsed = self.nodes.get_or_insert_with(|| {
            let parse = |text: &str| nodes(Language::of(path, text)?, text, &Budget::default()).ok();
            text.and_then(parse).unwrap_or_default()
        });
        let has =
            |node: &Node| node.normal.is_some_and(|normal| normal.to_string() == hash) || node.raw.to_string() == hash;
        if parsed.iter().any(has) {
            return Freshness::Fresh;
        }
        match name.is_none_or(|name| parsed.iter().any(|node| node.name == name)) {
            true => Freshness::Drifted,
            false => Freshness::Orphaned,
        }
    }
}
