use std::borrow::Cow;

use stead_model::{EventKind, cut, pieces};

use crate::guard::{Guard, bit};

/// Changes whenever the compiled form changes.
const FORM: &str = "stead-guards\t2\t";

/// Compiled guards as text: a head, which is a line about the rest, the index and the problems; then the bodies. It is
/// parsed lazily: the first line says which events are judged at all, the index which guards a call could match, and
/// only the bodies of these are read.
#[derive(Clone, Copy)]
pub struct CompiledView<'a> {
    events: u32,
    index: &'a str,
    problems: &'a str,
    bodies: Shelf<'a>,
}

/// Where the bodies are.
#[derive(Clone, Copy)]
enum Shelf<'a> {
    Here(&'a str),
    Elsewhere(&'a dyn Bodies),
}

/// The bodies of compiled guards, of which only the needed ones are read.
pub trait Bodies {
    /// Reads this many bytes, at an offset from the first body.
    fn read(&self, at: usize, length: usize) -> Option<String>;
}

/// How long the parts of compiled guards are.
pub struct HeadLength {
    pub head: usize,
    pub bodies: usize,
}

/// One line of the index.
pub(crate) struct Entry<'a> {
    pub(crate) id: &'a str,
    pub(crate) needs: &'a str,
    pub(crate) atoms: &'a str,
    /// The position of its body, parsed only for the few guards that a call could match.
    place: &'a str,
    bodies: Shelf<'a>,
}

impl<'a> Entry<'a> {
    /// The guard as JSON; empty if the position is invalid.
    pub(crate) fn body(&self) -> Cow<'a, str> {
        let place = || {
            let (at, length) = cut(self.place, b'\t')?;
            let (at, length): (usize, usize) = (at.parse().ok()?, length.parse().ok()?);
            match self.bodies {
                Shelf::Here(text) => text.get(at..at.checked_add(length)?).map(Cow::Borrowed),
                Shelf::Elsewhere(bodies) => bodies.read(at, length).map(Cow::Owned),
            }
        };
        place().unwrap_or_default()
    }
}

/// The first line.
struct First {
    events: u32,
    /// Its own length, and those of the parts.
    length: usize,
    index: usize,
    problems: usize,
    bodies: usize,
}

impl First {
    fn parse(text: &str) -> Option<Self> {
        let (line, _) = cut(text, b'\n')?;
        let mut fields = pieces(line.strip_prefix(FORM)?, b'\t');
        let events = u32::from_str_radix(fields.next()?, 16).ok()?;
        let mut next = || fields.next()?.parse().ok();
        Some(Self { events, length: line.len() + 1, index: next()?, problems: next()?, bodies: next()? })
    }
}

/// Takes the next line and splits it at its first four tabs, in one pass over the bytes: every call reads hundreds of
/// lines.
fn fields<'a>(rest: &mut &'a str) -> Option<[&'a str; 5]> {
    if rest.is_empty() {
        return None;
    }
    let bytes = rest.as_bytes();
    let (mut cuts, mut count, mut end) = ([0; 4], 0, bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'\n' => {
                end = at;
                break;
            }
            b'\t' if count < cuts.len() => {
                cuts[count] = at;
                count += 1;
            }
            _ => {}
        }
    }
    let line = rest.get(..end)?;
    *rest = rest.get(end + 1..).unwrap_or_default();
    let [first, second, third, fourth] = cuts;
    if count < cuts.len() {
        // A corrupt line matches every event and cannot be read, so that it fails closed.
        return Some(["ffffffff", line, "", "", ""]);
    }
    let part = |from: usize, to: usize| line.get(from..to).unwrap_or_default();
    Some([
        part(0, first),
        part(first + 1, second),
        part(second + 1, third),
        part(third + 1, fourth),
        part(fourth + 1, line.len()),
    ])
}

