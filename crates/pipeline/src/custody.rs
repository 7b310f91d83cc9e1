//! Custody of agents: each is started in its own session, watched, its output read within limits, and ended together
//! with everything it started.
//!
//! A process is ended only if it is proven to belong to an agent of this run: by descent, or by the run's id in its
//! environment, and by its process id together with its start time. Custody never judges what an agent did.

#[cfg(unix)]
mod agent;
mod agent_end;
mod bounds;
mod cancel;
mod captured;
#[cfg(unix)]
mod descendants;
mod launch;
mod log;
#[cfg(not(unix))]
mod plain;
#[cfg(unix)]
mod registry;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod shutdown;
mod signal;
mod started;
#[cfg(unix)]
mod survivor;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

pub use agent_end::{AgentEnd, How};
pub use cancel::{Cancel, Urgency};
pub(crate) use captured::Captured;
pub use launch::{Capture, Launch};
#[cfg(not(unix))]
pub(crate) use plain::living_engine;
#[cfg(not(unix))]
pub use plain::{Ended, count_survivors, end_survivors, run};
#[cfg(unix)]
pub use run::run;
pub use signal::cancel_on_signals;
pub use started::Started;
#[cfg(unix)]
pub(crate) use survivor::living_engine;
#[cfg(unix)]
pub use survivor::{Ended, count_survivors, end_survivors};
