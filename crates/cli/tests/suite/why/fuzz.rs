//! A seeded fuzzer over real git and the real hook: a model of who wrote each line, kept apart from our answers.

use std::collections::BTreeMap;

use stead_testkit::World;

use super::{agent_writes, blame, git, project};

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end.max(1)
    }
}

type Files = BTreeMap<String, Vec<(String, bool)>>;

struct Story {
    world: World,
    random: Random,
    /// Each line, and whether the agent wrote it.
    files: Files,
    tokens: usize,
    log: Vec<String>,
}

impl Story {
    fn new(seed: u64) -> Self {
        let (one, two) = ("human token 1\nhuman token 2\nhuman token 3\n", "human token 4\nhuman token 5\n");
        let world = project(&[("src/a.txt", one), ("src/b.txt", two), ("other.txt", "x\n")]);
        let lines = |text: &str| text.lines().map(|line| (line.to_owned(), false)).collect();
        let files = [("src/a.txt".to_owned(), lines(one)), ("src/b.txt".to_owned(), lines(two))].into();
        Self { world, random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1), files, tokens: 5, log: Vec::new() }
    }

    fn put(&self, name: &str, by_agent: bool) {
        let text: String = self.files[name].iter().map(|(text, _)| format!("{text}\n")).collect();
        match by_agent {
            true => agent_writes(&self.world, &self.world.project(), name, &text),
            false => drop(self.world.write(format!("project/{name}"), text)),
        }
    }

    fn edit(&mut self) {
        let names: Vec<String> = self.files.keys().cloned().collect();
        let name = names[self.random.below(names.len())].clone();
        let by_agent = self.random.below(2) == 0;
        let kind = self.random.below(7);
        let mut lines = self.files.remove(&name).unwrap();
        let at = self.random.below(lines.len() + 1);
        self.log.push(format!("{kind} {name} at {at}, agent {by_agent}"));
        let author = if by_agent { "agent" } else { "human" };
        match kind {
            0..=2 => {
                for _ in 0..=self.random.below(3) {
                    self.tokens += 1;
                    lines.insert(at, (format!("{author} token {}", self.tokens), by_agent));
                }
            }
            3 if at < lines.len() => {
                let moved = lines.remove(at);
                lines.insert(self.random.below(lines.len() + 1), moved);
            }
            4 => lines.iter_mut().skip(at).take(3).for_each(|line| line.0 = format!("  {}", line.0)),
            5 if at < lines.len() && by_agent => drop(lines.remove(at)),
            // A person renames, or splits.
            6 if !by_agent && names.len() < 6 && !lines.is_empty() => {
                let new = format!("src/f{}.txt", self.log.len());
                let tail = lines.split_off(at.min(lines.len()));
                self.files.insert(new.clone(), tail);
                self.put(&new, false);
            }
            _ => {}
        }
        self.files.insert(name.clone(), lines);
        self.put(&name, by_agent);
    }

    /// An operation of git after which the files are the same.
    fn operate(&mut self) {
        let kind = self.random.below(6);
        self.log.push(format!("git {kind}"));
        let world = &self.world;
        git(world, "add -A src");
        match kind {
            0 => git(world, "commit -q --allow-empty -m commit"),
            1 => git(world, "commit -q --allow-empty --amend -m amended"),
            2 => {
                git(world, "commit -q --allow-empty -m first");
                git(world, "checkout -qb feature HEAD~1");
                world.write("project/other.txt", format!("{}\n", self.log.len()));
                git(world, "commit -qam other");
                git(world, "rebase -q feature main");
                git(world, "branch -qD feature");
            }
            3 => {
                git(world, "commit -q --allow-empty -m first");
                git(world, "branch feature");
                git(world, "reset -q --hard HEAD~1");
                git(world, "merge -q --squash feature");
                git(world, "commit -q --allow-empty -m squashed");
                git(world, "branch -qD feature");
            }
            4 => {
                world.write("project/other.txt", format!("{}\n", self.log.len()));
                git(world, "add other.txt");
                git(world, "stash -q");
                git(world, "stash pop -q");
            }
            _ => {
                git(world, "commit -q --allow-empty -m first");
                git(world, "branch feature");
                git(world, "reset -q --hard HEAD~1");
                git(world, "cherry-pick --allow-empty --keep-redundant-commits feature");
                git(world, "branch -qD feature");
            }
        }
    }

    fn check(&self, seed: u64) -> (usize, usize) {
        let (mut known, mut gaps) = (0, 0);
        for (name, lines) in &self.files {
            for ((text, by_agent), answer) in lines.iter().zip(blame(&self.world, name)) {
                let class = answer["class"].as_str().unwrap();
                match (class, by_agent) {
                    ("agent", true) => known += 1,
                    ("unknown", true) => gaps += 1,
                    ("unknown" | "human", false) => {}
                    _ => panic!("seed {seed}: {name}: `{text}` is said to be of {class}: {answer}\n{:#?}", self.log),
                }
            }
        }
        (known, gaps)
    }
}

#[test]
fn no_line_of_a_person_becomes_the_agents() {
    let seeds = std::env::var("STEAD_FUZZ_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(2);
    let (mut known, mut gaps) = (0, 0);
    for seed in 1..=seeds {
        let mut story = Story::new(seed);
        for _ in 0..4 {
            (0..4).for_each(|_| story.edit());
            story.operate();
        }
        let (more, less) = story.check(seed);
        (known, gaps) = (known + more, gaps + less);
    }
    assert!(known > gaps, "{known} known, {gaps} gaps");
}
