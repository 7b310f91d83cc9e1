use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_model::{rfc3339, unix_millis};
use stead_store::{Durability, Redacted, read_capped, replace_creating};

use super::Lifecycle;
use crate::{ContextError, RoleName};

/// More sessions than share a role at a time; older entries belong to sessions that have ended.
const MOST_HELD: usize = 16;

/// A session that was not seen for so long, in milliseconds, no longer counts as one that has the role.
const MEMBER_MILLIS: i64 = 12 * 3600 * 1000;

/// The size limit of a state file.
const LIMIT: usize = 64 * 1024;

/// The state of one role: `indexes/roles/<role with underscores>.json`. Fields of later versions are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleState {
    pub schema: u32,
    pub role: String,
    pub state: Lifecycle,
    /// Since when the role is in this state.
    pub since: String,
    /// When the role file was last found valid and up to date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_at: Option<String>,
    /// The session that was compacted last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Compactions that were blocked, so that the next attempt passes; one per session, newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<Held>,
    /// What was wrong with the role file when the last compaction went ahead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsaved: Option<String>,
    /// The packet that was written before that compaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// The sessions that have the role now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<RoleMember>,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A session that has a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleMember {
    pub session: String,
    pub harness: String,
    /// When it was last seen.
    pub seen: String,
    /// It has not been told yet that it is not alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untold: bool,
}

/// A compaction that was blocked once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    pub session: String,
    pub at: String,
}

impl RoleState {
    pub const SCHEMA: u32 = 1;

    /// The state of an unknown role.
    pub fn new(role: &RoleName, now: &str) -> Self {
        Self {
            schema: Self::SCHEMA,
            role: role.as_str().to_owned(),
            state: Lifecycle::Active,
            since: now.to_owned(),
            saved_at: None,
            session: None,
            held: Vec::new(),
            unsaved: None,
            snapshot: None,
            members: Vec::new(),
            other: Map::new(),
        }
    }

    pub fn path(indexes: &Path, role: &RoleName) -> PathBuf {
        folder(indexes).join(format!("{}.json", role.machine()))
    }

    /// Reads a role's state. `None` if there is none; another role's state under the same name, a corrupt file and a
    /// later version's are errors.
    pub fn read(indexes: &Path, role: &RoleName) -> Result<Option<Self>, ContextError> {
        let path = Self::path(indexes, role);
        let Some(state) = Self::load(&path)? else { return Ok(None) };
        if state.role != role.as_str() {
            return Err(ContextError::RoleClash {
                role: role.as_str().to_owned(),
                other: state.role,
                machine: role.machine(),
            });
        }
        Ok(Some(state))
    }

    /// Like [`Self::read`], but treats a corrupt file as missing.
    pub fn read_or_new(indexes: &Path, role: &RoleName, now: &str) -> Result<Self, ContextError> {
        match Self::read(indexes, role) {
            Ok(state) => Ok(state.unwrap_or_else(|| Self::new(role, now))),
            Err(ContextError::RoleStateDamaged { .. }) => Ok(Self::new(role, now)),
            Err(error) => Err(error),
        }
    }

    /// The states of all roles, by name; a file that cannot be read is an error in its place.
    pub fn all(indexes: &Path) -> Vec<Result<Self, ContextError>> {
        let entries = std::fs::read_dir(folder(indexes)).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
        paths.sort();
        paths.iter().filter_map(|path| Self::load(path).transpose()).collect()
    }

    fn load(path: &Path) -> Result<Option<Self>, ContextError> {
        let Some(bytes) = read_capped(path, LIMIT)? else { return Ok(None) };
        let damaged = |error: serde_json::Error| ContextError::RoleStateDamaged {
            path: path.to_owned(),
            line: error.line(),
            why: error.to_string(),
        };
        let value: Value = serde_json::from_slice(&bytes).map_err(damaged)?;
        // A later version may have changed any other field, so the schema is checked first.
        match value.get("schema").and_then(Value::as_u64) {
            Some(found) if found > u64::from(Self::SCHEMA) => {
                Err(ContextError::RoleStateNewer { path: path.to_owned(), found })
            }
            _ => serde_json::from_value(value).map(Some).map_err(damaged),
        }
    }

