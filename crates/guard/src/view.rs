use stead_model::EventKind;

use crate::guard::{Guard, bit};

/// Changes whenever the compiled form does.
const FORM: &str = "stead-guards\t1\t";

/// Compiled guards as text. Nothing is read before somebody asks: the first line says which events are judged at all,
/// the index which guards a call could concern, and only these are read.
#[derive(Clone, Copy, Debug)]
pub struct CompiledView<'a> {
    events: u32,
    index: &'a str,
    bodies: &'a str,
    problems: &'a str,
}

/// One line of the index.
pub(crate) struct Entry<'a> {
    pub(crate) id: &'a str,
    pub(crate) needs: &'a str,
    pub(crate) atoms: &'a str,
    pub(crate) body: &'a str,
}

impl<'a> CompiledView<'a> {
    /// Takes compiled text; `None` when it is of another form or cut off.
    pub fn parse(text: &'a str) -> Option<Self> {
        let (first, rest) = text.strip_prefix(FORM)?.split_once('\n')?;
        let mut fields = first.split('\t');
        let events = u32::from_str_radix(fields.next()?, 16).ok()?;
        let lengths = [fields.next()?.parse().ok()?, fields.next()?.parse().ok()?, fields.next()?.parse().ok()?];
        let [index, bodies, problems]: [usize; 3] = lengths;
        Some(Self {
            events,
            index: rest.get(..index)?,
            bodies: rest.get(index..index.checked_add(bodies)?)?,
            problems: rest.get(index + bodies..(index + bodies).checked_add(problems)?)?,
        })
    }

    /// Says whether any guard is asked at an event.
    pub fn concerns(&self, kind: EventKind) -> bool {
        self.events & bit(kind) != 0
    }

    /// Every guard that applies, read.
    pub fn guards(&self) -> Vec<Guard> {
        self.lines().filter_map(|(_, entry)| serde_json::from_str(entry.body).ok()).collect()
    }

    /// What was wrong when the guards were compiled, one line each.
    pub fn problems(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.problems.lines()
    }

    pub(crate) fn on(&self, kind: EventKind) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        let bit = bit(kind);
        self.lines().filter(move |(events, _)| events & bit != 0).map(|(_, entry)| entry)
    }

    fn lines(&self) -> impl Iterator<Item = (u32, Entry<'a>)> + use<'a> {
        let bodies = self.bodies;
        self.index.lines().filter_map(move |line| {
            let mut fields = line.split('\t');
            let events = u32::from_str_radix(fields.next()?, 16).ok()?;
            let (id, needs, atoms) = (fields.next()?, fields.next()?, fields.next()?);
            let at: usize = fields.next()?.parse().ok()?;
            let length: usize = fields.next()?.parse().ok()?;
            Some((events, Entry { id, needs, atoms, body: bodies.get(at..at.checked_add(length)?)? }))
        })
    }

    /// Puts compiled guards into the form that [`CompiledView::parse`] takes.
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
        format!("{FORM}{events:x}\t{}\t{}\t{}\n{index}{bodies}{problems}", index.len(), bodies.len(), problems.len())
    }
}
