use crate::report::{self, Report};

/// How an agent program is run without a person, as data. It is the provider of a run's stage.
pub struct Headless {
    /// Always given: no questions, edits accepted, output for programs. Hooks run under all of them.
    pub args: &'static [&'static str],
    /// What the agent may do under these, in a sentence for people; further arguments may widen it.
    pub may: &'static str,
    pub prompt: PromptWay,
    /// Given last, after what a person adds.
    pub last_args: &'static [&'static str],
    /// Variables by which the program's children know that they are inside one of its sessions, beside those in
    /// [`Facts`](crate::Facts). No agent gets them from the engine, which may itself be started from such a session.
    pub session_vars: &'static [&'static str],
    /// Only lines of output with one of these are looked at.
    pub heed: &'static [&'static str],
    /// Reads these lines.
    pub read: fn(said: &str) -> Report,
    /// Exit codes by which it says that its model's provider will not work for now.
    pub quota_exits: &'static [i32],
    /// It says what a run cost.
    pub reports_cost: bool,
}

impl Headless {
    /// Every known program names a model by this flag.
    pub const MODEL_FLAG: &'static str = "--model";

    /// What most of them have in common: the prompt on standard input, and a `result` as the last line.
    pub(crate) const PLAIN: Self = Self {
        args: &[],
        may: "",
        prompt: PromptWay::Stdin,
        last_args: &[],
        session_vars: &[],
        heed: &[r#""type":"result""#, r#""subtype":"init""#],
        read: report::result_lines,
        quota_exits: &[],
        reports_cost: false,
    };
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
