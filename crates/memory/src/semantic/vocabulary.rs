use std::cmp::Ordering;

use super::body::{Body, put_numbers};

/// The word pieces that a model knows, sorted, each with its number.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Vocabulary {
    /// All pieces, one after the other.
    text: Vec<u8>,
    /// Where each piece ends in the text.
    ends: Vec<u32>,
    numbers: Vec<u32>,
}

impl Vocabulary {
    /// Takes the pieces in the order of their numbers.
    pub(crate) fn of(pieces: &[&str]) -> Self {
        let mut sorted: Vec<(&str, u32)> = pieces.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        let text: Vec<u8> = sorted.iter().flat_map(|(piece, _)| piece.bytes()).collect();
        let mut end = 0;
        let ends = sorted.iter().map(|(piece, _)| {
            end += piece.len() as u32;
            end
        });
        Self { ends: ends.collect(), numbers: sorted.iter().map(|(_, number)| *number).collect(), text }
    }

    pub(crate) fn read(body: &mut Body, count: usize) -> Option<Self> {
        let ends = body.numbers(count)?;
        let numbers = body.numbers(count)?;
        let text = body.bytes(ends.last().copied().unwrap_or(0) as usize)?.to_vec();
        let fits = numbers.iter().all(|number| (*number as usize) < count);
        fits.then_some(Self { text, ends, numbers })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        put_numbers(out, self.ends.iter().copied());
        put_numbers(out, self.numbers.iter().copied());
        out.extend_from_slice(&self.text);
    }

    pub(crate) fn number(&self, piece: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.piece(middle)?.cmp(piece.as_bytes()) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return self.numbers.get(middle).copied(),
            }
        }
        None
    }

    fn piece(&self, at: usize) -> Option<&[u8]> {
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.text.get(start as usize..*self.ends.get(at)? as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_has_its_number() {
        let pieces = ["[PAD]", "the", "##s", "th", "é", "中", "##", "thé"];
        let vocabulary = Vocabulary::of(&pieces);
        for (number, piece) in (0..).zip(pieces) {
            assert_eq!(vocabulary.number(piece), Some(number), "{piece}");
        }
        for unknown in ["", "t", "them", "zz", "[PAD"] {
            assert_eq!(vocabulary.number(unknown), None, "{unknown}");
        }
        let mut bytes = Vec::new();
        vocabulary.write(&mut bytes);
        assert_eq!(Vocabulary::read(&mut Body::new(&bytes, 0), pieces.len()), Some(vocabulary));
        for cut in 0..bytes.len() {
            assert_eq!(Vocabulary::read(&mut Body::new(&bytes[..cut], 0), pieces.len()), None);
        }
    }
}
