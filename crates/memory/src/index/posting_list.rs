use super::Corrupt;

/// The documents that contain a term, in ascending order, each with how often. A document is written as its distance to
/// the one before it, shifted left by one bit; the free bit says whether a count above 1 follows. Both are LEB128.
#[derive(Clone, Debug, Default)]
pub(crate) struct PostingList {
    bytes: Vec<u8>,
    /// The last document, whose count may still grow, and the one before it plus 1.
    open: Option<(u32, u32)>,
    next: u32,
    docs: u32,
}

impl PostingList {
    /// Adds one occurrence. Documents come in ascending order.
    pub(crate) fn push(&mut self, doc: u32) {
        match &mut self.open {
            Some((open, count)) if *open == doc => *count = count.saturating_add(1),
            _ => {
                self.close();
                self.open = Some((doc, 1));
                self.docs += 1;
            }
        }
    }

    /// Writes the last document. More may follow.
    pub(crate) fn close(&mut self) {
        let Some((doc, count)) = self.open.take() else { return };
        let distance = doc.saturating_sub(self.next);
        write(&mut self.bytes, u64::from(distance) << 1 | u64::from(count > 1));
        if count > 1 {
            write(&mut self.bytes, u64::from(count));
        }
        self.next = doc + 1;
    }

    pub(crate) fn docs(&self) -> u32 {
        self.docs
    }

    /// The bytes of a closed list.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends a written list whose documents start at `first`.
    pub(crate) fn absorb(&mut self, bytes: &[u8], first: u32, docs: u32) -> Result<(), Corrupt> {
        each_posting(bytes, docs, |doc, count| {
            self.close();
            self.open = Some((first + doc, count));
            self.docs += 1;
        })
    }
}

fn write(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Reads a list of documents below `docs`. What follows a wrong byte is not read.
#[inline]
pub(crate) fn each_posting(bytes: &[u8], docs: u32, mut found: impl FnMut(u32, u32)) -> Result<(), Corrupt> {
    let mut at = 0;
    let mut next: u32 = 0;
    while at < bytes.len() {
        let word = read(bytes, &mut at)?;
        let doc = next.checked_add(word >> 1).filter(|doc| *doc < docs).ok_or(Corrupt)?;
        let count = if word & 1 == 1 { read(bytes, &mut at)? } else { 1 };
        found(doc, count);
        next = doc + 1;
    }
    Ok(())
}

#[inline]
fn read(bytes: &[u8], at: &mut usize) -> Result<u32, Corrupt> {
    let mut value: u32 = 0;
    let mut shift = 0;
    loop {
        let byte = *bytes.get(*at).ok_or(Corrupt)?;
        *at += 1;
        if byte < 0x80 {
            return match shift {
                28 if byte > 0x0f => Err(Corrupt),
                _ => Ok(value | u32::from(byte) << shift),
            };
        }
        value |= u32::from(byte & 0x7f) << shift;
        shift += 7;
        if shift > 28 {
            return Err(Corrupt);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_are_read_as_written(counts in proptest::collection::btree_map(0_u32..70_000, 1_u32..400, 0..200)) {
            let mut list = PostingList::default();
            for (doc, count) in &counts {
                (0..*count).for_each(|_| list.push(*doc));
            }
            list.close();
            let mut read = std::collections::BTreeMap::new();
            prop_assert!(each_posting(list.bytes(), 70_000, |doc, count| assert!(read.insert(doc, count).is_none())).is_ok());
            prop_assert_eq!(&read, &counts);
            prop_assert_eq!(list.docs() as usize, counts.len());
            let mut moved = PostingList::default();
            prop_assert!(moved.absorb(list.bytes(), 10, 70_000).is_ok());
            moved.close();
            let mut again = std::collections::BTreeMap::new();
            prop_assert!(each_posting(moved.bytes(), 70_010, |doc, count| assert!(again.insert(doc - 10, count).is_none())).is_ok());
            prop_assert_eq!(again, counts);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = each_posting(&bytes, 1_000, |doc, _| assert!(doc < 1_000));
        }
    }
}
