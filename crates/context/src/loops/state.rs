use serde::{Deserialize, Serialize};

use super::{LoopStatus, Owner, Starter};

/// One loop: its task, its limits, and its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    pub id: String,
    pub created_at: String,
    pub updated_at: String,
    pub status: LoopStatus,
    /// Why it is not active, or why it last changed.
    pub reason: Option<String>,
    /// The current iteration, from 1.
    pub iteration: u32,
    /// 0 means no limit.
    pub max_iterations: u32,
    /// The outcomes, any of which ends the loop; empty if only the check or a limit does.
    pub promises: Vec<String>,
    pub source_packet_id: Option<String>,
    /// A command that must also succeed.
    pub verify: Option<String>,
    pub verify_seconds: u32,
    /// What `stead run` goes on with where the client allows no further block: `stage work`.
    pub then_run: Option<String>,
    /// 0 means no limit.
    pub max_minutes: u32,
    /// The loop pauses after this many equal answers. 0 means never.
    pub max_repeats: u32,
    pub started_by: Starter,
    /// The session it belongs to; without one it blocks nobody.
    pub lease: Option<Lease>,
    pub counts: Counts,
}

impl Loop {
    pub const MAX_ITERATIONS: u32 = 25;
    pub const MAX_REPEATS: u32 = 3;
    /// Below the time that clients grant at a stop.
    pub const VERIFY_SECONDS: u32 = 300;
    pub const MOST_VERIFY_SECONDS: u32 = 550;

    /// The name of the run that the loop is handed over to.
    pub fn run_name(&self) -> String {
        // The readable part of an id may have letters that no run has.
        format!("loop-{}", self.id.split('-').next().unwrap_or_default().to_lowercase())
    }

    /// How many iterations are left; `None` if there is no limit.
    pub fn left(&self) -> Option<u32> {
        (self.max_iterations > 0).then(|| self.max_iterations.saturating_sub(self.iteration))
    }

    /// The iteration as people read it: `3 of 25`.
    pub fn progress(&self) -> String {
        match self.max_iterations {
            0 => format!("{}", self.iteration),
            most => format!("{} of {most}", self.iteration),
        }
    }
}

/// The session a loop belongs to, and until when: a session that never returns must not keep it forever.
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

/// What is remembered from one stop to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Stops blocked in a row within the current turn.
    pub holds: u32,
    /// How often the last answer was given in a row.
    pub repeats: u32,
    /// A hash of the last answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Length and hash of everything said in this turn, for clients that send it repeatedly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heard: Option<(usize, String)>,
    /// Milliseconds the loop was active; setting the clock back neither ends nor prolongs it.
    pub active_ms: i64,
    /// The time of the last stop, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen_ms: Option<i64>,
}
