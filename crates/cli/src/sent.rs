//! A document that comes with a command: from a file, or on standard input. Nothing here waits for ever: a terminal is
//! not read, and a pipe on which nobody writes counts as empty.

use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

use stead_store::{Got, read_capped, read_stdin};

use crate::error::CliError;

const LIMIT: usize = 16 * 1024 * 1024;

/// How long a document that was announced by `-` may let its first byte wait, and one that was not.
const ANNOUNCED: Duration = Duration::from_secs(10);
const UNANNOUNCED: Duration = Duration::from_millis(100);

/// How long a writer may pause within a document.
const PAUSE: Duration = Duration::from_secs(2);

/// Reads the document: from the named file, from standard input where it is `-`, else from standard input if something
/// comes at once.
pub(crate) fn read_document(named: Option<&Path>) -> Result<Option<String>, CliError> {
    let bytes = match named {
        Some(path) if path.as_os_str() != "-" => match read_capped(path, LIMIT)? {
            Some(bytes) => Some(bytes),
            None => return Err(CliError::user(format!("there is no document `{}`", path.display()))),
        },
        Some(_) => match from_stdin(ANNOUNCED)? {
            Some(bytes) => Some(bytes),
            None => {
                let message = format!("no document came on standard input within {} s", ANNOUNCED.as_secs());
                return Err(CliError::user(message).hinted("pipe it in, or leave `--document` out"));
            }
        },
        None if std::io::stdin().is_terminal() => None,
        None => from_stdin(UNANNOUNCED).unwrap_or_default(),
    };
    let Some(bytes) = bytes else { return Ok(None) };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            Err(CliError::user(format!("the document is not valid UTF-8 at byte {at}")))
        }
    }
}

/// `None` when nothing came in time.
fn from_stdin(first: Duration) -> Result<Option<Vec<u8>>, CliError> {
    let mut bytes = Vec::new();
    let mut block = vec![0; 64 * 1024];
    let mut patience = first;
    loop {
        let got = read_stdin(&mut block, patience)
            .map_err(|source| CliError::user("could not read standard input").because(source))?;
        match got {
            Got::Bytes(count) => bytes.extend_from_slice(&block[..count]),
            Got::End => return Ok(Some(bytes)),
            Got::Nothing => return Ok((!bytes.is_empty()).then_some(bytes)),
        }
        if bytes.len() > LIMIT {
            return Err(CliError::user(format!("the document has more than {LIMIT} bytes")));
        }
        patience = PAUSE;
    }
}
