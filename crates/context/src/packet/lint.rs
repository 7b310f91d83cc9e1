//! Checks a packet: what a tool would fail on is an error, what would confuse a person is a warning. It changes
//! nothing.

use std::cmp::Reverse;

use stead_model::{Severity, unix_millis};
use stead_store::secrets_in;

use super::file_list::GONE;
use super::head::problems;
use super::{FileList, Heading, Packet, Section, listed, sections, unclosed_fence};
use crate::relevant_file::is_project_path;

/// Something that is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub severity: Severity,
    /// Counted from 1.
    pub line: usize,
    pub message: String,
}

/// Checks the text of the packet with this id. Findings are in line order.
pub fn lint(text: &str, id: &str) -> Vec<Finding> {
    let packet = match Packet::parse(text) {
        Ok(packet) => packet,
        Err(problem) => {
            let said = problem.to_string();
            let (line, message) = said.split_once(": ").unwrap_or(("", &said));
            let line = line.trim_start_matches("line ").parse().unwrap_or(1);
            return vec![Finding { severity: Severity::Error, line, message: message.to_owned() }];
        }
    };
    let mut linter = Linter { packet: &packet, findings: Vec::new() };
    linter.head(id);
    linter.lists();
    linter.headings();
    linter.secrets();
    linter.findings.sort_by_key(|finding| (finding.line, Reverse(finding.severity)));
    linter.findings
}

struct Linter<'a> {
    packet: &'a Packet,
    findings: Vec<Finding>,
}

