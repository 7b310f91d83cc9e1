//! Third-party modules: which of them are known not to touch files.

use crate::inline::Act;
use crate::inline::eval::Eval;
use crate::inline::value::Value;

impl Eval<'_> {
    /// Returns true if a call goes to a third-party module.
    pub(crate) fn is_foreign(&self, name: &str) -> bool {
        let module = name.split('.').next().unwrap_or_default();
        let last = name.rsplit('.').next().unwrap_or_default();
        let imported = |value: &Value| matches!(value, Value::Name(held) if held.split('.').next() == Some(module));
        // An unknown call of a module that works on files may do anything to them.
        if FILES.contains(&module) {
            let looks = READING.contains(&last.trim_end_matches("Sync")) || name.contains(".path.");
            return name.contains('.') && !looks;
        }
        let taken = || self.modules.iter().any(|known| known == module);
        !TAME.contains(&module) && (taken() || self.names.iter().any(|(_, value)| imported(value)))
            || name.starts_with('.')
    }

    /// Records an import, unless importing the module is known to have no effect; returns true if it is.
    pub(crate) fn takes_in(&mut self, module: &str) -> bool {
        let foreign = !module.is_empty() && !TAME.contains(&module.split('.').next().unwrap_or_default());
        if foreign {
            self.act(Act::Import { module: module.to_owned() });
        }
        foreign
    }
}

/// Modules that work on files.
const FILES: &[&str] = &["fs", "io", "os", "shutil"];

/// Their calls that only read files, or touch none.
const READING: &[&str] = &[
    "BytesIO", "DirEntry", "Dirent", "EOL", "Stats", "StringIO", "TextIOWrapper", "_exit", "access",
    "add_dll_directory", "arch", "close", "constants", "copy", "copyfileobj", "cpu_count", "cpus", "createInterface",
    "ctermid", "cwd", "disk_usage", "dup", "dup2", "endianness", "exists", "fdatasync", "fdopen", "fork", "freemem",
    "fsdecode", "fsencode", "fspath", "fstat", "fsync", "get", "get_archive_formats", "get_blocking", "get_exec_path",
    "get_inheritable", "get_terminal_size", "get_unpack_formats", "getcwd", "getcwdb", "getegid", "getenv", "geteuid",
    "getgid", "getgroups", "getloadavg", "getlogin", "getpgid", "getpid", "getppid", "getuid", "getxattr", "homedir",
    "hostname", "ignore_patterns", "isabs", "isatty", "items", "keys", "kill", "killpg", "listdir", "listxattr",
    "loadavg", "lseek", "lstat", "machine", "networkInterfaces", "nice", "opendir", "pipe", "platform", "pop",
    "process_cpu_count", "putenv", "read", "readdir", "readlink", "realpath", "release", "scandir",
    "sched_getaffinity", "seek", "set_inheritable", "setdefault", "setsid", "stat", "statvfs", "strerror", "sysconf",
    "tcgetpgrp", "times", "tmpdir", "totalmem", "ttyname", "type", "umask", "uname", "unsetenv", "unwatchFile",
    "update", "uptime", "urandom", "userInfo", "values", "version", "wait", "waitpid", "walk", "watch", "watchFile",
    "which", "write",
];

/// Modules whose calls either are known or touch no file.
const TAME: &[&str] = &[
    "argparse", "base64", "binascii", "child_process", "codecs", "collections", "copy", "crypto", "csv", "dataclasses",
    "datetime", "enum", "fs", "functools", "glob", "hashlib", "io", "itertools", "json", "logging", "math", "os",
    "path", "pathlib", "platform", "pprint", "process", "random", "re", "shlex", "shutil", "sqlite3", "statistics",
    "string", "struct", "subprocess", "sys", "tarfile", "tempfile", "textwrap", "time", "types", "typing",
    "unicodedata", "url", "urllib", "util", "uuid", "zipfile",
];
