use std::collections::HashMap;
use std::ops::Range;

use sha2::{Digest, Sha256};

use super::{Text, Tree};
use crate::hash::Hash;

/// What precedes the content of each normalised hash.
pub(crate) const VERSION: &str = "stead-node-1";

const OPEN: u8 = 1;
const CLOSE: u8 = 2;
const WORD: u8 = 3;
const VARIABLE: u8 = 4;

impl Tree<'_> {
    /// Hashes terms without whitespace, comments and the names of local variables.
    pub(crate) fn normal_hash(&self, range: Range<usize>) -> Hash {
        let mut hasher = Sha256::new();
        hasher.update(format!("{VERSION}\n{}\n", self.language.grammar()));
        let mut buffer = Vec::with_capacity(4096);
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let mut open: Vec<u32> = Vec::new();
        for at in range.clone() {
            while open.last().is_some_and(|end| *end as usize <= at) {
                open.pop();
                buffer.push(CLOSE);
            }
            let term = &self.terms[at];
            let field = if open.is_empty() { 0 } else { term.field };
            buffer.push(OPEN);
            buffer.extend(term.kind.to_be_bytes());
            buffer.extend(field.to_be_bytes());
            let mut number = |variable: u32| {
                // A variable of the surroundings keeps its name.
                let is_inside = self.variables[variable as usize - 1].scope as usize >= range.start;
                let next = numbers.len() as u32;
                is_inside.then(|| *numbers.entry(variable).or_insert(next))
            };
            match (term.variable, self.embedded.get(&(at as u32))) {
                (0, None) if term.text == Text::None => {}
                (0, None) => word(&mut buffer, self.text(at)),
                (0, Some(places)) => {
                    let text = self.text(at);
                    let mut from = 0;
                    for (place, variable) in places {
                        let Some(number) = number(*variable) else { continue };
                        word(&mut buffer, &text[from..place.start]);
                        buffer.push(VARIABLE);
                        buffer.extend(number.to_be_bytes());
                        from = place.end;
                    }
                    word(&mut buffer, &text[from..]);
                }
                (variable, _) => match number(variable) {
                    Some(number) => {
                        buffer.push(VARIABLE);
                        buffer.extend(number.to_be_bytes());
                    }
                    None => word(&mut buffer, self.text(at)),
                },
            }
            open.push(term.end);
            if buffer.len() > 4000 {
                hasher.update(&buffer);
                buffer.clear();
            }
        }
        buffer.resize(buffer.len() + open.len(), CLOSE);
        hasher.update(&buffer);
        Hash(hasher.finalize().into())
    }
}

fn word(buffer: &mut Vec<u8>, text: &str) {
    buffer.push(WORD);
    buffer.extend((text.len() as u32).to_be_bytes());
    buffer.extend(text.as_bytes());
}
