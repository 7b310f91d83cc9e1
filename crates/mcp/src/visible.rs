//! Texts of others without characters that nobody sees: they reorder a line, or hide words in it that only a model reads.

use serde_json::Value;
use stead_model::is_misleading;

/// What stands for a run of such characters. It is never longer than what it replaces.
const MARK: char = '\u{fffd}';

/// A text in which every run of hidden characters is one mark.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match is_misleading(c) {
            true if shown.ends_with(MARK) => {}
            true => shown.push(MARK),
            false => shown.push(c),
        }
    }
    shown
}

/// The same for every text of a value, also the names of its fields.
pub(crate) fn all_visible(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(visible(&text)),
        Value::Array(list) => list.into_iter().map(all_visible).collect(),
        Value::Object(map) => map.into_iter().map(|(name, value)| (visible(&name), all_visible(value))).collect(),
        plain => plain,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn hidden_characters_become_a_mark() {
        let check = |text: &str, expected: &str| assert_eq!(visible(text), expected);
        check("plain\ttext\n", "plain\ttext\n");
        check("a\u{202e}cod.exe", "a\u{fffd}cod.exe");
        check("x\u{e0049}\u{e0067}\u{e006e}y", "x\u{fffd}y");
        check("pass\u{200b}word\u{feff}", "pass\u{fffd}word\u{fffd}");
        check(
            "\u{1f469}\u{200d}\u{1f4bb} \u{2764}\u{fe0f} \u{645}\u{6cc}\u{200c}\u{62e}",
            "\u{1f469}\u{200d}\u{1f4bb} \u{2764}\u{fe0f} \u{645}\u{6cc}\u{200c}\u{62e}",
        );
        assert_eq!(all_visible(json!({"a\u{200b}": ["\u{2066}", 1]})), json!({"a\u{fffd}": ["\u{fffd}", 1]}));
    }

    proptest! {
        /// So an answer that had a budget keeps it.
        #[test]
        fn nothing_becomes_longer(text in "[a-z\u{200b}\u{202e}\u{2066}\u{feff}\u{e0041}\u{e0100}\u{1f469}\u{200d}]{0,40}") {
            let shown = visible(&text);
            prop_assert!(shown.len() <= text.len());
            prop_assert!(!shown.chars().any(is_misleading));
        }
    }
}
