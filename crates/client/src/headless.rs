use crate::report::{self, Report};

/// How an agent program is run headless, as the provider of a run's stage.
pub struct Headless {
    /// Always given: no questions, edits accepted, output for programs. Hooks run under all of them.
    pub args: &'static [&'static str],
    /// What the agent may do with these arguments, in a sentence for people; further arguments may extend it.
    pub may: &'static str,
    pub prompt: PromptWay,
    /// Given last, after what a person adds.
    pub last_args: &'static [&'static str],
    /// Variables that tell the program's children that they are inside one of its sessions, in addition to those in
    /// [`Facts`](crate::Facts). The engine, which may itself run in such a session, removes them for its agents.
    pub session_vars: &'static [&'static str],
    /// Only lines of output that contain one of these are parsed.
    pub heed: &'static [&'static str],
    /// Reads these lines.
    pub read: fn(said: &str) -> Report,
    /// Exit codes that mean that its model's provider is temporarily unavailable.
    pub quota_exits: &'static [i32],
    /// It reports the cost of a run.
    pub reports_cost: bool,
    /// It says when an exhausted quota is renewed.
    pub states_quota_end: bool,
}

impl Headless {
    /// Every known program selects a model with this flag.
    pub const MODEL_FLAG: &'static str = "--model";

    /// The most common form: the prompt on standard input, and a `result` as the last line.
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
        states_quota_end: false,
    };
}

/// How the prompt is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptWay {
    Stdin,
    /// As the value of this flag; a long one as a file that the agent is told to read.
    Argument(&'static str),
    /// In a file named by this flag.
    File(&'static str),
}
