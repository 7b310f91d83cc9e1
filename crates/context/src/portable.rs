//! Paths of this machine in a text that others will read.

use std::path::Path;

/// Where paths of the machine begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine<'a> {
    pub(crate) root: &'a Path,
    pub(crate) home: Option<&'a Path>,
}

impl Machine<'_> {
    /// The text with paths below the project's root relative to it, and those below the home folder after `~`.
    pub(crate) fn portable(&self, text: &str) -> String {
        let real = std::fs::canonicalize(self.root).ok();
        let home = self.home.and_then(|home| std::fs::canonicalize(home).ok());
        let mut text = text.to_owned();
        // The root first: it is often below the home folder.
        let roots = [Some(self.root), real.as_deref()].into_iter().flatten().map(|path| (path, "."));
        let homes = [self.home, home.as_deref()].into_iter().flatten().map(|path| (path, "~"));
        for (path, short) in roots.chain(homes) {
            match path.to_str() {
                // A folder directly below the file system's root is everybody's.
                Some(path) if path.matches('/').count() >= 2 && text.contains(path) => {
                    text = shortened(&text, path, short)
                }
                _ => {}
            }
        }
        text
    }
}

/// Replaces a folder at the beginning of paths. `./` is omitted.
fn shortened(text: &str, folder: &str, short: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(folder) {
        let (before, behind) = (&rest[..at], &rest[at + folder.len()..]);
        let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '~');
        let is_start = !before.ends_with(goes_on) || before.ends_with("//");
        let is_whole = !behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
        out.push_str(before);
        match (is_start && is_whole, behind.strip_prefix('/')) {
            (false, _) => out.push_str(folder),
            (true, Some(inside))
                if short == "." && inside.starts_with(|c: char| c.is_alphanumeric() || "._-".contains(c)) =>
            {
                rest = inside;
                continue;
            }
            (true, _) => out.push_str(short),
        }
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_machine_become_short() {
        let check = |text: &str, expected: &str| {
            let machine = Machine { root: Path::new("/home/me/work/p"), home: Some(Path::new("/home/me")) };
            assert_eq!(machine.portable(text), expected);
            assert_eq!(machine.portable(expected), expected);
        };
        check("see /home/me/work/p/src/a.rs:10", "see src/a.rs:10");
        check("cd /home/me/work/p && ls '/home/me/work/p/'", "cd . && ls './'");
        check("\"/home/me/.config/x\" and /home/me", "\"~/.config/x\" and ~");
        check("/home/me/work/p2/x /home/meme/x /mnt/home/me/x", "~/work/p2/x /home/meme/x /mnt/home/me/x");
        check("file:///home/me/work/p/a", "file://a");
        check("plain", "plain");
    }
}
