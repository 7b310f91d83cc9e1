use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// One iteration's work for an agent: all that a provider needs to make a launch of it.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The prompt with its variables resolved.
    pub prompt: &'a str,
    pub model: Option<&'a str>,
    /// The project; a command's own relative paths begin here.
    pub root: &'a Path,
    /// Where the agent works: the project or a work tree.
    pub dir: &'a Path,
    pub log: &'a Path,
    pub timeout: Option<Duration>,
    pub run: &'a str,
    pub run_id: &'a str,
    /// The node's id.
    pub stage: &'a str,
    pub iteration: u32,
    pub context: &'a Path,
    pub status: &'a Path,
    pub output: &'a Path,
    pub progress: &'a Path,
    /// The command object, if the agent got one.
    pub command: Option<&'a Path>,
    /// The engine's environment.
    pub env: &'a dyn Fn(&str) -> Option<OsString>,
    /// Further arguments for a known client, from the setting `provider.<name>.args`.
    pub args: &'a [String],
}
