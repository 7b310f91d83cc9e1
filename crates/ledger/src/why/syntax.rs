use std::rc::Rc;

use stead_code::{Budget, Language, Node, nodes};

use super::books::Found;
use super::held::Held;
use super::inquiry::{How, Inquiry, single_owner};
use super::key::{Kind, hash_key};
use crate::trace::NodePart;

impl Inquiry<'_> {
    /// A line in a node that one call wrote as a whole, and that is the same but for layout and local names.
    pub(super) fn by_node(&self, line: usize) -> Option<(Rc<Held>, How)> {
        let nodes = self.nodes.get_or_init(|| {
            let language = Language::of(self.path, self.text);
            language.and_then(|language| nodes(language, self.text, &Budget::default()).ok()).unwrap_or_default()
        });
        let mut around: Vec<&Node> = nodes.iter().filter(|node| node.start <= line + 1 && line < node.end).collect();
        around.sort_by_key(|node| node.end - node.start);
        around.into_iter().find_map(|node| self.writer(node, nodes, line)).map(|held| (held, How::Node))
    }

    fn writer(&self, node: &Node, all: &[Node], line: usize) -> Option<Rc<Held>> {
        let normal = node.normal?;
        // Where there are two of them, one may be anybody's.
        if node.name.is_empty() || all.iter().filter(|other| other.normal == node.normal).count() != 1 {
            return None;
        }
        let hash = normal.to_string();
        let Found::Records(found) = self.books.find(Kind::Node, hash_key(&hash)?) else { return None };
        let aliases = self.aliases(line);
        let mut is_whole = false;
        let mut writers = Vec::new();
        for held in &found {
            for file in &held.files {
                let same = file.nodes.iter().find(|note| note.normal.as_deref() == Some(&hash));
                let Some(note) = same else { continue };
                let home = self.home(&file.path, held.order);
                if note.name != node.name || !aliases.contains(home.as_str()) || self.predates(line, held) {
                    continue;
                }
                match note.part {
                    NodePart::Unchanged => continue,
                    NodePart::Whole => is_whole = true,
                    NodePart::Part => {}
                }
                writers.push(held);
            }
        }
        let held = single_owner(writers.into_iter())?;
        is_whole.then_some(held)
    }
}
