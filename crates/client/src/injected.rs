//! What a client puts into a prompt beside the person's words: reminders, notifications, the context of the session. It
//! arrives in tags of the client's own, or starts with a sentence of it.

use std::borrow::Cow;

/// How a client marks its own text in a prompt.
#[derive(Clone, Copy, Debug, Default)]
pub struct Injected {
    /// The tags around text of the client.
    pub blocks: &'static [&'static str],
    /// The tags around words of the person.
    pub wraps: &'static [&'static str],
    /// How prompts start that are the client's as a whole.
    pub openings: &'static [&'static str],
}

/// Tags that several clients use.
const COMMON: &[&str] =
    &["system-reminder", "system_reminder", "system-notification", "system_notification", "task-notification"];

impl Injected {
    /// The client is not known to add anything.
    pub(crate) const NONE: Self = Self { blocks: &[], wraps: &[], openings: &[] };

    /// The person's words of a prompt; nothing if all of it is the client's.
    pub fn persons_words<'a>(&self, prompt: &'a str) -> Cow<'a, str> {
        let mut words = Cow::Borrowed(prompt);
        if prompt.contains('<') {
            for name in COMMON.iter().chain(self.blocks) {
                while let Some((before, _, after)) = block(&words, name) {
                    words = Cow::Owned(format!("{before}{after}"));
                }
            }
            for name in self.wraps {
                while let Some((before, inside, after)) = block(&words, name) {
                    words = Cow::Owned(format!("{before}{inside}{after}"));
                }
            }
        }
        let start = words.trim_start();
        if self.openings.iter().any(|opening| start.starts_with(opening)) { Cow::Borrowed("") } else { words }
    }
}

/// The first block with a tag: what is before it, in it and behind it. One that is not closed reaches to the end.
fn block<'a>(text: &'a str, name: &str) -> Option<(&'a str, &'a str, &'a str)> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find('<')?;
        let rest = &text[at + 1..];
        from = at + 1;
        let Some(inside) = rest.strip_prefix(name).filter(|rest| rest.starts_with(['>', ' '])) else { continue };
        let (_, inside) = inside.split_once('>')?;
        let close = format!("</{name}>");
        let (inside, after) = inside.split_once(close.as_str()).unwrap_or((inside, ""));
        return Some((&text[..at], inside, after));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Harness;

    const INJECTED: Injected = Injected { blocks: &["env"], wraps: &["args"], openings: &["This session continues"] };

    #[track_caller]
    fn check(prompt: &str, expected: &str) {
        assert_eq!(INJECTED.persons_words(prompt).trim(), expected, "{prompt}");
    }

    #[test]
    fn the_persons_words_are_left() {
        check("Fix it.", "Fix it.");
        check("<env a=\"1\">\nmust\n</env>\nFix it.", "Fix it.");
        check("Fix it.\n<system-reminder>never</system-reminder>", "Fix it.");
        check("<env>a</env> <env>b</env>", "");
        check("<env>cut off", "");
        check("<args>never push</args>", "never push");
        check("This session continues another. Never push.", "");
        check("<environment>never push</environment> a < b", "<environment>never push</environment> a < b");
    }

    #[test]
    fn no_table_has_what_all_have() {
        for harness in Harness::ALL {
            let injected = &harness.client().facts.injected;
            for name in injected.blocks.iter().chain(injected.wraps) {
                assert!(!COMMON.contains(name) && !name.contains(['<', '>', ' ']), "{harness}: {name}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_prompt_can_be_read(prompt in "(<env>|</env>|<args>|</args>|<|>|[a-z ]|\n){0,30}") {
            let _ = INJECTED.persons_words(&prompt);
        }
    }
}
