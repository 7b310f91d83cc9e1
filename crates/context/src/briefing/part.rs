use std::path::Path;

use stead_store::Tail;

use super::BriefingPart;
use crate::role_file::{PENDING, section};
use crate::{ContextError, Foreground, Loops, Note, RoleName, Shelf};

/// How many notes are shown, and how many lines are searched for them.
const NOTES: usize = 8;
const NOTE_LINES: usize = 200;

/// How much of a prompt is repeated; the command after it shows the rest.
const PROMPT: usize = 1_500;

impl BriefingPart {
    /// States the session's role, its file (`file` as shown to people) and what the role left pending.
    pub fn role(role: &RoleName, file: &str, text: Option<&str>) -> Self {
        let about = match text {
            Some(_) => format!("Your role is `{role}`; its context is in `{file}`."),
            None => {
                format!("Your role is `{role}`. It has no role file `{file}` yet; `stead role new {role}` creates it.")
            }
        };
        let pending = text.and_then(|text| section(text, PENDING)).filter(|pending| !pending.is_empty());
        let pending = pending.map(|pending| format!("\nPending:\n{pending}")).unwrap_or_default();
        let more = text.map(|_| format!("stead role recover {role}"));
        Self { title: "Role".into(), text: about + &pending, more }
    }

    /// States the active packet and its next step.
    pub fn active_packet(shelf: &Shelf) -> Option<Self> {
        let (id, packet) = shelf.active()?;
        let next = packet.next_prompt().map(|prompt| format!("\nNext:\n{}", cut(prompt))).unwrap_or_default();
        let text = format!("`{id}`: {}{next}", packet.purpose());
        Some(Self { title: "Active packet".into(), text, more: Some(format!("stead pickup {id}")) })
    }

    /// States the loop that the session is in, and its progress.
    pub fn own_loop(loops: &Loops, session: &str) -> Result<Option<Self>, ContextError> {
        let Foreground::Own { id } = loops.foreground(session)? else { return Ok(None) };
        let file = loops.read(&id)?;
        let text =
            format!("This session is in loop `{id}`, iteration {}:\n{}", file.state.progress(), cut(&file.prompt()));
        Ok(Some(Self { title: "Loop".into(), text, more: Some(format!("stead loop show {id}")) }))
    }

    /// The newest notes, newest first.
    pub fn notes(log: &Path) -> Option<Self> {
        let lines = Tail::open(log).ok()?.take(NOTE_LINES).flatten();
        let mut found: Vec<Note> = Vec::new();
        for note in lines.filter_map(|line| serde_json::from_str::<Note>(&line.text).ok()) {
            if found.len() < NOTES && !found.iter().any(|known| known.text == note.text) {
                found.push(note);
            }
        }
        let line = |note: &Note| format!("- {}: {}", note.kind.name(), one_line(&note.text));
        let text = found.iter().map(line).collect::<Vec<_>>().join("\n");
        (!text.is_empty()).then(|| Self { title: "Notes".into(), text, more: None })
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: &str) -> String {
    let text = text.trim();
    match text.len() > PROMPT {
        true => format!("{} …", &text[..text.floor_char_boundary(PROMPT)]),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_role_brings_what_it_left_pending() {
        let role = RoleName::check("tester").unwrap();
        let text = "# T\r\n\r\n## Pending Tasks\r\n\r\n- one\r\n- two\r\n\r\n## Key Files\r\n- three\r\n";
        let said = BriefingPart::role(&role, "r/t.md", Some(text)).text;
        assert_eq!(said, "Your role is `tester`; its context is in `r/t.md`.\nPending:\n- one\r\n- two");
        assert!(BriefingPart::role(&role, "r/t.md", None).text.contains("stead role new tester"));
    }

    #[test]
    fn only_an_active_packet_is_told() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("packets")).unwrap();
        let shelf = Shelf::new(folder.path());
        let put = |id: &str, status: &str| {
            let text = format!(
                "---\nid: {id}\nstatus: {status}\npurpose: fix {id}\n---\n## Next Prompt (Draft)\n\nGo on with {id}.\n"
            );
            fs::write(shelf.path(id), text).unwrap();
        };
        assert_eq!(BriefingPart::active_packet(&shelf), None);
        put("c", "draft");
        put("d", "done");
        assert_eq!(BriefingPart::active_packet(&shelf), None);
        put("a", "active");
        put("b", "active");
        fs::write(shelf.path("e"), "no head").unwrap();
        let part = BriefingPart::active_packet(&shelf).unwrap();
        assert_eq!(
            (part.text.as_str(), part.more.as_deref()),
            ("`b`: fix b\nNext:\nGo on with b.", Some("stead pickup b"))
        );
    }

    #[test]
    fn the_newest_notes_are_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("notes.jsonl");
        assert_eq!(BriefingPart::notes(&log), None);
        let line =
            |text: &str| format!(r#"{{"v":1,"ts":"2026-11-15T20:00:00.000Z","kind":"decision","text":"{text}"}}"#);
        let lines = ["old", "two\\nlines", "new", "new"].map(line).join("\n");
        fs::write(&log, lines + "\n{torn\n").unwrap();
        assert_eq!(BriefingPart::notes(&log).unwrap().text, "- decision: new\n- decision: two lines\n- decision: old");
    }
}
