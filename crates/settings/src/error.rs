use thiserror::Error;

/// Why a settings text cannot be edited. The text is then left unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingsError {
    #[error("line {line}, column {column}: {message}")]
    Parse { line: usize, column: usize, message: String },
    /// The text parses, but there is something else where hook lines belong.
    #[error("`{place}` is not {expected}")]
    Structure { place: String, expected: &'static str },
}

impl SettingsError {
    /// Converts the byte offset of a parser error to line and column.
    pub(crate) fn at(text: &str, offset: usize, message: impl Into<String>) -> Self {
        let mut end = offset.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self::Parse {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
        }
    }
}
