//! Groups texts that say the same with other names and numbers in them: what varies is masked, texts of equal length and
//! beginning are compared word by word, and words that differ become gaps.

/// Stands for what varies.
const GAP: &str = "<*>";

/// How many first words must be equal, and which part of all words.
const BEGINNING: usize = 2;
const ALIKE: f64 = 0.6;

/// A text with fewer words than these, without gaps, says nothing.
const LEAST: usize = 3;

/// Texts that say the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    words: Vec<String>,
    /// The positions of the texts.
    pub(super) members: Vec<usize>,
}

impl Template {
    pub(super) fn text(&self) -> String {
        self.words.join(" ")
    }
}

/// Finds the templates of texts, in the order in which they appear.
pub(super) fn templates<'t>(texts: impl IntoIterator<Item = (usize, &'t str)>) -> Vec<Template> {
    let mut found: Vec<Template> = Vec::new();
    for (at, text) in texts {
        let words = masked(text);
        if words.iter().filter(|word| *word != GAP).count() < LEAST {
            continue;
        }
        let same = found.iter_mut().filter(|template| is_alike(&template.words, &words));
        match same.max_by_key(|template| equal(&template.words, &words)) {
            Some(template) => {
                for (known, word) in template.words.iter_mut().zip(&words) {
                    if known != word {
                        GAP.clone_into(known);
                    }
                }
                template.members.push(at);
            }
            None => found.push(Template { words, members: vec![at] }),
        }
    }
    found
}

fn equal(a: &[String], b: &[String]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a == b).count()
}

fn is_alike(template: &[String], words: &[String]) -> bool {
    template.len() == words.len()
        && template.iter().zip(words).take(BEGINNING).all(|(a, b)| a == b)
        && equal(template, words) as f64 >= ALIKE * words.len() as f64
}

/// The words of a text in lower case; numbers, hashes, paths and quoted texts are masked.
fn masked(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (at, piece) in text.split(['`', '"']).enumerate() {
        // Every second piece was between quotes.
        if at % 2 == 1 {
            words.push(GAP.to_owned());
            continue;
        }
        for word in piece.split_whitespace() {
            let bare = word.trim_matches(|c: char| c.is_ascii_punctuation() && c != '/' && c != '~' && c != '.');
            let bare = bare.trim_end_matches('.');
            if !bare.is_empty() {
                words.push(if varies(bare) { GAP.to_owned() } else { bare.to_lowercase() });
            }
        }
    }
    words
}

fn varies(word: &str) -> bool {
    let is_hash = word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    word.contains('/')
        || word.contains(|c: char| c.is_ascii_digit())
        || is_hash
        || word.trim_start_matches('.').contains('.')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_varies_is_masked() {
        let check = |text: &str, expected: &str| assert_eq!(masked(text).join(" "), expected, "{text}");
        check("Edited `src/a.rs` by hand.", "edited <*> by hand");
        check("used 3 retries, not 12", "used <*> retries not <*>");
        check("reverted deadbeef1 of src/lib.rs", "reverted <*> of <*>");
        check("wrote \"hello world\" to a.txt", "wrote <*> to <*>");
        check("", "");
    }

    #[test]
    fn texts_that_say_the_same_are_one_template() {
        let texts = [
            "added a comment to `a.rs` that repeats the code",
            "added a comment to `b.rs` that repeats the code",
            "ran all tests instead of one",
            "added a remark to src/c.rs that repeats the code",
        ];
        let found = templates(texts.into_iter().enumerate());
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].text(), "added a <*> to <*> that repeats the code");
        assert_eq!(found[0].members, [0, 1, 3]);
    }

    proptest! {
        #[test]
        fn names_and_numbers_do_not_matter(name in "[a-z]{1,8}", number in 0u32..9999, folder in "[a-z]{1,8}") {
            let text = format!("changed {folder}/{name}.rs line {number} without asking the owner");
            let other = "changed src/main.rs line 1 without asking the owner";
            prop_assert_eq!(templates([(0, text.as_str()), (1, other)]).len(), 1);
        }

        #[test]
        fn any_text_is_taken(texts in proptest::collection::vec(".{0,80}", 0..8)) {
            let found = templates(texts.iter().enumerate().map(|(at, text)| (at, text.as_str())));
            prop_assert!(found.iter().map(|template| template.members.len()).sum::<usize>() <= texts.len());
        }
    }
}
