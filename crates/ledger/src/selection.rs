//! Which intent a session has selected: one small text file per session, which a hook call reads without parsing JSON.
//!
//! `indexes/sessions/<id>.intent` has a line per agent: `agent TAB intent TAB time TAB class`. The main agent is `-`, a
//! sub-agent `@` and its id. The file also exists, without lines, if the project had an intents file when the session
//! started: from then on a missing intents file blocks. The engine binds an agent that it is about to start by the run
//! and stage in its environment: `indexes/run-intents/<run>/<stage>`, in the same format.

use std::fs;
use std::path::{Path, PathBuf};

use stead_model::{FileId, pieces};
use stead_store::{Durability, Exact, StoreError, amend, create_parents, replace_creating};

/// The largest selection file: hundreds of sub-agents.
const LARGEST: usize = 256 * 1024;

stead_model::named! {
    /// What an agent says that its changes will be.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MutationClaim {
        Refactor = "AST_REFACTOR",
        Evolution = "INTENT_EVOLUTION",
    }
}

/// A selected intent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    pub intent: String,
    /// When it was selected.
    pub at: String,
    pub claim: Option<MutationClaim>,
}

/// One line: who selected what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The sub-agent; `None` for the main agent.
    pub agent: Option<String>,
    pub selected: Selected,
}

impl Selection {
    /// The file of a session.
    pub fn path(indexes: &Path, session: &FileId) -> PathBuf {
        indexes.join(["sessions/", session.as_str(), ".intent"].concat())
    }

    /// The file of the agents that a run starts for a stage.
    pub fn run_path(indexes: &Path, run: &FileId, stage: &FileId) -> PathBuf {
        indexes.join("run-intents").join(run.as_str()).join(stage.as_str())
    }

    /// What an agent of a session has selected: its own selection, else that of the main agent.
    pub fn read(indexes: &Path, session: &FileId, agent: Option<&str>) -> Option<Selected> {
        Self::in_text(&stead_store::read_text(&Self::path(indexes, session)).ok()?, agent)
    }

    /// The same in the text of such a file.
    pub fn in_text(text: &str, agent: Option<&str>) -> Option<Selected> {
        let of = |wanted: &str| {
            let mut lines = pieces(text, b'\n');
            let line = lines.find(|line| line.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('\t')))?;
            Some(Self::parse(line)?.selected)
        };
        agent.and_then(|agent| of(&key(Some(agent)))).or_else(|| of("-"))
    }

    /// All selections in the text of such a file.
    pub fn all_in(text: &str) -> Vec<Self> {
        text.lines().filter_map(Self::parse).collect()
    }

    fn parse(line: &str) -> Option<Self> {
        let mut fields = pieces(line, b'\t');
        let (agent, intent, at) = (fields.next()?, fields.next()?, fields.next()?);
        let agent = match agent {
            "-" => None,
            named => Some(named.strip_prefix('@')?.to_owned()),
        };
        let claim = fields.next().and_then(MutationClaim::from_name);
        let selected = Selected { intent: intent.to_owned(), at: at.to_owned(), claim };
        Some(Self { agent, selected })
    }

    /// Records what an agent selected, in the place of what it selected before; `None` releases it.
    pub fn write(path: &Path, agent: Option<&str>, selected: Option<&Selected>) -> Result<(), StoreError> {
        create_parents(path)?;
        let key = key(agent);
        amend::<StoreError>(path, LARGEST, Durability::Synced, |old| {
            let old = String::from_utf8_lossy(&old.unwrap_or_default()).into_owned();
            let mut text = String::new();
            for line in old.lines().filter(|line| line.split('\t').next() != Some(key.as_str())) {
                text.push_str(line);
                text.push('\n');
            }
            if let Some(Selected { intent, at, claim }) = selected {
                text.push_str(&format!("{key}\t{intent}\t{at}\t{}\n", claim.map_or("-", MutationClaim::name)));
            }
            Ok(Some(Exact::Own.owned(text)))
        })?;
        Ok(())
    }

    /// Notes that a session has seen the intents file; keeps what is there.
    pub fn mark(indexes: &Path, session: &FileId) -> Result<(), StoreError> {
        let path = Self::path(indexes, session);
        if path.exists() { Ok(()) } else { replace_creating(&path, b"", Durability::Quick) }
    }

    /// Every session with a selection file, and its text.
    pub fn sessions(indexes: &Path) -> Vec<(String, String)> {
        let Ok(entries) = fs::read_dir(indexes.join("sessions")) else { return Vec::new() };
        let mut found: Vec<(String, String)> = entries
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let session = name.strip_suffix(".intent")?.to_owned();
                Some((session, stead_store::read_text(&entry.path()).ok()?))
            })
            .collect();
        found.sort();
        found
    }
}

/// The first field of an agent's line. Ids come from outside, so nothing in them may end a field or a line.
fn key(agent: Option<&str>) -> String {
    match agent {
        Some(id) => format!("@{}", id.replace(|c: char| c.is_control(), "?")),
        None => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(intent: &str) -> Selected {
        Selected { intent: intent.into(), at: "2026-11-15T19:45:30Z".into(), claim: None }
    }

    #[test]
    fn a_sub_agent_has_its_own_selection_or_its_parents() {
        let folder = tempfile::tempdir().unwrap();
        let session = FileId::check("s1").unwrap();
        let path = Selection::path(folder.path(), &session);
        let read = |agent: Option<&str>| Selection::read(folder.path(), &session, agent).map(|found| found.intent);
        assert_eq!(read(None), None);
        Selection::mark(folder.path(), &session).unwrap();
        assert_eq!(read(Some("a")), None);
        Selection::write(&path, None, Some(&selected("I1"))).unwrap();
        assert_eq!((read(None), read(Some("a"))), (Some("I1".into()), Some("I1".into())));
        let claimed = Selected { claim: Some(MutationClaim::Refactor), ..selected("I2") };
        Selection::write(&path, Some("a"), Some(&claimed)).unwrap();
        assert_eq!(
            (read(None), read(Some("a")), read(Some("b"))),
            (Some("I1".into()), Some("I2".into()), Some("I1".into()))
        );
        assert_eq!(Selection::read(folder.path(), &session, Some("a")).unwrap(), claimed);
        Selection::write(&path, Some("a"), None).unwrap();
        assert_eq!(read(Some("a")), Some("I1".into()));
        Selection::mark(folder.path(), &session).unwrap();
        assert_eq!(read(None), Some("I1".into()));
        assert_eq!(Selection::sessions(folder.path()).len(), 1);
    }

    #[test]
    fn an_id_from_outside_stays_in_its_field() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.intent");
        Selection::write(&path, Some("a\tI9\n-\tI9\t-\t-"), Some(&selected("I1"))).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(Selection::in_text(&text, None), None, "{text}");
        assert_eq!(Selection::in_text(&text, Some("-")), None);
        assert_eq!(Selection::all_in(&text).len(), 1);
    }
}
