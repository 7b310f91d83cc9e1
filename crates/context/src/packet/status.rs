stead_model::named! {
    /// The status of a packet.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Status {
        Draft = "draft",
        Active = "active",
        Done = "done",
        Blocked = "blocked",
    }
}
