/// The width in columns of the terminal a stream is connected to; `None` if it is not a terminal or reports no width.
#[cfg(unix)]
pub fn terminal_columns(stream: impl std::os::fd::AsFd) -> Option<usize> {
    crate::os::columns(stream).map(usize::from)
}

/// The height in rows of the terminal a stream is connected to; `None` if it is not a terminal or reports no height.
#[cfg(unix)]
pub fn terminal_rows(stream: impl std::os::fd::AsFd) -> Option<usize> {
    crate::os::rows(stream).map(usize::from)
}

/// Not supported on this system.
#[cfg(not(unix))]
pub fn terminal_rows<T>(_: T) -> Option<usize> {
    None
}

/// Not supported on this system.
#[cfg(not(unix))]
pub fn terminal_columns<T>(_: T) -> Option<usize> {
    None
}
