use stead_model::Verdict;

/// The gate's name in config, in records and in `explain`.
pub const GATE: &str = "self-protection";

/// The longest quotation from the agent's own words; a reason must stay readable.
const QUOTE: usize = 120;

/// A refusal: what was stopped, why, and what to do instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Denial {
    pub(crate) what: String,
    pub(crate) why: String,
    pub(crate) instead: String,
}

impl Denial {
    pub(crate) fn new(what: impl Into<String>, why: impl Into<String>, instead: impl Into<String>) -> Self {
        Self { what: what.into(), why: why.into(), instead: instead.into() }
    }

    /// Says the refusal. Every denial of this gate is worded here.
    pub(crate) fn verdict(&self) -> Verdict {
        Verdict::deny(GATE, format!("Stead stopped {}: {}.\nInstead: {}.", self.what, self.why, self.instead))
    }
}

/// Quotes text for a reason: one line, cut when long.
pub(crate) fn quote(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(QUOTE + 1).collect();
    let line = line.trim();
    match line.char_indices().nth(QUOTE) {
        Some((end, _)) => format!("`{}…`", &line[..end]),
        None => format!("`{line}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_two_short_lines() {
        let denial = Denial::new(quote(&"x\n".repeat(400)), "it is long", "say less");
        let text = denial.verdict().reason_text();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.len() < 250, "{text}");
    }
}