    pub fn write(&self, indexes: &Path, durability: Durability) -> Result<(), ContextError> {
        let role = RoleName::check(&self.role)?;
        Ok(replace_creating(&Self::path(indexes, &role), Redacted::pretty(self), durability)?)
    }

    /// Makes a legal transition.
    pub fn go(&mut self, to: Lifecycle, now: &str) -> Result<(), ContextError> {
        if !self.state.next().contains(&to) {
            return Err(ContextError::IllegalStep { role: self.role.clone(), from: self.state, to });
        }
        self.put(to, now);
        Ok(())
    }

    /// Sets the actual state, whatever it was before.
    pub fn put(&mut self, to: Lifecycle, now: &str) {
        if self.state != to {
            self.state = to;
            now.clone_into(&mut self.since);
        }
        if to == Lifecycle::Saved {
            self.saved_at = Some(now.to_owned());
            self.unsaved = None;
        }
    }

    /// Records that a compaction of this session is blocked. `false` if one already was: nobody is blocked twice.
    pub fn hold(&mut self, session: &str, now: &str) -> bool {
        if self.held.iter().any(|held| held.session == session) {
            return false;
        }
        self.held.push(Held { session: session.to_owned(), at: now.to_owned() });
        let surplus = self.held.len().saturating_sub(MOST_HELD);
        self.held.drain(..surplus);
        true
    }

    /// Notes that a session has the role. If others have it, too, each of them is to be told once.
    pub fn join(&mut self, session: &str, harness: &str, now: &str) {
        let gone = unix_millis(now).map(|now| rfc3339(now - MEMBER_MILLIS)).unwrap_or_default();
        self.members.retain(|member| member.seen >= gone);
        match self.members.iter_mut().find(|member| member.session == session) {
            Some(member) => now.clone_into(&mut member.seen),
            None => {
                let (session, harness) = (session.to_owned(), harness.to_owned());
                self.members.push(RoleMember { session, harness, seen: now.to_owned(), untold: false });
                let is_alone = self.members.len() == 1;
                self.members.iter_mut().for_each(|member| member.untold = !is_alone);
            }
        }
        let surplus = self.members.len().saturating_sub(MOST_HELD);
        self.members.drain(..surplus);
    }

    /// Notes that a session has ended or has another role. Returns true if it had this one.
    pub fn leave(&mut self, session: &str) -> bool {
        let before = self.members.len();
        self.members.retain(|member| member.session != session);
        self.members.len() != before
    }

    /// What a session has to be told about others in its role, once.
    pub fn others(&mut self, session: &str) -> Option<String> {
        let own = self.members.iter_mut().find(|member| member.session == session && member.untold)?;
        own.untold = false;
        let others = self.members.iter().filter(|member| member.session != session);
        let names: Vec<String> =
            others.map(|member| format!("session `{}` of {}", member.session, member.harness)).collect();
        let (role, names) = (&self.role, names.join(" and "));
        (!names.is_empty()).then(|| {
            format!(
                "The role `{role}` is also the role of {names}. Both write the same role file: read it again before you \
                 change it, and keep what the other one wrote."
            )
        })
    }

    /// Removes the entry of a session whose compaction goes ahead.
    pub fn release(&mut self, session: &str) {
        self.held.retain(|held| held.session != session);
    }

    /// What a recovering role should know about the last compaction.
    pub fn notes(&self) -> Vec<String> {
        let unsaved = self
            .unsaved
            .as_ref()
            .map(|why| format!("before the compaction the role file {why}; trust the work tree over it."));
        let snapshot = self
            .snapshot
            .as_ref()
            .map(|packet| format!("Stead saved the state before the compaction: `stead pickup {packet}`."));
        unsaved.into_iter().chain(snapshot).collect()
    }
}

