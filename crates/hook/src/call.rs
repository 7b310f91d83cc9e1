use std::ffi::OsString;
use std::io::IsTerminal;

use stead_client::Harness;

/// A hook call by its command line. Lines in clients' settings outlive the version that wrote them, so nothing here is
/// an error: unknown arguments are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The named client; `None` if this version does not know the name.
    pub harness: Option<Harness>,
    /// The client's own name for the event.
    pub event: Option<String>,
}

impl Call {
    /// Reads the arguments after `stead hook`. `None` means that a person typed it: to ask for help, or without any name at a
    /// terminal, where no client writes.
    pub fn parse(args: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut words = Vec::new();
        for arg in args {
            let word = arg.to_string_lossy();
            if words.is_empty() && matches!(word.as_ref(), "-h" | "--help" | "help") {
                return None;
            }
            if !word.starts_with('-') {
                words.push(word.into_owned());
            }
        }
        if words.is_empty() && std::io::stdin().is_terminal() {
            return None;
        }
        let mut words = words.into_iter();
        let harness = words.next().and_then(|name| Harness::from_name(&name));
        Some(Self { harness, event: words.next().filter(|event| !event.is_empty()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(Option<&str>, Option<&str>)>) {
        check_words(&line.split_whitespace().collect::<Vec<_>>(), expected);
    }

    #[track_caller]
    fn check_words(words: &[&str], expected: Option<(Option<&str>, Option<&str>)>) {
        let call = Call::parse(words.iter().map(OsString::from));
        let shown = call.as_ref().map(|call| (call.harness.map(Harness::name), call.event.as_deref()));
        assert_eq!(shown, expected, "{words:?}");
    }

    #[test]
    fn lines_of_other_versions_are_still_calls() {
        let known = Harness::ALL[0].name();
        check(known, Some((Some(known), None)));
        check(&format!("{known} PreToolUse"), Some((Some(known), Some("PreToolUse"))));
        check(&format!("--new-flag {known} PreToolUse --x=1 extra"), Some((Some(known), Some("PreToolUse"))));
        check("no-such-client Stop", Some((None, Some("Stop"))));
        check("--flag-only", Some((None, None)));
        check(&format!("{known} NoSuchEvent"), Some((Some(known), Some("NoSuchEvent"))));
        check_words(&["", "Stop"], Some((None, Some("Stop"))));
        check_words(&[known, ""], Some((Some(known), None)));
    }

    #[test]
    fn a_person_who_asks_for_help_is_not_a_client() {
        check("--help", None);
        check("-h some-client", None);
    }
}
