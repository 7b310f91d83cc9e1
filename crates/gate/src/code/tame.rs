//! Programs that only show something, told by every word in them. Short and strict: whoever wants more is read by the
//! evaluator, which says what happens but not that nothing else does.

use super::language::Language;
use super::lexer::{Piece, Token, tokens};

/// The longest program that is looked at.
const LONGEST: usize = 4_096;

/// Names that can do no more than compute, print and read.
const NAMES: &[&str] = &[
    "False",
    "None",
    "Path",
    "True",
    "and",
    "as",
    "dict",
    "elif",
    "else",
    "enumerate",
    "for",
    "from",
    "if",
    "import",
    "in",
    "int",
    "is",
    "json",
    "len",
    "list",
    "max",
    "min",
    "not",
    "open",
    "or",
    "pathlib",
    "print",
    "range",
    "repr",
    "set",
    "sorted",
    "str",
    "sum",
    "tomllib",
    "tuple",
    "with",
    "zip",
];

/// The same of what stands behind a dot.
const METHODS: &[&str] = &[
    "Path",
    "count",
    "dumps",
    "endswith",
    "exists",
    "get",
    "is_dir",
    "is_file",
    "items",
    "join",
    "keys",
    "load",
    "loads",
    "lower",
    "name",
    "read",
    "read_text",
    "readline",
    "readlines",
    "split",
    "splitlines",
    "startswith",
    "stem",
    "strip",
    "suffix",
    "title",
    "upper",
    "values",
];

/// Says whether a Python program only prints and reads.
pub(crate) fn only_shows(text: &str) -> bool {
    if text.len() > LONGEST {
        return false;
    }
    let tokens = tokens(Language::Python, text);
    tokens.iter().enumerate().all(|(at, token)| match token {
        Token::Name(name) => is_tame(&tokens, at, name),
        Token::Text(pieces) => pieces.iter().all(|piece| matches!(piece, Piece::Text(_))),
        Token::Command(_) => false,
        Token::Sign(sign) => !"*@\\".contains(*sign),
        Token::Number(_) | Token::Line(_) => true,
    })
}

fn is_tame(tokens: &[Token], at: usize, name: &str) -> bool {
    let sign = |at: usize, sign: char| tokens.get(at) == Some(&Token::Sign(sign));
    let word = |at: usize, word: &str| matches!(tokens.get(at), Some(Token::Name(name)) if name == word);
    let before = |test: &dyn Fn(usize) -> bool| at.checked_sub(1).is_some_and(test);
    if before(&|at| sign(at, '.')) {
        return METHODS.contains(&name);
    }
    if name == "open" {
        return opens_to_read(tokens, at + 1);
    }
    // A name of the program's own: given here, or known because it was given before.
    let given = |at: usize| {
        sign(at + 1, '=') || word(at + 1, "in") || at.checked_sub(1).is_some_and(|at| word(at, "as") || word(at, "for"))
    };
    NAMES.contains(&name)
        || tokens.iter().enumerate().any(|(other, token)| {
            matches!(token, Token::Name(known) if known == name)
                && given(other)
                && !other.checked_sub(1).is_some_and(|at| sign(at, '.'))
        })
}

/// `('path')` and `('path', 'r')`, and nothing that is computed.
fn opens_to_read(tokens: &[Token], at: usize) -> bool {
    let Some([Token::Sign('('), Token::Text(_), rest @ ..]) = tokens.get(at..) else { return false };
    match rest {
        [Token::Sign(')'), ..] => true,
        [Token::Sign(','), Token::Text(mode), Token::Sign(')'), ..] => {
            matches!(mode.as_slice(), [Piece::Text(mode)] if matches!(mode.as_str(), "r" | "rb" | "rt"))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::only_shows;

    #[test]
    fn what_only_shows() {
        for text in [
            "print('.agent/config.toml')",
            "print('.agent/config.toml')\n",
            "import json\nd = json.load(open('.agent/context/root.json'))\nprint(d['id'], len(d))",
            "from pathlib import Path\nprint(Path('.agent/config.toml').read_text())",
            "with open('a', 'r') as f:\n  for line in f:\n    print(line.strip())",
            "print('stead guard disable')",
        ] {
            assert!(only_shows(text), "{text}");
        }
    }

    #[test]
    fn what_may_do_more() {
        for text in [
            "open('.agent/config.toml', 'w')",
            "open('.agent/config.toml', mode='w')",
            "open('.agent/config.toml', ['w'][0])",
            "open(*['.agent/config.toml', 'w'])",
            "f = open\nf('.agent/config.toml', 'w')",
            "m = 'w'\nopen('.agent/config.toml', m)",
            "print('x', file=open('.agent/config.toml', 'a'))",
            "import os\nos.remove('.agent/config.toml')",
            "from os import remove as print\nprint('.agent/config.toml')",
            "from pathlib import Path\nPath('.agent/config.toml').write_text('')",
            "from pathlib import Path\nPath('a').replace('.agent/config.toml')",
            "print(f\"{open('.agent/config.toml','w')}\")",
            "getattr(print, 'x')",
            "__import__('os').remove('.agent/config.toml')",
            "exec('x')",
            "print.__self__.exec('x')",
            "import shutil",
        ] {
            assert!(!only_shows(text), "{text}");
        }
    }
}