impl<'a> CompiledView<'a> {
    /// Returns the length of a compiled text, from its beginning; `None` if it has another format.
    pub fn measure(text: &str) -> Option<HeadLength> {
        let first = First::parse(text)?;
        let head = first.length.checked_add(first.index)?.checked_add(first.problems)?;
        Some(HeadLength { head, bodies: first.bodies })
    }

    /// Parses compiled text; `None` if it has another format or is truncated.
    pub fn parse(text: &'a str) -> Option<Self> {
        let HeadLength { head, bodies } = Self::measure(text)?;
        let bodies = text.get(head..head.checked_add(bodies)?)?;
        Self::read(text.get(..head)?, Shelf::Here(bodies))
    }

    /// Parses only the head.
    pub fn with_bodies(head: &'a str, bodies: &'a dyn Bodies) -> Option<Self> {
        Self::read(head, Shelf::Elsewhere(bodies))
    }

    fn read(head: &'a str, bodies: Shelf<'a>) -> Option<Self> {
        let first = First::parse(head)?;
        let rest = head.get(first.length..)?;
        let index = rest.get(..first.index)?;
        let problems = rest.get(first.index..first.index.checked_add(first.problems)?)?;
        Some(Self { events: first.events, index, problems, bodies })
    }

    /// Returns true if any guard applies at an event.
    pub fn concerns(&self, kind: EventKind) -> bool {
        self.events & bit(kind) != 0
    }

    /// Every guard that applies, read.
    pub fn guards(&self) -> Vec<Guard> {
        self.lines().filter_map(|(_, entry)| serde_json::from_str(&entry.body()).ok()).collect()
    }

    /// The problems found when the guards were compiled, one line each.
    pub fn problems(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.problems.lines()
    }

    pub(crate) fn on(&self, kind: EventKind) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        let bit = bit(kind);
        self.lines().filter(move |(events, _)| events & bit != 0).map(|(_, entry)| entry)
    }

    fn lines(&self) -> impl Iterator<Item = (u32, Entry<'a>)> + use<'a> {
        let bodies = self.bodies;
        let mut rest = self.index;
        std::iter::from_fn(move || {
            let fields = fields(&mut rest)?;
            let [events, id, needs, atoms, place] = fields;
            Some((u32::from_str_radix(events, 16).unwrap_or(0), Entry { id, needs, atoms, place, bodies }))
        })
    }

    /// Formats compiled guards for [`CompiledView::parse`].
    pub(crate) fn render(guards: &[Guard], problems: &[String]) -> String {
        let (mut index, mut bodies, mut events) = (String::new(), String::new(), 0);
        for guard in guards {
            let Ok(body) = serde_json::to_string(guard) else { continue };
            let mask = crate::guard::mask(&guard.events);
            events |= mask;
            index.push_str(&format!(
                "{mask:x}\t{}\t{}\t{}\t{}\t{}\n",
                guard.id,
                crate::prefilter::before_effects(&guard.matches),
                crate::prefilter::atoms(&guard.matches),
                bodies.len(),
                body.len(),
            ));
            bodies.push_str(&body);
            bodies.push('\n');
        }
        let problems: String = problems.iter().map(|line| format!("{}\n", line.replace('\n', " "))).collect();
        format!("{FORM}{events:x}\t{}\t{}\t{}\n{index}{problems}{bodies}", index.len(), problems.len(), bodies.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_their_tabs_and_damage_concerns_everybody() {
        let check = |text: &str, expected: &[[&str; 5]]| {
            let mut rest = text;
            let found: Vec<_> = std::iter::from_fn(|| fields(&mut rest)).collect();
            assert_eq!(found, expected, "{text:?}");
        };
        check("", &[]);
        check("8\ta\t\tx\t0\t9\n4\tb\te\t\t9\t1\n", &[["8", "a", "", "x", "0\t9"], ["4", "b", "e", "", "9\t1"]]);
        check("8\ta\n1\tb\t\t\t0\t1", &[["ffffffff", "8\ta", "", "", ""], ["1", "b", "", "", "0\t1"]]);
    }
}
