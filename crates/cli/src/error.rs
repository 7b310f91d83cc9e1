//! Errors of commands: `error:`, each `caused by:`, and a `hint:` one can act on; with `--json`, the same as one object.

use std::error::Error;
use std::fmt;

use serde_json::{Value, json};

use crate::answer;

/// Whose fault it is; decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The thing asked for could not be done here.
    User,
    /// A config file is wrong.
    Config,
    /// The command line is wrong.
    Usage,
    /// Stead is wrong.
    Internal,
}

/// What went wrong, in a word that scripts can rely on; see docs/json.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// Anything that has no word of its own.
    Failed,
    Config,
    Usage,
    Internal,
    /// Nothing has the name or id that was given.
    NotFound,
    /// Several things have it.
    Ambiguous,
    /// Something has it already.
    Exists,
    /// A person is needed, or a rule forbids it.
    Refused,
    /// The folder is not a project yet.
    NotSetUp,
    /// A file or a value does not have the expected form.
    Invalid,
    /// It is not possible in the state in which the thing is.
    Conflict,
    /// Another process works on it.
    Busy,
    /// The operating system reported an error.
    Io,
}

impl Code {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 13] = [
        Self::Failed,
        Self::Config,
        Self::Usage,
        Self::Internal,
        Self::NotFound,
        Self::Ambiguous,
        Self::Exists,
        Self::Refused,
        Self::NotSetUp,
        Self::Invalid,
        Self::Conflict,
        Self::Busy,
        Self::Io,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Config => "config",
            Self::Usage => "usage",
            Self::Internal => "internal",
            Self::NotFound => "not-found",
            Self::Ambiguous => "ambiguous",
            Self::Exists => "exists",
            Self::Refused => "refused",
            Self::NotSetUp => "not-set-up",
            Self::Invalid => "invalid",
            Self::Conflict => "conflict",
            Self::Busy => "busy",
            Self::Io => "io",
        }
    }
}

#[derive(Debug)]
pub(crate) struct CliError {
    kind: Kind,
    /// More telling than the kind, if it is known.
    code: Option<Code>,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
    hint: Option<String>,
}

impl CliError {
    pub(crate) fn user(message: impl Into<String>) -> Self {
        Self::new(Kind::User, message)
    }

    pub(crate) fn config(message: impl Into<String>) -> Self {
        Self::new(Kind::Config, message)
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(Kind::Internal, message)
    }

    /// As [`CliError::user`]: nothing has that name.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::user(message).coded(Code::NotFound)
    }

    /// As [`CliError::user`]: a person is needed, or a rule forbids it.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::user(message).coded(Code::Refused)
    }

    fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, code: None, message: message.into(), source: None, hint: None }
    }

    #[must_use]
    pub(crate) fn coded(mut self, code: impl Into<Option<Code>>) -> Self {
        self.code = code.into().or(self.code);
        self
    }

    fn code(&self) -> Code {
        self.code.unwrap_or(match self.kind {
            Kind::User => Code::Failed,
            Kind::Config => Code::Config,
            Kind::Usage => Code::Usage,
            Kind::Internal => Code::Internal,
        })
    }

    /// The error for machines.
    pub(crate) fn as_json(&self) -> Value {
        let causes: Vec<String> = self.causes().map(ToString::to_string).collect();
        let error = json!({"code": self.code().name(), "message": self.message, "hint": self.hint, "causes": causes});
        answer::ERROR.envelope(json!({"error": error}))
    }

    fn causes(&self) -> impl Iterator<Item = &(dyn Error + 'static)> {
        let first = self.source.as_deref().map(|source| source as &(dyn Error + 'static));
        std::iter::successors(first, |error| (*error).source())
    }

    #[must_use]
    pub(crate) fn because(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    #[must_use]
    pub(crate) fn hinted(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// As [`CliError::hinted`], if there is a hint.
    #[must_use]
    pub(crate) fn hinted_if(self, hint: Option<impl Into<String>>) -> Self {
        match hint {
            Some(hint) => self.hinted(hint),
            None => self,
        }
    }

    /// Adds what to do after following the hint.
    #[must_use]
    pub(crate) fn hinted_too(mut self, hint: impl Into<String>) -> Self {
        let then = hint.into();
        self.hint = Some(match self.hint.take() {
            Some(first) => format!("{first}, then {then}"),
            None => then,
        });
        self
    }

    /// The same error, as a usage error.
    #[must_use]
    pub(crate) fn into_usage(mut self) -> Self {
        self.kind = Kind::Usage;
        self
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self.kind {
            Kind::User | Kind::Config | Kind::Internal => 1,
            Kind::Usage => 2,
        }
    }

    /// The whole error as people read it, without the last line end.
    pub(crate) fn render(&self) -> String {
        let mut text = match self.kind {
            Kind::User | Kind::Usage => format!("error: {}", self.message),
            Kind::Config => format!("config error: {}", self.message),
            Kind::Internal => format!("internal error: {}", self.message),
        };
        for error in self.causes() {
            text.push_str(&format!("\ncaused by: {error}"));
        }
        if let Some(hint) = &self.hint {
            text.push_str(&format!("\nhint: {hint}"));
        }
        text
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
