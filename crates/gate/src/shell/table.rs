//! Programs by what they do to the files they are given.

/// Programs that only read, print or ask, whatever they are given. What they could still write (`sort -o`) is judged
/// before this table is asked.
const HARMLESS: &[&str] = &[
    ":",
    "[",
    "[[",
    "ack",
    "actionlint",
    "ag",
    "alias",
    "apropos",
    "arch",
    "base32",
    "base64",
    "basename",
    "bat",
    "batcat",
    "bind",
    "break",
    "cal",
    "cat",
    "cksum",
    "clear",
    "cmp",
    "colordiff",
    "column",
    "comm",
    "complete",
    "continue",
    "csvlook",
    "cut",
    "date",
    "delta",
    "df",
    "diff",
    "dir",
    "dirname",
    "dirs",
    "du",
    "echo",
    "egrep",
    "exa",
    "exit",
    "expand",
    "expr",
    "eza",
    "factor",
    "false",
    "fc",
    "fgrep",
    "file",
    "fmt",
    "fold",
    "free",
    "getconf",
    "getent",
    "getopts",
    "gh",
    "glab",
    "glow",
    "grep",
    "gron",
    "groups",
    "hadolint",
    "hash",
    "hd",
    "head",
    "help",
    "hexdump",
    "history",
    "hostname",
    "icdiff",
    "id",
    "info",
    "jobs",
    "join",
    "jq",
    "jsonlint",
    "kill",
    "less",
    "let",
    "locale",
    "locate",
    "ls",
    "lsattr",
    "lsd",
    "lsof",
    "man",
    "mapfile",
    "md5",
    "md5sum",
    "more",
    "most",
    "namei",
    "nl",
    "nproc",
    "numfmt",
    "od",
    "paste",
    "pgrep",
    "pr",
    "printenv",
    "printf",
    "ps",
    "pwd",
    "read",
    "readarray",
    "readlink",
    "realpath",
    "return",
    "rev",
    "rg",
    "seq",
    "set",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "shasum",
    "shellcheck",
    "shift",
    "shopt",
    "sleep",
    "sort",
    "stat",
    "strings",
    "sum",
    "tac",
    "tail",
    "test",
    "tr",
    "tree",
    "true",
    "tty",
    "type",
    "ulimit",
    "umask",
    "unalias",
    "uname",
    "uniq",
    "unset",
    "uptime",
    "users",
    "vdir",
    "wait",
    "wc",
    "whereis",
    "which",
    "who",
    "whoami",
    "xmllint",
    "xxd",
    "yamllint",
    "yes",
    "zcat",
    "zgrep",
    "zless",
];

/// Programs that write every file they are given.
const WRITERS: &[&str] = &[
    "chattr",
    "chgrp",
    "chmod",
    "chown",
    "fallocate",
    "mkfifo",
    "mknod",
    "setfacl",
    "sponge",
    "tee",
    "touch",
    "truncate",
    "vipe",
    "xattr",
];

/// Programs that take away what they are given.
const REMOVERS: &[&str] = &["del", "rimraf", "rm", "shred", "srm", "trash", "trash-put", "unlink", "wipe"];

/// Programs whose last word is where they write.
const PLACERS: &[&str] = &["cp", "gcp", "ginstall", "gmv", "install", "ln", "mv", "rsync", "scp"];

/// Programs that run a text given to them, in another language than the shell's.
const INTERPRETERS: &[&str] = &[
    "awk",
    "bun",
    "deno",
    "ed",
    "elixir",
    "emacs",
    "ex",
    "gawk",
    "groovy",
    "ipython",
    "julia",
    "lua",
    "luajit",
    "mawk",
    "nawk",
    "node",
    "nodejs",
    "nvim",
    "osascript",
    "patch",
    "perl",
    "php",
    "powershell",
    "pwsh",
    "pypy",
    "pypy3",
    "python",
    "rscript",
    "ruby",
    "sqlite3",
    "tclsh",
    "ts-node",
    "tsx",
    "vi",
    "view",
    "vim",
];

pub(super) const SHELLS: &[&str] = &["ash", "bash", "dash", "fish", "ksh", "mksh", "sh", "zsh"];

/// Other words that make the short way through a command unsafe: they can remove by folder, or hide a path.
const ALARMS: &[&str] = &[
    "checkout",
    "clean",
    "dd",
    "eval",
    "find",
    "git-clean",
    "patch",
    "restore",
    "rmdir",
    "sed",
    "source",
    "stash",
    "tar",
    "unzip",
    "worktree",
    "xargs",
];

pub(super) fn is_harmless(name: &str) -> bool {
    HARMLESS.binary_search(&name).is_ok()
}

/// Words that change the shell itself and run nothing.
const INNER: &[&str] = &[
    "alias", "cd", "chdir", "declare", "eval", "export", "local", "popd", "pushd", "readonly", "set", "shift", "shopt",
    "trap", "typeset", "umask", "unalias", "unset",
];

pub(super) fn is_inner(name: &str) -> bool {
    INNER.contains(&name)
}

/// Programs of which the record tells all they do to files.
const TAME: &[&str] = &[
    "bc", "bg", "bzip2", "csplit", "curl", "dc", "dig", "disown", "fg", "gunzip", "gzip", "host", "killall", "logger",
    "mkdir", "mktemp", "nano", "nc", "nslookup", "ping", "pkill", "shuf", "split", "sqlite3", "stead", "stty", "sync",
    "tar", "tput", "tsort", "unzip", "wget", "xz", "yq", "zip",
];

/// Says whether nothing about the program stays untold.
pub(super) fn is_tame(name: &str) -> bool {
    TAME.contains(&name)
}

pub(super) fn is_writer(name: &str) -> bool {
    WRITERS.contains(&name)
}

pub(super) fn is_remover(name: &str) -> bool {
    REMOVERS.contains(&name)
}

pub(super) fn is_placer(name: &str) -> bool {
    PLACERS.contains(&name)
}

pub(super) fn is_interpreter(name: &str) -> bool {
    let unversioned = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&name) || INTERPRETERS.contains(&unversioned)
}

pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// Says whether a word in a command asks for the long way through it.
pub(super) fn is_alarming(word: &str) -> bool {
    let runs_text = || is_shell(word) || is_interpreter(word);
    !word.is_empty()
        && (is_remover(word) || is_placer(word) || is_writer(word) || ALARMS.contains(&word) || runs_text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_searched() {
        assert!(HARMLESS.is_sorted());
        assert!(HARMLESS.iter().all(|name| !is_alarming(name) && !is_interpreter(name) && !is_shell(name)));
    }
}
