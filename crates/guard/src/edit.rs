//! Changes the `mode:` line of a guard file and nothing else, so that comments stay.

use crate::mode::Mode;

/// Reads the mode that a file states at its top level.
pub fn mode_of(text: &str) -> Option<Mode> {
    let value = find(text)?;
    Mode::named(text[value].trim_matches(['"', '\'']))
}

/// Returns the text with another mode: its `mode:` line is changed, or one is added after the `id:` line.
#[must_use]
pub fn set_mode(text: &str, mode: Mode) -> String {
    if let Some(value) = find(text) {
        return format!("{}{}{}", &text[..value.start], mode.name(), &text[value.end..]);
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let line = format!("mode: {}{newline}", mode.name());
    let mut at = 0;
    for each in text.split_inclusive('\n') {
        at += each.len();
        if each.starts_with("id:") || each.starts_with("use:") {
            let gap = if each.ends_with('\n') { "" } else { newline };
            return format!("{}{gap}{line}{}", &text[..at], &text[at..]);
        }
    }
    format!("{line}{text}")
}

/// The position of the value of the top-level `mode:`.
fn find(text: &str) -> Option<std::ops::Range<usize>> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(rest) = line.strip_prefix("mode:") {
            let lead = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            let value = &rest[lead..];
            let length = value.find([' ', '\t', '#', '\r', '\n']).unwrap_or(value.len());
            let start = at + "mode:".len() + lead;
            return (length > 0).then_some(start..start + length);
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_mode_changes() {
        let check = |text: &str, expected: &str| {
            let edited = set_mode(text, Mode::Enforce);
            assert_eq!(edited, expected, "{text:?}");
            assert_eq!(mode_of(&edited), Some(Mode::Enforce));
            assert_eq!(set_mode(&edited, Mode::Enforce), edited);
        };
        check("id: a\nmode: shadow   # for now\nsay: x\n", "id: a\nmode: enforce   # for now\nsay: x\n");
        check("id: a\nmode: \"warn\"\n", "id: a\nmode: enforce\n");
        check("mode: off", "mode: enforce");
        check("# x\nid: a\nsay: mode: off\n", "# x\nid: a\nmode: enforce\nsay: mode: off\n");
        check("id: a\r\nsay: x\r\n", "id: a\r\nmode: enforce\r\nsay: x\r\n");
        check("id: a", "id: a\nmode: enforce\n");
        check("guards:\n- id: b\n  mode: off\n", "mode: enforce\nguards:\n- id: b\n  mode: off\n");
        assert_eq!(mode_of("id: a\n  mode: warn\n"), None);
        assert_eq!(mode_of("mode: nonsense\n"), None);
    }
}
