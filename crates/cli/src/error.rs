//! Errors of commands: `error:`, each `caused by:`, and a `hint:` one can act on.

use std::error::Error;
use std::fmt;

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

#[derive(Debug)]
pub(crate) struct CliError {
    kind: Kind,
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

    fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None, hint: None }
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
        let mut cause = self.source.as_deref().map(|source| source as &dyn Error);
        while let Some(error) = cause {
            text.push_str(&format!("\ncaused by: {error}"));
            cause = error.source();
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
