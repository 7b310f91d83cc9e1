//! A document for a command, from a file or standard input. Reading never blocks forever: a terminal is not read, and a
//! pipe without data counts as empty.

use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

use stead_store::{Got, read_capped, read_stdin};

use crate::error::CliError;

const LIMIT: usize = 16 * 1024 * 1024;

/// How long to wait for the first byte if `-` was given, and if not.
const ANNOUNCED: Duration = Duration::from_secs(10);
const UNANNOUNCED: Duration = Duration::from_millis(100);

/// How long a writer may pause inside a document.
const PAUSE: Duration = Duration::from_secs(2);

/// Reads the document: from the named file, from standard input if it is `-`, else from standard input if data is
/// available at once.
pub(crate) fn read_document(named: Option<&Path>) -> Result<Option<String>, CliError> {
    let bytes = match named {
        Some(path) if path.as_os_str() != "-" => match read_capped(path, LIMIT)? {
            Some(bytes) => Some(bytes),
            None => return Err(CliError::not_found(format!("there is no document `{}`", path.display()))),
        },
        Some(_) => match from_stdin(ANNOUNCED)? {
            Some(bytes) => Some(bytes),
            None => {
                let message = format!("no document on standard input within {} s", ANNOUNCED.as_secs());
                return Err(CliError::user(message).hinted("pipe it in, or omit `--document`"));
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

/// `None` if nothing arrived in time.
fn from_stdin(first: Duration) -> Result<Option<Vec<u8>>, CliError> {
    let mut bytes = Vec::new();
    let mut patience = first;
    loop {
        let got = read_stdin(&mut bytes, 64 * 1024, patience)
            .map_err(|source| CliError::user("could not read standard input").because(source))?;
        match got {
            Got::Bytes(_) => {}
            Got::End => return Ok(Some(bytes)),
            Got::Nothing => return Ok((!bytes.is_empty()).then_some(bytes)),
        }
        if bytes.len() > LIMIT {
            return Err(CliError::user(format!("the document has more than {LIMIT} bytes")));
        }
        patience = PAUSE;
    }
}
