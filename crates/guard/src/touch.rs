//! What a call does, simplified so that calls can be compared whatever their spelling: who looks for repeated mistakes
//! and who looks for earlier ones of the same kind must agree on what the same kind is.

mod place;

use serde::{Deserialize, Serialize};
use stead_model::{Access, Effects, GitKind, How, Op, Target};

pub use place::Place;

stead_model::named! {
    /// What an effect does, from what describes a mistake best to what describes it worst.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Verb {
        Change = "change",
        Git = "git",
        Network = "network",
        Mcp = "mcp",
        Spawn = "spawn",
        Read = "read",
        Run = "run",
    }
}

/// One effect, simplified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    pub verb: Verb,
    pub subject: Subject,
    /// The file is deleted or moved away.
    pub deletes: bool,
    /// The sub-expression that does it.
    pub part: String,
}

/// What an effect concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    Place(Place),
    Words(Vec<String>),
    Name(String),
}

impl Touch {
    /// Simplifies the effects of a call. What nobody would protect, and what is only a consequence, is left out. `home`
    /// is the person's home folder, without a slash at its end.
    pub fn all(effects: &Effects, home: Option<&str>) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for effect in &effects.list {
            for (verb, subject, deletes) in simplified(&effect.op, home) {
                let touch = Self { verb, subject, deletes, part: effect.part.clone() };
                if !found.contains(&touch) {
                    found.push(touch);
                }
            }
        }
        // That `cat` runs says less than what it reads.
        let reads = |part: &str| found.iter().any(|touch| touch.verb == Verb::Read && touch.part == part);
        let is_explained: Vec<bool> = found.iter().map(|touch| touch.verb == Verb::Run && reads(&touch.part)).collect();
        let mut explained = is_explained.into_iter();
        found.retain(|_| !explained.next().unwrap_or(false));
        found
    }

    /// Those of one part of a command; all of them if that part has none.
    pub fn of_part<'t>(touches: &'t [Self], part: &str) -> Vec<&'t Self> {
        let own: Vec<&Self> = touches.iter().filter(|touch| touch.part == part).collect();
        if own.is_empty() { touches.iter().collect() } else { own }
    }

    pub fn place(&self) -> Option<&Place> {
        match &self.subject {
            Subject::Place(place) => Some(place),
            _ => None,
        }
    }

    /// What kind of thing it is about: the folder of a file, with a slash at its end, else a name; nothing if there is
    /// none.
    pub fn about(&self) -> String {
        match self.place() {
            Some(place) => place.folder(),
            None => self.keys().into_iter().next().unwrap_or_default(),
        }
    }

    /// The kind of action: what is done to what kind of thing.
    pub fn kind(&self) -> String {
        format!("{} {}", self.verb, self.about())
    }

    /// The same about exactly this file or folder; `None` if it is about something else.
    pub fn exact_kind(&self) -> Option<String> {
        self.place().map(|place| format!("{} {}", self.verb, place.path))
    }

    /// The names by which calls that do the same are found, the most specific first; none for files.
    pub fn keys(&self) -> Vec<String> {
        match &self.subject {
            Subject::Place(_) => Vec::new(),
            Subject::Name(name) => vec![name.clone()],
            Subject::Words(argv) => {
                let Some(program) = argv.first().map(|program| base_name(program)) else { return Vec::new() };
                let sub = sub_command(argv).map(|word| format!("{program} {word}"));
                sub.into_iter().chain([program.to_owned()]).collect()
            }
        }
    }
}

/// The name of a program without its folder.
fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// The first word after the program, if it looks like a sub-command.
fn sub_command(argv: &[String]) -> Option<&str> {
    let word = argv.get(1..)?.iter().find(|word| !word.starts_with('-'))?;
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b':';
    (word.starts_with(|c: char| c.is_ascii_lowercase()) && word.bytes().all(is_name)).then_some(word)
}

fn simplified(op: &Op, home: Option<&str>) -> Vec<(Verb, Subject, bool)> {
    let at = |verb, target: &Target, deletes| {
        let place = place_of(target, home).filter(|place| !place.is_fleeting());
        place.map(|place| (verb, Subject::Place(place), deletes))
    };
    match op {
        Op::Read { access: Access::Used, .. } | Op::RunDownload { .. } | Op::Sql { .. } | Op::Stead(_) => Vec::new(),
        Op::Read { target, .. } => at(Verb::Read, target, false).into_iter().collect(),
        Op::Write { how: How::Somewhere, .. } => Vec::new(),
        Op::Write { target, .. } => at(Verb::Change, target, false).into_iter().collect(),
        Op::Delete(target) => at(Verb::Change, target, true).into_iter().collect(),
        Op::Rename { from, to } => {
            [at(Verb::Change, from, true), at(Verb::Change, to, false)].into_iter().flatten().collect()
        }
        Op::Run { argv, .. } => vec![(Verb::Run, Subject::Words(argv.clone()), false)],
        Op::Git(git) => {
            let name = if git.kind == GitKind::Other { git.verb.as_str() } else { git.kind.name() };
            vec![(Verb::Git, Subject::Name(name.to_owned()), false)]
        }
        Op::Network { host, .. } => {
            let named = host.as_deref().filter(|host| !host.is_empty());
            named.map(|host| (Verb::Network, Subject::Name(host.to_owned()), false)).into_iter().collect()
        }
        Op::Mcp { server, tool } => vec![(Verb::Mcp, Subject::Name(format!("{server}/{tool}")), false)],
        Op::Spawn { role } => {
            let role = role.as_deref().filter(|role| !role.is_empty());
            role.map(|role| (Verb::Spawn, Subject::Name(role.to_owned()), false)).into_iter().collect()
        }
    }
}

fn place_of(target: &Target, home: Option<&str>) -> Option<Place> {
    match target.inside.as_deref() {
        Some(inside) => Place::new(inside, target.tree),
        None => Place::new(&shown(&target.path, home), target.tree),
    }
}

/// A path outside of the project as patterns write it: below the home folder, else absolute.
fn shown(path: &str, home: Option<&str>) -> String {
    match home.and_then(|home| path.strip_prefix(home)?.strip_prefix('/')) {
        Some(rest) => format!("~/{rest}"),
        None => path.to_owned(),
    }
}
