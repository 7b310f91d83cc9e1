use std::io::{self, BufRead};

/// How much of a line is read.
const LIMIT: usize = 4096;

/// The lines of a log; long lines are truncated.
pub(super) struct Reading<R> {
    log: R,
    line: Vec<u8>,
    bytes: u64,
}

impl<R: BufRead> Reading<R> {
    pub(super) fn new(log: R) -> Self {
        Self { log, line: Vec::with_capacity(LIMIT), bytes: 0 }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the next line without its newline; `None` at the end of the log.
    pub(super) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.line.clear();
        let mut any = false;
        loop {
            let chunk = match self.log.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                return Ok(any.then_some(self.line.as_slice()));
            }
            any = true;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = &chunk[..end.unwrap_or(chunk.len())];
            let room = LIMIT.saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            let used = part.len() + usize::from(end.is_some());
            self.log.consume(used);
            self.bytes += used as u64;
            if end.is_some() {
                return Ok(Some(self.line.as_slice()));
            }
        }
    }
}
