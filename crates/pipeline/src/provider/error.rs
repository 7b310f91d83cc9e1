use std::io;
use std::path::PathBuf;

/// Why an agent cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    #[error("unknown provider `{name}`; {expected}")]
    Unknown { name: String, expected: String, nearest: Option<&'static str> },
    #[error("the provider `{provider}` needs the program `{program}`, which is not on PATH")]
    MissingProgram { provider: String, program: String },
    #[error("there is no program `{}`", path.display())]
    NoSuchFile { path: PathBuf },
    #[error("`{}` may not be executed", path.display())]
    NotExecutable { path: PathBuf },
    #[error("the provider's command is empty")]
    EmptyCommand,
    #[error("`{text}` has a quote that is not closed")]
    OpenQuote { text: String },
    #[error("could not write the prompt to `{}`", path.display())]
    PromptFile { path: PathBuf, source: stead_store::StoreError },
    #[error("mock answers come from fixtures, there is nothing to start")]
    NothingToStart,
    #[error("could not read the fixture `{}`", path.display())]
    Fixture { path: PathBuf, source: io::Error },
    #[error("the fixture `{name}` is damaged: {why}")]
    DamagedFixture { name: String, why: String },
}

impl ProviderError {
    /// Says what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
            Self::Unknown { nearest: None, .. } => {
                Some("any other program is `provider: {command: [\"./agent.sh\"]}`".into())
            }
            Self::MissingProgram { provider, program } if provider == program => {
                Some(format!("install `{program}`, or choose another provider with `--provider`"))
            }
            Self::MissingProgram { program, .. } => Some(format!("install `{program}` or put it on PATH")),
            Self::NoSuchFile { .. } => Some("paths of a provider's command begin at the project's root".into()),
            Self::NotExecutable { path } => Some(format!("run `chmod +x {}`", path.display())),
            Self::EmptyCommand => Some("name a program, as in `provider: {command: [\"./agent.sh\"]}`".into()),
            Self::OpenQuote { .. } => Some("close the quote in the setting".into()),
            Self::PromptFile { source, .. } => source.hint(),
            Self::DamagedFixture { .. } => {
                Some("only `---exit N`, and `---status` with a line `---` behind it, may come before the text".into())
            }
            Self::NothingToStart | Self::Fixture { .. } => None,
        }
    }
}
