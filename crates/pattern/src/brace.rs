/// Writes `a/{b,c}` out as `a/b` and `a/c`, innermost braces first. Braces without a comma are plain text, and a pattern
/// with too many alternatives keeps the rest of its braces.
pub fn expand(pattern: &str) -> Vec<String> {
    const MOST: usize = 64;
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(text) = open.pop() {
        let choice = text.match_indices('}').find_map(|(end, _)| {
            let start = text[..end].rfind('{')?;
            text[start..end].contains(',').then_some((start, end))
        });
        match choice {
            Some((start, end)) if done.len() + open.len() < MOST => {
                let choices = text[start + 1..end].rsplit(',');
                open.extend(choices.map(|choice| format!("{}{choice}{}", &text[..start], &text[end + 1..])));
            }
            _ => done.push(text),
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_written_out() {
        let check = |pattern: &str, expected: &[&str]| assert_eq!(expand(pattern), expected, "{pattern}");
        check("a", &["a"]);
        check("a.{b,c}", &["a.b", "a.c"]);
        check("{a,b}/{c,d}", &["a/c", "a/d", "b/c", "b/d"]);
        check("{a,b{c,d}}", &["a", "bc", "a", "bd"]);
        check("!{a,b}", &["!a", "!b"]);
        check("a{b", &["a{b"]);
        check("a{b}", &["a{b}"]);
        check("{x}.{b,c}", &["{x}.b", "{x}.c"]);
        assert!(expand(&"{a,b}".repeat(30)).len() < 200);
    }
}
