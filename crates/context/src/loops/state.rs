use serde::{Deserialize, Serialize};

use super::{LoopStatus, Owner, Starter};

/// One loop: what is to be done, for how long, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    pub id: String,
    pub created_at: String,
    pub updated_at: String,
    pub status: LoopStatus,
    /// Why it is not active, or why it was changed last.
    pub reason: Option<String>,
    /// The round the agent works on, from 1.
    pub iteration: u32,
    /// 0 is no limit.
    pub max_iterations: u32,
    /// The outcomes, any of which ends the loop; none when only the check or a bound does.
    pub promises: Vec<String>,
    pub source_packet_id: Option<String>,
    /// A command that must succeed as well.
    pub verify: Option<String>,
    pub verify_seconds: u32,
    /// 0 is no limit.
    pub max_minutes: u32,
    /// So many times the same answer, and the loop pauses. 0 is never.
    pub max_repeats: u32,
    pub started_by: Starter,
    /// The session it holds; none holds nobody.
    pub lease: Option<Lease>,
    pub counts: Counts,
}

impl Loop {
    pub const MAX_ITERATIONS: u32 = 25;
    pub const MAX_REPEATS: u32 = 3;
    /// Below the time that clients grant at a stop.
    pub const VERIFY_SECONDS: u32 = 300;
    pub const MOST_VERIFY_SECONDS: u32 = 550;

    /// The round as people read it: `3 of 25`.
    pub fn progress(&self) -> String {
        match self.max_iterations {
            0 => format!("{}", self.iteration),
            most => format!("{} of {most}", self.iteration),
        }
    }
}

/// Whom a loop holds, and until when it may: a session that never comes back must not keep it for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    pub owner: Owner,
    pub started: String,
    pub expires: String,
}

impl Lease {
    /// How long a session may be silent.
    pub const MILLIS: i64 = 24 * 3600 * 1000;
}

/// What the engine remembers from one stop to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Stops held in a row within the present turn.
    pub holds: u32,
    /// How often the last answer was given in a row.
    pub repeats: u32,
    /// A mark of the last answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Length and mark of all that was said in this turn, for clients that send it again and again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heard: Option<(usize, String)>,
    /// Milliseconds the loop was at work, counted so that a clock that is set back neither ends nor prolongs it.
    pub active_ms: i64,
    /// When the engine last looked, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen_ms: Option<i64>,
}
