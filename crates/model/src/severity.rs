crate::named! {
    /// How serious a finding about a file is, weakest first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Severity {
        /// The file works, but somebody should look.
        Warning = "warning",
        /// The file, or the part in question, has no effect.
        Error = "error",
    }
}
