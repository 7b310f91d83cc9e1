stead_model::named! {
    /// The ten sections of a packet, in the order in which tools expect them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Heading {
        Intent = "Intent",
        Context = "Context",
        Constraints = "Constraints",
        Decisions = "Decisions",
        RelevantFiles = "Relevant Files",
        NextPrompt = "Next Prompt (Draft)",
        Plan = "Plan",
        Validators = "Validators / Exit Criteria",
        OpenQuestions = "Open Questions",
        Notes = "Notes",
    }
}

impl Heading {
    /// Recognises a packet's heading, whatever its case and punctuation.
    pub fn recognise(title: &str) -> Option<Self> {
        let title = plain(title);
        let same = |heading: &Self| title == plain(heading.name()) || format!("{title}draft") == plain(heading.name());
        Self::ALL.into_iter().find(same)
    }

    /// Guesses which section is meant by a heading or key of a document that is not a packet yet.
    pub fn guess(title: &str) -> Option<Self> {
        Some(match plain(title).as_str() {
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

/// Letters and digits only, in lower case.
fn plain(title: &str) -> String {
    title.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_title_is_recognised() {
        for heading in Heading::ALL {
            assert_eq!(Heading::recognise(heading.name()), Some(heading));
            assert_eq!(Heading::recognise(&heading.name().to_uppercase()), Some(heading));
            assert_eq!(Heading::guess(heading.name()), Some(heading));
        }
        assert_eq!(Heading::recognise("next prompt:"), Some(Heading::NextPrompt));
        for own in ["My own section", "State", "Files", ""] {
            assert_eq!(Heading::recognise(own), None, "{own}");
        }
        assert_eq!(Heading::guess("Current state"), Some(Heading::Context));
    }
}
