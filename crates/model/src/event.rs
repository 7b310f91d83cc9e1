use std::borrow::Cow;

use crate::ToolCall;

crate::named! {
    /// What happened, in words that hold for every harness, in the order in which a session meets them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum EventKind {
        SessionStart = "session-start",
        SessionEnd = "session-end",
        Prompt = "prompt",
        BeforeTool = "before-tool",
        PermissionRequest = "permission-request",
        AfterTool = "after-tool",
        ToolFailed = "tool-failed",
        Stop = "stop",
        StopFailed = "stop-failed",
        SubagentStart = "subagent-start",
        SubagentStop = "subagent-stop",
        BeforeCompact = "before-compact",
        AfterCompact = "after-compact",
        ConfigChange = "config-change",
        Notification = "notification",
        Other = "other",
    }
}

impl EventKind {
    /// Says whether something still lies ahead that a gate could prevent. Only there does a broken gate fail closed.
    pub fn is_gated(self) -> bool {
        matches!(self, Self::BeforeTool | Self::PermissionRequest | Self::ConfigChange)
    }
}

/// One thing a harness told us. It borrows from the payload, because it lives for one hook call only.
#[derive(Clone, Debug, PartialEq)]
pub struct Event<'a> {
    pub kind: EventKind,
    /// The client's own name for the event; replies must repeat it.
    pub native: Cow<'a, str>,
    /// The session id as it arrived, unchecked. See [`crate::FileId`] before it becomes a file name.
    pub session: Option<Cow<'a, str>>,
    /// The session that started this one as a sub-agent, if the event tells; later events of the same session do not.
    pub caller: Option<Cow<'a, str>>,
    /// Present when a sub-agent speaks, or when the event is about one.
    pub agent: Option<Agent<'a>>,
    /// Where the agent stands now; relative paths in the action start here.
    pub cwd: Option<Cow<'a, str>>,
    /// The project folder, where the payload itself names one.
    pub project: Option<Cow<'a, str>>,
    pub transcript: Option<Cow<'a, str>>,
    /// The model that the agent uses, as `provider/model` if the client tells both.
    pub model: Option<Cow<'a, str>>,
    pub call: Option<ToolCall<'a>>,
    /// What the tool gave back, as the payload's own JSON text, unread. `client` knows how to read it.
    pub result: Option<Cow<'a, str>>,
    /// The client's id of the prompt that the turn answers.
    pub prompt: Option<Cow<'a, str>>,
    /// The command of Stead that a person typed, if the event proves it.
    pub typed: Option<TypedCommand<'a>>,
    /// The client will send itself a prompt later, which looks like a person's.
    pub scheduled: bool,
    pub detail: Detail<'a>,
}

impl<'a> Event<'a> {
    /// The event of a session of its own that a sub-agent has, as one of the session that started it, as in other clients.
    #[must_use]
    pub fn of_sub_agent(self, caller: Cow<'a, str>) -> Self {
        let kind = match self.kind {
            EventKind::SessionStart => EventKind::SubagentStart,
            EventKind::Stop => EventKind::SubagentStop,
            EventKind::SessionEnd => EventKind::Other,
            kind => kind,
        };
        let detail = match self.detail {
            Detail::Prompt { text, .. } => Detail::Prompt { text, author: Author::Machine },
            detail => detail,
        };
        let role = self.agent.and_then(|agent| agent.role);
        let agent = Some(Agent { id: self.session, role });
        Self { kind, detail, agent, session: Some(caller), typed: None, ..self }
    }

    /// Starts an event of which only kind and native name are known.
    pub fn new(kind: EventKind, native: impl Into<Cow<'a, str>>) -> Self {
        Self {
            kind,
            native: native.into(),
            session: None,
            caller: None,
            agent: None,
            cwd: None,
            project: None,
            transcript: None,
            model: None,
            call: None,
            result: None,
            prompt: None,
            typed: None,
            scheduled: false,
            detail: Detail::None,
        }
    }
}

/// A command of Stead as a person typed it in a client: `/stead:loop cancel x` is `loop` with `cancel x`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedCommand<'a> {
    pub name: Cow<'a, str>,
    /// The text after the command, unparsed.
    pub arguments: Cow<'a, str>,
}

/// A sub-agent: its id within the session and the role it was spawned for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agent<'a> {
    pub id: Option<Cow<'a, str>>,
    pub role: Option<Cow<'a, str>>,
}

/// Who wrote a prompt. Several clients raise the prompt event for text that a hook injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    Person,
    Machine,
    Unknown,
}

/// What set off a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    Manual,
    Automatic,
    Unknown,
}

/// What only some kinds of event carry.
#[derive(Clone, Debug, PartialEq)]
pub enum Detail<'a> {
    None,
    /// How the session came to be: new, resumed, after a compaction.
    Start {
        source: Option<Cow<'a, str>>,
        /// The session this one continues under a new id.
        previous: Option<Cow<'a, str>>,
    },
    End {
        reason: Option<Cow<'a, str>>,
    },
    Prompt {
        text: Cow<'a, str>,
        author: Author,
    },
    /// A turn, or a sub-agent, is about to end.
    Stop {
        message: Option<Cow<'a, str>>,
        /// The client's hint that a hook already continued this turn once.
        again: bool,
        /// Sub-agents still at work in the background; the client goes on when one of them ends.
        waiting: usize,
    },
    Failed {
        error: Option<Cow<'a, str>>,
        /// The person interrupted it.
        interrupted: bool,
    },
    Compact {
        trigger: Trigger,
    },
    /// A settings file changed on disk.
    Config {
        source: Option<Cow<'a, str>>,
        path: Option<Cow<'a, str>>,
    },
    Notice {
        text: Option<Cow<'a, str>>,
    },
}
