stead_model::named! {
    /// What a sealed file is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Kind {
        Marker = "marker",
        Config = "config",
        Guard = "guard",
        Intents = "intents",
        IntentIgnore = "intent-ignore",
        Features = "features",
        Overrides = "overrides",
        Settings = "settings",
        Cache = "cache",
    }
}
