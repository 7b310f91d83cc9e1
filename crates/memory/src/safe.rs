//! What is written never contains a secret that the redactor knows, nor a text without end. A text that is cut says so.

use serde_json::{Map, Value};
use stead_store::redact;

use crate::trace::{Anchor, Trace, TraceContext, TraceEvent};

/// The longest text of an event, in bytes.
pub(crate) const TEXT: usize = 4_000;

/// The longest name, path or id.
const NAME: usize = 400;

/// How many anchors, replaced traces and repeats one trace has.
const ENTRIES: usize = 100;

/// How large the effects and the fields that this version does not know may be together.
const EXTRA: usize = 64 * 1024;

impl Trace {
    /// The trace as it may be written.
    #[must_use]
    pub fn safe(&self) -> Self {
        let Self { context, event, anchors, supersedes, repeats, .. } = self;
        let last = repeats.len().saturating_sub(ENTRIES);
        Self {
            project: name(&self.project),
            timestamp: name(&self.timestamp),
            context: safe_context(context),
            event: TraceEvent {
                what_happened: text(&event.what_happened),
                what_was_correct: text(&event.what_was_correct),
                why: text(&event.why),
            },
            anchors: anchors.iter().take(ENTRIES).map(safe_anchor).collect(),
            supersedes: supersedes.iter().take(ENTRIES).cloned().collect(),
            repeats: repeats[last..].to_vec(),
            topic: self.topic.as_deref().map(name),
            effects: self.effects.as_ref().map(|effects| extra(effects, &mut { EXTRA })),
            more: safe_map(&self.more),
            ..self.clone()
        }
    }
}

fn safe_context(context: &TraceContext) -> TraceContext {
    let named = |value: &Option<String>| value.as_deref().map(name);
    TraceContext {
        by: named(&context.by),
        agent: named(&context.agent),
        feature: named(&context.feature),
        task: named(&context.task),
        harness: named(&context.harness),
        session: named(&context.session),
        call: named(&context.call),
        intent: named(&context.intent),
        guard: named(&context.guard),
        verdict: named(&context.verdict),
        more: safe_map(&context.more),
    }
}

fn safe_anchor(anchor: &Anchor) -> Anchor {
    let named = |value: &Option<String>| value.as_deref().map(name);
    Anchor {
        path: name(&anchor.path),
        hash: named(&anchor.hash),
        node: named(&anchor.node),
        node_hash: named(&anchor.node_hash),
    }
}

fn safe_map(map: &Map<String, Value>) -> Map<String, Value> {
    let left = &mut { EXTRA };
    map.iter().map(|(key, value)| (name(key), extra(value, left))).collect()
}

/// A value without secrets, and without what is beyond the room that is left.
fn extra(value: &Value, left: &mut usize) -> Value {
    *left = left.saturating_sub(8);
    match value {
        Value::String(value) => {
            let kept = limited(value, TEXT.min(*left));
            *left = left.saturating_sub(kept.len());
            Value::String(kept)
        }
        Value::Array(list) => list.iter().map_while(|value| (*left > 0).then(|| extra(value, left))).collect(),
        Value::Object(map) => {
            map.iter().map_while(|(key, value)| (*left > 0).then(|| (name(key), extra(value, left)))).collect()
        }
        plain => plain.clone(),
    }
}

fn text(text: &str) -> String {
    limited(text, TEXT)
}

fn name(text: &str) -> String {
    limited(text, NAME)
}

/// The text without secrets and without control characters, cut with a note about how much there was.
fn limited(text: &str, most: usize) -> String {
    // A secret that the cut would halve is still recognised as a whole.
    let near = text.floor_char_boundary(most.saturating_mul(2).min(text.len()));
    let is_plain = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    // First without control characters: one of them may divide a secret.
    let plain: String = text[..near].chars().filter(|c| is_plain(*c)).collect();
    let plain = redact(&plain);
    if near == text.len() && plain.len() <= most {
        return plain.into_owned();
    }
    let note = format!(" […cut: {} bytes]", text.len());
    let end = plain.floor_char_boundary(most.saturating_sub(note.len()).min(plain.len()));
    // Between two words, if there are any: half a redaction is no redaction.
    let end = plain[..end].rfind(char::is_whitespace).filter(|space| end - space < NAME).unwrap_or(end);
    format!("{}{note}", &plain[..end])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> String {
        let event = TraceEvent { what_happened: text.to_owned(), ..TraceEvent::default() };
        Trace { event, ..Trace::default() }.safe().event.what_happened
    }

    #[test]
    fn a_long_text_is_cut_and_says_how_long_it_was() {
        let cut = of(&"x".repeat(10 << 20));
        assert!(cut.len() <= TEXT && cut.ends_with(" […cut: 10485760 bytes]"), "{}", cut.len());
        assert_eq!(of("short\nand \u{1b}[2Jplain"), "short\nand [2Jplain");
        // A cut never shows the beginning of a secret.
        let secret = format!("{}token=sk-ant-abcdefgh12345678", "x ".repeat(TEXT / 2 - 12));
        assert!(!of(&secret).contains("sk-ant"), "{}", of(&secret));
    }

    #[test]
    fn fields_of_other_versions_are_covered_and_bounded() {
        let mut trace = Trace::default();
        trace
            .more
            .insert("note".into(), serde_json::json!({"deep": ["password: hunter2", 7], "long": "y".repeat(1 << 20)}));
        trace.context.more.insert("x".into(), "postgres://me:pw1@db/x".into());
        let line = serde_json::to_string(&trace.safe()).unwrap();
        assert!(!line.contains("hunter2") && !line.contains("pw1"), "{line}");
        assert!(line.len() < 2 * EXTRA && line.contains("bytes]"), "{}", line.len());
    }

    proptest! {
        #[test]
        fn what_is_safe_stays_as_it_is(text in "(password=hunter22 |[a-z0-9]{1,9} |[\n\t]|[éß漢🕴\x00\x1b] ){0,120}", times in 1_usize..80) {
            let once = of(&text.repeat(times));
            prop_assert!(once.len() <= TEXT);
            prop_assert!(of(&once) == once);
        }
    }
}
