use std::fmt;
use std::path::PathBuf;

/// Where settings come from, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    Default,
    User,
    Project,
    Local,
    Env,
    Flag,
}

impl Layer {
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::Env => "env",
            Self::Flag => "flag",
        }
    }
}

/// Where a value was set: the layer and, if it has them, the file and line or the name of the variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub layer: Layer,
    pub file: Option<PathBuf>,
    /// Counted from 1.
    pub line: Option<usize>,
    pub variable: Option<String>,
}

impl Origin {
    pub(crate) fn layer(layer: Layer) -> Self {
        Self { layer, file: None, line: None, variable: None }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.layer, &self.file, &self.variable) {
            (_, Some(file), _) => {
                write!(f, "{}", file.display())?;
                self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
            }
            (_, None, Some(variable)) => write!(f, "${variable}"),
            (Layer::Flag, None, None) => f.write_str("--config"),
            (layer, None, None) => f.write_str(layer.name()),
        }
    }
}
