//! Identifies the calling client. Several clients run hook lines written for another one, so the name in the line is
//! only the default.

use crate::Harness;
use crate::lenient::Members;

/// What identifies a caller: the payload's top-level members and the environment.
pub struct Signs<'a> {
    members: &'a Members<'a>,
    env: &'a dyn Fn(&str) -> Option<String>,
}

impl<'a> Signs<'a> {
    pub fn new(members: &'a Members<'a>, env: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self { members, env }
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.members.raw(key).is_some()
    }

    pub(crate) fn text(&self, key: &str) -> Option<String> {
        self.members.text(key).map(|text| text.into_owned())
    }

    pub(crate) fn is_text(&self, key: &str) -> bool {
        self.members.raw(key).is_some_and(|raw| raw.starts_with('"'))
    }

    pub(crate) fn is_number(&self, key: &str) -> bool {
        self.members.raw(key).is_some_and(|raw| raw.parse::<f64>().is_ok())
    }

    pub(crate) fn is_object(&self, key: &str) -> bool {
        self.members.raw(key).is_some_and(|raw| raw.starts_with('{'))
    }

    pub(crate) fn text_contains(&self, key: &str, part: &str) -> bool {
        self.members.text(key).is_some_and(|text| text.contains(part))
    }

    /// Returns true if an environment variable contains the payload's session id. Then the client that sets it is
    /// calling, not a parent whose variables were inherited.
    pub(crate) fn session_is(&self, variable: &str) -> bool {
        let Some(session) = self.members.text("session_id") else {
            return false;
        };
        !session.is_empty() && (self.env)(variable).is_some_and(|value| value == session)
    }
}

/// Finds the caller: the named harness if it claims the call or no other does, else the first that claims it.
pub fn detect(named: Harness, signs: &Signs<'_>) -> Harness {
    if (named.client().claims)(signs) {
        return named;
    }
    Harness::ALL.into_iter().find(|other| *other != named && (other.client().claims)(signs)).unwrap_or(named)
}

/// Finds the caller where no known client is named: the first that claims the call, else the first that raises an event of
/// this name.
pub fn detect_unnamed(signs: &Signs<'_>, event: Option<&str>) -> Option<Harness> {
    let claiming = Harness::ALL.into_iter().find(|harness| (harness.client().claims)(signs));
    let named = signs.text("hook_event_name");
    claiming.or_else(|| named.as_deref().and_then(raising)).or_else(|| event.and_then(raising))
}

/// The first client that raises an event of this name.
pub fn raising(event: &str) -> Option<Harness> {
    Harness::ALL.into_iter().find(|harness| harness.client().event(event).is_some())
}
