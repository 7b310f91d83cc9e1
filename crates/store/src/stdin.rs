//! Standard input, read with patience: a client may keep the pipe open, or never write.

use std::io;
use std::time::Duration;

/// What one look at standard input gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Got {
    /// This many bytes.
    Bytes(usize),
    End,
    /// Nothing came within the time given.
    Nothing,
}

/// Reads what is there, waiting at most `patience` for it to come.
#[cfg(unix)]
pub fn read_stdin(buffer: &mut [u8], patience: Duration) -> io::Result<Got> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;

    let stdin = rustix::stdio::stdin();
    let timeout = Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: i64::from(patience.subsec_nanos()) };
    let mut waiting = [PollFd::new(&stdin, PollFlags::IN)];
    match poll(&mut waiting, Some(&timeout)) {
        Ok(0) => return Ok(Got::Nothing),
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    match rustix::io::read(stdin, buffer) {
        Ok(0) => Ok(Got::End),
        Ok(count) => Ok(Got::Bytes(count)),
        Err(Errno::INTR | Errno::AGAIN) => Ok(Got::Nothing),
        Err(error) => Err(error.into()),
    }
}

/// Reads what is there. Other systems wait in the read itself; the alarm bounds it.
#[cfg(not(unix))]
pub fn read_stdin(buffer: &mut [u8], _patience: Duration) -> io::Result<Got> {
    use std::io::Read;

    match io::stdin().lock().read(buffer)? {
        0 => Ok(Got::End),
        count => Ok(Got::Bytes(count)),
    }
}
