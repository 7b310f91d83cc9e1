use crate::Capped;

crate::named! {
    /// How strongly we object. The order is the precedence: several verdicts merge to the strongest.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Level {
        Allow = "allow",
        Warn = "warn",
        Ask = "ask",
        Deny = "deny",
    }
}

/// Why a gate objects, and which gate.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The gate's name as in config and in `explain`.
    pub gate: &'static str,
    pub text: Capped,
}

/// Our answer to an event, before it is put into one client's words. At a stop, [`Level::Deny`] means "go on working"
/// and the reasons are the prompt to go on with.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub level: Level,
    pub reasons: Vec<Reason>,
    /// Text to put before the model.
    pub context: Vec<Capped>,
    /// The tool's whole input, changed, as JSON text.
    pub rewrite: Option<String>,
    /// Answers a permission request with yes, which a plain allow leaves to the person.
    pub grant: bool,
    /// Lines for the person, for a client whose window shows them.
    pub notices: Vec<Capped>,
}

impl Verdict {
    /// Lets the event pass without a word.
    pub fn allow() -> Self {
        Self {
            level: Level::Allow,
            reasons: Vec::new(),
            context: Vec::new(),
            rewrite: None,
            grant: false,
            notices: Vec::new(),
        }
    }

    pub fn warn(gate: &'static str, text: impl AsRef<str>) -> Self {
        Self::because(Level::Warn, gate, text)
    }

    pub fn ask(gate: &'static str, text: impl AsRef<str>) -> Self {
        Self::because(Level::Ask, gate, text)
    }

    pub fn deny(gate: &'static str, text: impl AsRef<str>) -> Self {
        Self::because(Level::Deny, gate, text)
    }

    /// Allows, and gives the model something to read.
    pub fn inform(text: impl AsRef<str>) -> Self {
        Self { context: vec![Capped::new(text)], ..Self::allow() }
    }

    /// Adds a line for the person.
    #[must_use]
    pub fn noticed(mut self, line: impl AsRef<str>) -> Self {
        self.notices.push(Capped::new(line));
        self
    }

    fn because(level: Level, gate: &'static str, text: impl AsRef<str>) -> Self {
        Self { level, reasons: vec![Reason { gate, text: Capped::new(text) }], ..Self::allow() }
    }

    /// Joins two verdicts: the stronger level wins and keeps its reasons before the weaker one's. A rewrite survives
    /// only while nothing stronger than a warning was said, and the later one wins; a grant only while nothing was said.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let (strong, weak) = if other.level > self.level { (other, self) } else { (self, other) };
        let level = strong.level;
        let mut reasons = strong.reasons;
        reasons.extend(weak.reasons);
        let mut context = strong.context;
        context.extend(weak.context);
        let mut notices = strong.notices;
        notices.extend(weak.notices);
        let rewrite = weak.rewrite.or(strong.rewrite).filter(|_| level <= Level::Warn);
        let grant = (weak.grant || strong.grant) && level == Level::Allow;
        Self { level, reasons, context, rewrite, grant, notices }
    }

    /// Says whether there is nothing to tell the client.
    pub fn is_silent(&self) -> bool {
        self.level == Level::Allow
            && self.context.is_empty()
            && self.rewrite.is_none()
            && !self.grant
            && self.notices.is_empty()
    }

    /// All reasons as one text, never empty for a level that needs one.
    pub fn reason_text(&self) -> String {
        if self.reasons.is_empty() && self.level > Level::Allow {
            return format!("Stead: {} without a stated reason", self.level.name());
        }
        join(self.reasons.iter().map(|reason| reason.text.as_str()))
    }

    /// All lines for the person as one text; `None` when there are none.
    pub fn notice_text(&self) -> Option<String> {
        (!self.notices.is_empty()).then(|| join(self.notices.iter().map(Capped::as_str)))
    }

    /// All context as one text; empty when there is none.
    pub fn context_text(&self) -> String {
        join(self.context.iter().map(Capped::as_str))
    }
}

fn join<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for part in parts {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(part);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stronger_verdict_wins_and_speaks_first() {
        let merged = Verdict::warn("a", "careful").and(Verdict::deny("b", "no")).and(Verdict::inform("by the way"));
        assert_eq!(merged.level, Level::Deny);
        assert_eq!(merged.reason_text(), "no\ncareful");
        assert_eq!(merged.context_text(), "by the way");
    }

    #[test]
    fn a_rewrite_does_not_survive_an_objection() {
        let rewrite = Verdict { rewrite: Some("{}".into()), ..Verdict::allow() };
        assert_eq!(rewrite.clone().and(Verdict::ask("g", "?")).rewrite, None);
        assert_eq!(rewrite.and(Verdict::warn("g", "!")).rewrite.as_deref(), Some("{}"));
    }

    #[test]
    fn a_grant_does_not_survive_a_word() {
        let grant = Verdict { grant: true, ..Verdict::allow() };
        assert!(grant.clone().and(Verdict::allow()).grant && !grant.is_silent());
        assert!(!grant.and(Verdict::warn("g", "!")).grant);
    }

    #[test]
    fn lines_for_the_person_are_kept_together() {
        let merged = Verdict::allow().noticed("one").and(Verdict::deny("g", "no").noticed("two"));
        assert_eq!(merged.notice_text().as_deref(), Some("two\none"));
        assert!(!Verdict::allow().noticed("one").is_silent());
        assert_eq!(Verdict::allow().notice_text(), None);
    }

    #[test]
    fn a_denial_always_has_words() {
        let silent = Verdict { level: Level::Deny, ..Verdict::allow() };
        assert!(!silent.reason_text().is_empty());
    }
}
