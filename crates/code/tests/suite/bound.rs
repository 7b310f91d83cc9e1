//! Whatever the text is, the answer comes within the budget.

use proptest::prelude::*;
use stead_code::{Budget, CodeError, Language, nodes};

fn read(language: Language, text: &str) -> Result<usize, CodeError> {
    nodes(language, text, &Budget::default()).map(|nodes| nodes.len())
}

#[test]
fn deep_nesting_is_refused() {
    for language in Language::all() {
        for (open, close) in
            [("(", ")"), ("[", "]"), ("{", "}"), ("if x ", ""), ("a + ", "b"), ("$(", ")"), ("<a>", "")]
        {
            let text = format!("{}1{}", open.repeat(3_000), close.repeat(3_000));
            let _ = read(language, &text);
        }
    }
    let deep = format!("fn f() {{ {}1{} }}", "(".repeat(20_000), ")".repeat(20_000));
    assert_eq!(read(Language::Rust, &deep), Err(CodeError::TooDeep { limit: 1_000 }));
}

#[test]
fn long_texts_are_refused() {
    let text = "x".repeat(3_000_000);
    assert_eq!(read(Language::C, &text), Err(CodeError::TooLong { bytes: 3_000_000, limit: 2_000_000 }));
}

#[test]
fn a_minified_bundle_is_read_or_refused() {
    let text = "!function(e,t){var n=e[t]||{};n.a=function(r){return r?n.b(r):void 0};for(var i=0;i<9;i++)n[i]=i}(window,'x');".repeat(5_000);
    assert!(read(Language::JavaScript, &text).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_text_is_no_panic(text in any::<String>(), at in 0..13usize) {
        let language = Language::all().nth(at).unwrap_or(Language::C);
        let _ = read(language, &text);
    }

    #[test]
    fn pieces_of_code_are_no_panic(
        words in prop::collection::vec(prop::sample::select(WORDS), 0..60),
        at in 0..13usize,
    ) {
        let language = Language::all().nth(at).unwrap_or(Language::C);
        let _ = read(language, &words.concat());
    }
}

const WORDS: &[&str] = &[
    "fn ", "def ", "class ", "function ", "func ", "let ", "const ", "var ", "x", "y ", "f", "(", ")", "{", "}", "[",
    "]", ",", ";", ":", "=", " => ", "->", ".", "\"", "'", "`", "${", "$x", "#{", "\n", "    ", "\t", "return ", "if ",
    "else ", "for ", "in ", "of ", "match ", "case ", "end\n", "do ", "|a|", "|", "&", "*", "1", "0x_F", "é",
    "\u{feff}", "//c\n", "#c\n", "/*", "*/", "@", "!", "?.", "?", "<", ">", "local ", "import ", "use ", "f\"{x}\"",
    "println!(\"{x}\")", "<<EOF\n", "EOF\n", "<?php ", "public ", "static ", "int ", "async ", "await ", "global x\n",
    "lambda x: ", "\r\n", "\0",
];
