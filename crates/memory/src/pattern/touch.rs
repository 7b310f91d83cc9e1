use std::path::Path;

use serde::{Deserialize, Serialize};
use stead_model::{Access, Effects, GitKind, How, Op, Target};

use super::Place;
use crate::history::History;

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
pub(crate) struct Touch {
    pub(crate) verb: Verb,
    pub(crate) subject: Subject,
    /// The file is deleted or moved away.
    pub(crate) deletes: bool,
    /// The sub-expression that does it.
    pub(crate) part: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Place(Place),
    Words(Vec<String>),
    Name(String),
}

impl Touch {
    /// Simplifies the effects of a call. What nobody would protect, and what is only a consequence, is left out.
    pub(crate) fn all(effects: &Effects, history: &History) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for effect in &effects.list {
            for (verb, subject, deletes) in simplified(&effect.op, history) {
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

    pub(crate) fn place(&self) -> Option<&Place> {
        match &self.subject {
            Subject::Place(place) => Some(place),
            _ => None,
        }
    }

    /// The names by which calls that do the same are found, the most specific first; none for files.
    pub(crate) fn keys(&self) -> Vec<String> {
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
pub(crate) fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// The first word after the program, if it looks like a sub-command.
pub(crate) fn sub_command(argv: &[String]) -> Option<&str> {
    let word = argv.get(1..)?.iter().find(|word| !word.starts_with('-'))?;
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b':';
    (word.starts_with(|c: char| c.is_ascii_lowercase()) && word.bytes().all(is_name)).then_some(word)
}

fn simplified(op: &Op, history: &History) -> Vec<(Verb, Subject, bool)> {
    let at = |verb, target: &Target, deletes| {
        let place = place(target, history).filter(|place| !place.is_fleeting());
        place.map(|place| (verb, Subject::Place(place), deletes))
    };
    match op {
        Op::Read { access: Access::Used, .. } | Op::Stead(_) => Vec::new(),
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

fn place(target: &Target, history: &History) -> Option<Place> {
    match target.inside.as_deref() {
        Some(inside) => Place::new(inside, target.tree),
        None => Place::new(&history.shown(Path::new(&target.path)), target.tree),
    }
}
