use std::ops::Range;

/// Reads the numbers of a model file, one after the other. `None` means that the file ends too early.
#[derive(Debug)]
pub(crate) struct Body<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Body<'a> {
    /// Reads from `at` on.
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// Passes over bytes and says where they are.
    pub(crate) fn range(&mut self, count: usize) -> Option<Range<usize>> {
        let range = self.at..self.at.checked_add(count)?;
        self.bytes.get(range.clone())?;
        self.at = range.end;
        Some(range)
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let range = self.range(count)?;
        self.bytes.get(range)
    }

    pub(crate) fn floats(&mut self, count: usize) -> Option<Vec<f32>> {
        self.words(count, f32::from_le_bytes)
    }

    pub(crate) fn numbers(&mut self, count: usize) -> Option<Vec<u32>> {
        self.words(count, u32::from_le_bytes)
    }

    fn words<T>(&mut self, count: usize, read: fn([u8; 4]) -> T) -> Option<Vec<T>> {
        let bytes = self.bytes(count.checked_mul(4)?)?;
        Some(bytes.as_chunks().0.iter().map(|word| read(*word)).collect())
    }
}

/// Appends numbers as [`Body::floats`] reads them.
pub(crate) fn put_floats(out: &mut Vec<u8>, floats: &[f32]) {
    floats.iter().for_each(|float| out.extend(float.to_le_bytes()));
}

/// Appends numbers as [`Body::numbers`] reads them.
pub(crate) fn put_numbers(out: &mut Vec<u8>, numbers: impl IntoIterator<Item = u32>) {
    numbers.into_iter().for_each(|number| out.extend(number.to_le_bytes()));
}
