//! The walk through a command: where each part runs, what its variables hold, and the first thing to refuse.

use std::path::{Path, PathBuf};

use crate::denial::Denial;
use crate::facts::Facts;
use crate::glob;
use crate::mention;
use crate::path::{absolute, names};
use crate::place::Place;
use crate::shield::{Shield, Standing, Width, split};

use super::reader::TooDeep;
use super::syntax::{Command, Group, GroupKind, Join, Redirect, Script, Simple, mark};
use super::{parser, program};

/// Simple commands one call may run before we stop counting.
const STEPS: usize = 5_000;
/// Folders a command may be in at once, after `cd a || cd b` and the like.
const FOLDERS: usize = 8;
/// Questions to the disk that one command may cost.
const LOOKS: usize = 200;
/// The most text that is kept of what flows through a pipe.
const UPSTREAM: usize = 64 * 1024;

/// Why a walk ended early.
pub(super) enum Stop {
    Denied(Denial),
    TooMuch,
}

impl From<TooDeep> for Stop {
    fn from(_: TooDeep) -> Self {
        Self::TooMuch
    }
}

impl From<Denial> for Stop {
    fn from(denial: Denial) -> Self {
        Self::Denied(denial)
    }
}

/// What the commands before in a pipeline were about.
#[derive(Clone, Default)]
pub(super) struct Upstream {
    pub(super) text: String,
    /// A protected path among their words.
    pub(super) hit: Option<String>,
    /// A search through a folder that holds protected things, and the names it looks for.
    pub(super) search: Option<String>,
}

impl Upstream {
    /// Says whether what comes out may name protected paths.
    pub(super) fn is_tainted(&self) -> bool {
        self.hit.is_some() || self.search.is_some()
    }
}

/// One program with its words, and what it is fed.
pub(super) struct Call<'c> {
    pub(super) argv: &'c [String],
    /// Here-documents and here-strings.
    pub(super) texts: &'c [String],
    /// The commands before it in the pipeline.
    pub(super) feed: Option<&'c Upstream>,
    /// A protected path in an assignment before the command.
    pub(super) assigned: Option<&'c str>,
}

pub(super) struct Walk<'w> {
    pub(super) shield: &'w Shield<'w>,
    pub(super) place: &'w Place<'w>,
    pub(super) facts: &'w dyn Facts,
    /// Where the next command may run; never empty. A folder with an unknown part holds a mark.
    pub(super) cwds: Vec<String>,
    pub(super) variables: Vec<(String, Vec<String>)>,
    pub(super) functions: Vec<(String, Script)>,
    pub(super) upstream: Upstream,
    pub(super) depth: usize,
    /// The words behind every call of `stead` that was met.
    pub(super) stead_calls: Vec<Vec<String>>,
    steps: usize,
    looks: usize,
}

impl<'w> Walk<'w> {
    pub(super) fn new(shield: &'w Shield<'w>, place: &'w Place<'w>, facts: &'w dyn Facts, cwd: String) -> Self {
        Self {
            shield,
            place,
            facts,
            cwds: vec![cwd],
            variables: Vec::new(),
            functions: Vec::new(),
            upstream: Upstream::default(),
            depth: 0,
            stead_calls: Vec::new(),
            steps: 0,
            looks: 0,
        }
    }

    /// Reads and walks a text as a command.
    pub(super) fn text(&mut self, text: &str) -> Result<(), Stop> {
        self.depth += 1;
        let script = parser::parse(text, self.depth)?;
        self.script(&script)?;
        self.depth -= 1;
        Ok(())
    }

    pub(super) fn script(&mut self, script: &Script) -> Result<(), Stop> {
        let mut before = self.cwds.clone();
        for item in &script.0 {
            // What follows `||` runs where the part before it failed.
            let after = match item.join {
                Join::Or => std::mem::replace(&mut self.cwds, before.clone()),
                Join::And | Join::Always => Vec::new(),
            };
            if item.join != Join::Or {
                before.clone_from(&self.cwds);
            }
            self.pipeline(&item.pipeline)?;
            self.also_in(after);
        }
        Ok(())
    }

