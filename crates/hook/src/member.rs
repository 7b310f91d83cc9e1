//! The role of a session: the one it registered, or the one in its environment.

use std::path::{Path, PathBuf};

use stead_context::RoleName;
use stead_model::{Detail, Event, FileId};
use stead_store::Room;

use crate::record;
use crate::request::Request;
use crate::session::SessionState;

/// The variables that name a role, strongest first. The second is an older tool's.
const ROLE: [&str; 2] = ["STEAD_ROLE", "HIVEMIND_ROLE"];

/// A main agent's event in a project that Stead may write in, with what is known about its session.
pub(crate) struct Member<'a> {
    pub(crate) request: &'a Request<'a>,
    pub(crate) event: &'a Event<'a>,
    pub(crate) root: &'a Path,
    pub(crate) session: Option<&'a FileId>,
    pub(crate) state: Option<&'a SessionState>,
    pub(crate) now: String,
}

impl<'a> Member<'a> {
    /// `None` for a sub-agent, which has no role here, and if Stead may not write.
    pub(crate) fn of(request: &'a Request<'a>) -> Option<Self> {
        let root = request.writable_root().filter(|_| request.event.agent.is_none() && !request.is_by_doctor())?;
        let (session, state) = (request.session(), request.facts.state());
        Some(Self { request, event: request.event, root, session, state, now: record::now() })
    }

    /// The session's role: registered here, or in the session that this one continues, or set in the environment.
    pub(crate) fn role(&self) -> Option<RoleName> {
        let registered = self.state.and_then(|state| state.role.clone());
        let registered = registered.or_else(|| previous_role(self.indexes(), self.event));
        let env = self.request.env;
        let named = || ROLE.iter().find_map(|name| env(name)?.into_string().ok().filter(|role| !role.is_empty()));
        RoleName::check(&registered.or_else(named)?).ok()
    }

    /// The path of the role's file.
    pub(crate) fn role_file(&self, role: &RoleName) -> PathBuf {
        role.file(&self.request.room(Room::Roles))
    }

    pub(crate) fn indexes(&self) -> &Path {
        self.request.indexes()
    }

    /// The path of a project file for the model.
    pub(crate) fn short(&self, path: &Path) -> String {
        path.strip_prefix(self.root).unwrap_or(path).to_string_lossy().into_owned()
    }

    /// A setting as text: from the environment, else from files, else the default.
    pub(crate) fn setting(&self, key: &str) -> String {
        let variable = format!("STEAD_{}", key.replace('.', "_").to_uppercase());
        let named = (self.request.env)(&variable).and_then(|value| value.into_string().ok());
        named.or_else(|| self.request.policy.setting(key).map(str::to_owned)).unwrap_or_default()
    }

    /// A setting as a number; an invalid value in the environment is ignored.
    pub(crate) fn number(&self, key: &str) -> usize {
        let chosen = self.setting(key).parse().ok();
        chosen.or_else(|| self.request.policy.setting(key)?.parse().ok()).unwrap_or_default()
    }
}

/// The role of the session that a new one continues under another id.
pub(crate) fn previous_role(indexes: &Path, event: &Event<'_>) -> Option<String> {
    let Detail::Start { previous: Some(previous), .. } = &event.detail else { return None };
    let previous = FileId::check(previous).ok()?;
    SessionState::read(indexes, &previous).ok()??.role
}
