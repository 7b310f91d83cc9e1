use super::report::Report;

/// How a known agent program is run headless, as data.
#[derive(Debug)]
pub struct Profile {
    /// The harness name.
    pub name: &'static str,
    pub program: &'static str,
    /// Always given: no questions, edits accepted, output for programs. Hooks run under all of them.
    pub args: &'static [&'static str],
    /// What the agent may do under these, in a sentence for people; further arguments may widen it.
    pub may: &'static str,
    /// Names a model.
    pub model_flag: &'static str,
    pub prompt: PromptWay,
    /// Given last, after what a person adds.
    pub last_args: &'static [&'static str],
    /// Set for the program.
    pub env: &'static [(&'static str, &'static str)],
    /// Variables by which the program's children know that they are inside one of its sessions. No agent gets them from
    /// the engine, which may itself be started from such a session.
    pub session_vars: &'static [&'static str],
    /// Only lines of output with one of these are looked at.
    pub heed: &'static [&'static str],
    /// Reads these lines.
    pub(crate) read: fn(&str) -> Report,
    /// Exit codes by which it says that its provider will not work for now.
    pub quota_exits: &'static [i32],
    /// It says what a run cost.
    pub reports_cost: bool,
}

/// How the prompt goes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptWay {
    Stdin,
    /// As the value of this flag; a long one as a file that the agent is told to read.
    Argument(&'static str),
    /// In a file named by this flag.
    File(&'static str),
}
