use std::path::PathBuf;

/// Makes a path from the bytes of one, as `OsStr::as_encoded_bytes` gives them; `None` where they cannot be one.
#[cfg(unix)]
pub fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

/// Makes a path from the bytes of one, as `OsStr::as_encoded_bytes` gives them; `None` where they cannot be one.
#[cfg(not(unix))]
pub fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}
