//! Standard input with a time limit: a client may keep the pipe open, or never write.

use std::io;
use std::time::Duration;

/// The result of one read of standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Got {
    /// This many bytes.
    Bytes(usize),
    End,
    /// Nothing arrived within the time limit.
    Nothing,
}

/// Appends what is available, at most about `most` bytes, and waits at most `patience` for it. Memory is not cleared first.
#[cfg(unix)]
pub fn read_stdin(bytes: &mut Vec<u8>, most: usize, patience: Duration) -> io::Result<Got> {
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
    bytes.reserve(most);
    match rustix::io::read(stdin, rustix::buffer::spare_capacity(bytes)) {
        Ok(0) => Ok(Got::End),
        Ok(count) => Ok(Got::Bytes(count)),
        Err(Errno::INTR | Errno::AGAIN) => Ok(Got::Nothing),
        Err(error) => Err(error.into()),
    }
}

/// Appends what is available. On other systems the read itself blocks; the alarm bounds it.
#[cfg(not(unix))]
pub fn read_stdin(bytes: &mut Vec<u8>, most: usize, _patience: Duration) -> io::Result<Got> {
    use std::io::Read;

    let start = bytes.len();
    bytes.resize(start + most, 0);
    let count = io::stdin().lock().read(&mut bytes[start..]);
    bytes.truncate(start + *count.as_ref().unwrap_or(&0));
    Ok(if count? == 0 { Got::End } else { Got::Bytes(bytes.len() - start) })
}
