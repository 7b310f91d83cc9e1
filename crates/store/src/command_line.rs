//! The words of the command line. The program is started by the C runtime and not by Rust's own, whose setting up costs a tenth
//! of a hook call. On some targets, musl among them, only that runtime fills `std::env::args`: there it is empty. So the words
//! come from the arguments of `main`, and are handed down to whoever needs them.

use std::ffi::{OsString, c_char, c_int};

/// The words after the name of the program, from the arguments of `main`. Whoever starts a program may leave out even its name.
///
/// # Safety
///
/// `words` is null, or points to `count` pointers that each are null or point to a string that ends with a zero.
#[cfg(unix)]
#[expect(unsafe_code, reason = "C strings can only be read through their pointers")]
pub unsafe fn words_of(count: c_int, words: *const *const c_char) -> Vec<OsString> {
    use std::ffi::CStr;
    use std::os::unix::ffi::OsStringExt;

    if words.is_null() {
        return Vec::new();
    }
    let word = |at| {
        // SAFETY: the caller vouches for the pointers up to `count`.
        let word = unsafe { *words.add(at) };
        // SAFETY: and for the string behind each that is not null.
        (!word.is_null()).then(|| OsString::from_vec(unsafe { CStr::from_ptr(word) }.to_bytes().to_vec()))
    };
    (1..usize::try_from(count).unwrap_or(0)).map_while(word).collect()
}

/// The words after the name of the program. Here the system itself keeps them, in full Unicode, and `main` gets less.
///
/// # Safety
///
/// Always safe.
#[cfg(not(unix))]
#[expect(unsafe_code, reason = "the same signature on every system")]
#[expect(clippy::disallowed_methods, reason = "on this system it needs no runtime")]
pub unsafe fn words_of(_: c_int, _: *const *const c_char) -> Vec<OsString> {
    std::env::args_os().skip(1).collect()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStringExt;
    use std::ptr::null;

    use super::*;

    #[track_caller]
    #[expect(unsafe_code, reason = "it is called as the C runtime calls it")]
    fn check(count: c_int, words: &[Option<&[u8]>], expected: &[&[u8]]) {
        let words: Vec<Option<CString>> =
            words.iter().map(|word| word.map(|word| CString::new(word).unwrap())).collect();
        let mut pointers: Vec<*const c_char> =
            words.iter().map(|word| word.as_ref().map_or(null(), |word| word.as_ptr())).collect();
        pointers.push(null());
        // SAFETY: there are at least `count` pointers, and the strings live until the end of this function.
        let read = unsafe { words_of(count, pointers.as_ptr()) };
        assert_eq!(read, expected.iter().map(|word| OsString::from_vec(word.to_vec())).collect::<Vec<_>>());
    }

    #[test]
    fn the_words_are_those_that_the_c_runtime_gives() {
        let hook = [Some(&b"/usr/bin/stead"[..]), Some(b"hook"), Some(b"client"), Some(b"PreToolUse")];
        check(4, &hook, &[b"hook", b"client", b"PreToolUse"]);
        check(3, &[Some(b"stead"), Some(b""), Some(b"\xff\xfe")], &[b"", b"\xff\xfe"]);
        check(2, &[Some(b""), Some(b"hook")], &[b"hook"]);
        check(1, &[Some(b"stead")], &[]);
    }

    #[test]
    fn a_start_without_a_name_has_no_words() {
        check(0, &[], &[]);
        check(0, &[None, Some(b"LANG=C")], &[]);
        check(-1, &[], &[]);
        check(3, &[Some(b"stead"), Some(b"hook"), None], &[b"hook"]);
        #[expect(unsafe_code, reason = "it is called as the C runtime calls it")]
        // SAFETY: null is allowed.
        let read = unsafe { words_of(2, null()) };
        assert_eq!(read, [] as [OsString; 0]);
    }
}
