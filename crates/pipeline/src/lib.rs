//! The engine: stages and pipelines of agents, the plan of a run, and the run itself.
//!
//! A run fails fast and says how, continues where it stopped, and keeps what its agents wrote. It never prints and never
//! interprets an agent's prose.

mod plan;

pub use plan::{
    Branch, Guardrails, Input, Join, Node, OnLimit, OnQuota, Outcome, Plan, Provider, Select, Source, Termination, When,
};
