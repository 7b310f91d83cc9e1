use thiserror::Error;

/// Why a text has no syntax nodes. The caller falls back to the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CodeError {
    #[error("text has {bytes} bytes; only {limit} are parsed")]
    TooLong { bytes: usize, limit: usize },
    #[error("syntax is nested deeper than {limit} levels")]
    TooDeep { limit: usize },
    #[error("text has more than {limit} syntax nodes")]
    TooManyNodes { limit: usize },
    #[error("parser gave up after {steps} steps")]
    TooHard { steps: usize },
    #[error("grammar of {language} does not match the parser")]
    Grammar { language: &'static str },
}
