use std::path::PathBuf;

/// Builds a path from bytes as `OsStr::as_encoded_bytes` returns them; `None` if they are not valid.
#[cfg(unix)]
pub fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

/// Builds a path from bytes as `OsStr::as_encoded_bytes` returns them; `None` if they are not valid.
#[cfg(not(unix))]
pub fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}
