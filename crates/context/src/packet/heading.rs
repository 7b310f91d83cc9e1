/// The ten sections of a packet, in the order in which tools expect them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Heading {
    Intent,
    Context,
    Constraints,
    Decisions,
    RelevantFiles,
    NextPrompt,
    Plan,
    Validators,
    OpenQuestions,
    Notes,
}

impl Heading {
    pub const ALL: [Self; 10] = [
        Self::Intent,
        Self::Context,
        Self::Constraints,
        Self::Decisions,
        Self::RelevantFiles,
        Self::NextPrompt,
        Self::Plan,
        Self::Validators,
        Self::OpenQuestions,
        Self::Notes,
    ];

    /// The heading as it stands in a packet.
    pub fn title(self) -> &'static str {
        match self {
            Self::Intent => "Intent",
            Self::Context => "Context",
            Self::Constraints => "Constraints",
            Self::Decisions => "Decisions",
            Self::RelevantFiles => "Relevant Files",
            Self::NextPrompt => "Next Prompt (Draft)",
            Self::Plan => "Plan",
            Self::Validators => "Validators / Exit Criteria",
            Self::OpenQuestions => "Open Questions",
            Self::Notes => "Notes",
        }
    }

    /// Recognises a heading that a person or an agent wrote in their own way.
    pub fn recognise(title: &str) -> Option<Self> {
        let plain: String =
            title.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
        Some(match plain.as_str() {
            "intent" | "goal" | "goals" => Self::Intent,
            "context" | "state" | "currentstate" => Self::Context,
            "constraints" | "constraint" => Self::Constraints,
            "decisions" | "decision" => Self::Decisions,
            "relevantfiles" | "files" => Self::RelevantFiles,
            "nextpromptdraft" | "nextprompt" => Self::NextPrompt,
            "plan" | "nextsteps" => Self::Plan,
            "validatorsexitcriteria" | "validators" | "exitcriteria" => Self::Validators,
            "openquestions" | "questions" => Self::OpenQuestions,
            "notes" | "note" => Self::Notes,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_title_is_recognised() {
        for heading in Heading::ALL {
            assert_eq!(Heading::recognise(heading.title()), Some(heading));
            assert_eq!(Heading::recognise(&heading.title().to_uppercase()), Some(heading));
        }
        assert_eq!(Heading::recognise("next prompt:"), Some(Heading::NextPrompt));
        assert_eq!(Heading::recognise("My own section"), None);
    }
}
