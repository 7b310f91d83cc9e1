//! Rust sources in several forms: everything, code without strings and comments, only comments. All forms keep the line
//! numbers, so that a finding can name a line.
//!
//! This is not a Rust parser: it recognises comments, strings and characters, and where a `#[cfg(test)]` module ends.

/// One source in several forms. All forms have the same lines.
#[derive(Debug)]
pub(super) struct RustText {
    /// Code; strings and comments are blank.
    pub(super) code: String,
    /// Code as above, test modules blank too.
    pub(super) shipped: String,
    /// Comments and documentation only.
    pub(super) comments: String,
    /// The source without its test modules, strings and comments kept.
    pub(super) shipped_source: String,
    /// Modules in files of their own that exist in tests only: `#[cfg(test)] mod name;`.
    pub(super) test_modules: Vec<String>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Code,
    Comment,
    Text,
}

impl RustText {
    pub(super) fn new(source: &str) -> Self {
        let kinds = kinds(source.as_bytes());
        let code = keep(source, |at| kinds[at] == Kind::Code);
        let tests = test_ranges(&code);
        let in_test = |at: usize| tests.iter().any(|range| range.contains(&at));
        Self {
            shipped: keep(source, |at| kinds[at] == Kind::Code && !in_test(at)),
            comments: keep(source, |at| kinds[at] == Kind::Comment),
            shipped_source: keep(source, |at| !in_test(at)),
            test_modules: tests.iter().filter_map(|range| declared_module(&code[range.clone()])).collect(),
            code,
        }
    }
}

/// Blanks every byte that is not wanted, except newlines.
fn keep(source: &str, wanted: impl Fn(usize) -> bool) -> String {
    let bytes = source.bytes().enumerate().map(|(at, byte)| if byte == b'\n' || wanted(at) { byte } else { b' ' });
    String::from_utf8_lossy(&bytes.collect::<Vec<_>>()).into_owned()
}

fn kinds(source: &[u8]) -> Vec<Kind> {
    let mut kinds = vec![Kind::Code; source.len()];
    let mut at = 0;
    while at < source.len() {
        let (kind, end) = piece(source, at);
        kinds[at..end].fill(kind);
        at = end;
    }
    kinds
}

