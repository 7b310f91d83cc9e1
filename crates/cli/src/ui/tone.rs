use std::io::IsTerminal;

use crate::project::env;

/// How a piece of a line is meant. What it means is also said in words: not everybody sees colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    /// Beside the point.
    Quiet,
    /// A title, or a name.
    Strong,
    Person,
    Agent,
    Good,
    Bad,
    Waiting,
}

const START: char = '\u{1b}';
const RESET: &str = "\u{1b}[0m";

impl Tone {
    /// The parameters of the terminal's sequence. Only the eight basic colours, which follow the theme of the terminal.
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Quiet => "2",
            Self::Strong => "1",
            Self::Person => "36",
            Self::Agent => "33",
            Self::Good => "32",
            Self::Bad => "1;31",
            Self::Waiting => "1;33",
        }
    }

    /// A text in this tone, for a terminal.
    pub(super) fn paint(self, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            _ => format!("{START}[{}m{text}{RESET}", self.code()),
        }
    }
}

/// Returns true if colours are shown on a stream: on a terminal that has some, unless `NO_COLOR` is set; elsewhere only with
/// `CLICOLOR_FORCE`. Help follows the same variables.
pub(super) fn is_shown(stream: &impl IsTerminal) -> bool {
    let says = |name: &str| env(name).is_some_and(|value| !value.is_empty() && value != "0");
    let has_some = || stream.is_terminal() && env("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
    env("NO_COLOR").is_none_or(|value| value.is_empty()) && (says("CLICOLOR_FORCE") || has_some())
}

/// The characters of a text without the sequences of [`Tone::paint`].
pub(super) fn columns(text: &str) -> usize {
    let mut pieces = text.split(START);
    let first = pieces.next().unwrap_or_default().chars().count();
    let behind = |piece: &str| piece.split_once('m').map_or(piece, |(_, text)| text).chars().count();
    first + pieces.map(behind).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_take_no_room() {
        let check = |text: &str, expected: usize| assert_eq!(columns(text), expected, "{text:?}");
        check("", 0);
        check("plain m", 7);
        for tone in [Tone::Plain, Tone::Quiet, Tone::Strong, Tone::Person, Tone::Agent, Tone::Good, Tone::Bad] {
            check(&format!("a {} b", tone.paint("méme")), 8);
        }
        assert_eq!(Tone::Bad.paint("No."), "\u{1b}[1;31mNo.\u{1b}[0m");
        assert_eq!(Tone::Plain.paint("x"), "x");
    }
}
