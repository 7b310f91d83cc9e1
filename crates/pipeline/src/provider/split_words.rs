use super::ProviderError;

/// Splits a setting into arguments: at spaces, except within single or double quotes. A backslash takes the next
/// character as it is, outside of single quotes.
pub fn split_words(text: &str) -> Result<Vec<String>, ProviderError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), closing) if open == closing => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, space) if space.is_whitespace() => words.extend(word.take()),
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(characters.next()),
            (_, other) => word.get_or_insert_default().push(other),
        }
    }
    if quote.is_some() {
        return Err(ProviderError::OpenQuote { text: text.to_owned() });
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(split_words(text).unwrap(), expected, "{text}");
    }

    #[test]
    fn words_are_split_as_a_shell_would() {
        check("", &[]);
        check("  --a  b\t", &["--a", "b"]);
        check("--tools 'Bash(git *)' \"x y\"z", &["--tools", "Bash(git *)", "x yz"]);
        check(r#"a\ b "c\"d" 'e\f' '' \\"#, &["a b", "c\"d", "e\\f", "", "\\"]);
        check("end\\", &["end"]);
        assert!(split_words("'open").is_err());
    }
}
