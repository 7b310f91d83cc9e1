/// A folder of the project with one purpose. `[layout]` can move each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Room {
    Context,
    Roles,
    Intents,
    Stages,
    Pipelines,
    Runs,
    Features,
    Guards,
    Graph,
    Cache,
}

impl Room {
    pub const ALL: [Self; 10] = [
        Self::Context,
        Self::Roles,
        Self::Intents,
        Self::Stages,
        Self::Pipelines,
        Self::Runs,
        Self::Features,
        Self::Guards,
        Self::Graph,
        Self::Cache,
    ];

    /// Names the room as in `[layout]`.
    pub fn name(self) -> &'static str {
        &self.key()["layout.".len()..]
    }

    /// Names the setting that moves the room.
    pub fn key(self) -> &'static str {
        match self {
            Self::Context => "layout.context",
            Self::Roles => "layout.roles",
            Self::Intents => "layout.intents",
            Self::Stages => "layout.stages",
            Self::Pipelines => "layout.pipelines",
            Self::Runs => "layout.runs",
            Self::Features => "layout.features",
            Self::Guards => "layout.guards",
            Self::Graph => "layout.graph",
            Self::Cache => "layout.cache",
        }
    }

    /// The default path of the room.
    pub fn default_path(self) -> &'static str {
        match self {
            Self::Context => ".agent/context",
            Self::Roles => ".agent/roles",
            Self::Intents => ".agent/intents",
            Self::Stages => ".agent/stages",
            Self::Pipelines => ".agent/pipelines",
            Self::Runs => ".agent/runs",
            Self::Features => ".agent/features",
            Self::Guards => ".agent/guards",
            Self::Graph => ".agent/graph",
            Self::Cache => ".agent/cache",
        }
    }
}
