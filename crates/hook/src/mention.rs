use std::path::Path;

/// A command longer than this, or with more words that could be paths, is not searched.
const MOST_BYTES: usize = 4096;
const MOST_WORDS: usize = 24;

/// The words of a shell command that could name a file: those with a slash or a dot, without what a shell puts around
/// them. Whether such a file exists is for the caller to see.
pub(crate) fn mentioned(command: &str) -> impl Iterator<Item = &str> {
    let command = if command.len() <= MOST_BYTES { command } else { "" };
    command
        .split(|c: char| c.is_whitespace() || "\"'`;|&()<>=,".contains(c))
        .filter(|word| word.len() > 2 && word.contains(['/', '.']) && !word.starts_with(['-', '~', '$']))
        .filter(|word| !word.contains("://") && !word.contains(['*', '?', '{', '$']))
        // `src/main.rs:10` means the file.
        .map(|word| word.split(':').next().unwrap_or(word))
        .take(MOST_WORDS)
}

/// Says whether there is such a file to suggest.
pub(crate) fn is_file(dir: &Path, word: &str) -> bool {
    std::fs::metadata(dir.join(word)).is_ok_and(|data| data.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expected: &[&str]) {
        assert_eq!(mentioned(command).collect::<Vec<_>>(), expected, "{command}");
    }

    #[test]
    fn words_that_could_be_files() {
        check("cargo test -p x", &[]);
        check("cat src/a.rs 'docs/b c.md' >out.txt", &["src/a.rs", "docs/b", "c.md", "out.txt"]);
        check("sed -n 1,3p src/a.rs:10; ls -la *.rs ~/x.y $HOME/z.w", &["src/a.rs"]);
        check("curl https://example.invalid/a.b --data=@f.json", &["@f.json"]);
        check(&"a.b ".repeat(2000), &[]);
        check(&"a.b ".repeat(100), &["a.b"; 24]);
    }
}
