use std::path::{Path, PathBuf};

use stead_guard::ReadEffects;
use stead_model::{Action, Coverage, Effects, How, Op, Target};

use crate::record::MOST_ENTRIES;
use crate::request::Request;

/// How many files of a call are compared.
const MOST: usize = MOST_ENTRIES * 4;

/// A file that a call names as changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) path: PathBuf,
    /// Relative to the project's root, with forward slashes.
    pub(super) inside: String,
    /// The path that it is renamed from.
    pub(super) from: Option<String>,
}

/// The files that a call names as changed, each once.
pub(super) fn named(request: &Request<'_>) -> Vec<Named> {
    if request.event.call.is_some() { of_effects(request.effects()) } else { Vec::new() }
}

/// The files that effects name as changed. Folders and patterns name none.
fn of_effects(effects: &Effects) -> Vec<Named> {
    let mut found = Found::default();
    for effect in &effects.list {
        match &effect.op {
            Op::Write { target, how, .. } if *how != How::Attributes => found.add(of_target(target)),
            Op::Delete(target) => found.add(of_target(target)),
            Op::Rename { from, to } => {
                let source = of_target(from);
                let inside = source.as_ref().map(|source| source.inside.clone());
                found.add(source);
                found.add(of_target(to).map(|to| Named { from: inside, ..to }));
            }
            _ => {}
        }
    }
    found.0
}

/// Returns true if a call may change files that it does not name. A file tool names all of its files.
pub(super) fn leaves_open(request: &Request<'_>) -> bool {
    if matches!(request.event.call.as_ref().map(|call| &call.action), Some(Action::Change(_)) | None) {
        return false;
    }
    let effects = request.effects();
    effects.coverage != Coverage::Full || effects.list.iter().any(|effect| is_open(&effect.op))
}

/// Returns true if an effect may change files that it does not name.
fn is_open(op: &Op) -> bool {
    let many = |target: &Target| (target.tree || target.glob) && target.inside.is_some();
    match op {
        Op::Write { target, how, .. } => many(target) || *how == How::Somewhere,
        Op::Delete(target) => many(target),
        Op::Rename { from, to } => many(from) || many(to),
        Op::Git(git) => git.kind != stead_model::GitKind::Commit && git.kind != stead_model::GitKind::Push,
        Op::Mcp { .. } => true,
        _ => false,
    }
}

#[derive(Default)]
struct Found(Vec<Named>);

impl Found {
    fn add(&mut self, named: Option<Named>) {
        let Some(named) = named.filter(|_| self.0.len() < MOST) else { return };
        match self.0.iter_mut().find(|known| known.path == named.path) {
            Some(known) => known.from = known.from.take().or(named.from),
            None => self.0.push(named),
        }
    }
}

fn of_target(target: &Target) -> Option<Named> {
    let inside = target.inside.as_deref().filter(|_| !target.tree && !target.glob && !target.guessed)?;
    named_inside(PathBuf::from(&target.path), inside)
}

/// Stead's own files and git's are not the project's.
fn named_inside(path: PathBuf, inside: &str) -> Option<Named> {
    let is_own = [".agent", ".git"].iter().any(|own| Path::new(inside).starts_with(own));
    (!inside.is_empty() && !is_own).then(|| Named { path, inside: inside.to_owned(), from: None })
}
