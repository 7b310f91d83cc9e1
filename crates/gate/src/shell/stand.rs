//! How the words of a command stand to what is protected, seen from every folder the command may be in.

use std::path::{Path, PathBuf};

use crate::effect::Last;
use crate::glob;
use crate::mention;
use crate::path::{absolute, names};
use crate::shield::{Standing, Width, split};

use super::program;
use super::syntax::mark;
use super::walk::{Stop, Walk};

/// Questions to the disk that one command may cost.
const LOOKS: usize = 200;

impl<'w> Walk<'w> {
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
        if shield.is_empty() {
            return None;
        }
        let mut found = match self.followed(word, Last::Followed) {
            Some(real) => shield.standing(&names(Path::new(&real))),
            None => None,
        };
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
        if self.shield.is_empty() {
            return None;
        }
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
