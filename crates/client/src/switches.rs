//! What turns a client's hooks off: commands, variables and files. Lines in its settings files are in
//! [`SettingsFile::watch`](crate::SettingsFile::watch).

use stead_model::Spot;

/// What turns a client's hooks off, or starts it without them, and where that is documented.
pub struct Switches {
    /// The names of its program and of its packages: `npx @scope/name` runs it, too.
    pub programs: &'static [&'static str],
    pub commands: &'static [CommandSwitch],
    /// Variables that the client obeys. Those that Stead, a shell or the loader obeys are in [`VARIABLES`].
    pub variables: &'static [VariableSwitch],
    /// Files that agents may not change, because they decide whether hooks run.
    pub files: &'static [FileSwitch],
}

/// A command line of the client that turns hooks off, for this run or for good.
pub struct CommandSwitch {
    /// What the words after the program must have, separated by spaces. `a|b` is one word or the other, `!a` any other
    /// word, `*` any word; these are the sub-command, in this order. `-x|--long` is an option, `--long=a|b` an option
    /// with such a value, and `--long:key|key.*` one that sets such a key to anything but `true`.
    pub words: &'static str,
    /// What it does, after the word "it".
    pub does: &'static str,
    pub source: &'static str,
    /// A call that is denied, and one like it that passes.
    pub denied: &'static str,
    pub passes: &'static str,
}

/// A variable that turns hooks off or moves the files that have them.
pub struct VariableSwitch {
    /// A `*` at the end stands for any rest.
    pub name: &'static str,
    /// What it does, after the variable's name.
    pub does: &'static str,
    pub source: &'static str,
}

/// A file that decides whether hooks run.
pub struct FileSwitch {
    pub spot: Spot<'static>,
    pub what: &'static str,
    pub source: &'static str,
}

/// Names a command in a table.
pub(crate) const fn command(
    words: &'static str,
    does: &'static str,
    source: &'static str,
    denied: &'static str,
    passes: &'static str,
) -> CommandSwitch {
    CommandSwitch { words, does, source, denied, passes }
}

/// Names a variable in a table.
pub(crate) const fn variable(name: &'static str, does: &'static str, source: &'static str) -> VariableSwitch {
    VariableSwitch { name, does, source }
}

/// Names a file in a table.
pub(crate) const fn decision(spot: Spot<'static>, what: &'static str, source: &'static str) -> FileSwitch {
    FileSwitch { spot, what, source }
}

/// Variables that decide for every client whether Stead runs and what it reads. A settings file may not set them, and a
/// command may not set them for a client or for `stead` that it starts.
pub const VARIABLES: &[VariableSwitch] = &[
    variable("HOME", "moves the person's settings of every client and of Stead", "POSIX"),
    variable("USERPROFILE", "is `HOME` on Windows", "os.homedir() of Node.js"),
    variable("XDG_*", "moves the person's config, data and state", "XDG Base Directory Specification"),
    variable("PATH", "decides which `stead` a hook line finds", "POSIX"),
    variable("LD_*", "loads code into programs, or other libraries", "ld.so(8)"),
    variable("DYLD_*", "loads code into programs, or other libraries", "dyld(1)"),
    variable("GCONV_PATH", "loads code into programs", "iconv(3)"),
    variable("BASH_ENV", "names a script that runs before a hook line", "bash(1)"),
    variable("ENV", "names a script that runs before a hook line", "POSIX sh"),
    variable("ZDOTDIR", "names the folder of scripts that run before a hook line", "zsh(1)"),
    variable("SHELLOPTS", "sets options of the shell that runs a hook line", "bash(1)"),
    variable("BASHOPTS", "sets options of the shell that runs a hook line", "bash(1)"),
    variable("BASH_FUNC_*", "defines a function that replaces a program in a hook line", "bash(1)"),
    variable("PS4", "may run a command in a traced shell", "bash(1)"),
    variable("SHELL", "may choose the shell that runs a hook line", "POSIX"),
    variable("IFS", "changes how a shell splits a hook line", "POSIX sh"),
    variable("NODE_OPTIONS", "loads code into clients that Node.js runs", "nodejs.org/api/cli.html"),
    variable("BUN_OPTIONS", "loads code into clients that Bun runs", "bun.sh/docs/runtime"),
    variable("STEAD_*", "sets Stead's own configuration, or marks a run", "docs/formats/config.toml.md"),
    variable("GIT_*", "changes which repository and which config git reads", "git(1)"),
];