/// Finds the comment, the string or the single byte of code that starts here.
fn piece(source: &[u8], at: usize) -> (Kind, usize) {
    let rest = &source[at..];
    if rest.starts_with(b"//") {
        return (Kind::Comment, at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()));
    }
    if rest.starts_with(b"/*") {
        return (Kind::Comment, at + block_comment(rest));
    }
    if let Some(length) = raw_string(source, at) {
        return (Kind::Text, at + length);
    }
    match rest[0] {
        b'"' => (Kind::Text, at + quoted(rest)),
        b'\'' => match character(rest) {
            Some(length) => (Kind::Text, at + length),
            None => (Kind::Code, at + 1),
        },
        _ => (Kind::Code, at + 1),
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

fn quoted(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// `r"…"`, `r#"…"#` and their byte and C forms; the `r` must not end a longer name.
fn raw_string(source: &[u8], at: usize) -> Option<usize> {
    let rest = &source[at..];
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if at > 0 && is_name(&source[at - 1]) {
        return None;
    }
    let prefix = match rest {
        [b'r', ..] => 1,
        [b'b' | b'c', b'r', ..] => 2,
        _ => return None,
    };
    let hashes = rest[prefix..].iter().take_while(|byte| **byte == b'#').count();
    let start = prefix + hashes;
    if rest.get(start) != Some(&b'"') {
        return None;
    }
    let mut close = vec![b'"'];
    close.resize(hashes + 1, b'#');
    let body = &rest[start + 1..];
    let end = body.windows(close.len()).position(|window| window == close);
    Some(end.map_or(rest.len(), |end| start + 1 + end + close.len()))
}

/// A character literal, not a lifetime.
fn character(rest: &[u8]) -> Option<usize> {
    if rest.get(1) == Some(&b'\\') {
        let end = rest.iter().skip(3).position(|byte| *byte == b'\'')?;
        return Some(end + 4);
    }
    let text = std::str::from_utf8(&rest[1..rest.len().min(5)])
        .or_else(|error| std::str::from_utf8(&rest[1..1 + error.valid_up_to()]));
    let length = text.ok()?.chars().next()?.len_utf8();
    (rest.get(1 + length) == Some(&b'\'')).then_some(length + 2)
}

/// The bodies of `#[cfg(test)]` items, found by their braces.
fn test_ranges(code: &str) -> Vec<std::ops::Range<usize>> {
    let mut ranges = Vec::new();
    let mut from = 0;
    while let Some(found) = code[from..].find("#[cfg(test)]") {
        let start = from + found;
        let end = item_end(code, start);
        ranges.push(start..end);
        from = end.max(start + 1);
    }
    ranges
}

/// An item ends with its semicolon or its closing brace, whichever comes first outside of braces.
fn item_end(code: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth <= 1 => return at + 1,
            b'}' => depth -= 1,
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

/// The name in `… mod name;`.
fn declared_module(item: &str) -> Option<String> {
    let (_, name) = item.strip_suffix(';')?.rsplit_once("mod ")?;
    Some(name.trim().to_owned())
}

/// Finds a name as a whole word, not as part of a longer one. Returns each position.
pub(super) fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let open = word.starts_with(is_name);
    let close = word.ends_with(is_name);
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = text[..*at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let longer = (open && before.is_some_and(is_name)) || (close && after.is_some_and(is_name));
        !longer
    })
}

/// The line of a position, counted from one.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, code: &str, comments: &str) {
        let text = RustText::new(source);
        let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!((squeeze(&text.code), squeeze(&text.comments)), (code.to_owned(), comments.to_owned()), "{source}");
        assert_eq!(text.code.lines().count(), source.lines().count(), "{source}");
    }

    #[test]
    fn strings_and_comments_are_told_from_code() {
        check("let a = 1; // why", "let a = 1;", "// why");
        check("a /* b /* c */ d */ e", "a e", "/* b /* c */ d */");
        check(r#"f("// no \" comment") // yes"#, "f( )", "// yes");
        check(r##"f(r#"a " // b"#, br"c\") + 1"##, "f( , ) + 1", "");
        check("/// doc\nfn f() {}", "fn f() {}", "/// doc");
        check("let s = \"é // é\"; x", "let s = ; x", "");
    }

    #[test]
    fn characters_are_told_from_lifetimes() {
        check("f('\"', '\\'', 'é', b'x') // end", "f( , , , b )", "// end");
        check("fn f<'a>(x: &'a str, y: &'static str) {} // end", "fn f<'a>(x: &'a str, y: &'static str) {}", "// end");
        check("for r in letter_r { r } // \"", "for r in letter_r { r }", "// \"");
    }

    #[test]
    fn test_modules_are_not_shipped() {
        let text = RustText::new("fn a() { x }\n#[cfg(test)]\nmod tests {\n fn b() { \"}\"; y }\n}\nfn c() { z }\n");
        assert!(text.shipped.contains('x') && text.shipped.contains('z') && !text.shipped.contains('y'));
        let text = RustText::new("#[cfg(test)]\nmod tests;\nfn c() { z }\n");
        assert!(text.shipped.contains('z') && !text.shipped.contains("tests"));
        assert_eq!(text.test_modules, ["tests"]);
    }

    #[test]
    fn words_are_whole() {
        assert_eq!(words("File::open MyFile::open", "File::open").collect::<Vec<_>>(), [0]);
        assert_eq!(words("todo!() todo mytodo", "todo").count(), 2);
        assert_eq!(line_of("a\nb\nc", 4), 3);
    }
}
