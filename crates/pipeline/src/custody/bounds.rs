use std::time::Duration;

/// Limits for an agent; tests use tighter ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// How much of the beginning of the output goes into the log …
    pub(crate) head: usize,
    /// … and how much of its end.
    pub(crate) tail: usize,
    /// How long a process may take to end after SIGTERM.
    pub(crate) grace: Duration,
    /// How long processes that an agent left behind may take to end by themselves: some clients do not wait for their
    /// last hooks.
    pub(crate) linger: Duration,
}

impl Bounds {
    pub(crate) const USUAL: Self =
        Self { head: 12 << 20, tail: 4 << 20, grace: Duration::from_secs(5), linger: Duration::from_secs(2) };
}
