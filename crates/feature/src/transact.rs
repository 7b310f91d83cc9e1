use std::path::Path;
use std::time::Duration;

use stead_store::{Durability, Exact, FileContent, Redacted, create_parents, read_capped, replace, take_turn};

use crate::authorship::Authorship;
use crate::fault;
use crate::{Change, Document, Event, FeatureError, FeatureList, Outline, Patch, Rules, SessionState, decide};

/// How long a writer waits for the others.
const PATIENCE: Duration = Duration::from_secs(30);

/// The list and the state while nobody else can write them.
pub struct Opened {
    /// `None` while there is no list.
    pub document: Option<Document>,
    pub session: SessionState,
}

impl Opened {
    /// Applies an event to both, and returns what it changed.
    pub fn apply(&mut self, event: &Event, now: i64, rules: &Rules) -> Result<Vec<Change>, FeatureError> {
        let empty = Outline::default();
        let outline = self.document.as_ref().map_or(&empty, Document::outline);
        if let Some(id) = event.feature() {
            outline.find(id)?;
        }
        let changes = decide(outline, &self.session, event, now, rules)?;
        let patches: Vec<(String, &Patch)> = changes
            .iter()
            .filter_map(|change| match change {
                Change::Feature { id, patch } => Some((id.clone(), patch)),
                _ => None,
            })
            .collect();
        if let Some(document) = self.document.as_mut().filter(|_| !patches.is_empty()) {
            document.patch(&patches)?;
        }
        changes.iter().for_each(|change| self.session.apply(change));
        Ok(changes)
    }

    /// The list, which must exist.
    pub fn require(&mut self, features: &Path) -> Result<&mut Document, FeatureError> {
        let missing = || FeatureError::ListMissing { path: features.join(FeatureList::FILE) };
        self.document.as_mut().ok_or_else(missing)
    }

    /// The list, which is created if there is none.
    pub fn document_mut(&mut self, features: &Path) -> &mut Document {
        self.document.get_or_insert_with(|| Document::empty(&features.join(FeatureList::FILE)))
    }
}

/// Changes the list and the state of a features folder, one process at a time. Both are read after the others have
/// finished and written when the function returns; if it fails, neither is. The list is written first: after a crash in
/// between, claims that do not fit it are over.
pub fn transact<T, E: From<FeatureError>>(
    features: &Path,
    change: impl FnOnce(&mut Opened) -> Result<T, E>,
) -> Result<T, E> {
    let (list, state) = (features.join(FeatureList::FILE), features.join(SessionState::FILE));
    create_parents(&list).map_err(FeatureError::from)?;
    let _turn = take_turn(&list, PATIENCE).map_err(FeatureError::from)?;
    let old = read_capped(&list, FeatureList::LIMIT).map_err(FeatureError::from)?;
    let mut document = old.clone().map(|bytes| Document::parse(bytes, &list)).transpose()?;
    if let Some(document) = &mut document {
        Authorship::beside(&list)?.write_into(document)?;
    }
    let session = SessionState::read(features)?;
    let mut opened = Opened { document, session: session.clone() };
    let result = change(&mut opened)?;
    let is_same = |document: &Document| old.as_deref().is_some_and(|old| document.is_written_as(old));
    if let Some(new) = opened.document.filter(|document| !is_same(document)) {
        let content = edited(&new.bytes(), old.as_deref().unwrap_or_default());
        replace(&list, content, Durability::Synced).map_err(FeatureError::from)?;
        fault::between_writes();
    }
    if opened.session != session {
        replace(&state, Redacted::json(opened.session.text()), Durability::Synced).map_err(FeatureError::from)?;
    }
    Ok(result)
}
/// The new list. What a person wrote into it stays; what commands add has no secrets.
fn edited(new: &[u8], old: &[u8]) -> FileContent<'static> {
    match (std::str::from_utf8(new), std::str::from_utf8(old)) {
        (Ok(new), Ok(old)) => FileContent::from(Redacted::json_edit(new.to_owned(), old)).shared(),
        _ => Exact::Edited.owned(new),
    }
}
