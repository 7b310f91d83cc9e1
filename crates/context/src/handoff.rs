//! Creates a packet from what was sent and what Stead recorded. No model is involved, so the same facts give the same
//! packet. It never runs a program; git's output is passed in.

mod carried;
mod denial;
mod observed;
mod render;

use std::path::{Path, PathBuf};

use carried::{Carried, carried};
use observed::Observed;
use stead_model::rfc3339;
use stead_store::redact;

use crate::packet::{CHAIN_WARNING, Heading, PacketKind, Shelf, chain, without_line};
use crate::portable::Machine;
use crate::relevant_file::is_project_path;
use crate::{ContextError, Contribution, Folders, GitFacts, GitWork, Scope, TestRun, stamp, title_slug};

/// Longer purposes are cut in the front matter and complete in the intent.
const PURPOSE: usize = 200;

/// The input of a handoff.
pub struct Handoff<'a> {
    pub place: Folders<'a>,
    pub purpose: &'a str,
    /// In milliseconds since 1970.
    pub now: i64,
    /// The client, if known.
    pub source: Option<&'a str>,
    pub session: Option<&'a str>,
    /// The person's home folder, which no packet names.
    pub home: Option<&'a Path>,
    pub git: Option<GitFacts>,
    /// What the session committed and changed.
    pub work: GitWork,
    /// The tests and builds that the session ran, oldest first.
    pub runs: Vec<TestRun>,
    /// The agent's last answer, if a hook did not record it.
    pub last_answer: Option<String>,
    pub kind: PacketKind,
    /// Says whether a packet of the chain, by its id, is trusted. What another one says is not taken over.
    pub is_trusted: &'a dyn Fn(&str) -> bool,
    /// Selects the paths that the project ignores, in one call.
    pub ignored: &'a dyn Fn(&[String]) -> Vec<String>,
    pub sent: Contribution,
    /// These override what was sent, and that overrides what is found.
    pub promise: Option<&'a str>,
    pub max_iterations: Option<u32>,
    pub validators: Vec<String>,
    /// Paths below the root; each must exist.
    pub confirm: Vec<String>,
    pub continues: Option<String>,
}

/// A packet that was created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPacket {
    pub id: String,
    pub path: PathBuf,
    pub confirmed: Vec<String>,
    pub suggested: Vec<String>,
    /// How many secrets were redacted.
    pub redacted: usize,
    pub warnings: Vec<String>,
}

impl Handoff<'_> {
    /// Gathers the facts and adds the packet to the shelf.
    pub fn make(mut self) -> Result<NewPacket, ContextError> {
        let covered = redact(self.purpose.trim());
        let purpose = covered.split_whitespace().collect::<Vec<_>>().join(" ");
        if purpose.is_empty() {
            return Err(ContextError::NoPurpose);
        }
        let shelf = Shelf::new(self.place.context);
        let mut warnings = Vec::new();
        let mut before = Carried::default();
        if let Some(id) = &self.continues {
            let id = shelf.find(id)?;
            let links = chain(&shelf, &id)?;
            let depth = links.len() + 1;
            if depth >= CHAIN_WARNING {
                warnings.push(format!("this is packet {depth} of a chain; old decisions may be stale"));
            }
            before = carried(&shelf, &links, self.is_trusted, self.now);
            warnings.extend(before.omitted.iter().map(|why| format!("{why}; nothing of it was taken over")));
            self.continues = Some(id);
        }
        self.check_files(&mut warnings)?;
        for key in &self.sent.unknown {
            warnings.push(format!("unknown key `{key}` in the document; its value was added to the notes"));
        }
        if self.sent.sections.contains_key(&Heading::Validators) && self.sent.validators.is_empty() {
            warnings.push("no command in the validators; write each one in backticks".to_owned());
        }
        let facts = Observed { carried: before, ..Observed::gather(&self)? };
        let now = rfc3339(self.now);
        let (short, was_cut) = crate::prompt_log::head(&purpose, PURPOSE);
        let short = if was_cut { format!("{short} …") } else { short.to_owned() };
        let body = render::body(&self, &facts, covered.trim());
        let machine = Machine { root: self.place.root, home: self.home };
        let safe = redact(&body);
        let (found, body) = (safe.count(), machine.portable(&safe));
        let head = render::Head { purpose: &short, now: &now, redacted: covered.count() + found };
        let stem = format!("{}-{}", stamp(&now), title_slug(self.purpose));
        let (id, path) = shelf.add(&stem, |id| machine.portable(&render::packet(&self, &facts, &head, id, &body)))?;
        Ok(NewPacket {
            id,
            path,
            confirmed: facts.confirmed.iter().map(|file| file.path.clone()).collect(),
            suggested: facts.suggested.iter().map(|file| file.path.clone()).collect(),
            redacted: head.redacted,
            warnings,
        })
    }

    /// Files named on the command line must exist; a missing file in a document is omitted with a warning.
    fn check_files(&mut self, warnings: &mut Vec<String>) -> Result<(), ContextError> {
        let exists = |path: &str| self.place.root.join(path).is_file();
        for path in &self.confirm {
            if !is_project_path(path) || self.place.is_own(path) {
                return Err(ContextError::OutsideProject { path: path.clone() });
            }
            if !exists(path) {
                return Err(ContextError::UnknownFile {
                    path: path.clone(),
                    nearest: observed::nearest_file(self, path),
                });
            }
        }
        for list in [&mut self.sent.confirmed, &mut self.sent.suggested] {
            list.retain_mut(|path| {
                if let Some(below) = path.strip_prefix("./") {
                    *path = below.to_owned();
                }
                if !self.place.root.join(&path).is_file() {
                    *path = without_line(path).to_owned();
                }
                let good = is_project_path(path) && !self.place.is_own(path) && self.place.root.join(&path).is_file();
                if !good {
                    warnings.push(format!("no file `{path}` in the project; it was omitted"));
                }
                good
            });
        }
        Ok(())
    }

    fn scope(&self) -> Scope<'_> {
        Scope { session: self.session, now: self.now }
    }
}
