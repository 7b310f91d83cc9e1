//! Path patterns against the targets of effects, which may be folders, shell patterns, or have exclusions.

use stead_model::{ITSELF, Target};
use stead_pattern::{Case, Pattern, Scope, Touched, has_wildcard, last_match};

pub(crate) fn touched(target: &Target) -> Touched<'_> {
    Touched { path: &target.path, inside: target.inside.as_deref(), open: target.glob, tree: target.tree }
}

/// Returns the pattern of a list that matches a target.
pub(crate) fn any_path<'p>(patterns: &'p [String], target: &Target, scope: Scope<'_>) -> Option<&'p str> {
    let touched = touched(target);
    last_match(
        patterns.iter().map(String::as_str),
        |pattern| Pattern::parse(pattern).meets(&touched, scope) && !is_left_out(pattern, target, scope),
        // An exclusion applies only if the whole target is excluded, not if a folder merely overlaps.
        |pattern| Pattern::parse(pattern).covers(&touched, scope),
    )
}

/// Returns true if the call excludes everything that a pattern matches below its target.
fn is_left_out(pattern: &str, target: &Target, scope: Scope<'_>) -> bool {
    if target.except.is_empty() {
        return false;
    }
    let root = target.inside.as_deref().and_then(|inside| target.path.strip_suffix(inside));
    let (path, inside) = match Pattern::parse(pattern) {
        Pattern::Outside | Pattern::Root => return false,
        Pattern::Home(rest) => match scope.home {
            Some(home) => (format!("{home}/{rest}"), None),
            None => return false,
        },
        Pattern::Absolute(text) => (format!("/{text}"), None),
        Pattern::Anchored(text) => {
            (format!("{}/{text}", root.unwrap_or_default().trim_end_matches('/')), Some(text.to_owned()))
        }
        Pattern::Anywhere(text) => {
            let head = root.unwrap_or(&target.path).trim_end_matches('/');
            (format!("{head}/**/{text}"), root.map(|_| format!("**/{text}")))
        }
    };
    let whole = Touched { path: &path, inside: inside.as_deref(), open: has_wildcard(&path), tree: false };
    let exact = Scope { case: Case::Exact, ..scope };
    let is_folder = || (scope.is_folder)(pattern.trim_end_matches('/'));
    target.except.iter().any(|left_out| match left_out.strip_prefix(ITSELF) {
        Some(named) => {
            let last = last_name(&path);
            let touched = Touched { path: last, inside: None, open: has_wildcard(last), tree: false };
            let is_last = Pattern::Anywhere(last_name(named)).covers(&touched, exact);
            is_last && Pattern::parse(named).covers(&whole, exact) && !is_folder()
        }
        None => Pattern::parse(left_out).covers(&whole, exact),
    })
}

fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Returns true if a list of patterns matches a whole target.
pub(crate) fn covers_path(patterns: &[String], target: &Target, scope: Scope<'_>) -> bool {
    let touched = touched(target);
    patterns.iter().any(|pattern| !pattern.starts_with('!') && Pattern::parse(pattern).covers(&touched, scope))
}

/// Returns true if a target can be exactly this file; `path` is the target's, and both start at the same folder.
pub(crate) fn means(target: &Target, path: &str, file: &str) -> bool {
    Touched { path, ..touched(target) }.can_be(file, Case::Folded) && !is_excepted(target, file)
}

