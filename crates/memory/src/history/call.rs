use std::borrow::Cow;
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;
use stead_guard::Caller;
use stead_hook::{HitLine, recorded_effects};
use stead_model::{Access, Content, Coverage, Effect, Effects, EventKind, How, Op, Target, clean};

/// The most paths that a line has; if it has as many, there may be more.
const MOST_PATHS: usize = 16;

/// One line of the session log.
#[derive(Debug, Deserialize)]
pub struct PastCall<'a> {
    #[serde(borrow)]
    pub ts: Cow<'a, str>,
    #[serde(borrow, default)]
    pub harness: Cow<'a, str>,
    #[serde(borrow, default)]
    pub session: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub agent: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub role: Option<Cow<'a, str>>,
    /// The run that started the agent, and which of its iterations this is.
    #[serde(borrow, default)]
    pub run: Option<Cow<'a, str>>,
    #[serde(default)]
    pub iteration: Option<u32>,
    #[serde(borrow)]
    pub event: Cow<'a, str>,
    #[serde(borrow, default)]
    pub tool: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub call: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub action: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    paths: Vec<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub verdict: Cow<'a, str>,
    #[serde(borrow, default)]
    pub id: Option<Cow<'a, str>>,
    #[serde(default)]
    pub hits: Vec<HitLine>,
    #[serde(borrow, default)]
    effects: Option<&'a RawValue>,
}

/// A call of a session, by the client's id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallKey {
    pub session: String,
    pub call: String,
}

impl<'a> PastCall<'a> {
    /// Parses a line; `None` for a torn or foreign one.
    pub fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub fn is(&self, kind: EventKind) -> bool {
        self.event == kind.name()
    }

    /// Returns true if the call was about to happen, so that a guard could have judged it.
    pub fn is_judged(&self) -> bool {
        self.is(EventKind::BeforeTool)
    }

    pub fn key(&self) -> Option<CallKey> {
        Some(CallKey { session: self.session.as_deref()?.to_owned(), call: self.call.as_deref()?.to_owned() })
    }

    pub fn caller(&self) -> Caller {
        let role = self.role.as_deref().map(str::to_owned);
        match self.agent.is_some() || role.is_some() {
            true => Caller::Sub { role },
            false => Caller::Main { role: None },
        }
    }

    /// The effects as they are written, to compare calls.
    pub(crate) fn effects_text(&self) -> Option<&'a str> {
        self.effects.map(RawValue::get)
    }

    /// What the call would have done; `None` if that is not on record. A plain call of a file tool is known by its paths.
    pub fn effects(&self, root: &Path) -> Option<Effects> {
        match self.effects {
            Some(raw) => recorded_effects(raw.get(), root),
            None => self.by_paths(root),
        }
    }

    fn by_paths(&self, root: &Path) -> Option<Effects> {
        let is_read = match self.action.as_deref()? {
            "read" => true,
            "change" => false,
            _ => return None,
        };
        let is_known = |path: &Cow<'_, str>| path.starts_with('/');
        if self.paths.is_empty() || self.paths.len() >= MOST_PATHS || !self.paths.iter().all(is_known) {
            return None;
        }
        let effect = |path: &Cow<'_, str>| {
            let target = target(path, root);
            let op = match is_read {
                true => Op::Read { target, access: Access::Shown },
                false => Op::Write { target, how: How::Edit, content: Content::Unknown },
            };
            Effect { op, part: path.as_ref().to_owned() }
        };
        let list = self.paths.iter().map(effect).collect();
        Some(Effects { list, coverage: Coverage::Full, ..Effects::default() })
    }
}

fn target(path: &str, root: &Path) -> Target {
    let path = clean(Path::new(path));
    let inside = path.strip_prefix(root).ok().map(|below| below.to_string_lossy().replace('\\', "/"));
    Target { path: path.to_string_lossy().into_owned(), inside, ..Target::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_are_read_in_every_form() {
        let check = |line: &str, expected: Option<&str>| {
            let call = PastCall::parse(line).unwrap();
            let shown = call.effects(Path::new("/p")).map(|effects| format!("{:?}", effects.list[0].op));
            match expected {
                Some(part) => assert!(shown.as_ref().is_some_and(|shown| shown.contains(part)), "{line} {shown:?}"),
                None => assert_eq!(shown, None, "{line}"),
            }
        };
        let line =
            |rest: &str| format!(r#"{{"ts":"t","event":"before-tool","harness":"claude","verdict":"allow"{rest}}}"#);
        check(&line(r#","effects":{"v":1,"coverage":"full","list":[{"delete":"a"}]}"#), Some("Delete"));
        check(&line(r#","effects":["delete a"]"#), None);
        check(&line(r#","effects":{"v":9,"coverage":"full","list":[]}"#), None);
        check(&line(""), None);
        check(&line(r#","action":"change","paths":["/p/x/../y"]"#), Some("inside: Some(\"y\")"));
        check(&line(r#","action":"read","paths":["/q/y"]"#), Some("inside: None"));
        check(&line(r#","action":"change","paths":["y"]"#), None);
        check(&line(r#","action":"run""#), None);
        assert!(PastCall::parse("{\"ts\":").is_none() && PastCall::parse("[]").is_none());
    }
}
