macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$of])* $variant,)+ }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// Reads exactly one of the words.
            pub fn named(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.word())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                Self::named(&word).ok_or_else(|| {
                    let expected = stead_model::expected_one_of(Self::ALL.iter().map(|one| one.word()));
                    serde::de::Error::custom(format!("unknown word `{word}`; {expected}"))
                })
            }
        }
    };
}
pub(crate) use words;

words! {
    /// How far a feature is.
    Status {
        /// Nobody works on it.
        Pending "pending",
        /// A coding agent has a claim on it.
        Claimed "claimed",
        /// It is written, but not tested.
        Implemented "implemented",
        /// It is proven.
        Tested "tested",
        /// It waits for what `blocked_on` names.
        Blocked "blocked",
        /// A person decided against it.
        Skipped "skipped",
    }
}

words! {
    /// What a blocked feature waits for.
    BlockedOn {
        Human "human",
        Quota "quota",
        Dependency "dependency",
        Verifier "verifier",
    }
}

impl Status {
    /// Reads the status of an entry. `tested` decides whether it is tested, because that is what guards protect. A word
    /// of an earlier version is read as what it meant; `None` if the word is unknown.
    pub fn of(word: &str, tested: bool) -> Option<Self> {
        let word = word.trim();
        let status = match word {
            "" => Some(Self::Pending),
            "completed" | "coded" => Some(Self::Implemented),
            word => Self::named(word),
        };
        match (status, tested) {
            (Some(Self::Tested), false) => Some(Self::Implemented),
            (Some(Self::Blocked | Self::Skipped), true) | (_, false) => status,
            (Some(_), true) => Some(Self::Tested),
            (None, true) => None,
        }
    }

    /// Returns true if dependents may start: it is tested, or a person decided to do without it.
    pub fn satisfies(self) -> bool {
        matches!(self, Self::Tested | Self::Skipped)
    }
}
