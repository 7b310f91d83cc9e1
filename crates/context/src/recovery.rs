use std::path::Path;

use crate::RoleName;

/// A document that a role reads besides its own file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleDocument {
    pub name: &'static str,
    /// Relative to the project root.
    pub path: String,
    pub exists: bool,
}

/// Placeholder for the role in the path of a document.
const PLACE: &str = "{role}";

/// The documents of a role, from the paths in the settings; an empty path means none.
pub fn role_documents(root: &Path, role: &RoleName, skill: &str, architecture: &str) -> Vec<RoleDocument> {
    [("skill", skill), ("architecture", architecture)]
        .into_iter()
        .filter(|(_, path)| !path.trim().is_empty())
        .map(|(name, path)| {
            let path = path.replace(PLACE, role.as_str());
            RoleDocument { name, exists: root.join(&path).is_file(), path }
        })
        .collect()
}

/// Everything a role needs to recover.
#[derive(Clone, Debug)]
pub struct Recovery<'a> {
    pub role: &'a RoleName,
    /// The role file's name as shown to people, and its text if it exists.
    pub file: &'a str,
    pub text: Option<&'a str>,
    pub documents: &'a [RoleDocument],
    /// What the role should know about how it got here.
    pub notes: &'a [String],
}

impl Recovery<'_> {
    /// Renders the recovery in at most this many bytes. The checklist is the same for every role; only the role file is
    /// cut, at a line end, with a note on where to read the rest.
    pub fn render(&self, most: usize) -> String {
        let Self { role, file, .. } = self;
        let mut head = format!("Recovery of the role `{role}`. Do these steps before anything else:\n");
        let mut steps = vec![match self.text {
            Some(_) => "Read the whole role file below.".to_owned(),
            None => {
                format!("There is no role file `{file}`: collect what you know and write it (`stead role new {role}`).")
            }
        }];
        for RoleDocument { name, path, exists } in self.documents {
            let missing = if *exists { "" } else { " (missing)" };
            steps.push(format!("Read the {name} document: {path}{missing}"));
        }
        steps.push("Follow the \"Recovery Steps\" of the role file in order.".into());
        steps.push("Check what has changed (`git status`), then continue with the pending work.".into());
        for (number, step) in steps.iter().enumerate() {
            head.push_str(&format!("{}. {step}\n", number + 1));
        }
        for note in self.notes {
            head.push_str(&format!("Note: {note}\n"));
        }
        let end = format!("Recovery complete: the role `{role}` is active.\n");
        let Some(text) = self.text else { return head + &end };
        let (open, close) = (format!("\n----- {file} -----\n"), "----- end of the role file -----\n");
        let room = most.saturating_sub(head.len() + open.len() + close.len() + end.len() + 2);
        format!("{head}{open}{}{close}{end}", fitted(text, file, room))
    }
}

/// The text if it fits, else its first whole lines and where the rest is.
fn fitted(text: &str, file: &str, room: usize) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut shown = text.trim_end().to_owned();
    if shown.len() > room {
        let cut = format!("… (cut here; read the rest of `{file}`)");
        let mut end = room.saturating_sub(cut.len() + 1).min(shown.len());
        while !shown.is_char_boundary(end) {
            end -= 1;
        }
        shown.truncate(shown[..end].rfind('\n').map_or(0, |line| line + 1));
        shown.push_str(&cut);
    }
    shown.push('\n');
    shown
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn role() -> RoleName {
        RoleName::check("tester").unwrap()
    }

    fn render(text: Option<&str>, most: usize) -> String {
        let documents = role_documents(Path::new("/nowhere"), &role(), "agents/{role}/SKILL.md", "");
        let notes = ["the role file was not saved".to_owned()];
        let role = role();
        Recovery { role: &role, file: "roles/tester.context.md", text, documents: &documents, notes: &notes }
            .render(most)
    }

    #[test]
    fn a_recovery_says_everything_in_one_order() {
        let said = render(Some("# T — Context\nbody\n"), usize::MAX);
        let order = [
            "1. Read the whole role file below",
            "2. Read the skill document: agents/tester/SKILL.md (missing)",
            "3. Follow the",
            "4. Check what",
            "Note: the role file was not saved",
            "----- roles/tester.context.md -----\n# T — Context\nbody\n",
            "Recovery complete: the role `tester` is active.",
        ];
        let places: Vec<_> =
            order.iter().map(|part| said.find(part).unwrap_or_else(|| panic!("{part}\n{said}"))).collect();
        assert!(places.is_sorted(), "{said}");
        assert!(render(None, usize::MAX).contains("stead role new tester"));
    }

    proptest! {
        #[test]
        fn a_recovery_keeps_to_its_room(text in "(é{1,30}\n){0,200}", most in 1_000usize..4_000) {
            let said = render(Some(&text), most);
            prop_assert!(said.len() <= most, "{} > {most}", said.len());
            prop_assert!(said.ends_with("is active.\n"));
        }
    }
}
