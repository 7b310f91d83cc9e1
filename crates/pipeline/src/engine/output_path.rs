//! Where a stage's tracked output may be: in the project, even with all links resolved.

use std::fs;
use std::path::Path;

/// Returns why the output must not be written there. A path that does not exist yet is resolved through its nearest
/// folder.
pub(crate) fn check(root: &Path, output: &str) -> Result<(), String> {
    let path = root.join(output);
    if path.is_dir() {
        return Err("it is a folder".to_owned());
    }
    let mut above = path.ancestors().take_while(|part| *part != root);
    let Some(there) = above.find(|part| fs::symlink_metadata(part).is_ok()) else { return Ok(()) };
    let shown = there.strip_prefix(root).unwrap_or(there).display();
    let Ok(real) = there.canonicalize() else {
        return Err(format!("the link `{shown}` is broken"));
    };
    if there != path && !real.is_dir() {
        return Err(format!("`{shown}` is not a folder"));
    }
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    if real.starts_with(&root) {
        return Ok(());
    }
    Err(format!("`{shown}` is a link to `{}`, outside the project", real.display()))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn outputs_stay_in_the_project_when_links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("project"), folder.path().join("outside"));
        for dir in [root.join("docs/deep"), outside.clone()] {
            fs::create_dir_all(dir).unwrap();
        }
        fs::write(root.join("docs/old.md"), "").unwrap();
        fs::write(outside.join("file.md"), "").unwrap();
        for (target, link) in [
            (outside.clone(), "out"),
            (outside.join("file.md"), "docs/file.md"),
            (root.join("docs"), "inner"),
            (outside.join("gone"), "dangling"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let check = |output: &str, expected: &str| match check(&root, output) {
            Ok(()) => assert_eq!(expected, "", "{output}"),
            Err(why) => assert!(!expected.is_empty() && why.contains(expected), "{output}: {why}"),
        };
        for fine in ["a.md", "docs/old.md", "docs/new/far.md", "inner/x.md", "new/x.md"] {
            check(fine, "");
        }
        check("docs", "folder");
        check("inner", "folder");
        check("out/x.md", "outside the project");
        check("out/far/x.md", "outside the project");
        check("docs/file.md", "outside the project");
        check("dangling", "broken");
        check("dangling/x.md", "broken");
        check("docs/old.md/x.md", "not a folder");
    }
}
