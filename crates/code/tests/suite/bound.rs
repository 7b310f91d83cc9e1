//! Whatever the text is, the answer comes within the budget.

use proptest::prelude::*;
use stead_code::{Budget, Change, Class, CodeError, Language, classify, nodes};

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

/// Judges the change from one text to another.
fn class(language: Language, before: &str, after: &str) -> Class {
    let change = Change { path: "x", language: Some(language), before: Some(before), after: Some(after) };
    classify(&[change], &Budget::default()).class
}

/// Each line doubles what is put in the place of the last name.
#[test]
fn inlining_does_not_grow_without_bound() {
    let line = |at: usize| format!("    let a{} = a{at} + a{at};\n", at + 1);
    let body: String = (0..80).map(line).collect();
    let text = format!("fn f(a0: u64) -> u64 {{\n{body}    a80\n}}\n");
    assert_eq!(class(Language::Rust, &text, &text.replace("    a80", "    a79")), Class::Evolution);
}

#[test]
fn many_changes_are_judged_quickly() {
    let items =
        |name: &str| (0..3_000).map(|at| format!("def {name}{at}(x):\n    return x + {at}\n\n")).collect::<String>();
    assert_eq!(class(Language::Python, &items("a"), &items("b")), Class::Evolution);
    let calls = |space: &str| (0..3_000).map(|at| format!("go({space}{at})\n")).collect::<String>();
    assert_eq!(class(Language::Python, &calls(""), &calls(" ")), Class::Refactor);
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
        let text = words.concat();
        let _ = read(language, &text);
        let (_, half) = words.split_at(words.len() / 2);
        let _ = class(language, &text, &half.concat());
        prop_assert_eq!(class(language, &text, &text), Class::Refactor);
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
