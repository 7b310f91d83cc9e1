/// The languages whose inline programs are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    JavaScript,
    Ruby,
    Perl,
    Php,
    Lua,
}

impl Language {
    /// Finds the language that a program runs.
    pub(crate) fn of_program(name: &str) -> Option<Self> {
        let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        match plain {
            "python" | "pypy" | "ipython" => Some(Self::Python),
            "node" | "nodejs" | "deno" | "bun" | "ts-node" | "tsx" => Some(Self::JavaScript),
            "ruby" => Some(Self::Ruby),
            "perl" => Some(Self::Perl),
            "php" => Some(Self::Php),
            "lua" | "luajit" => Some(Self::Lua),
            _ => None,
        }
    }

    /// Finds the language that a word in a tool's name or input names.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "py" | "jupyter" | "notebook" | "ipython" | "repl" => Some(Self::Python),
            "js" | "javascript" | "typescript" | "ts" => Some(Self::JavaScript),
            "rb" => Some(Self::Ruby),
            word => Self::of_program(word),
        }
    }

    /// Calls may have no parentheses.
    pub(crate) fn is_bare(self) -> bool {
        matches!(self, Self::Ruby | Self::Perl | Self::Lua)
    }

    /// Text in double quotes has interpolations.
    pub(crate) fn fills_double_quotes(self) -> bool {
        matches!(self, Self::Ruby | Self::Perl | Self::Php)
    }
}
