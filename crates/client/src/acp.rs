/// How an editor drives a client over the Agent Client Protocol, JSON-RPC on standard input and output.
#[derive(Clone, Copy, Debug)]
pub struct Acp {
    /// What an editor starts: the client with an argument, or an adapter; empty if there is no such thing.
    pub start: &'static str,
    pub hooks: AcpHooks,
}

/// Which hooks a client calls while an editor drives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcpHooks {
    /// The same as elsewhere.
    Same,
    /// None at the start of a session, and none before or after a tool. Any of these words in its command line starts
    /// the mode.
    NoTools { words: &'static [&'static str] },
    /// Nobody saw it, and why, as a sentence.
    Unproven(&'static str),
}

impl Acp {
    /// A client whose hooks run as elsewhere.
    pub(crate) const fn same(start: &'static str) -> Self {
        Self { start, hooks: AcpHooks::Same }
    }

    /// What does not work while an editor drives the client, as a sentence without its subject; `None` if all does.
    pub fn loss(&self) -> Option<String> {
        match self.hooks {
            AcpHooks::NoTools { .. } => Some(format!(
                "started by an editor (`{}`), it calls no hook before or after a tool: guards, intents and loops are off, \
                 and no change is recorded",
                self.start
            )),
            AcpHooks::Same | AcpHooks::Unproven(_) => None,
        }
    }
}
