use super::Filters;
use crate::Level;

/// A question to the traces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Plain words, in any script; no syntax. Without any, the newest traces are the answer.
    pub text: String,
    pub filters: Filters,
    pub level: Level,
    /// The most traces; [`Level::usual_count`] if nothing is said.
    pub count: Option<usize>,
    /// The largest answer instead of [`Level::tokens`].
    pub max_tokens: Option<usize>,
}

/// The most traces that a query returns.
const MOST_TRACES: usize = 100;

/// Budgets that a query may set.
const BUDGETS: std::ops::RangeInclusive<usize> = 100..=20_000;

impl Query {
    pub(crate) fn traces(&self) -> usize {
        self.count.unwrap_or(self.level.usual_count()).clamp(1, MOST_TRACES)
    }

    /// The largest answer, and the largest part of it about one trace, in tokens.
    pub(crate) fn budget(&self, found: usize) -> (usize, usize) {
        let most = self.max_tokens.map(|most| most.clamp(*BUDGETS.start(), *BUDGETS.end()));
        let one = self.level.tokens();
        match (self.level, most) {
            (_, Some(most)) => (most, most),
            (Level::Full, None) => (one * found.max(1), one),
            (_, None) => (one, one),
        }
    }
}
