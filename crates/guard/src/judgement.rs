use stead_model::{Level, Verdict};

use crate::guard_facts::Excuse;
use crate::mode::Mode;
use crate::then::Then;

/// What the guards say about an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// What enforced guards demand. Warnings are not in it: see [`Judgement::notes`].
    pub verdict: Verdict,
    /// Every guard that matched or broke, whatever its mode, by id.
    pub hits: Vec<Hit>,
    /// What the agent should be told without being stopped: `warn` as mode or as `then`. Kept out of the verdict,
    /// because a client that cannot warn before a tool would be told no instead.
    pub notes: Vec<String>,
    /// Answers a permission request with yes. Never set beside an objection.
    pub grant: bool,
}

impl Judgement {
    pub(crate) fn silent() -> Self {
        Self { verdict: Verdict::allow(), hits: Vec::new(), notes: Vec::new(), grant: false }
    }
}

/// One guard that matched.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    pub guard: String,
    pub file: String,
    pub version: String,
    pub mode: Mode,
    /// What it does when enforced.
    pub would: Then,
    /// What it did: [`Level::Allow`] in the shadow, [`Level::Warn`] when it only tells.
    pub level: Level,
    /// The sub-expression that it is about, as written.
    pub part: String,
    /// Why it matched, such as `writes infra/main.tf`.
    pub because: String,
    pub path: Option<String>,
    pub command: Option<String>,
    pub feature: Option<String>,
    /// What it says, filled in.
    pub say: String,
    /// It could not be judged, and why; `on_error` decided.
    pub error: Option<String>,
    /// It would have changed the call, and another guard's word came first.
    pub overruled: bool,
}

impl Hit {
    /// What a person would have to allow for it to pass.
    pub fn excuse(&self) -> Excuse<'_> {
        Excuse { path: self.path.as_deref(), command: self.command.as_deref(), feature: self.feature.as_deref() }
    }

    /// Says whether the guard acted: blocked, asked, told, changed or held.
    pub fn acted(&self) -> bool {
        self.mode > Mode::Shadow
            && !self.overruled
            && (self.level > Level::Allow || matches!(self.would, Then::Rewrite | Then::Inject | Then::Allow))
    }
}
