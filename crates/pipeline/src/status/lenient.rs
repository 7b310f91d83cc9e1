//! Reads what an agent wrote around its status, if it is clear what it means: models put JSON in a code fence and explain
//! it in comments.

use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions};

/// What was left out of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plain {
    pub(super) text: String,
    pub(super) without: &'static str,
}

/// The text without a code fence around it and without comments; `None` if it has neither.
pub(super) fn plain(text: &str) -> Option<Plain> {
    let fenced = unfenced(text);
    match (without_comments(fenced.unwrap_or(text)), fenced) {
        (Some(text), Some(_)) => Some(Plain { text, without: "a code fence and comments" }),
        (Some(text), None) => Some(Plain { text, without: "comments" }),
        (None, Some(inner)) => Some(Plain { text: inner.to_owned(), without: "a code fence" }),
        (None, None) => None,
    }
}

/// The content of the only code fence, if there is nothing else.
fn unfenced(text: &str) -> Option<&str> {
    let rest = text.trim().strip_prefix("```")?;
    let (language, rest) = rest.split_once('\n')?;
    let inner = rest.strip_suffix("```")?;
    (!inner.contains("```") && matches!(language.trim(), "" | "json" | "jsonc" | "json5")).then_some(inner)
}

/// The text with spaces in place of comments; `None` if it has none, or is not JSON otherwise.
fn without_comments(text: &str) -> Option<String> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::Separate, tokens: false };
    let parsed = jsonc_parser::parse_to_ast(text, &collect, &only_comments()).ok()?;
    let comments = parsed.comments.as_ref().filter(|comments| !comments.is_empty())?;
    let mut bytes = text.as_bytes().to_vec();
    for comment in comments.values().flat_map(|comments| comments.iter()) {
        let range = comment.range();
        for byte in bytes.get_mut(range.start..range.end)? {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// JSON with comments, and nothing looser.
fn only_comments() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: false,
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
