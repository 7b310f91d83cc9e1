use super::characters::{Characters, Read};
use super::vocabulary::Vocabulary;

/// The longest text, in word pieces with the two at its ends. What follows is cut off, as by the original.
pub const LONGEST_TEXT: usize = 256;

/// A longer word, in characters, is unknown.
const LONGEST_WORD: usize = 100;

/// Marks a piece that does not begin a word.
const CONTINUED: &str = "##";

/// Pieces with a meaning of their own, also where a text spells them.
const SPECIAL: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/// Splits texts into word pieces, as BERT's uncased tokenizer does.
#[derive(Debug)]
pub(crate) struct Tokenizer {
    characters: Characters,
    vocabulary: Vocabulary,
    special: [u32; 5],
}

impl Tokenizer {
    /// `None` if the vocabulary lacks one of the special pieces.
    pub(crate) fn new(vocabulary: Vocabulary) -> Option<Self> {
        let mut special = [0; 5];
        for (number, piece) in special.iter_mut().zip(SPECIAL) {
            *number = vocabulary.number(piece)?;
        }
        Some(Self { characters: Characters::load(), vocabulary, special })
    }

    /// The numbers of a text's pieces: the start, at most `longest` in all, the end.
    pub(crate) fn pieces(&self, text: &str, longest: usize) -> Vec<u32> {
        let [_, unknown, start, end, _] = self.special;
        let room = longest.saturating_sub(1);
        let mut words = Words { tokenizer: self, unknown, pieces: vec![start], word: String::new(), length: 0 };
        let mut rest = text;
        while let Some(c) = rest.chars().next().filter(|_| words.pieces.len() < room) {
            if let Some((piece, number)) = SPECIAL.iter().zip(self.special).find(|(piece, _)| rest.starts_with(**piece))
            {
                words.end();
                words.pieces.push(number);
                rest = &rest[piece.len()..];
                continue;
            }
            rest = &rest[c.len_utf8()..];
            match self.characters.read(c) {
                Read::Nothing => {}
                Read::Space => words.end(),
                Read::Letter(plain) => plain.as_slice().iter().for_each(|c| words.push(*c)),
                Read::Alone(plain) => {
                    words.end();
                    plain.as_slice().iter().for_each(|c| words.push(*c));
                    words.end();
                }
            }
        }
        words.end();
        let mut pieces = words.pieces;
        pieces.truncate(room);
        pieces.push(end);
        pieces
    }

    /// Appends the pieces of one word: each the longest that the vocabulary has. `None` if there is none.
    fn split(&self, word: &str, pieces: &mut Vec<u32>) -> Option<()> {
        let mut key = String::with_capacity(word.len() + CONTINUED.len());
        let mut rest = word;
        while !rest.is_empty() {
            key.clear();
            if rest.len() < word.len() {
                key.push_str(CONTINUED);
            }
            let marked = key.len();
            key.push_str(rest);
            let number = loop {
                match self.vocabulary.number(&key) {
                    Some(number) => break number,
                    None => key.pop().filter(|_| key.len() > marked)?,
                };
            };
            pieces.push(number);
            rest = &rest[key.len() - marked..];
        }
        Some(())
    }
}

/// The pieces so far, and the word that is being read.
struct Words<'a> {
    tokenizer: &'a Tokenizer,
    unknown: u32,
    pieces: Vec<u32>,
    word: String,
    length: usize,
}

impl Words<'_> {
    fn push(&mut self, c: char) {
        self.length += 1;
        if self.length <= LONGEST_WORD {
            self.word.push(c);
        }
    }

    fn end(&mut self) {
        let known = self.pieces.len();
        let split = match self.length {
            0 => return,
            1..=LONGEST_WORD => self.tokenizer.split(&self.word, &mut self.pieces),
            _ => None,
        };
        if split.is_none() {
            self.pieces.truncate(known);
            self.pieces.push(self.unknown);
        }
        self.word.clear();
        self.length = 0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PIECES: [&str; 22] = [
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "test", "##s", "##ing", "cafe", "un", "##test", "##ed",
        ".", "_", "中", "naive", "t", "##t", "\u{1100}", "##\u{1161}", "a",
    ];

    fn tokenizer() -> Tokenizer {
        Tokenizer::new(Vocabulary::of(&PIECES)).unwrap()
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let numbers = tokenizer().pieces(text, LONGEST_TEXT);
        let pieces: Vec<_> = numbers.iter().map(|number| PIECES[*number as usize]).collect();
        assert_eq!((pieces.first(), pieces.last()), (Some(&"[CLS]"), Some(&"[SEP]")));
        assert_eq!(&pieces[1..pieces.len() - 1], expected, "{text:?}");
    }

    #[test]
    fn texts_are_split_as_by_the_original() {
        check("", &[]);
        check(" \t\n\u{a0}", &[]);
        check("The tests.", &["the", "test", "##s", "."]);
        check("untested testing", &["un", "##test", "##ed", "test", "##ing"]);
        check("CAFÉ cafe\u{301} naïve", &["cafe", "cafe", "naive"]);
        check("test_the", &["test", "_", "the"]);
        check("中中test中", &["中", "中", "test", "中"]);
        check("te\u{0}st te\u{200b}st te\u{ad}st", &["test", "test", "test"]);
        // One unknown piece makes the whole word unknown.
        check("tests🦀 the", &["[UNK]", "the"]);
        check("가", &["\u{1100}", "##\u{1161}"]);
        check("a[MASK]b the[SEP]", &["a", "[MASK]", "[UNK]", "the", "[SEP]"]);
        check("[mask]", &["[UNK]", "[UNK]", "[UNK]"]);
    }

    #[test]
    fn long_words_are_unknown_and_long_texts_cut() {
        check(&"t".repeat(100), &[&["t"][..], &["##t"; 99]].concat());
        check(&"t".repeat(101), &["[UNK]"]);
        check(&"t".repeat(1_000_000), &["[UNK]"]);
        check(&"the ".repeat(300), &["the"; 254]);
        check(&"tests ".repeat(1_000_000), &["test", "##s"].repeat(127));
        check(&format!("a {}", "tests ".repeat(200)), &[&["a"][..], &["test", "##s"].repeat(127)[..253]].concat());
    }

    #[test]
    fn a_vocabulary_without_special_pieces_is_none() {
        assert!(Tokenizer::new(Vocabulary::of(&PIECES[1..])).is_none());
    }

    proptest! {
        #[test]
        fn any_text_becomes_a_few_known_pieces(text in "(\\PC|\\p{Mn}|\\p{Cc}|[a-z ]|[\u{ac00}-\u{d7a3}]|\\[MASK\\]){0,400}") {
            let tokenizer = tokenizer();
            let pieces = tokenizer.pieces(&text, LONGEST_TEXT);
            prop_assert!((2..=LONGEST_TEXT).contains(&pieces.len()));
            prop_assert!(pieces.iter().all(|piece| (*piece as usize) < PIECES.len()));
            // What comes after the limit does not matter.
            prop_assert_eq!(&tokenizer.pieces(&format!("{text} {}", "the ".repeat(300)), pieces.len())[..pieces.len() - 1], &pieces[..pieces.len() - 1]);
        }
    }
}
