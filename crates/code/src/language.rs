//! Languages, how a file's language is known, and what its grammar means: one table of text per language.

mod table;

use std::sync::OnceLock;

pub(crate) use table::{Bind, Flags, Item, Place, Step, Table};

/// A language whose syntax is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    Bash,
    C,
    Cpp,
    CSharp,
    Go,
    Java,
    JavaScript,
    Php,
    Python,
    Ruby,
    Rust,
    TypeScript,
    Tsx,
}

/// What is known about a language.
struct Facts {
    language: Language,
    name: &'static str,
    /// The package of the grammar and its version: part of each normalised hash.
    grammar: &'static str,
    /// Ends of file names with a dot, and whole file names.
    files: &'static [&'static str],
    /// Programs of a `#!` line.
    programs: &'static [&'static str],
    table: &'static str,
}

macro_rules! facts {
    ($($language:ident $name:literal $grammar:literal $table:literal [$($file:literal)*] [$($program:literal)*])*) => {
        const FACTS: &[Facts] = &[$(Facts {
            language: Language::$language,
            name: $name,
            grammar: $grammar,
            files: &[$($file),*],
            programs: &[$($program),*],
            table: include_str!(concat!("language/", $table, ".txt")),
        }),*];
    };
}

facts! {
    Bash "bash" "tree-sitter-bash 0.25.1" "bash"
        [".sh" ".bash" ".bashrc" ".bash_profile" ".bash_aliases" ".profile"] ["sh" "bash" "dash" "ksh"]
    C "c" "tree-sitter-c 0.24.2" "c" [".c" ".h"] []
    Cpp "cpp" "tree-sitter-cpp 0.23.4" "cpp" [".cc" ".cpp" ".cxx" ".c++" ".hh" ".hpp" ".hxx" ".h++" ".ipp" ".inl"] []
    CSharp "csharp" "tree-sitter-c-sharp 0.23.5" "csharp" [".cs" ".csx"] []
    Go "go" "tree-sitter-go 0.25.0" "go" [".go"] []
    Java "java" "tree-sitter-java 0.23.5" "java" [".java"] []
    JavaScript "javascript" "tree-sitter-javascript 0.25.0" "javascript" [".js" ".jsx" ".mjs" ".cjs"] ["node" "deno" "bun"]
    Php "php" "tree-sitter-php 0.25.1" "php" [".php" ".phtml"] ["php"]
    Python "python" "tree-sitter-python 0.25.0" "python" [".py" ".pyi" ".pyw" "SConstruct"] ["python" "python2" "python3"]
    Ruby "ruby" "tree-sitter-ruby 0.23.1" "ruby" [".rb" ".rake" ".gemspec" "Gemfile" "Rakefile"] ["ruby"]
    Rust "rust" "tree-sitter-rust 0.24.2" "rust" [".rs"] []
    TypeScript "typescript" "tree-sitter-typescript 0.23.2" "typescript" [".ts" ".mts" ".cts"] ["ts-node" "tsx"]
    Tsx "tsx" "tree-sitter-typescript 0.23.2 tsx" "typescript" [".tsx"] []
}

impl Language {
    pub fn all() -> impl Iterator<Item = Self> {
        FACTS.iter().map(|facts| facts.language)
    }

    /// Recognises the language by the name of the file, else by the `#!` line of the text.
    pub fn of(path: &str, text: &str) -> Option<Self> {
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let ends = |end: &&str| file == *end || end.starts_with('.') && has_end(file, end);
        let by_name = FACTS.iter().find(|facts| facts.files.iter().any(ends));
        by_name.or_else(|| by_program(text)).map(|facts| facts.language)
    }

    pub fn from_name(name: &str) -> Option<Self> {
        FACTS.iter().find(|facts| facts.name == name).map(|facts| facts.language)
    }

    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// The name and version of its grammar, which decide its normalised hashes.
    pub fn grammar(self) -> &'static str {
        self.facts().grammar
    }

    /// A file knows only its own names and those it imports.
    pub(crate) fn has_file_scope(self) -> bool {
        matches!(self, Self::JavaScript | Self::Python | Self::Rust | Self::TypeScript | Self::Tsx)
    }

    fn facts(self) -> &'static Facts {
        // The test below checks that the list has the order of the variants.
        &FACTS[self as usize]
    }

    pub(crate) fn table(self) -> &'static Table {
        static TABLES: [OnceLock<Table>; 13] = [const { OnceLock::new() }; 13];
        TABLES[self as usize].get_or_init(|| Table::read(&self.parser_language(), self.facts().table))
    }

    pub(crate) fn parser_language(self) -> tree_sitter::Language {
        match self {
            Self::Bash => tree_sitter_bash::LANGUAGE.into(),
            Self::C => tree_sitter_c::LANGUAGE.into(),
            Self::Cpp => tree_sitter_cpp::LANGUAGE.into(),
            Self::CSharp => tree_sitter_c_sharp::LANGUAGE.into(),
            Self::Go => tree_sitter_go::LANGUAGE.into(),
            Self::Java => tree_sitter_java::LANGUAGE.into(),
            Self::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Self::Php => tree_sitter_php::LANGUAGE_PHP.into(),
            Self::Python => tree_sitter_python::LANGUAGE.into(),
            Self::Ruby => tree_sitter_ruby::LANGUAGE.into(),
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        }
    }
}

fn has_end(file: &str, end: &str) -> bool {
    let at = file.len().checked_sub(end.len());
    at.and_then(|at| file.get(at..)).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}

fn by_program(text: &str) -> Option<&'static Facts> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let first = words.next()?;
    let program = match first {
        "env" => words.find(|word| !word.starts_with('-') && !word.contains('='))?,
        other => other,
    };
    let plain = program.trim_end_matches(|end: char| end.is_ascii_digit() || end == '.');
    FACTS.iter().find(|facts| facts.programs.iter().any(|known| *known == program || *known == plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_finds_its_facts() {
        for (at, facts) in FACTS.iter().enumerate() {
            assert_eq!(facts.language as usize, at, "{}", facts.name);
        }
    }

    #[test]
    fn grammars_are_those_of_the_lock_file() {
        let lock = include_str!("../../../Cargo.lock");
        for facts in FACTS {
            let mut words = facts.grammar.split(' ');
            let (name, version) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
            assert!(lock.contains(&entry), "{}: not the version of Cargo.lock", facts.grammar);
        }
    }

    #[test]
    fn tables_name_only_what_their_grammar_has() {
        for language in Language::all() {
            assert_eq!(language.table().unknown, Vec::<String>::new(), "{}", language.name());
        }
    }

    #[track_caller]
    fn check(path: &str, text: &str, expected: Option<Language>) {
        assert_eq!(Language::of(path, text), expected, "{path} {text}");
    }

    #[test]
    fn files_have_a_language() {
        check("src/lib.rs", "", Some(Language::Rust));
        check("a/B.TSX", "", Some(Language::Tsx));
        check("Gemfile", "", Some(Language::Ruby));
        check("bin/tool", "#!/usr/bin/env -S python3.12 -u\n", Some(Language::Python));
        check("bin/tool", "#!/bin/sh\n", Some(Language::Bash));
        check("bin/tool", "echo\n", None);
        check("README.md", "", None);
        check("é", "", None);
        check("rs", "", None);
    }
}
