stead_model::named! {
    /// Why a packet was written.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum PacketKind {
        /// Somebody hands work over.
        Handoff = "handoff",
        /// Stead saved the state by itself, before a compaction.
        Snapshot = "snapshot",
    }
}
