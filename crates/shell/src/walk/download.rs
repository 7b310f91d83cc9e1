//! Code that a command downloads and runs: piped, substituted, or saved to a file first.

use stead_model::Op;

use crate::parse::syntax::mark;
use crate::walk::report::Written;
use crate::walk::{Call, Walk};

impl Walk<'_> {
    /// Records that downloaded code is run.
    pub(crate) fn runs_download(&mut self, program: &str, shown: &str) {
        let op = Op::RunDownload { program: program.to_owned(), host: self.download_host.clone() };
        self.tell(op, shown);
    }

    /// Returns true if what a program is fed was downloaded.
    fn is_fed_download(&self, call: &Call<'_>) -> bool {
        call.texts.is_empty() && call.feed.map_or(self.upstream.fetched, |feed| feed.fetched)
    }

    /// What stands for an input that is not known.
    pub(crate) fn unknown_input(&self, call: &Call<'_>) -> String {
        let fetched = self.is_fed_download(call).then_some(mark::FETCHED);
        [mark::UNKNOWN].into_iter().chain(fetched).collect()
    }

    /// Records it if what a program is fed was downloaded.
    pub(crate) fn runs_fed_download(&mut self, program: &str, call: &Call<'_>, shown: &str) {
        if self.is_fed_download(call) {
            self.runs_download(program, shown);
        }
    }

    /// Returns true if this command downloaded a file.
    pub(crate) fn is_download(&self, word: &str) -> bool {
        matches!(self.written(word), Some(Written::Downloaded))
    }

    /// Records it if a file that is run was downloaded by this command.
    pub(crate) fn runs_saved_download(&mut self, program: &str, word: &str, shown: &str) {
        if self.is_download(word) || self.origin(word).is_some_and(|origin| self.is_download(&origin)) {
            self.runs_download(program, shown);
        }
    }

    /// Remembers that a file was downloaded by this command.
    pub(crate) fn saves_download(&mut self, word: &str) {
        self.remember_as(word, Written::Downloaded);
    }
}

/// Returns true if a text that is run begins with something that was downloaded.
pub(crate) fn begins_downloaded(text: &str) -> bool {
    let text = text.trim_start();
    let rest = text.strip_prefix(mark::UNKNOWN);
    rest.is_some_and(|rest| rest.starts_with(mark::FETCHED))
}
