use std::borrow::Cow;

use crate::Redacted;

/// What is written to a file: text without secrets, or bytes that are kept as they are for a stated reason. Whoever
/// writes what came from outside has to say which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileContent<'a> {
    bytes: Cow<'a, [u8]>,
    access: Access,
}

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Its owner.
    Owner,
    /// Whoever may read its folder.
    Folder,
}

/// Why bytes are kept as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exact {
    /// Stead made them from its own words, numbers, paths and hashes.
    Own,
    /// They are a file that a person or a repository owns: settings, guards, intents, stages.
    Edited,
    /// They have to be equal to a file, which is put back, compared or run.
    Copied,
    /// They are compiled from such files, and can be made again.
    Compiled,
    /// Redacted texts, put together.
    Redacted,
}

impl Exact {
    pub fn bytes<'a>(self, bytes: &'a (impl AsRef<[u8]> + ?Sized)) -> FileContent<'a> {
        FileContent { bytes: Cow::Borrowed(bytes.as_ref()), access: Access::Folder }
    }

    pub fn owned(self, bytes: impl Into<Vec<u8>>) -> FileContent<'static> {
        FileContent { bytes: Cow::Owned(bytes.into()), access: Access::Folder }
    }
}

impl FileContent<'_> {
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same for whoever may read its folder: a record that is shared.
    pub fn shared(self) -> Self {
        Self { access: Access::Folder, ..self }
    }

    pub(crate) fn access(&self) -> Access {
        self.access
    }
}

impl<'a> From<Redacted<'a>> for FileContent<'a> {
    fn from(text: Redacted<'a>) -> Self {
        let bytes = match text.into_text() {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
        Self { bytes, access: Access::Owner }
    }
}

/// A constant of the program has nothing from outside.
impl From<&'static str> for FileContent<'static> {
    fn from(text: &'static str) -> Self {
        Self { bytes: Cow::Borrowed(text.as_bytes()), access: Access::Folder }
    }
}

impl<const N: usize> From<&'static [u8; N]> for FileContent<'static> {
    fn from(bytes: &'static [u8; N]) -> Self {
        Self { bytes: Cow::Borrowed(bytes), access: Access::Folder }
    }
}

impl From<&'static [u8]> for FileContent<'static> {
    fn from(bytes: &'static [u8]) -> Self {
        Self { bytes: Cow::Borrowed(bytes), access: Access::Folder }
    }
}
