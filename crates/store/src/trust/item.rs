use super::sha256;

stead_model::named! {
    /// What an item is, which decides what it could do.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ItemKind {
        /// Settings of the project.
        Config = "config",
        Guard = "guard",
        /// A file of a stage.
        Stage = "stage",
        Pipeline = "pipeline",
        /// The plan of a run.
        Plan = "plan",
        /// The commands that verify one feature.
        Verifiers = "verifiers",
        Packet = "packet",
        Loop = "loop",
        Role = "role",
        Lesson = "lesson",
        /// A note for the next session.
        Note = "note",
        /// A person's override of a guard.
        Override = "override",
    }
}

impl ItemKind {
    /// Returns true if agents and Stead itself write such items all the time. Others are definitions, which people
    /// write.
    pub fn is_written_by_agents(self) -> bool {
        match self {
            Self::Config | Self::Guard | Self::Stage | Self::Pipeline => false,
            Self::Plan
            | Self::Verifiers
            | Self::Packet
            | Self::Loop
            | Self::Role
            | Self::Lesson
            | Self::Note
            | Self::Override => true,
        }
    }
}

/// Finds the items in a file's content; the path becomes a part of their names.
pub(crate) type Extract = fn(path: &str, content: &[u8]) -> Vec<TrustItem>;

/// Something that needs trust: a file, or the part of one that matters.
#[derive(Clone, Debug)]
pub struct TrustItem {
    /// The file's path below the root, with forward slashes; for a part, followed by `#` and the part's name.
    pub name: String,
    pub kind: ItemKind,
    /// What is trusted: the whole content, or what matters of it.
    pub content: Vec<u8>,
    /// How to find it in another version of the file; `None` for a whole file.
    extract: Option<Extract>,
}

impl TrustItem {
    /// A whole file.
    pub fn file(kind: ItemKind, path: &str, content: Vec<u8>) -> Self {
        Self { name: path.to_owned(), kind, content, extract: None }
    }

    /// What matters of a file. `extract` finds it again in other versions of the file.
    pub fn extracted(kind: ItemKind, name: String, content: Vec<u8>, extract: Extract) -> Self {
        Self { name, kind, content, extract: Some(extract) }
    }

    /// The path of its file.
    pub fn path(&self) -> &str {
        self.name.split('#').next().unwrap_or_default()
    }

    pub fn sha256(&self) -> String {
        sha256(&self.content)
    }

    pub(super) fn extract(&self) -> Option<Extract> {
        self.extract
    }
}
