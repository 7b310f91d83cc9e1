use std::str::FromStr;

use anyhow::{Context, Result, bail};

/// The rest of the command line. Each task takes what it knows and calls [`Arguments::finish`], which rejects the rest.
pub(crate) struct Arguments(Vec<String>);

impl Arguments {
    #[expect(clippy::disallowed_methods, reason = "a tool is started by Rust's own runtime")]
    pub(crate) fn from_env() -> Self {
        Self(std::env::args().skip(1).collect())
    }

    /// Takes the first word that is not an option.
    pub(crate) fn word(&mut self) -> Option<String> {
        let at = self.0.iter().position(|word| !word.starts_with('-'))?;
        Some(self.0.remove(at))
    }

    /// Takes an option without a value.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|word| word != name);
        self.0.len() < before
    }

    /// Takes an option with a value, written `--name value` or `--name=value`.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>> {
        let assigned = format!("{name}=");
        if let Some(at) = self.0.iter().position(|word| word.starts_with(&assigned)) {
            return Ok(Some(self.0.remove(at)[assigned.len()..].to_owned()));
        }
        let Some(at) = self.0.iter().position(|word| word == name) else {
            return Ok(None);
        };
        self.0.remove(at);
        if at == self.0.len() {
            bail!("`{name}` needs a value");
        }
        Ok(Some(self.0.remove(at)))
    }

    /// Takes an option whose value is a number.
    pub(crate) fn number<N: FromStr>(&mut self, name: &str) -> Result<Option<N>>
    where
        N::Err: std::error::Error + Send + Sync + 'static,
    {
        let Some(text) = self.value(name)? else {
            return Ok(None);
        };
        text.parse().map(Some).with_context(|| format!("`{name}` needs a number, not `{text}`"))
    }

    /// Fails if an argument is left.
    pub(crate) fn finish(self) -> Result<()> {
        match self.0.first() {
            Some(word) => bail!("unknown argument `{word}`; see `cargo xtask --help`"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(line: &str) -> Arguments {
        Arguments(line.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn words_flags_and_values_are_taken_in_any_order() {
        let mut arguments = arguments("--json bench --rounds 7 hook --only=fmt");
        assert_eq!(arguments.number::<u32>("--rounds").unwrap(), Some(7));
        assert_eq!(arguments.value("--only").unwrap().as_deref(), Some("fmt"));
        assert!(arguments.flag("--json"));
        assert_eq!(arguments.word().as_deref(), Some("bench"));
        assert_eq!(arguments.word().as_deref(), Some("hook"));
        arguments.finish().unwrap();
    }

    #[test]
    fn what_nobody_knows_is_an_error() {
        assert!(arguments("--ony fmt").finish().is_err());
        assert!(arguments("--rounds").value("--rounds").is_err());
        assert!(arguments("--rounds many").number::<u32>("--rounds").is_err());
    }
}
