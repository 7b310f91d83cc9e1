//! A compiled program that does what no reader of its command line can know.

use std::fs;

use anyhow::{Context, Result};

use crate::ground::Ground;

/// Puts the program on PATH, where [`call`] finds it. Some clients refuse programs that lie outside the project.
pub(crate) fn put(ground: &Ground) -> Result<()> {
    let (from, to) = (ground.opaque(), ground.world().folder().join("bin/opaque"));
    fs::copy(from, to).with_context(|| format!("cannot copy `{}`", from.display()))?;
    Ok(())
}

/// The command by which an agent makes the program run a script.
pub(crate) fn call(script: &str) -> String {
    let hex: String = script.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("opaque {hex}")
}

/// Reads a script from the program's argument.
pub fn from_hex(hex: &str) -> Option<String> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let bytes = hex.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => Some(digit(*high)? * 16 + digit(*low)?),
        _ => None,
    });
    String::from_utf8(bytes.collect::<Option<_>>()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_arrives_as_it_was() {
        for script in ["", "rm -r .agent", "printf 'ä\\n' > x; echo \"$HOME\""] {
            let call = call(script);
            let (_, argument) = call.split_once(' ').unwrap();
            assert_eq!(from_hex(argument).as_deref(), Some(script));
        }
        for odd in ["7", "7x", "zz", "+1", "ff"] {
            assert_eq!(from_hex(odd), None, "{odd}");
        }
    }
}
