/// The width in columns of the terminal a stream is connected to; `None` if it is not a terminal or reports no width.
#[cfg(unix)]
pub fn terminal_columns(stream: impl std::os::fd::AsFd) -> Option<usize> {
    crate::os::columns(stream).map(usize::from)
}

/// Not supported on this system.
#[cfg(not(unix))]
pub fn terminal_columns<T>(_: T) -> Option<usize> {
    None
}
