use serde_json::Value;

/// What the server needs of the program around it.
///
/// Each call runs in a thread of its own, so several may run at the same time.
pub trait Commands: Send + Sync + 'static {
    /// Runs a command, given as the words after `stead`. `call` is the call of a tool that it is run for; it belongs to
    /// the session that a hook saw make it. Never for a person. Fails with a text for the agent.
    fn run(&self, words: &[String], call: Option<&ToolCall<'_>>) -> Result<Answer, String>;

    /// The instructions of the command that people type in clients, such as `handoff`, with their arguments.
    fn instructions(&self, command: &str, arguments: &str) -> Option<String>;
}

/// A call of a tool.
#[derive(Clone, Copy, Debug)]
pub struct ToolCall<'a> {
    pub tool: &'a str,
    pub input: &'a Value,
    /// What the tool does or answers depends on the session, so a call that may belong to several is refused.
    pub needs_session: bool,
    /// It changes something, so what is due after a change is done as well.
    pub changes: bool,
}

/// What a command answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Its JSON, if it was asked for that.
    pub json: Option<Value>,
    /// Its text otherwise.
    pub text: String,
}
