use std::time::Duration;

/// How much and how long an agent may; tests have tighter ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// So much of the beginning of an output goes into the log …
    pub(crate) head: usize,
    /// … and so much of its end.
    pub(crate) tail: usize,
    /// How long a process may take to end once it was asked to.
    pub(crate) grace: Duration,
    /// How long what an agent left behind may take to end unasked: some do not wait for their last hooks.
    pub(crate) linger: Duration,
}

impl Bounds {
    pub(crate) const USUAL: Self =
        Self { head: 12 << 20, tail: 4 << 20, grace: Duration::from_secs(5), linger: Duration::from_secs(2) };
}
