use std::collections::BTreeMap;
use std::path::Path;

use stead_context::{Document, FileList, Heading, NOTHING, Status};
use stead_store::redact;

use super::item::{FROM, HASH};

/// A packet under construction, from a handoff of another tool.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) purpose: String,
    pub(super) status: Status,
    /// As written in the handoff.
    pub(super) date: Option<String>,
    /// The git state, as far as the handoff names it.
    pub(super) branch: Option<String>,
    pub(super) commit: Option<String>,
    /// One command that verifies the work.
    pub(super) verify: Option<String>,
    sections: BTreeMap<Heading, Vec<String>>,
    /// Sections without a counterpart in a packet, unchanged.
    others: Vec<(String, String)>,
    /// Paths that the handoff names.
    files: Vec<String>,
    pub(super) left: Vec<String>,
}

/// How many files a packet lists at most.
const FILES: usize = 50;

impl Draft {
    pub(super) fn new(purpose: &str) -> Self {
        Self {
            purpose: purpose.trim().to_owned(),
            status: Status::Draft,
            date: None,
            branch: None,
            commit: None,
            verify: None,
            sections: BTreeMap::new(),
            others: Vec::new(),
            files: Vec::new(),
            left: Vec::new(),
        }
    }

    /// Adds a text to a section.
    pub(super) fn add(&mut self, heading: Heading, text: &str) {
        if !text.trim().is_empty() {
            self.sections.entry(heading).or_default().push(text.trim().to_owned());
        }
    }

    /// Adds a text to a section under its old title.
    pub(super) fn add_titled(&mut self, heading: Heading, title: &str, text: &str) {
        if !text.trim().is_empty() {
            self.add(heading, &format!("### {title}\n\n{}", text.trim()));
        }
    }

    /// Keeps a section without a counterpart unchanged.
    pub(super) fn add_other(&mut self, title: &str, text: &str) {
        if !text.trim().is_empty() {
            self.others.push((title.trim().to_owned(), text.trim().to_owned()));
        }
    }

    /// Returns true if nothing was recognised.
    pub(super) fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    pub(super) fn has(&self, heading: Heading) -> bool {
        self.sections.contains_key(&heading)
    }

    pub(super) fn text(&self, heading: Heading) -> String {
        self.sections.get(&heading).map(|texts| texts.join("\n\n")).unwrap_or_default()
    }

    /// Collects every word of a text that may be a path, without a line number after it.
    pub(super) fn add_files(&mut self, text: &str) {
        for word in text.split(|c: char| c.is_whitespace() || "`'\"()[]{},;<>*".contains(c)) {
            let path = word.split(':').next().unwrap_or(word).trim_end_matches('.').trim_start_matches("./");
            let is_path = path.contains('.') || path.contains('/');
            if is_path && !path.starts_with(['/', '~']) && !self.files.iter().any(|known| known == path) {
                self.files.push(path.to_owned());
            }
        }
    }

    /// Keeps the files that exist in the project and reports how many do not.
    pub(super) fn keep_files_of(&mut self, root: &Path) {
        let named = std::mem::take(&mut self.files);
        let is_inside = |path: &&String| !path.split('/').any(|part| part == ".." || part == ".agent");
        let (there, gone): (Vec<_>, Vec<_>) =
            named.into_iter().partition(|path| is_inside(&path) && root.join(path).is_file());
        // A word with a dot may be anything; one with a slash and an extension was a file.
        let gone = gone
            .iter()
            .filter(|path| path.contains('/') && path.rsplit('/').next().is_some_and(|name| name.contains('.')));
        let gone: Vec<String> = gone.map(|path| format!("`{path}`")).collect();
        if !gone.is_empty() {
            self.left.push(format!("files it names that are not in the project: {}", gone.join(", ")));
        }
        if there.len() > FILES {
            self.left.push(format!("{} of the {} files it names", there.len() - FILES, there.len()));
        }
        self.files = there.into_iter().take(FILES).collect();
    }

    /// Renders the packet and counts redacted secrets.
    pub(super) fn render(&self, id: &str, created: &str, source: &str, hash: &str) -> (String, usize) {
        let json = |list: &[String]| serde_json::to_string(list).unwrap_or_default();
        let validators: Vec<String> = self.verify.iter().cloned().collect();
        let mut head = vec![
            ("id", id.to_owned()),
            ("created_at", created.to_owned()),
            ("updated_at", created.to_owned()),
            ("status", self.status.name().to_owned()),
            ("purpose", safe(&self.purpose)),
            ("source", "unknown".to_owned()),
            (FileList::Confirmed.key(), json(&[])),
            (FileList::Suggested.key(), json(&self.files)),
            ("validators", safe(&json(&validators))),
        ];
        let body = self.body();
        let covered = redact(&body);
        head.push(("schema", "1".to_owned()));
        head.extend(self.verify.as_ref().map(|command| ("verify", safe(command))));
        head.extend(self.branch.clone().map(|branch| ("git_branch", branch)));
        head.extend(self.commit.clone().map(|commit| ("git_commit", commit)));
        head.extend((covered.count() > 0).then(|| ("redacted", covered.count().to_string())));
        head.extend([(FROM, source.to_owned()), (HASH, hash.to_owned())]);
        (Document::build(head, &covered).as_str().to_owned(), covered.count())
    }

    fn body(&self) -> String {
        let mut body = String::new();
        for heading in Heading::ALL {
            let text = match heading {
                Heading::RelevantFiles => self.file_lists(),
                _ => self.text(heading),
            };
            let text = if text.is_empty() { NOTHING } else { text.as_str() };
            body.push_str(&format!("\n## {}\n\n{text}\n", heading.name()));
        }
        for (title, text) in &self.others {
            body.push_str(&format!("\n## {title}\n\n{text}\n"));
        }
        body
    }

    fn file_lists(&self) -> String {
        let files: Vec<String> = self.files.iter().map(|path| format!("- `{path}`")).collect();
        let suggested = if files.is_empty() { NOTHING.to_owned() } else { files.join("\n") };
        let [confirmed, second] = [FileList::Confirmed, FileList::Suggested].map(FileList::title);
        let own = self.text(Heading::RelevantFiles);
        let own = if own.is_empty() { own } else { format!("\n\n{own}") };
        format!("### {confirmed}\n\n{NOTHING}\n\n### {second}\n\n{suggested}{own}")
    }
}

fn safe(text: &str) -> String {
    redact(text).into_owned()
}