fn folder(indexes: &Path) -> PathBuf {
    indexes.join("roles")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(name: &str) -> RoleName {
        RoleName::check(name).unwrap()
    }

    #[test]
    fn a_state_comes_back_with_what_later_versions_added() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = RoleState::new(&role("a-b"), "t0");
        state.other.insert("mood".into(), Value::from("good"));
        state.write(folder.path(), Durability::Quick).unwrap();
        assert!(folder.path().join("roles/a_b.json").is_file());
        assert_eq!(RoleState::read(folder.path(), &role("a-b")).unwrap(), Some(state));
    }

    #[test]
    fn two_roles_do_not_share_a_state() {
        let folder = tempfile::tempdir().unwrap();
        RoleState::new(&role("a-b"), "t0").write(folder.path(), Durability::Quick).unwrap();
        let error = RoleState::read(folder.path(), &role("a_b")).unwrap_err();
        assert_eq!(error.to_string(), "the roles `a_b` and `a-b` would share the state file `a_b`");
        assert!(RoleState::read_or_new(folder.path(), &role("a_b"), "t1").is_err());
    }

    #[test]
    fn broken_files_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = RoleState::path(folder.path(), &role("x"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        for (text, expected) in [
            ("{", "line 1"),
            ("", "line 1"),
            ("{\"schema\":1,\n\"role\":\"x\",\"state\":\"asleep\",\"since\":\"t\"}", "unknown variant `asleep`"),
            (r#"{"schema":2,"anything":"else"}"#, "schema 2"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = RoleState::read(folder.path(), &role("x")).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
            assert_eq!(RoleState::read_or_new(folder.path(), &role("x"), "t").is_ok(), !text.contains("schema\":2"));
        }
    }

    #[test]
    fn each_session_is_held_once() {
        let mut state = RoleState::new(&role("x"), "t0");
        assert!(state.hold("s1", "t1") && state.hold("s2", "t2"));
        assert!(!state.hold("s1", "t3") && !state.hold("s2", "t3"));
        state.release("s1");
        assert!(state.hold("s1", "t4") && !state.hold("s2", "t4"));
        for session in 0..100 {
            state.hold(&session.to_string(), "t5");
        }
        assert_eq!(state.held.len(), MOST_HELD);
    }

    #[test]
    fn sessions_in_one_role_are_each_told_once() {
        let mut state = RoleState::new(&role("x"), "t0");
        let at = |minutes: i64| rfc3339(1_794_771_930_123 + minutes * 60_000);
        state.join("s1", "one", &at(0));
        assert_eq!(state.others("s1"), None);
        state.join("s2", "two", &at(1));
        assert!(state.others("s2").unwrap().contains("also the role of session `s1` of one."));
        assert!(state.others("s1").unwrap().contains("also the role of session `s2` of two."));
        assert_eq!((state.others("s1"), state.others("s2")), (None, None));
        state.join("s2", "two", &at(2));
        assert_eq!(state.others("s2"), None);
        assert!(state.leave("s1") && !state.leave("s1"));
        state.join("s3", "one", &at(20 * 60));
        assert_eq!(state.members.len(), 1, "one that was not seen for long is gone");
        assert_eq!(state.others("s3"), None);
    }

    #[test]
    fn illegal_steps_name_the_legal_ones() {
        let mut state = RoleState::new(&role("x"), "t0");
        let error = state.go(Lifecycle::Compacting, "t1").unwrap_err();
        assert_eq!(error.to_string(), "role `x` is active and cannot become compacting");
        assert_eq!(error.hint().unwrap(), "from active it can become saving");
        assert_eq!((state.state, state.since.as_str()), (Lifecycle::Active, "t0"));
        for to in [Lifecycle::Saving, Lifecycle::Saved, Lifecycle::Compacting, Lifecycle::Recovering, Lifecycle::Active]
        {
            state.go(to, to.name()).unwrap();
        }
        assert_eq!((state.since.as_str(), state.saved_at.as_deref()), ("active", Some("saved")));
    }
}
