//! Reads what an agent wrote around its status, if it is clear what it means: models put JSON in a code fence, explain it in
//! comments and leave a comma at the end of a list.

use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions};

const COMMENTS: &str = "comments";
const COMMAS: &str = "trailing commas";

/// What was left out of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plain {
    pub(super) text: String,
    pub(super) without: String,
}

/// The text without a code fence around it, comments and trailing commas; `None` if it has none of them.
pub(super) fn plain(text: &str) -> Option<Plain> {
    let fenced = unfenced(text);
    let inner = fenced.unwrap_or(text);
    let (text, stripped) = strict(inner).unwrap_or_else(|| (inner.to_owned(), Vec::new()));
    let without: Vec<&str> = fenced.map(|_| "a code fence").into_iter().chain(stripped).collect();
    (!without.is_empty()).then(|| Plain { text, without: without.join(" and ") })
}

/// The content of the only code fence, if there is nothing else.
fn unfenced(text: &str) -> Option<&str> {
    let text = text.trim();
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let fence = &text[..text.len() - text.trim_start_matches(mark).len()];
    let (language, rest) = text[fence.len()..].split_once('\n')?;
    let inner = rest.strip_suffix(fence)?;
    let is_json = matches!(language.trim(), "" | "json" | "jsonc" | "json5");
    (fence.len() >= 3 && !inner.contains(fence) && is_json).then_some(inner)
}

/// The text with spaces in place of comments and trailing commas, and which of them it has; `None` if it is not JSON
/// otherwise.
fn strict(text: &str) -> Option<(String, Vec<&'static str>)> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let tokens = jsonc_parser::parse_to_ast(text, &collect, &comments_and_commas()).ok()?.tokens?;
    let mut bytes = text.as_bytes().to_vec();
    let mut found = Vec::new();
    let mut is_last = false;
    for token in tokens.iter().rev() {
        let what = match &token.token {
            Token::CommentLine(_) | Token::CommentBlock(_) => Some(COMMENTS),
            Token::Comma if is_last => Some(COMMAS),
            closing => {
                is_last = matches!(closing, Token::CloseBrace | Token::CloseBracket);
                None
            }
        };
        let Some(what) = what else { continue };
        for byte in bytes.get_mut(token.range.start..token.range.end)?.iter_mut().filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
        found.push(what);
    }
    let found = [COMMENTS, COMMAS].into_iter().filter(|what| found.contains(what)).collect();
    Some((String::from_utf8(bytes).ok()?, found))
}

/// JSON with comments and trailing commas, and nothing looser.
fn comments_and_commas() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}
