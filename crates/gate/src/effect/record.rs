use stead_model::{Coverage, Deed, Effect, Effects};

/// The most effects one call is credited with; a call that does more is known in part.
const MOST: usize = 4_096;
/// The most gaps that are named.
const GAPS: usize = 16;
/// The longest quotation of a sub-expression.
const PART: usize = 160;
/// How far back a repetition is noticed.
const BACK: usize = 24;

/// Collects effects and gaps of one call.
#[derive(Default)]
pub(crate) struct Record {
    list: Vec<Effect>,
    gaps: Vec<String>,
    partial: bool,
    gave_up: bool,
}

impl Record {
    /// Notes a deed; the same one from the same part is noted once.
    pub(crate) fn push(&mut self, deed: Deed, part: &str) {
        let part = shorten(part);
        let known = self.list.iter().rev().take(BACK).any(|effect| effect.deed == deed && effect.part == part);
        if known {
            return;
        }
        if self.is_full() {
            self.give_up("there are more effects than are told");
            return;
        }
        self.list.push(Effect { deed, part });
    }

    /// Notes that something could not be followed.
    pub(crate) fn gap(&mut self, why: impl AsRef<str>) {
        self.partial = true;
        let why = shorten(why.as_ref());
        if self.gaps.len() < GAPS && !self.gaps.contains(&why) {
            self.gaps.push(why);
        }
    }

    /// Notes that the rest was too much to be read.
    pub(crate) fn give_up(&mut self, why: impl AsRef<str>) {
        self.gave_up = true;
        // What matters most is named even where many gaps are.
        self.gaps.truncate(GAPS - 1);
        self.gap(why);
    }

    /// Says that no more effects are noted.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= MOST
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Closes the record. `best` is the coverage when there was no gap; nothing known stays nothing known.
    pub(crate) fn finish(self, best: Coverage) -> Effects {
        let coverage = if self.partial { best.min(Coverage::Partial) } else { best };
        Effects { list: self.list, coverage, gaps: self.gaps, gave_up: self.gave_up }
    }
}

/// One line of limited length.
fn shorten(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(PART + 1).collect();
    let line = line.trim();
    match line.char_indices().nth(PART) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
