use stead_model::{Coverage, Effect, Effects, Gap, Op, Print, Run};

/// The maximum number of effects of one call; with more, coverage is partial.
const MOST: usize = 4_096;
/// The maximum number of gaps that are named.
const GAPS: usize = 16;
/// The maximum length of a quoted sub-command.
const PART: usize = 160;
/// How far back a repetition is noticed.
const BACK: usize = 24;
/// The maximum number of paths, and bytes of text, that the gaps of one call may hold.
const PATHS: usize = 2_048;
const TEXT: usize = 1 << 20;
/// The most printed texts that are kept.
const PRINTS: usize = 64;

/// Collects effects and gaps of one call.
#[derive(Default)]
pub(crate) struct Record {
    list: Vec<Effect>,
    gaps: Vec<Gap>,
    partial: bool,
    gave_up: bool,
    runs: Vec<Run>,
    prints: Vec<Print>,
    noted: usize,
    /// Paths, and bytes of text, of the gaps so far.
    paths: usize,
    text: usize,
}

impl Record {
    /// Records an operation; the same one from the same part is noted once.
    pub(crate) fn push(&mut self, op: Op, part: &str) {
        self.place(op, part);
    }

    /// Notes an operation and gives its place; `None` when there is no room for it.
    pub(crate) fn place(&mut self, op: Op, part: &str) -> Option<usize> {
        let part = shorten(part);
        let last = self.list.len().saturating_sub(BACK);
        let known = self.list[last..].iter().rposition(|effect| effect.op == op && effect.part == part);
        if let Some(known) = known {
            return Some(last + known);
        }
        if self.is_full() {
            self.give_up("there are more effects than are told");
            return None;
        }
        self.list.push(Effect { op, part });
        Some(self.list.len() - 1)
    }

    /// Notes how a program runs, and gives the run's place.
    pub(crate) fn push_run(&mut self, run: Run) -> usize {
        self.runs.push(run);
        self.runs.len() - 1
    }

    /// How many programs were noted.
    pub(crate) fn runs_noted(&self) -> usize {
        self.runs.len()
    }

    /// Notes what the shell prints.
    pub(crate) fn push_print(&mut self, print: Print) {
        if self.prints.len() < PRINTS {
            self.prints.push(print);
        }
    }

    /// How often something could not be followed so far.
    pub(crate) fn gaps_noted(&self) -> usize {
        self.noted
    }

    /// Records that something could not be followed.
    pub(crate) fn gap(&mut self, why: impl Into<String>) {
        self.gap_in(Gap { why: why.into(), ..Gap::default() });
    }

    /// Records a gap. If there are too many, the last one collects what the others would name, so that nothing is lost.
    pub(crate) fn gap_in(&mut self, gap: Gap) {
        self.partial = true;
        self.noted += 1;
        let Gap { part, why, paths, texts, run, is_listed, is_typed } = gap;
        let (part, why) = (shorten(&part), shorten(&why));
        self.paths += paths.len();
        self.text += texts.iter().map(String::len).sum::<usize>();
        let much = self.paths > PATHS || self.text > TEXT;
        let known = self.gaps.iter().position(|gap| gap.part == part && gap.why == why);
        let at = match known {
            Some(at) => at,
            None if self.gaps.len() < GAPS => {
                self.gaps.push(Gap { part, why, run, is_listed, ..Gap::default() });
                self.gaps.len() - 1
            }
            None => GAPS - 1,
        };
        let collected = &mut self.gaps[at];
        collected.is_typed |= is_typed;
        if collected.run != run && known.is_none() {
            // It now stands for several programs.
            (collected.run, collected.is_listed) = (None, false);
        }
        collected.is_listed &= is_listed;
        if much {
            if !self.gave_up {
                self.give_up("there is more in it than is followed");
            }
            return;
        }
        let gap = &mut self.gaps[at];
        let new = paths.into_iter().filter(|path| !gap.paths.contains(path)).collect::<Vec<_>>();
        gap.paths.extend(new);
        let new = texts.into_iter().filter(|text| !gap.texts.contains(text)).collect::<Vec<_>>();
        gap.texts.extend(new);
    }

    /// Records that the rest was too long or too deeply nested to read.
    pub(crate) fn give_up(&mut self, why: &str) {
        self.gave_up = true;
        self.partial = true;
        self.noted += 1;
        // This reason is recorded even if there are many gaps. Rules that look for names then use the text of the whole
        // call.
        self.gaps.truncate(GAPS - 1);
        if !self.gaps.iter().any(|gap| gap.why == why) {
            self.gaps.push(Gap { why: why.to_owned(), ..Gap::default() });
        }
    }

    /// Returns true if no more effects are recorded.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= MOST
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Finishes the record. `best` is the coverage if there was no gap.
    pub(crate) fn finish(self, best: Coverage) -> Effects {
        let coverage = if self.partial { best.min(Coverage::Partial) } else { best };
        let Self { list, gaps, gave_up, runs, prints, .. } = self;
        Effects { list, coverage, gaps, gave_up, runs, prints }
    }
}

/// One line of limited length.
fn shorten(text: &str) -> String {
    if text.len() <= PART && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.trim().to_owned();
    }
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(PART + 1).collect();
    let line = line.trim();
    match line.char_indices().nth(PART) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
