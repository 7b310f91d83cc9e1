use std::fmt;

/// What a program said and how it ended, with the world's own folders named instead of spelled out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub stdout: String,
    pub stderr: String,
    /// The exit code; a signal counts as 128 and its number, as in a shell.
    pub code: i32,
}

impl Run {
    /// Reads standard output as one JSON value.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("no JSON on stdout ({error}):\n{self}"))
    }

    /// Gives standard output of a run that went well.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self}");
        self.stdout
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit {}", self.code)?;
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                write!(f, "\n--- {name}\n{}", text.trim_end_matches('\n'))?;
            }
        }
        Ok(())
    }
}
