/// How many columns the terminal has that a stream leads to; `None` where it leads elsewhere, or the terminal does not say.
#[cfg(unix)]
pub fn terminal_columns(stream: impl std::os::fd::AsFd) -> Option<usize> {
    crate::os::columns(stream).map(usize::from)
}

/// The system is not asked here.
#[cfg(not(unix))]
pub fn terminal_columns<T>(_: T) -> Option<usize> {
    None
}
