//! A packet: what one session leaves for the next, as one Markdown file that a person can read and edit.
//!
//! Reading is tolerant: unknown keys and sections survive every edit byte for byte. [`lint`] checks packets.

mod chain;
mod command_list;
mod file_list;
mod fix;
mod head;
mod heading;
mod kind;
mod lint;
mod outline;
mod shelf;
mod status;

use std::collections::BTreeMap;

pub(crate) use chain::CHAIN_WARNING;
pub use chain::chain;
pub(crate) use command_list::commands;
pub use file_list::FileList;
pub(crate) use file_list::{item_path, item_text, listed, without_line};
pub use fix::{Fixed, fix};
use head::problems;
pub use heading::Heading;
pub use kind::PacketKind;
pub use lint::{Finding, lint};
pub(crate) use outline::{Fence, Fences, heading, unclosed_fence};
pub use outline::{Section, sections};
pub use shelf::{Listing, Shelf};
pub use status::Status;

use crate::{Document, FrontMatterError};

/// The content of an empty section.
pub const NOTHING: &str = "None recorded.";

/// One packet, as its file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    document: Document,
}

impl Packet {
    /// The size limit of a packet.
    pub const LIMIT: usize = 32 * 1024 * 1024;

    pub fn parse(text: impl Into<String>) -> Result<Self, FrontMatterError> {
        Ok(Self { document: Document::parse(text)? })
    }

    pub fn document(&self) -> &Document {
        &self.document
    }

    pub fn as_str(&self) -> &str {
        self.document.as_str()
    }

    /// A front matter value; empty and `null` count as missing.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.document.get(key).filter(|value| !value.is_empty() && *value != "null" && *value != "~")
    }

    pub fn purpose(&self) -> &str {
        self.get("purpose").unwrap_or("(no purpose)")
    }

    /// The status, if it is one of the four.
    pub fn status(&self) -> Option<Status> {
        self.get("status").and_then(Status::from_name)
    }

    /// Who wrote it; a packet without the key was written on purpose.
    pub fn kind(&self) -> PacketKind {
        self.get("kind").and_then(PacketKind::from_name).unwrap_or(PacketKind::Handoff)
    }

    /// A JSON list in the front matter; anything else counts as empty. [`Shelf`] returns no packet with anything else.
    pub fn list(&self, key: &str) -> Vec<String> {
        self.get(key).and_then(|value| serde_json::from_str(value).ok()).unwrap_or_default()
    }

    /// The files that matter: those of the front matter, and those that a person listed below `### Confirmed`.
    pub fn confirmed(&self) -> Vec<String> {
        self.files(FileList::Confirmed)
    }

    /// The files that may matter. One that is confirmed, too, is not among them.
    pub fn suggested(&self) -> Vec<String> {
        let confirmed = self.confirmed();
        let mut files = self.files(FileList::Suggested);
        files.retain(|path| !confirmed.contains(path));
        files
    }

    fn files(&self, list: FileList) -> Vec<String> {
        let mut files = self.list(list.key());
        let body = self.document.body();
        for (path, range) in listed(body, list) {
            if !body[range].contains(file_list::GONE) && !files.iter().any(|known| known == path) {
                files.push(path.to_owned());
            }
        }
        files
    }

    /// The commands that check the work: those of the front matter, and those of their section.
    pub fn validators(&self) -> Vec<String> {
        let mut all = self.list("validators");
        for command in self.section(Heading::Validators).map(commands).unwrap_or_default() {
            if !all.contains(&command) {
                all.push(command);
            }
        }
        all
    }

    /// The one command that verifies the work.
    pub fn verify(&self) -> Option<&str> {
        self.get("verify")
    }

    pub fn promise(&self) -> Option<&str> {
        self.get("loop_promise")
    }

    /// The loop's limit, if the packet has one. Zero means the default.
    pub fn max_iterations(&self) -> Option<u32> {
        self.get("loop_max_iterations").and_then(|value| value.parse().ok()).filter(|most| *most > 0)
    }

    /// The packet that this one continues.
    pub fn continues(&self) -> Option<&str> {
        self.get("continues")
    }

    /// The content hashes of the listed files at the time they were listed.
    pub fn hashes(&self) -> BTreeMap<String, String> {
        self.get("file_hashes").and_then(|value| serde_json::from_str(value).ok()).unwrap_or_default()
    }

    /// The text of a section, without surrounding blank lines. `None` if it is missing, empty or a placeholder.
    pub fn section(&self, heading: Heading) -> Option<&str> {
        let body = self.document.body();
        let mut found = sections(body).into_iter().filter(|section| section.level == 2);
        let section = found.find(|section| Heading::recognise(section.title) == Some(heading))?;
        Some(body[section.content].trim()).filter(|text| !text.is_empty() && *text != NOTHING)
    }

    /// The prompt that the next session should start with.
    pub fn next_prompt(&self) -> Option<&str> {
        self.section(Heading::NextPrompt)
    }

    /// The sections other than the ten, as title and text.
    pub fn other_sections(&self) -> Vec<(&str, &str)> {
        let body = self.document.body();
        let mut others = Vec::new();
        for section in sections(body).into_iter().filter(|section| section.level <= 2) {
            let text = body[section.content].trim();
            if Heading::recognise(section.title).is_none() && section.level == 2 && !text.is_empty() {
                others.push((section.title, text));
            }
        }
        others
    }

    /// Changes the packet's status. `now` is the time to record.
    pub fn set_status(&mut self, status: Status, now: &str) {
        self.document.set("status", status.name());
        self.document.set("updated_at", now);
    }

    /// Adds a file to the confirmed list, in the front matter and in its section, and removes it from the other one.
    pub fn confirm(&mut self, path: &str, hash: Option<&str>, now: &str) {
        self.change_list(FileList::Suggested, path, Listed::Absent);
        self.change_list(FileList::Confirmed, path, Listed::Present);
        self.set_hash(path, hash);
        self.document.set("updated_at", now);
    }

    /// Removes a file from both lists. `false` if it was on neither.
    pub fn drop_file(&mut self, path: &str, now: &str) -> bool {
        let before = self.document.clone();
        for list in FileList::ALL {
            self.change_list(list, path, Listed::Absent);
        }
        self.set_hash(path, None);
        if self.document == before {
            return false;
        }
        self.document.set("updated_at", now);
        true
    }

    fn change_list(&mut self, list: FileList, path: &str, wanted: Listed) {
        let mut paths = self.list(list.key());
        let before = paths.len();
        match wanted {
            Listed::Absent => paths.retain(|known| known != path),
            Listed::Present if !paths.iter().any(|known| known == path) => paths.push(path.to_owned()),
            Listed::Present => {}
        }
        if paths.len() != before {
            self.document.set(list.key(), &serde_json::to_string(&paths).unwrap_or_default());
        }
        let body = self.document.body();
        let changed = match wanted {
            Listed::Absent => file_list::without(body, list, path),
            Listed::Present => file_list::with(body, list, path),
        };
        if let Some(changed) = changed {
            self.document.set_body(&changed);
        }
    }

    fn set_hash(&mut self, path: &str, hash: Option<&str>) {
        let mut hashes = self.hashes();
        let old = match hash {
            Some(hash) => hashes.insert(path.to_owned(), hash.to_owned()),
            None => hashes.remove(path),
        };
        if old.as_deref() != hash {
            self.document.set("file_hashes", &serde_json::to_string(&hashes).unwrap_or_default());
        }
    }
}

