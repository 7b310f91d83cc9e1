macro_rules! rooms {
    ($($room:ident $name:literal,)+) => {
        /// A folder of the project with one purpose. `[layout]` can move each of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Room {
            $($room,)+
        }

        impl Room {
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$room),+];

            /// Names the room as in `[layout]`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$room => $name,)+
                }
            }

            /// Names the setting that moves the room.
            pub fn key(self) -> &'static str {
                match self {
                    $(Self::$room => concat!("layout.", $name),)+
                }
            }

            /// The default path of the room.
            pub fn default_path(self) -> &'static str {
                match self {
                    $(Self::$room => concat!(".agent/", $name),)+
                }
            }
        }
    };
}

rooms! {
    Context "context",
    Roles "roles",
    Intents "intents",
    Stages "stages",
    Pipelines "pipelines",
    Runs "runs",
    Features "features",
    Guards "guards",
    Graph "graph",
    Cache "cache",
}
