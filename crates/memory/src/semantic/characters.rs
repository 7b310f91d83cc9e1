use std::ops::RangeInclusive;

/// How the model's tokenizer reads characters: which it drops, which end a word, and what it replaces by a plain letter.
#[derive(Debug)]
pub(crate) struct Characters {
    dropped: Vec<RangeInclusive<u32>>,
    split: Vec<RangeInclusive<u32>>,
    ideographs: Vec<RangeInclusive<u32>>,
    /// With what replaces them.
    replaced: Vec<(RangeInclusive<u32>, &'static str)>,
}

/// What becomes of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    Nothing,
    Space,
    /// A word of its own.
    Alone(Plain),
    Letter(Plain),
}

/// The characters that stand for one: lower-case, without marks. Three at most: a Hangul syllable has three parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plain {
    characters: [char; 3],
    count: usize,
}

impl Plain {
    pub(crate) fn as_slice(&self) -> &[char] {
        &self.characters[..self.count]
    }

    fn push(&mut self, c: char) {
        if let Some(place) = self.characters.get_mut(self.count) {
            *place = c;
            self.count += 1;
        }
    }
}

impl FromIterator<char> for Plain {
    fn from_iter<T: IntoIterator<Item = char>>(characters: T) -> Self {
        let mut plain = Self::default();
        characters.into_iter().for_each(|c| plain.push(c));
        plain
    }
}

impl Characters {
    pub(crate) fn load() -> Self {
        let mut all = Self { dropped: Vec::new(), split: Vec::new(), ideographs: Vec::new(), replaced: Vec::new() };
        for line in include_str!("characters.txt").lines().filter(|line| !line.starts_with("# ")) {
            let mut words = line.split(' ');
            let Some(rule) = words.next() else { continue };
            let ranges = words.filter_map(range);
            match rule {
                "drop" => all.dropped.extend(ranges),
                "split" => all.split.extend(ranges),
                "space" => all.ideographs.extend(ranges),
                letters => all.replaced.extend(ranges.map(|range| (range, letters))),
            }
        }
        all.replaced.sort_by_key(|(range, _)| *range.start());
        all
    }

    pub(crate) fn read(&self, c: char) -> Read {
        if c.is_ascii_alphanumeric() {
            return Read::Letter(Plain::from_iter([c.to_ascii_lowercase()]));
        }
        if contain(&self.dropped, c) {
            return Read::Nothing;
        }
        if c.is_whitespace() {
            return Read::Space;
        }
        let plain = self.plain(c);
        let ends_words = |c: &char| contain(&self.split, *c);
        match contain(&self.ideographs, c) || plain.as_slice().iter().all(ends_words) {
            true => Read::Alone(plain),
            false => Read::Letter(plain),
        }
    }

    fn plain(&self, c: char) -> Plain {
        let known = find(&self.replaced, c, |(range, _)| range);
        match known {
            Some((_, letters)) => letters.chars().collect(),
            None => parts_of_syllable(c).unwrap_or_else(|| c.to_lowercase().collect()),
        }
    }
}

/// Takes a Hangul syllable apart, as Unicode's canonical decomposition does.
fn parts_of_syllable(c: char) -> Option<Plain> {
    const FIRST: u32 = 0xAC00;
    const VOWELS: u32 = 21;
    const ENDS: u32 = 28;
    if !('\u{AC00}'..='\u{D7A3}').contains(&c) {
        return None;
    }
    let index = u32::from(c) - FIRST;
    let (start, vowel, end) = (index / ENDS / VOWELS, index / ENDS % VOWELS, index % ENDS);
    let parts = [Some(0x1100 + start), Some(0x1161 + vowel), (end > 0).then_some(0x11A7 + end)];
    Some(parts.into_iter().flatten().filter_map(char::from_u32).collect())
}

fn range(text: &str) -> Option<RangeInclusive<u32>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some(u32::from_str_radix(first, 16).ok()?..=u32::from_str_radix(last, 16).ok()?)
}

fn contain(ranges: &[RangeInclusive<u32>], c: char) -> bool {
    find(ranges, c, |range| range).is_some()
}

fn find<T>(sorted: &[T], c: char, range: impl Fn(&T) -> &RangeInclusive<u32>) -> Option<&T> {
    let c = u32::from(c);
    let behind = sorted.partition_point(|one| *range(one).end() < c);
    sorted.get(behind).filter(|one| range(one).contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(c: char, expected: &str) {
        let said = match Characters::load().read(c) {
            Read::Nothing => String::new(),
            Read::Space => " ".to_owned(),
            Read::Alone(plain) => format!(" {} ", plain.as_slice().iter().collect::<String>()),
            Read::Letter(plain) => plain.as_slice().iter().collect(),
        };
        assert_eq!(said, expected, "{c:?}");
    }

    #[test]
    fn characters_are_read_as_by_the_original() {
        for (c, expected) in [
            ('a', "a"),
            ('Z', "z"),
            ('É', "e"),
            ('ß', "ß"),
            ('İ', "i"),
            ('ﬁ', "ﬁ"),
            ('Ω', "ω"),
            ('ώ', "ω"),
            ('Й', "и"),
            ('\u{301}', ""),
            ('\u{0}', ""),
            ('\u{85}', ""),
            ('\u{200d}', ""),
            ('\u{feff}', ""),
            ('\u{fffd}', ""),
            ('\u{e000}', ""),
            ('\t', " "),
            ('\u{a0}', " "),
            ('\u{3000}', " "),
            ('.', " . "),
            ('$', " $ "),
            ('\u{37e}', " ; "),
            ('≠', " = "),
            ('、', " 、 "),
            ('中', " 中 "),
            ('あ', "あ"),
            ('が', "か"),
            ('한', "\u{1112}\u{1161}\u{11ab}"),
            ('가', "\u{1100}\u{1161}"),
            ('🦀', "🦀"),
            ('#', " # "),
        ] {
            check(c, expected);
        }
    }

    #[test]
    fn the_table_is_sorted_and_complete() {
        let all = Characters::load();
        let replaced: Vec<_> = all.replaced.iter().map(|(range, _)| range.clone()).collect();
        for ranges in [&all.dropped, &all.split, &all.ideographs, &replaced] {
            assert!(ranges.is_sorted_by(|one, next| one.end() < next.start()), "{ranges:?}");
        }
        let words = include_str!("characters.txt").lines().filter(|line| !line.starts_with('#'));
        let written: usize = words.map(|line| line.split(' ').count() - 1).sum();
        let read = all.dropped.len() + all.split.len() + all.ideographs.len() + all.replaced.len();
        assert_eq!(read, written);
        assert!(all.replaced.iter().all(|(_, letters)| letters.chars().count() <= 3));
    }
}