    fn also_in(&mut self, folders: Vec<String>) {
        for folder in folders {
            if self.cwds.len() < FOLDERS && !self.cwds.contains(&folder) {
                self.cwds.push(folder);
            }
        }
    }

    fn pipeline(&mut self, commands: &[Command]) -> Result<(), Stop> {
        if let [only] = commands {
            return self.command(only, None);
        }
        let cwds = self.cwds.clone();
        let outer = std::mem::take(&mut self.upstream);
        for (position, command) in commands.iter().enumerate() {
            let feed = self.upstream.clone();
            self.command(command, (position > 0).then_some(&feed))?;
            self.cwds.clone_from(&cwds);
        }
        let inner = std::mem::replace(&mut self.upstream, outer);
        self.upstream.hit = self.upstream.hit.take().or(inner.hit);
        self.note(&inner.text);
        Ok(())
    }

    fn command(&mut self, command: &Command, feed: Option<&Upstream>) -> Result<(), Stop> {
        self.step()?;
        match command {
            Command::Simple(simple) => self.simple(simple, feed),
            Command::Group(group) => self.group(group, feed),
        }
    }

    /// Counts what is done, so that no command keeps us for long.
    pub(super) fn step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps > STEPS { Err(Stop::TooMuch) } else { Ok(()) }
    }

    fn group(&mut self, group: &Group, feed: Option<&Upstream>) -> Result<(), Stop> {
        let cwds = self.cwds.clone();
        if let Some(feed) = feed {
            self.upstream = feed.clone();
        }
        self.redirects(&group.redirects)?;
        match &group.kind {
            GroupKind::Function { name } => {
                self.functions.push((name.clone(), group.body.clone()));
                self.script(&group.body)?;
                self.cwds = cwds;
            }
            GroupKind::For { variable, values } => {
                let mut all = Vec::new();
                for value in values {
                    all.extend(self.expand(value)?);
                }
                if values.is_empty() {
                    all.push(mark::UNKNOWN.to_string());
                }
                self.variables.push((variable.clone(), all));
                self.script(&group.body)?;
                self.also_in(cwds);
            }
            GroupKind::Maybe => {
                self.script(&group.body)?;
                self.also_in(cwds);
            }
            GroupKind::Brace => self.script(&group.body)?,
            GroupKind::Subshell => {
                self.script(&group.body)?;
                self.cwds = cwds;
            }
        }
        Ok(())
    }

    fn simple(&mut self, simple: &Simple, feed: Option<&Upstream>) -> Result<(), Stop> {
        let mut assigned = None;
        let mut values = Vec::new();
        for (name, word) in &simple.assignments {
            let value = self.expand_whole(word)?;
            if self.grave(&value).is_some() {
                assigned = Some(value.clone());
            }
            values.push((name.clone(), vec![value]));
        }
        let mut argv = Vec::new();
        for word in &simple.words {
            argv.extend(self.expand(word)?);
        }
        // Words are expanded before the assignments beside them hold; a program behind them sees them.
        self.variables.extend(values);
        let texts = self.redirects(&simple.redirects)?;
        for word in &argv {
            if self.grave(word).is_some() {
                self.upstream.hit.get_or_insert_with(|| word.clone());
            }
            self.note(word);
        }
        texts.iter().for_each(|text| self.note(text));
        if argv.is_empty() {
            return Ok(());
        }
        program::judge(self, &Call { argv: &argv, texts: &texts, feed, assigned: assigned.as_deref() })
    }

    /// Judges redirections and gives the texts they feed.
    fn redirects(&mut self, redirects: &[Redirect]) -> Result<Vec<String>, Stop> {
        let mut texts = Vec::new();
        for redirect in redirects {
            match redirect {
                Redirect::Text(word) => texts.push(self.expand_whole(word)?),
                Redirect::Read(word) => {
                    for word in self.expand(word)? {
                        if word.contains(mark::TAINT) || self.grave(&word).is_some() {
                            self.upstream.hit.get_or_insert(word);
                        }
                    }
                }
                Redirect::Write(word) => {
                    for target in self.expand(word)? {
                        self.refuse_write(&target, &format!("> {target}"))?;
                    }
                }
            }
        }
        Ok(texts)
    }

    fn note(&mut self, text: &str) {
        if self.upstream.text.len() + text.len() < UPSTREAM {
            self.upstream.text.push(' ');
            self.upstream.text.push_str(text);
        } else if self.upstream.hit.is_none() {
            self.upstream.hit = mention::find(self.shield, text).map(str::to_owned);
        }
    }

    /// Makes a word absolute, once for each folder the command may be in. `None` when part of it is unknown.
    pub(super) fn paths(&self, word: &str) -> Vec<Option<PathBuf>> {
        let rooted = word.starts_with(['/', '~']);
        self.cwds
            .iter()
            .map(|cwd| {
                let unknown = |text: &str| text.contains([mark::UNKNOWN, mark::TAINT]);
                let known = !unknown(word) && (rooted || !unknown(cwd));
                known.then(|| absolute(word, &PathBuf::from(cwd), self.shield.home()))
            })
            .collect()
    }

    /// Finds the gravest standing of a word, whatever folder the command is in.
    pub(super) fn standing(&mut self, word: &str) -> Option<Standing<'w>> {
        let shield = self.shield;
        let mut found = None;
        for (path, cwd) in self.paths(word).into_iter().zip(self.cwds.clone()) {
            let standing = match path {
                Some(path) if glob::is_open(word) || self.looks >= LOOKS || word.len() > 4_096 => {
                    shield.standing(&names(&path))
                }
                Some(path) => {
                    self.looks += 1;
                    shield.standing_of(&path, self.facts)
                }
                None => self.standing_in_part(&cwd, word),
            };
            found = match (found, standing) {
                (Some(Standing::In(entry)), _) | (_, Some(Standing::In(entry))) => Some(Standing::In(entry)),
                (found, standing) => found.or(standing),
            };
        }
        found
    }

    /// Finds the standing of a path of which a part is unknown: by the folder before that part, else by what follows.
    fn standing_in_part(&self, cwd: &str, word: &str) -> Option<Standing<'w>> {
        let unknown = [mark::UNKNOWN, mark::TAINT];
        let whole = if word.starts_with(['/', '~']) { word.to_owned() } else { format!("{cwd}/{word}") };
        let (before, after) = whole.split_once(unknown)?;
        let folder = before.rsplit_once('/').map_or("", |(folder, _)| folder);
        if !folder.is_empty() {
            let open: String = whole.chars().map(|c| if unknown.contains(&c) { mark::MANY } else { c }).collect();
            let in_home = |text: &str| names(&absolute(text, Path::new("/"), self.shield.home()));
            match self.shield.standing(&in_home(folder)) {
                None | Some(Standing::Above(_, Width::Wide)) => {}
                Some(_) => return self.shield.standing(&in_home(&open)),
            }
        }
        self.shield.standing_of_end(&split(after.rsplit(unknown).next().unwrap_or_default()))
    }

    /// Finds a standing that any mention makes grave: in, or a folder made for such things.
    pub(super) fn grave(&mut self, word: &str) -> Option<Standing<'w>> {
        if word.is_empty() || word.starts_with('-') {
            return None;
        }
        self.standing(word).filter(|standing| !matches!(standing, Standing::Above(_, Width::Wide)))
    }

    /// Finds a protected path in free text, also as seen from where the command runs.
    pub(super) fn mentioned(&mut self, text: &str) -> Option<String> {
        if let Some(piece) = mention::find(self.shield, text) {
            return Some(piece.to_owned());
        }
        let cwd = self.cwds.clone().into_iter().find(|cwd| self.grave(cwd).is_some())?;
        if matches!(self.standing(&cwd), Some(Standing::In(_))) {
            return Some(cwd);
        }
        let mut pieces = mention::pieces(text).take(LOOKS);
        pieces.find(|piece| matches!(self.standing(piece), Some(Standing::In(_)))).map(str::to_owned)
    }

    /// Refuses to let a command write a file of that name.
    pub(super) fn refuse_write(&mut self, target: &str, shown: &str) -> Result<(), Stop> {
        match self.standing(target) {
            Some(Standing::In(entry)) => Err(program::own(entry, shown).into()),
            _ if target.starts_with(mark::TAINT) => Err(program::traced(shown).into()),
            _ => Ok(()),
        }
    }
}
