use stead_model::pieces;

/// Programs that only show or search what they name.
const READERS: &[&str] = &["cat", "echo", "grep", "head", "ls", "pwd", "rg", "tail", "wc", "which"];

/// The git commands that do.
const GIT: &[&str] = &["blame", "diff", "log", "ls-files", "rev-parse", "show", "status"];

/// Options that write a file or run a program.
const DOES_MORE: &[&str] = &["-o", "--o", "--pre", "--ext", "--text", "--host"];

/// Returns true if a command is so plain that its first words tell that it only reads. Of others the effects tell, which
/// take longer.
pub(crate) fn is_plain_reading(command: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" _./:=,@+-^~%".contains(&byte);
    if command.len() > 500 || !command.bytes().all(is_plain) {
        return false;
    }
    let mut words = pieces(command, b' ').filter(|word| !word.is_empty());
    let reads = match words.next() {
        Some("git") => words.next().is_some_and(|verb| GIT.contains(&verb)),
        Some(program) => READERS.contains(&program),
        None => false,
    };
    reads && !words.any(|word| DOES_MORE.iter().any(|start| word.starts_with(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_to_read_is_plain() {
        for command in ["git status", "cat src/a.rs", "ls -la", "rg -n foo", "git diff HEAD~1", "echo hello"] {
            assert!(is_plain_reading(command), "{command}");
        }
        for command in
            ["sed -i s/a/b/ x", "echo a > b", "git checkout x", "cat a; rm b", "git diff --output=x", "make", "", "git"]
        {
            assert!(!is_plain_reading(command), "{command}");
        }
    }
}
