stead_model::named! {
    /// A role whose results have a form.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ReturnRole {
        Initializer = "initializer-agent",
        Coding = "coding-agent",
        Tester = "tester-agent",
    }
}

/// A field that a role owes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: &'static str,
    /// The labels that count, as words in lower case. A longer label counts if it contains one of them.
    pub(super) labels: &'static [&'static str],
    /// Words at the start of a line that are the field by themselves.
    pub(super) words: &'static [&'static str],
}

const fn field(name: &'static str, labels: &'static [&'static str]) -> Field {
    Field { name, labels, words: &[] }
}

const CODING: [Field; 3] = [
    field("Files changed", &["files", "file changes", "changes made", "changed"]),
    field("Tests run", &["tests", "test run", "test results", "test result", "testing", "tested"]),
    field("Issues found", &["issues", "problems", "bugs", "known limitations", "open questions"]),
];

const TESTER: [Field; 3] = [
    field("Test results", &["tests", "test results", "test result", "results", "testing", "checks"]),
    field("Evidence paths", &["evidence", "screenshots", "artifacts", "artefacts"]),
    Field {
        name: "Verdict",
        labels: &["verdict", "pass fail", "result", "status", "outcome", "conclusion"],
        words: &["passed", "failed", "pass", "fail"],
    },
];

const INITIALIZER: [Field; 3] = [
    field("Feature list", &["feature", "features"]),
    field("Setup summary", &["setup", "set up", "summary", "environment"]),
    field("Next steps", &["next", "next step", "next steps", "what is next"]),
];

impl ReturnRole {
    /// How many tokens a result may have.
    pub const fn budget(self) -> usize {
        match self {
            Self::Initializer => 1_500,
            Self::Coding | Self::Tester => 1_000,
        }
    }

    /// The role of an agent, by the names that the included guards use; `None` if its results have no form.
    pub fn of_agent(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let has = |word: &str| name.split(['-', '_', ' ']).any(|part| part == word);
        match () {
            () if has("coder") || has("coding") => Some(Self::Coding),
            () if has("tester") => Some(Self::Tester),
            () if has("initializer") => Some(Self::Initializer),
            () => None,
        }
    }

    pub(super) fn fields(self) -> &'static [Field; 3] {
        match self {
            Self::Initializer => &INITIALIZER,
            Self::Coding => &CODING,
            Self::Tester => &TESTER,
        }
    }
}

/// Returns true if a label contains one of several word sequences.
pub(super) fn is_labelled(label: &str, labels: &[&str]) -> bool {
    let label = format!(" {label} ");
    labels.iter().any(|known| label.contains(&format!(" {known} ")))
}

/// Returns true if a label is a field of any role.
pub(super) fn is_known(label: &str) -> bool {
    [CODING, TESTER, INITIALIZER].iter().flatten().any(|field| is_labelled(label, field.labels))
}