impl Linter<'_> {
    fn error(&mut self, line: usize, message: impl Into<String>) {
        self.findings.push(Finding { severity: Severity::Error, line, message: message.into() });
    }

    fn warn(&mut self, line: usize, message: impl Into<String>) {
        self.findings.push(Finding { severity: Severity::Warning, line, message: message.into() });
    }

    fn line(&self, key: &str) -> usize {
        self.packet.document().line_of(key).unwrap_or(1)
    }

    fn head(&mut self, id: &str) {
        let packet = self.packet;
        for key in ["id", "created_at", "updated_at", "status", "purpose"] {
            if packet.get(key).is_none() {
                let said = if packet.document().get(key).is_some() { "empty" } else { "missing" };
                self.error(self.line(key), format!("`{key}` is {said}"));
            }
        }
        if let Some(named) = packet.get("id").filter(|named| *named != id) {
            self.warn(self.line("id"), format!("the id `{named}` does not match the file name"));
        }
        let moment = |key| packet.get(key).and_then(unix_millis);
        if let (Some(created), Some(updated)) = (moment("created_at"), moment("updated_at"))
            && updated < created
        {
            self.warn(self.line("updated_at"), "`updated_at` is before `created_at`");
        }
        for problem in problems(packet) {
            self.error(problem.line, problem.message);
        }
    }

    fn lists(&mut self) {
        for list in FileList::ALL {
            for path in self.packet.list(list.key()).iter().filter(|path| !is_project_path(path)) {
                self.error(self.line(list.key()), format!("`{path}` is not in the project"));
            }
        }
        let body = self.packet.document().body();
        for list in FileList::ALL {
            let keyed = self.packet.list(list.key());
            let shown = listed(body, list);
            if let Some(path) = keyed.iter().find(|path| !shown.iter().any(|(known, _)| known == path)) {
                self.warn(self.line(list.key()), format!("`{path}` is not below `### {}`", list.title()));
            }
            for (path, range) in shown {
                if !keyed.iter().any(|known| known == path) && !body[range.clone()].contains(GONE) {
                    let line = self.body_line(range.start);
                    self.warn(line, format!("`{path}` is not in `{}`", list.key()));
                }
            }
        }
    }

    fn headings(&mut self) {
        let body = self.packet.document().body();
        let first = self.packet.document().body_line();
        let found: Vec<Section<'_>> = sections(body);
        let mut seen: Vec<(Heading, usize)> = Vec::new();
        for section in found.iter().filter(|section| section.level == 2) {
            let Some(heading) = Heading::recognise(section.title) else { continue };
            let line = first + section.line - 1;
            if seen.iter().any(|(known, _)| *known == heading) {
                self.error(line, format!("`## {}` appears twice", heading.name()));
            } else if let Some((after, _)) = seen.last().filter(|(last, _)| *last > heading) {
                self.warn(line, format!("`## {}` belongs before `## {}`", heading.name(), after.name()));
            }
            seen.push((heading, line));
        }
        for heading in Heading::ALL {
            let missing = !seen.iter().any(|(known, _)| *known == heading);
            let message = format!("`## {}` is missing", heading.name());
            match (heading, missing) {
                (Heading::NextPrompt, true) => self.error(first, message),
                (_, true) => self.warn(first, message),
                (Heading::NextPrompt, false) if self.packet.next_prompt().is_none() => {
                    let line = seen.iter().find(|(known, _)| *known == heading).map_or(first, |(_, line)| *line);
                    self.error(line, format!("`## {}` is empty", heading.name()));
                }
                (Heading::RelevantFiles, false) => {
                    for list in FileList::ALL {
                        let title = |section: &&Section<'_>| section.level == 3 && section.title == list.title();
                        if !found.iter().any(|section| title(&section)) {
                            self.warn(first, format!("`### {}` is missing", list.title()));
                        }
                    }
                }
                _ => {}
            }
        }
        if let Some(line) = unclosed_fence(body) {
            self.warn(first + line - 1, "this code fence is never closed; headings after it are ignored");
        }
    }

    fn secrets(&mut self) {
        for line in secrets_in(self.packet.as_str()) {
            self.warn(line, "this looks like a secret");
        }
    }

    fn body_line(&self, at: usize) -> usize {
        let document = self.packet.document();
        document.body_line() + document.body()[..at].matches('\n').count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> String {
        let mut text = String::from(
            "---\nid: a\ncreated_at: 2026-01-01T00:00:00Z\nupdated_at: 2026-01-02T00:00:00Z\nstatus: draft\npurpose: p\n\
            relevant_files_confirmed: [\"x.rs\"]\n---\n",
        );
        for heading in Heading::ALL {
            text.push_str(&format!("## {}\nwords\n", heading.name()));
            if heading == Heading::RelevantFiles {
                text.push_str("### Confirmed\n- `x.rs`\n- `old.rs` (gone)\n### Suggested\nNone recorded.\n");
            }
        }
        text
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found = lint(text, "a");
        let shown: Vec<String> =
            found.iter().map(|f| format!("{} {}: {}", f.line, f.severity.name(), f.message)).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_good_packet_passes() {
        check(&good(), &[]);
        check(&good().replace('\n', "\r\n"), &[]);
        check(&format!("\u{feff}{}", good()), &[]);
    }

    #[test]
    fn each_fault_is_named_with_its_line() {
        let good = good();
        check("words", &["1 error: the file does not start with `---`"]);
        check(&good.replacen("purpose: p", "id: b", 1), &["6 error: `id` appears twice"]);
        check(&good.replace("purpose: p\n", ""), &["1 error: `purpose` is missing"]);
        check(&good.replace("purpose: p", "purpose:"), &["6 error: `purpose` is empty"]);
        check(&good.replace("id: a", "id: b"), &["2 warning: the id `b` does not match the file name"]);
        check(
            &good.replace("status: draft", "status: activ"),
            &["5 error: `status` is `activ`, not one of `draft active done blocked`; did you mean `active`?"],
        );
        check(
            &good.replace("2026-01-02T", "yesterday"),
            &["4 error: `updated_at` is not an ISO 8601 timestamp: `yesterday00:00:00Z`"],
        );
        check(&good.replace("2026-01-02T", "2025-01-02T"), &["4 warning: `updated_at` is before `created_at`"]);
        check(
            &good.replace("[\"x.rs\"]", "[\"x.rs\", \"../y\"]"),
            &["7 error: `../y` is not in the project", "7 warning: `../y` is not below `### Confirmed`"],
        );
        check(
            &good.replace("- `x.rs`\n", "- `x.rs`\n- `z`\n"),
            &["21 warning: `z` is not in `relevant_files_confirmed`"],
        );
        check(&good.replace("## Plan\nwords\n", ""), &["9 warning: `## Plan` is missing"]);
        check(&good.replace("## Next Prompt (Draft)\nwords\n", ""), &["9 error: `## Next Prompt (Draft)` is missing"]);
        check(&good.replace("(Draft)\nwords\n", "(Draft)\n"), &["24 error: `## Next Prompt (Draft)` is empty"]);
        check(
            &good.replace("## Notes\n", "## Plan\n"),
            &["9 warning: `## Notes` is missing", "32 error: `## Plan` appears twice"],
        );
        check(
            &good.replace("## Notes\nwords\n", "## Notes\n```\n"),
            &["33 warning: this code fence is never closed; headings after it are ignored"],
        );
        check(
            &good.replace("## Notes\nwords", "## Notes\nexport API_TOKEN=abcdef"),
            &["33 warning: this looks like a secret"],
        );
    }
}