/// Returns true if the call excludes a file by name.
fn is_excepted(target: &Target, file: &str) -> bool {
    // Files below the root are given without it.
    let root = target.inside.as_deref().and_then(|inside| target.path.strip_suffix(inside)).unwrap_or_default();
    let whole = if file.starts_with('/') { file.to_owned() } else { format!("{root}{file}") };
    let touched = Touched { path: &whole, inside: None, open: false, tree: false };
    let scope = Scope { case: Case::Exact, home: None, takes_tree: false, is_folder: &|_| false };
    let depth = |path: &str| path.trim_matches('/').split('/').count();
    target.except.iter().any(|left_out| {
        let itself = left_out.strip_prefix(ITSELF);
        match Pattern::parse(itself.unwrap_or(left_out)) {
            Pattern::Anywhere(text) => {
                let names = file.rmatch_indices('/').nth(depth(text) - 1).map_or(file, |(at, _)| &file[at + 1..]);
                let path = if itself.is_some() { names } else { file };
                Pattern::Anywhere(text).meets(&Touched { path, ..touched }, scope)
            }
            Pattern::Absolute(text) => {
                (itself.is_none() || depth(text) == depth(&whole)) && Pattern::Absolute(text).meets(&touched, scope)
            }
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(path: &str, tree: bool) -> Target {
        let (path, inside) = match path.strip_prefix('/') {
            Some(_) => (path.to_owned(), None),
            None => (format!("/srv/proj/{path}").trim_end_matches('/').to_owned(), Some(path.to_owned())),
        };
        let glob = has_wildcard(&path);
        Target { path, inside, tree, glob, guessed: false, except: Vec::new() }
    }

    #[track_caller]
    fn check(patterns: &[&str], path: &str, expected: bool) {
        ask(patterns, &target(path, false), expected);
    }

    #[track_caller]
    fn folder(patterns: &[&str], path: &str, expected: bool) {
        ask(patterns, &target(path, true), expected);
    }

    #[track_caller]
    fn ask(patterns: &[&str], target: &Target, expected: bool) {
        let list: Vec<String> = patterns.iter().map(|text| (*text).to_owned()).collect();
        let is_folder = |path: &str| path == "lib" || path == ".git";
        let scope = Scope { case: Case::Folded, home: Some("/home/ann"), takes_tree: true, is_folder: &is_folder };
        assert_eq!(any_path(&list, target, scope).is_some(), expected, "{patterns:?} {target:?}");
    }

    #[test]
    fn files_are_found() {
        check(&["infra/**/*.tf"], "infra/main.tf", true);
        check(&["infra/**/*.tf"], "infra/a/b/main.tf", true);
        check(&["infra/**/*.tf"], "infra/main.rs", false);
        check(&["infra/**/*.tf"], "old/infra/main.tf", false);
        check(&["infra/**"], "infra/x", true);
        check(&["infra/**"], "infra", false);
        check(&["infra"], "infra/x", true);
        check(&["infra"], "lib/infra/x", true);
        check(&["infra/"], "infra/x", true);
        check(&["./infra/a"], "infra/a", true);
        check(&["./doc.json"], "doc.json", true);
        check(&["./doc.json"], "a/doc.json", false);
        check(&["doc.json"], "a/doc.json", true);
        check(&["src/lib"], "src/lib/deep/x.rs", true);
        check(&["*.log"], "a/b/x.log", true);
        check(&["*.log"], "/var/log/x.log", true);
        check(&["**/.env"], ".env", true);
        check(&["INFRA/*.tf"], "infra/main.tf", true);
        check(&["**"], "a", true);
    }

    #[test]
    fn what_is_taken_back_is_free() {
        let list = ["infra/**/*.tf", "!infra/sandbox/**"];
        check(&list, "infra/sandbox/main.tf", false);
        check(&list, "infra/main.tf", true);
        folder(&list, "infra", true);
        folder(&list, "infra/sandbox", false);
        folder(&list, "infra/sandbox/a", false);
        check(&["!a", "a"], "a", true);
    }

    #[test]
    fn what_a_call_leaves_out_is_free() {
        let mut root = target("", true);
        root.except = vec!["**/infra".to_owned(), "/srv/proj/lib/gen".to_owned(), "**/.env".to_owned()];
        ask(&["infra/**/*.tf"], &root, false);
        ask(&["lib/gen/**"], &root, false);
        root.except = vec!["**/Infra".to_owned()];
        ask(&["infra/**/*.tf"], &root, true);
        root.except = vec!["=**/*.md".to_owned(), "=**/lib".to_owned()];
        ask(&["*.md"], &root, false);
        ask(&["docs/*.md"], &root, false);
        ask(&["docs/**"], &root, true);
        ask(&["lib"], &root, true);
        ask(&["lib/x.md"], &root, false);
        root.except = vec!["**/infra".to_owned(), "**/.env".to_owned()];
        ask(&["lib/**"], &root, true);
        ask(&[".env"], &root, false);
        ask(&[".env.*"], &root, true);
        ask(&["**/*.tf"], &root, true);
        let mut found = target("**", false);
        found.except = vec!["**/*.tf".to_owned()];
        ask(&["infra/**/*.tf"], &found, false);
        ask(&["infra/**"], &found, true);
        assert!(!means(&found, &found.path, "/srv/proj/infra/main.tf"));
        assert!(means(&found, &found.path, "/srv/proj/infra/main.rs"));
    }

    #[test]
    fn outside_is_another_place() {
        check(&["@outside"], "/etc/hosts", true);
        check(&["@outside"], "src/a", false);
        check(&["@outside", "!/tmp/**"], "/tmp/x", false);
        check(&["~/.ssh/**"], "/home/ann/.ssh/id_rsa", true);
        check(&["~"], "/home/ann", true);
        check(&["~/.ssh"], "/home/bob/.ssh/x", false);
        check(&["/etc"], "/etc/hosts", true);
        check(&["etc/**"], "/etc/hosts", false);
        folder(&["@root"], "", true);
        folder(&["@root"], "src", false);
    }

    #[test]
    fn a_folder_reaches_what_is_in_it() {
        folder(&["infra/**/*.tf"], "infra", true);
        folder(&["infra/**/*.tf"], "infra/modules", true);
        folder(&["infra/**/*.tf"], "", true);
        folder(&["infra/**/*.tf"], "src", false);
        folder(&["infra/**"], "infra", true);
        folder(&["**/*.tf"], "src", false);
        folder(&["**/*.tf"], "", true);
        folder(&["~/.ssh/**"], "/home/ann", true);
        folder(&["a/b/c"], "a", true);
        check(&["a/b/c"], "a", false);
    }

    #[test]
    fn what_the_shell_will_expand_may_hit() {
        for (pattern, path, expected) in [
            ("infra/**/*.tf", "infra/*.tf", true),
            ("infra/**/*.tf", "infra/*.rs", false),
            ("infra/**/*.tf", "infra/*", true),
            ("infra/**/*.tf", "infra/**", true),
            ("infra/**/*.tf", "*/main.tf", true),
            ("infra/**/*.tf", "*/*", true),
            ("infra/**/*.tf", "**/main.tf", true),
            ("infra/**/*.tf", "**/m*", true),
            ("infra/**/*.tf", "**/*.tf", true),
            ("infra/**/*.tf", "**.tf", true),
            ("infra/**/*.tf", "src/**/*.tf", false),
            ("infra/**/*.tf", "**/src/**/*.tf", true),
            ("infra/**/*.tf", "*.tf", false),
            ("infra/**/*.tf", "**/*.py", false),
            ("infra/**/*.tf", "**/*.pyc", false),
            ("infra/**/*.tf", "**/*.tfx", false),
            ("infra/**/*.tf", "**.md", false),
            ("infra/**/*.tf", "*.md/**", false),
            ("infra/**/*.tf", "*/*.o", false),
            ("infra/**/*.tf", "*", false),
            ("infra/**", "*/*.o", true),
            ("infra/**", "**/*.o", true),
            ("infra/**", "*", false),
            ("infra/**", "src/**/*.o", false),
            ("infra/*.tf", "**/a/*.tf", false),
            ("infra/main.tf", "i*/m*", true),
            ("infra/main.tf", "i*/n*", false),
            ("src/lib", "src/lib/*", true),
            ("src/lib", "src/*/x.rs", false),
            ("lib", "**/*.rs", true),
            ("lib", "lib/**/*.rs", true),
            ("bin", "**/*.rs", false),
            (".git", "**/*.rs", false),
            (".git", ".git/*", true),
            (".env", "*", false),
            (".env", ".*", true),
            (".env", "**/.env", true),
            (".env", "**/*.env", false),
            ("[.]env", "*", false),
            ("id_rsa", "*/*.md", false),
            ("id_rsa", "id_*", true),
            ("*.pem", "**/*.py", false),
            ("*.pem", "*.md/**", true),
            ("*.pem", "**/s*", true),
            ("[a-c]x", "[c-e]x", true),
            ("[a-c]x", "[d-e]x", false),
            ("[!a-c]x", "[a-c]x", false),
            ("[!a-c]x", "[b-d]x", true),
            (".agent/features/list.json", "**/list.json", true),
            (".agent/features/list.json", "*/features/list.json", false),
        ] {
            check(&[pattern], path, expected);
        }
    }

    #[test]
    fn a_pattern_of_folders_reaches_what_is_in_them() {
        for (pattern, path, expected) in [
            ("infra/**/*.tf", "**/node_modules", false),
            ("infra/**/*.tf", "**/__pycache__", false),
            ("infra/**/*.tf", "**/infra", true),
            ("infra/**/*.tf", "*", true),
            ("infra/**/*.tf", "i*", true),
            ("infra/**/*.tf", "s*", false),
            ("infra/**/*.tf", "infra/*", true),
            ("a/infra/*.tf", "**/infra", true),
            (".git", "**/__pycache__", false),
            (".git", "*", false),
            ("*.pem", "**/target", false),
        ] {
            folder(&[pattern], path, expected);
        }
    }

    #[test]
    fn what_is_taken_back_covers_the_pattern() {
        let list = ["infra/**/*.tf", "!infra/sandbox/**"];
        check(&list, "infra/sandbox/*.tf", false);
        check(&list, "infra/sandbox/**/*.tf", false);
        check(&list, "infra/*/*.tf", true);
        check(&list, "infra/**/*.tf", true);
        check(&["~/.ssh/**", "!*.pub"], "/home/ann/.ssh/*.pub", false);
        check(&["~/.ssh/**", "!*.pub"], "/home/ann/.ssh/*", true);
        check(&["a/**", "!a/?"], "a/*", true);
        check(&["a/**", "!a/*/b"], "a/**/b", true);
    }

    #[test]
    fn nothing_explodes() {
        let many = "**/a/".repeat(60);
        let path = "a/".repeat(200);
        check(&[many.trim_end_matches('/')], path.trim_end_matches('/'), true);
    }
}
