use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use stead_hook::{HitLine, recorded_effects};
use stead_model::{Content, Coverage, Effect, Effects, How, Op, Target};

/// A line of the session log, as far as it is looked at.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SessionLine {
    pub ts: String,
    pub harness: String,
    pub session: Option<String>,
    pub agent: Option<String>,
    pub role: Option<String>,
    pub event: String,
    pub tool: Option<String>,
    pub call: Option<String>,
    pub action: Option<String>,
    pub paths: Vec<String>,
    pub verdict: String,
    pub reason: Option<String>,
    pub id: Option<String>,
    pub hits: Vec<HitLine>,
    pub effects: Option<Value>,
    /// The person interrupted the call.
    pub interrupted: bool,
}

/// A line and where it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Call {
    pub line: SessionLine,
    pub offset: u64,
}

impl Call {
    /// What the call does, as far as it was recorded.
    pub(super) fn effects(&self, root: &Path) -> Effects {
        let recorded = self.line.effects.as_ref().and_then(|effects| recorded_effects(effects, root));
        recorded.unwrap_or_else(|| self.named(root))
    }

    /// The changes of a plain call, which the log names by path only.
    fn named(&self, root: &Path) -> Effects {
        if self.line.action.as_deref() != Some("change") {
            return Effects::default();
        }
        let write = |path: &String| {
            let whole = root.join(path);
            let inside = whole.strip_prefix(root).ok().map(|below| below.to_string_lossy().into_owned());
            let target = Target { path: whole.to_string_lossy().into_owned(), inside, ..Target::default() };
            Effect { op: Op::Write { target, how: How::Edit, content: Content::Unknown }, part: String::new() }
        };
        let list = self.line.paths.iter().map(write).collect();
        Effects { list, coverage: Coverage::Full, ..Effects::default() }
    }

    pub(super) fn is_before_tool(&self) -> bool {
        self.line.event == "before-tool"
    }

    /// The call was not stopped.
    pub(super) fn passed(&self) -> bool {
        self.is_before_tool() && matches!(self.line.verdict.as_str(), "allow" | "warn")
    }
}
