//! The last line of a file that is entirely Stead's. It says who wrote the file and contains a hash of the rest, so
//! that an unchanged file is recognised anywhere, even in a checkout without an undo record.

use stead_client::{AgentFormat, CommandFormat};

use crate::undo::Fingerprint;

const OPENING: &str = "stead init wrote this file (";
const CLOSING: &str = "); stead uninstall removes it";

/// Who owns a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ownership {
    /// As Stead wrote it.
    Ours,
    /// Stead wrote it and somebody changed it.
    Changed,
    Foreign,
}

/// The comment syntax of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remark {
    Markdown,
    Toml,
}

impl Remark {
    pub(crate) fn of_command(format: CommandFormat) -> Self {
        if format == CommandFormat::Toml { Self::Toml } else { Self::Markdown }
    }

    pub(crate) fn of_agent(format: AgentFormat) -> Self {
        if format == AgentFormat::Toml { Self::Toml } else { Self::Markdown }
    }
}

/// Adds the line to a text that ends with a line end.
pub(crate) fn sign(text: &str, remark: Remark) -> String {
    let words = format!("{OPENING}{}{CLOSING}", hash(text));
    match remark {
        Remark::Markdown => format!("{text}\n<!-- {words} -->\n"),
        Remark::Toml => format!("{text}\n# {words}\n"),
    }
}

/// Reads the line of a text, if there is one.
pub(crate) fn ownership(text: &str) -> Ownership {
    // A checkout may have converted the line ends.
    let text = text.replace("\r\n", "\n");
    let Some((rest, found)) = text.rfind(OPENING).and_then(|at| {
        let found = text[at + OPENING.len()..].split_once(CLOSING)?.0;
        let line = text[..at].rfind('\n')?;
        Some((text[..line].to_owned(), found.to_owned()))
    }) else {
        return Ownership::Foreign;
    };
    let is_intact = [Remark::Markdown, Remark::Toml].iter().any(|remark| sign(&rest, *remark) == text);
    if is_intact && found == hash(&rest) { Ownership::Ours } else { Ownership::Changed }
}

fn hash(text: &str) -> String {
    Fingerprint::of(text).fnv1a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_text_is_known_until_somebody_changes_it() {
        for remark in [Remark::Markdown, Remark::Toml] {
            let signed = sign("do this\nand that\n", remark);
            assert_eq!(ownership(&signed), Ownership::Ours);
            assert_eq!(ownership(&signed.replace('\n', "\r\n")), Ownership::Ours);
            assert_eq!(ownership(&signed.replace("that", "more")), Ownership::Changed);
            assert_eq!(ownership(&format!("{signed}mine\n")), Ownership::Changed);
            assert_eq!(ownership(&signed.replace("stead init", "somebody")), Ownership::Foreign);
        }
        for foreign in ["", "\n", "do this\n", "stead init wrote this file", "stead init wrote this file (x"] {
            assert_eq!(ownership(foreign), Ownership::Foreign, "{foreign}");
        }
    }
}
