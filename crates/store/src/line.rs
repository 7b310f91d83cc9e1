use serde::de::IgnoredAny;

/// The maximum length of a log line in bytes. A longer one is not written, and skipped when read.
pub const LINE_LIMIT: usize = 1024 * 1024;

/// One whole line of a log: the text of a JSON object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub text: String,
    /// Where the line starts in the file.
    pub offset: u64,
}

/// What the bytes between two line ends are.
pub(crate) enum Reading {
    Whole(Line),
    Blank,
    /// Torn, not JSON, or not UTF-8.
    Broken,
}

impl Line {
    /// Classifies the bytes of one line, without its line end.
    pub(crate) fn read(bytes: &[u8], offset: u64) -> Reading {
        Self::read_if(bytes, offset, is_object)
    }

    /// The same without a look at what the text is.
    pub(crate) fn take(bytes: &[u8], offset: u64) -> Reading {
        Self::read_if(bytes, offset, |_| true)
    }

    fn read_if(bytes: &[u8], offset: u64, is_whole: fn(&str) -> bool) -> Reading {
        if bytes.len() > LINE_LIMIT {
            return Reading::Broken;
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Reading::Blank;
        }
        match std::str::from_utf8(bytes) {
            // Other white space than JSON's belongs to the text, and makes it no JSON.
            Ok(text) if is_whole(text) => {
                Reading::Whole(Self { text: text.trim_matches([' ', '\t', '\r', '\n']).to_owned(), offset })
            }
            _ => Reading::Broken,
        }
    }
}

fn is_object(text: &str) -> bool {
    text.trim_ascii_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok()
}
