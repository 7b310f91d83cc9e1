//! A seeded fuzzer: agents and people change files in random ways, and a model that never reads our answers knows who
//! wrote each line. No line may be attributed to somebody else.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::tests::Place;

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end.max(1)
    }
}

/// A line and who wrote it; `-` is somebody whom the ledger did not see.
type Line = (String, &'static str);

struct World {
    place: Place,
    random: Random,
    files: BTreeMap<String, Vec<Line>>,
    /// Authors of texts that left their file unseen: typed again, such a text cannot be told from the one before.
    lost: HashMap<String, HashSet<&'static str>>,
    tokens: usize,
    log: Vec<String>,
}

const WRITERS: [&str; 5] = ["s1", "s2", "s3", "person", "-"];
const TRIVIAL: [&str; 3] = ["}", "", "return"];

impl World {
    fn new(seed: u64) -> Self {
        let mut world = Self {
            place: Place::new(),
            random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            files: BTreeMap::new(),
            lost: HashMap::new(),
            tokens: 0,
            log: Vec::new(),
        };
        for name in ["a.txt", "b.txt"] {
            let lines = (0..6).map(|_| (world.token(), "-")).collect();
            world.files.insert(name.to_owned(), lines);
            world.write("-", &[name.to_owned()]);
        }
        world
    }

    fn token(&mut self) -> String {
        self.tokens += 1;
        format!("token number {}", self.tokens)
    }

    fn text(lines: &[Line]) -> String {
        lines.iter().map(|(text, _)| format!("{text}\n")).collect()
    }

    fn write(&self, writer: &str, names: &[String]) {
        let texts: Vec<(&str, String)> =
            names.iter().map(|name| (name.as_str(), Self::text(&self.files[name]))).collect();
        if writer == "-" {
            texts.iter().for_each(|(name, text)| self.place.put(name, text));
        } else {
            let files: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
            self.place.call(writer, &files);
        }
    }

    fn lose(&mut self, writer: &str, line: &Line) {
        if writer == "-" {
            self.lost.entry(line.0.trim().to_owned()).or_default().insert(line.1);
        }
    }

    fn step(&mut self) {
        let names: Vec<String> = self.files.keys().cloned().collect();
        let name = names[self.random.below(names.len())].clone();
        let writer = WRITERS[self.random.below(WRITERS.len())];
        let mut lines = self.files.remove(&name).unwrap();
        let mut touched = vec![name.clone()];
        let at = self.random.below(lines.len() + 1);
        let kind = self.random.below(10);
        self.log.push(format!("{writer} {kind} {name} {at}"));
        match kind {
            0..=2 => {
                for _ in 0..=self.random.below(4) {
                    let text = match self.random.below(4) {
                        0 => TRIVIAL[self.random.below(TRIVIAL.len())].to_owned(),
                        _ => self.token(),
                    };
                    lines.insert(at, (text, writer));
                }
            }
            3 if at < lines.len() => {
                let gone: Vec<Line> = lines.drain(at..(at + 2).min(lines.len())).collect();
                gone.iter().for_each(|line| self.lose(writer, line));
            }
            4 if at < lines.len() => {
                let moved = lines.remove(at);
                let to = self.random.below(lines.len() + 1);
                lines.insert(to, moved);
            }
            5 => lines.iter_mut().skip(at).take(3).for_each(|line| line.0 = format!("  {}", line.0)),
            // Types a line that is there once more.
            6 if at < lines.len() => {
                let text = lines[at].0.clone();
                let to = self.random.below(lines.len() + 1);
                lines.insert(to, (text, writer));
            }
            // Moves lines to another file, or types them there again.
            7 | 8 if at < lines.len() && names.len() > 1 => {
                let other =
                    names.iter().filter(|other| **other != name).nth(self.random.below(names.len() - 1)).unwrap();
                let count = (1 + self.random.below(3)).min(lines.len() - at);
                let target = self.files.get_mut(other).unwrap();
                let to = self.random.below(target.len() + 1);
                if kind == 7 {
                    let moved: Vec<Line> = lines.drain(at..at + count).collect();
                    target.splice(to..to, moved.clone());
                    moved.iter().for_each(|line| self.lose(writer, line));
                } else {
                    let typed: Vec<Line> =
                        lines[at..at + count].iter().map(|(text, _)| (text.clone(), writer)).collect();
                    target.splice(to..to, typed);
                }
                touched.push(other.clone());
            }
            // Renames the file, unseen.
            9 if names.len() < 6 => {
                let new = format!("f{}.txt", self.log.len());
                self.place.remove(&name);
                self.files.insert(new.clone(), lines);
                self.write("-", &[new]);
                return;
            }
            _ => {}
        }
        self.files.insert(name, lines);
        self.write(writer, &touched);
    }

    /// Counts lines with an answer and without, and fails at a wrong one.
    fn check(&self, seed: u64) -> (usize, usize) {
        let (mut known, mut gaps) = (0, 0);
        for (name, lines) in &self.files {
            for ((text, author), answer) in lines.iter().zip(self.place.blame(name)) {
                let is_token = text.contains("token");
                match answer.as_str() {
                    "-" => gaps += usize::from(is_token && *author != "-"),
                    answer if answer == *author => known += usize::from(is_token),
                    answer => {
                        let lost = self.lost.get(text.trim()).is_some_and(|lost| lost.contains(answer));
                        assert!(
                            lost || !is_token,
                            "seed {seed}: `{text}` of {author} is said to be of {answer} in {name}\n{:?}\n{:#?}",
                            self.log,
                            self.files
                        );
                    }
                }
            }
        }
        (known, gaps)
    }
}

#[test]
fn nobody_is_named_for_a_line_of_another() {
    let seeds = std::env::var("STEAD_FUZZ_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(12);
    let (mut known, mut gaps) = (0, 0);
    for seed in 1..=seeds {
        let mut world = World::new(seed);
        for step in 1..=40 {
            world.step();
            if step % 8 == 0 {
                let (more, less) = world.check(seed);
                (known, gaps) = (known + more, gaps + less);
            }
        }
    }
    // Evidence must be used, too.
    assert!(known > gaps, "{known} known, {gaps} gaps");
}
