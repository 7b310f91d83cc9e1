/// Whether a record is one that Stead wrote in this checkout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Nobody has looked it up in the log. It proves nothing.
    #[default]
    Unchecked,
    /// The log's chain vouches for it.
    Vouched,
    /// It was changed, merged in or copied, or nothing vouches for it. It is shown and supports a claim, and proves
    /// nothing.
    Foreign { why: String },
}

impl Trust {
    pub(crate) fn foreign(why: impl Into<String>) -> Self {
        Self::Foreign { why: why.into() }
    }
}