#[derive(Clone, Copy)]
enum Listed {
    Present,
    Absent,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "---\nid: a\nstatus: draft\nupdated_at: old\nmine: keep  \nrelevant_files_suggested: [\"b.rs\"]\n---\n\
        ## Intent\nDo it.\n\n## Relevant Files\n### Confirmed\n\nNone recorded.\n\n### Suggested\n\n- `b.rs` edited\n\n\
        ## Next Prompt (Draft)\nGo on.\n\n## My own\nwords\n";

    #[test]
    fn a_packet_says_what_it_holds() {
        let packet = Packet::parse(TEXT).unwrap();
        assert_eq!(packet.status(), Some(Status::Draft));
        assert_eq!(packet.suggested(), ["b.rs"]);
        assert_eq!((packet.next_prompt(), packet.section(Heading::Plan)), (Some("Go on."), None));
        assert_eq!(packet.other_sections(), [("My own", "words")]);
    }

    #[test]
    fn confirming_moves_a_file_and_leaves_the_rest() {
        let mut packet = Packet::parse(TEXT).unwrap();
        packet.confirm("b.rs", Some("hash"), "new");
        let expected = TEXT
            .replace("updated_at: old", "updated_at: new")
            .replace("[\"b.rs\"]", "[]")
            .replace(
                "---\n## Intent",
                "relevant_files_confirmed: [\"b.rs\"]\nfile_hashes: {\"b.rs\":\"hash\"}\n---\n## Intent",
            )
            .replace("None recorded.", "- `b.rs`")
            .replace("- `b.rs` edited\n", "None recorded.\n");
        assert_eq!(packet.as_str(), expected);
        assert!(packet.drop_file("b.rs", "later"));
        assert!(!packet.drop_file("b.rs", "later still"));
        assert_eq!(packet.get("updated_at"), Some("later"));
        assert!(packet.confirmed().is_empty() && packet.hashes().is_empty());
    }

    #[test]
    fn nulls_are_nothing() {
        let packet = Packet::parse("---\nloop_promise: null\nloop_max_iterations: 0\nverify:\n---\n").unwrap();
        assert_eq!((packet.promise(), packet.max_iterations(), packet.verify()), (None, None, None));
        let packet = Packet::parse("---\nloop_max_iterations: 3\nvalidators: nonsense\n---\n").unwrap();
        assert_eq!((packet.max_iterations(), packet.validators().len()), (Some(3), 0));
    }

    proptest! {
        #[test]
        fn an_edit_changes_nothing_else(
            head in "(x_[a-z]{1,4}[0-9]: [^\r\n]{0,12}\n){0,3}",
            mine in "(?s)([#\\-`\n ]|.){0,80}",
            crlf in any::<bool>(),
        ) {
            let text = format!("---\n{head}status: draft\nupdated_at: t\n---\n## Intent\n{mine}");
            let text = if crlf { text.replace('\r', "").replace('\n', "\r\n") } else { text };
            let Ok(mut packet) = Packet::parse(text.clone()) else { return Ok(()) };
            prop_assert_eq!(packet.as_str(), &text);
            packet.set_status(Status::Active, "u");
            let edited = text.replacen("status: draft", "status: active", 1).replacen("updated_at: t", "updated_at: u", 1);
            prop_assert_eq!(packet.as_str(), &edited);
            let once = packet.as_str().to_owned();
            packet.confirm("src/a.rs", None, "u");
            prop_assert_eq!(packet.confirmed(), ["src/a.rs"]);
            prop_assert!(packet.drop_file("src/a.rs", "u"));
            // Every line that was there is still there, in order.
            let mut after = packet.as_str().split('\n').map(|line| line.trim_end_matches('\r'));
            for line in once.split('\n').map(|line| line.trim_end_matches('\r')) {
                prop_assert!(after.any(|kept| kept == line), "{line:?} is gone");
            }
        }
    }
}
