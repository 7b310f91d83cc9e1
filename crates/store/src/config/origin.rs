use std::fmt;
use std::path::PathBuf;

stead_model::named! {
    /// Where settings come from, weakest first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Layer {
        Default = "default",
        User = "user",
        Project = "project",
        Local = "local",
        Env = "env",
        Flag = "flag",
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
