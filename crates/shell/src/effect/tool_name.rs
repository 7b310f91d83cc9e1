//! What the name and the input keys of an unknown tool indicate.

/// Words in a tool's name that mean that it only reads.
const READING: &[&str] = &[
    "ask", "check", "count", "describe", "diff", "explain", "fetch", "find", "get", "glob", "grep", "head", "info",
    "inspect", "list", "log", "lookup", "ls", "open", "peek", "preview", "query", "read", "recall", "retrieve",
    "search", "select", "show", "stat", "status", "summarize", "tail", "tree", "view", "watch",
];

/// Words that mean that it does more; they take precedence.
const CHANGING: &[&str] = &[
    "append", "apply", "chmod", "clear", "copy", "create", "delete", "destroy", "drop", "edit", "erase", "exec",
    "execute", "insert", "modify", "move", "mv", "overwrite", "patch", "purge", "put", "remove", "rename", "replace",
    "reset", "rm", "run", "save", "set", "trash", "truncate", "unlink", "update", "upload", "write",
];

/// Words that mean that whole folders are affected.
const REMOVING: &[&str] = &[
    "clean", "clear", "delete", "destroy", "drop", "erase", "move", "mv", "purge", "remove", "rename", "rm", "rmdir",
    "trash", "unlink",
];

/// Keys whose text is a shell command.
const COMMANDS: &[&str] = &[
    "argv", "bash", "cmd", "cmdline", "code", "command", "commandline", "commands", "script", "shell", "shellcommand",
];

/// Keys whose texts are the words behind a command.
const ARGUMENTS: &[&str] = &["args", "arguments", "argv", "parameters", "params"];

/// Keys whose text is a patch or a diff.
const PATCHES: &[&str] = &["diff", "difftext", "patch", "patchcontent", "patchtext", "unifieddiff"];

/// Keys whose text is a folder that the other paths, or the command, start from.
const ROOTS: &[&str] = &[
    "base", "basedir", "basedirectory", "basefolder", "basepath", "cwd", "dir", "directory", "folder", "projectpath",
    "projectroot", "repo", "repopath", "root", "rootdir", "rootpath", "workdir", "workingdir", "workingdirectory",
    "workspace", "workspacefolder", "workspaceroot",
];

/// Returns true if only a literal match in the input could matter.
pub fn is_plain_input(tool: &str, input: &str) -> bool {
    let words = words(tool);
    let removes = words.iter().any(|word| REMOVING.contains(&word.as_str()));
    // A backslash may hide a needle in an escape.
    let looks = COMMANDS.iter().chain(PATCHES).any(|key| input.contains(key));
    !removes && !input.contains('\\') && !looks && !input.contains("root")
}

/// What a tool does, by its name.
pub(crate) struct Kind {
    pub(crate) reads: bool,
    pub(crate) changes: bool,
    pub(crate) removes: bool,
    /// It renames a file.
    pub(crate) moves: bool,
}

impl Kind {
    /// Determines it from the words of the name.
    pub(crate) fn of(words: &[String]) -> Self {
        let is = |table: &[&str]| words.iter().any(|word| table.contains(&word.as_str()));
        let moves = is(&["move", "mv", "rename"]);
        Self { reads: is(READING) && !is(CHANGING), changes: is(CHANGING), removes: is(REMOVING), moves }
    }
}

/// Returns true if a key's text is a shell command.
pub(crate) fn is_command(key: &str) -> bool {
    COMMANDS.contains(&plain(key).as_str())
}

/// Says whether a key's texts are the words behind a command.
pub(crate) fn is_arguments(key: &str) -> bool {
    ARGUMENTS.contains(&plain(key).as_str())
}

/// Says whether a key's text is a patch, given the words of the tool's name.
pub(crate) fn is_patch(key: &str, words: &[String]) -> bool {
    PATCHES.contains(&plain(key).as_str())
        || words.iter().any(|word| matches!(word.as_str(), "applypatch" | "diff" | "patch"))
}

/// Says whether a key's text is a folder that others start from.
pub(crate) fn is_root(key: &str) -> bool {
    ROOTS.contains(&plain(key).as_str())
}

/// The letters of a key, put together.
pub(crate) fn plain(key: &str) -> String {
    key.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect()
}

pub(crate) fn single_quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Splits a tool's name into lower-case words, at signs and at capitals.
pub(crate) fn words(tool: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for c in tool.chars() {
        let new = !c.is_ascii_alphanumeric() || c.is_ascii_uppercase() && before.is_ascii_lowercase();
        if new {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_ascii_alphanumeric(), words.last_mut()) {
            word.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use crate::effect::tool_name::words;

    #[test]
    fn a_tools_name_falls_into_words() {
        assert_eq!(words("mcp__fs__writeFile"), ["mcp", "fs", "write", "file"]);
        assert_eq!(words("Read-File"), ["read", "file"]);
    }
}
