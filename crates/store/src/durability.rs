/// How durable a write is when the call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Survives a killed process, not a power cut. For the hook path.
    Quick,
    /// Survives a power cut.
    Synced,
}
