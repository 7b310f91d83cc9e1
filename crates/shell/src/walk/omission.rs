//! What a command excludes: `--exclude`, `-prune`, `:!path`. It applies to one effect, or to the names that a search
//! prints.

use std::borrow::Cow;

use stead_model::ITSELF;

use crate::parse::syntax::mark;
use crate::walk::Walk;

/// The maximum number of exclusion lists of one command; further ones are ignored.
const MOST: usize = 32;

/// The exclusions of the current effect, and the lists attached to words.
#[derive(Default)]
pub(crate) struct Omissions {
    now: Vec<String>,
    carried: Vec<Vec<String>>,
}

impl Walk<'_> {
    /// Reports effects with exclusions.
    pub(crate) fn leaving_out(&mut self, except: Vec<String>, tell: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.omissions.now, except);
        tell(self);
        self.omissions.now = outer;
    }

    /// Marks every line with its exclusions.
    pub(crate) fn carry(&mut self, lines: String, except: Vec<String>) -> String {
        match self.sign(except) {
            Some(sign) => lines.lines().map(|line| format!("{line}{sign}\n")).collect(),
            None => lines,
        }
    }

    /// The same for lines that stand for many, some of which may have a sign already.
    pub(crate) fn carry_more(&mut self, lines: String, except: &[String]) -> String {
        if except.is_empty() {
            return lines;
        }
        let mut all = String::new();
        for line in lines.lines() {
            let before = line.chars().last().and_then(mark::omitted);
            let mut list = before.and_then(|at| self.omissions.carried.get(at)).cloned().unwrap_or_default();
            list.extend(except.iter().filter(|_| line.contains(mark::is_mark)).cloned());
            let bare = line.trim_end_matches(|c| mark::omitted(c).is_some());
            all.extend([self.carry(bare.to_owned(), list).trim_end_matches('\n'), "\n"]);
        }
        all
    }

    /// The mark for a list of exclusions.
    pub(crate) fn sign(&mut self, except: Vec<String>) -> Option<char> {
        if except.is_empty() || self.omissions.carried.len() >= MOST {
            return None;
        }
        self.omissions.carried.push(except);
        mark::omission(self.omissions.carried.len() - 1)
    }

    /// The word without its mark, and its exclusions. A mark inside the word is ignored.
    pub(crate) fn without_sign<'a>(&self, word: &'a str) -> (Cow<'a, str>, Vec<String>) {
        if self.omissions.carried.is_empty() {
            return (Cow::Borrowed(word), self.omissions.now.clone());
        }
        let carried = word.chars().last().and_then(mark::omitted).and_then(|at| self.omissions.carried.get(at));
        let except = carried.unwrap_or(&self.omissions.now).clone();
        (Cow::Owned(word.chars().filter(|c| mark::omitted(*c).is_none()).collect()), except)
    }

    /// A name at any depth, or a path seen from where the command runs, as it is excluded; `None` if that is not
    /// known.
    pub(crate) fn left_out(&self, pattern: &str) -> Option<String> {
        let pattern = mark::literal(pattern)?;
        if let Some(named) = pattern.strip_prefix(ITSELF) {
            return self.left_out(named).map(|path| format!("{ITSELF}{path}"));
        }
        let pattern = pattern.trim_end_matches('/');
        if let Some(name) = pattern.strip_prefix("**/") {
            return (!name.is_empty()).then(|| pattern.to_owned());
        }
        let [cwd] = self.cwds.as_slice() else { return None };
        if cwd.contains(mark::is_mark) || pattern.is_empty() {
            return None;
        }
        let path = crate::path::absolute(pattern, std::path::Path::new(cwd), self.home());
        Some(path.to_string_lossy().into_owned())
    }
}

/// A pattern as `.gitignore` and `rsync` write it: with a slash in front or within it belongs to the folder, else to
/// any depth below.
pub(crate) fn ignored(pattern: &str, folder: &str) -> String {
    let whole = pattern.trim_end_matches('/');
    let bare = whole.trim_end_matches("/**").trim_end_matches("/*");
    if let Some(rest) = bare.strip_prefix("**/").filter(|rest| !rest.is_empty()) {
        return format!("**/{rest}");
    }
    match bare.trim_start_matches('/') {
        rest if whole.contains('/') && folder != "." => format!("{}/{rest}", folder.trim_end_matches('/')),
        rest if whole.contains('/') => rest.to_owned(),
        name => format!("**/{name}"),
    }
}
