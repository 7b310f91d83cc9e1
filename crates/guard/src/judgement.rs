use stead_model::{Level, Verdict};

use crate::guard_facts::Excuse;
use crate::mode::Mode;
use crate::then::Then;

/// The result of judging an event by all guards.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The verdict of enforced guards, without warnings: see [`Judgement::notes`].
    pub verdict: Verdict,
    /// Every guard that matched or failed, whatever its mode, by id.
    pub hits: Vec<Hit>,
    /// Warnings for the agent: `warn` as mode or as `then`. Not part of the verdict, because for a client that cannot
    /// warn before a tool the verdict would become a denial.
    pub notes: Vec<String>,
    /// Grants a permission request. Never set if a guard objects.
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
    /// What it does if enforced.
    pub would: Then,
    /// What it did: [`Level::Allow`] in shadow mode, [`Level::Warn`] if it only warns.
    pub level: Level,
    /// The part of the command that it matched, as written.
    pub part: String,
    /// Why it matched, such as `writes infra/main.tf`.
    pub because: String,
    pub path: Option<String>,
    pub command: Option<String>,
    pub feature: Option<String>,
    /// Its message, with placeholders replaced.
    pub say: String,
    /// Why it could not be evaluated; `on_error` decided.
    pub error: Option<String>,
    /// It would have rewritten the call, but another guard took precedence.
    pub overruled: bool,
}

impl Hit {
    /// What a person would have to allow for it to pass.
    pub fn excuse(&self) -> Excuse<'_> {
        Excuse { path: self.path.as_deref(), command: self.command.as_deref(), feature: self.feature.as_deref() }
    }

    /// Returns true if the guard acted: blocked, asked, warned, rewrote or continued.
    pub fn acted(&self) -> bool {
        self.mode > Mode::Shadow
            && !self.overruled
            && (self.level > Level::Allow || matches!(self.would, Then::Rewrite | Then::Inject | Then::Allow))
    }
}
