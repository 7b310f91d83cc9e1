//! A program within a call, and what the call's end and output say about it.

/// How one program runs within the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its effect, an [`Op::Run`](crate::Op::Run), by its place in [`Effects::list`](crate::Effects::list).
    pub effect: usize,
    /// The run that starts it (`make`, `sudo`, a script), by its place in [`Effects::runs`](crate::Effects::runs).
    pub by: Option<usize>,
    /// Why the call may exit with 0 although this program did not run or failed; `None` if exit 0 means that it ran and
    /// exited with 0.
    pub hidden: Option<Hidden>,
    pub output: RunOutput,
    /// It stands in a pipe and only passes on what it is fed.
    pub passes_on: bool,
    /// It may run in more than one folder; the effect names the first.
    pub elsewhere: bool,
    /// The variables that the call changes for it. `…` stands for a piece of a value that is not known.
    pub env: Vec<(String, String)>,
    /// The variables that the call takes away from it; `*` stands for all of them.
    pub cleared: Vec<String>,
    /// Why the program may be another one than its name says.
    pub doubt: Option<String>,
}

/// A text that the shell prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Print {
    /// The run that prints it, by its place in [`Effects::runs`](crate::Effects::runs).
    pub by: Option<usize>,
    /// `…` stands for a piece that is not known.
    pub text: String,
}

/// Where a program's output goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunOutput {
    /// Into the call's own output, perhaps through programs that pass it on, such as `tee` and `tail`.
    #[default]
    Shown,
    /// Into a substitution: it may be shown by another command.
    Captured,
    /// Into a file, or to a program that makes something else of it.
    Elsewhere,
}

/// Why a call's exit status says nothing about a program in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// A pipe without `pipefail`.
    Pipe,
    /// `||`, on either side.
    Or,
    /// Another command follows and has the last word.
    Followed,
    /// `&`
    Background,
    /// `if`, `case`
    Condition,
    /// It runs as often as there is something to run it for: a loop, `find -exec`, `xargs`.
    Repeated,
    /// `!`
    Negated,
    /// A substitution.
    Captured,
    /// An `exit` or `return` before it may have ended the call.
    Exit,
    /// Whoever starts it ignores how it ends, or ends earlier: `tmux`, a program in another language, `-` in a makefile.
    Ignored,
    /// Another machine or a container.
    Remote,
}
