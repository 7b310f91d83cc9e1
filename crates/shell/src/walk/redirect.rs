//! Redirections: the input they provide and the files they write, with their new text.

use crate::parse::syntax::{Output, Redirect, Word};
use crate::walk::{Stop, Walk};

/// A file that a redirection writes.
pub(crate) struct Opened {
    target: String,
    kind: Output,
}

impl Opened {
    /// Says whether it takes what the command prints, so that the caller does not see it.
    pub(crate) fn takes_output(&self) -> bool {
        self.kind != Output::Other
            && !matches!(self.target.as_str(), "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/fd/1" | "/dev/fd/2")
    }
}

/// Returns true if they give a program another input than the terminal.
pub(crate) fn give_input(redirects: &[Redirect]) -> bool {
    let is_terminal = |word: &Word| {
        word.plain().is_some_and(|name| matches!(name, "/dev/tty" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
    };
    redirects.iter().any(|redirect| match redirect {
        Redirect::Text(_) => true,
        Redirect::Read(word) => !is_terminal(word),
        Redirect::Write { .. } => false,
    })
}

/// The output before it was redirected to a file.
pub(crate) struct Heard {
    printed: Option<String>,
    heard: bool,
    spilled: bool,
    prints_download: bool,
}

impl Walk<'_> {
    /// Starts collecting output that goes to files.
    pub(crate) fn hear(&mut self, opened: &[Opened]) -> Option<Heard> {
        let prints = opened.iter().any(|file| file.kind != Output::Other);
        prints.then(|| Heard {
            printed: self.printed.replace(String::new()),
            heard: std::mem::replace(&mut self.heard, true),
            spilled: std::mem::take(&mut self.spilled),
            prints_download: std::mem::take(&mut self.prints_download),
        })
    }

    /// Records what was written to the files that a command had open.
    pub(crate) fn close(&mut self, heard: Option<Heard>, opened: &[Opened], command: &str) -> Result<(), Stop> {
        let mut fetched = false;
        let text = heard.and_then(|before| {
            (self.heard, self.spilled) = (before.heard, before.spilled);
            fetched = std::mem::replace(&mut self.prints_download, before.prints_download);
            std::mem::replace(&mut self.printed, before.printed)
        });
        for file in opened {
            let sign = if file.kind == Output::Append { ">>" } else { ">" };
            let shown = format!("{} {sign} {}", command.chars().take(80).collect::<String>(), file.target);
            self.redirected(&file.target, file.kind, text.as_deref(), &shown);
            if fetched && text.is_none() && file.kind != Output::Other {
                self.saves_download(&file.target);
            }
        }
        Ok(())
    }

    /// Follows redirections and returns the input they provide and the files they write.
    pub(crate) fn redirects(&mut self, redirects: &[Redirect]) -> Result<(Vec<String>, Vec<Opened>), Stop> {
        let (mut texts, mut opened) = (Vec::new(), Vec::new());
        for redirect in redirects {
            match redirect {
                Redirect::Text(word) => texts.push(self.expand_whole(word)?),
                Redirect::Read(word) => {
                    for word in self.expand(word)? {
                        self.reads(&word, false, &format!("< {word}"));
                        texts.extend(self.file_text(&word));
                    }
                }
                Redirect::Write { target, kind } => {
                    opened.extend(self.expand(target)?.into_iter().map(|target| Opened { target, kind: *kind }));
                }
            }
        }
        Ok((texts, opened))
    }
}
