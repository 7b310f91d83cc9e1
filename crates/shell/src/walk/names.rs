//! Links, moves and copies within a command: later effects on the new name apply to the original file.

use std::path::{Path, PathBuf};

use crate::effect::Last;
use crate::path::clean;

use crate::parse::syntax::mark;
use crate::walk::Walk;
use crate::walk::program::program_name;

/// Names that are remembered.
const MOST: usize = 256;
/// Names that lead to names.
const HOPS: usize = 8;

/// How a file got a second name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Means {
    /// A link: both names are one file.
    Link,
    /// The first name is gone.
    Move,
    Copy,
}

/// New names and the old ones behind them, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(Vec<(PathBuf, PathBuf, Means)>);

impl Names {
    /// The oldest name of a path, by the means given.
    fn first(&self, path: &Path, last: Last, means: &[Means]) -> Option<PathBuf> {
        let mut path = path.to_path_buf();
        let mut found = false;
        for _ in 0..HOPS {
            let is_below = |new: &Path| path.starts_with(new) && (last == Last::Followed || path != new);
            let known = self.0.iter().rev().find(|(new, _, kind)| means.contains(kind) && is_below(new));
            let Some((new, old, _)) = known else { break };
            let Ok(rest) = path.strip_prefix(new) else { break };
            let next = if rest.as_os_str().is_empty() { old.clone() } else { clean(&old.join(rest)) };
            found |= next != path;
            path = next;
        }
        found.then_some(path)
    }
}

impl Walk<'_> {
    /// Remembers a second name. `old` is seen from the folder of `new` where `from_there` says so, as in a symlink.
    pub(crate) fn name(&mut self, new: &str, old: &str, means: Means, from_there: bool) {
        if self.names.0.len() >= MOST || new.contains(mark::is_mark) || old.contains(mark::UNKNOWN) {
            return;
        }
        for (new, near) in self.paths(new).into_iter().flatten().zip(self.paths(old).into_iter().flatten()) {
            let there = new.parent().filter(|_| from_there && !old.starts_with(['/', '~']));
            let old = there.map_or(near, |folder| clean(&folder.join(old)));
            if new != old {
                self.names.0.push((new, old, means));
            }
        }
    }

    /// The path behind a name that is a link.
    pub(crate) fn followed(&self, word: &str, last: Last) -> Option<String> {
        self.behind(word, last, &[Means::Link])
    }

    /// The path that what stands there now was read from, or was called before.
    pub(crate) fn origin(&self, word: &str) -> Option<String> {
        self.behind(word, Last::Followed, &[Means::Link, Means::Move])
    }

    /// The name of a program that was linked, moved or copied. Without a path, only our own program matters.
    pub(crate) fn real_program(&self, first: &str) -> Option<String> {
        let all = [Means::Link, Means::Move, Means::Copy];
        if first.contains('/') {
            return self.behind(first, Last::Followed, &all).map(|path| program_name(&path));
        }
        let mut known = self.names.0.iter().filter(|(new, ..)| new.file_name().is_some_and(|name| name == first));
        known
            .any(|(new, ..)| {
                let oldest = self.names.first(new, Last::Followed, &all);
                oldest.is_some_and(|path| path.file_name().is_some_and(|name| name == "stead"))
            })
            .then(|| "stead".to_owned())
    }

    fn behind(&self, word: &str, last: Last, means: &[Means]) -> Option<String> {
        if self.names.0.is_empty() {
            return None;
        }
        let path = self.paths(word).into_iter().next()??;
        Some(self.names.first(&path, last, means)?.to_string_lossy().into_owned())
    }
}
