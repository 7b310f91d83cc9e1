//! Patterns over paths, read as in a `.gitignore`: below the project root, `**` for any depth, a name without a slash
//! anywhere (`./name` in the root alone), a folder for all that is in it, `!` to take back, and the last word counts. Beyond that there are `/…` and
//! `~/…` for files outside, `@outside` for all of them, `@root` for the project folder itself.

use stead_model::Target;

use super::meeting::{Way, can_meet};
use super::name::is_open;

/// Where paths of a call lie.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) home: Option<&'a str>,
    /// Whether what happens to a folder happens to all in it. A formatter let loose on one does not touch every file.
    pub(crate) takes_tree: bool,
    /// Says whether a path of a pattern is a folder on the disk: below the root, below `~/`, or absolute.
    pub(crate) is_folder: &'a dyn Fn(&str) -> bool,
}

/// One pattern, without the `!`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathPattern<'a> {
    Outside,
    Root,
    /// Below home.
    Home(&'a str),
    Absolute(&'a str),
    /// Below the root.
    Anchored(&'a str),
    /// At any depth, outside too.
    Anywhere(&'a str),
}

impl<'a> PathPattern<'a> {
    pub(crate) fn parse(text: &'a str) -> Self {
        let rooted = text.strip_prefix("./");
        let text = rooted.unwrap_or(text);
        let bare = text.trim_end_matches('/');
        match bare {
            "@outside" => return Self::Outside,
            "@root" | "." | "" => return Self::Root,
            "~" => return Self::Home(""),
            _ => {}
        }
        if let Some(rest) = bare.strip_prefix("~/") {
            return Self::Home(rest);
        }
        if text.starts_with('/') {
            return Self::Absolute(bare.trim_start_matches('/'));
        }
        if let Some(rest) = bare.strip_prefix("**/") {
            return Self::Anywhere(rest);
        }
        let anchored = rooted.is_some() || bare.contains('/') || bare == "**";
        if anchored { Self::Anchored(bare) } else { Self::Anywhere(bare) }
    }

    pub(crate) fn meets(&self, target: &Target, scope: Scope<'_>) -> bool {
        let inside = target.inside.as_deref();
        let walk = |wanted: &[&str], path: &str| {
            let touched = names(path);
            // A folder reaches what lies below it. A pattern for any depth would make every folder reach: only the
            // root does.
            let reaches = target.tree && scope.takes_tree && (touched.is_empty() || wanted.first() != Some(&"**"));
            let way = Way { open: target.glob, reaches, whole: target.tree, ..Way::default() };
            can_meet(wanted, &touched, way)
                || (target.glob
                    && can_meet(wanted, &touched, Way { folder: true, ..way })
                    && self.is_plain_folder(scope.is_folder))
        };
        match self {
            Self::Outside => inside.is_none(),
            Self::Root => inside == Some(""),
            Self::Home(rest) => scope.home.is_some_and(|home| {
                let whole = format!("{home}/{rest}");
                walk(&names(&whole), &target.path)
            }),
            Self::Absolute(text) => walk(&names(text), &target.path),
            Self::Anchored(text) => inside.is_some_and(|path| walk(&names(text), path)),
            Self::Anywhere(text) => {
                let mut wanted = names(text);
                wanted.insert(0, "**");
                walk(&wanted, inside.unwrap_or(&target.path))
            }
        }
    }

    /// Says whether it names a folder that is there. Hidden ones are named by those who mean them.
    fn is_plain_folder(&self, is_folder: &dyn Fn(&str) -> bool) -> bool {
        let path = match self {
            Self::Outside | Self::Root => return false,
            Self::Home(rest) => format!("~/{rest}"),
            Self::Absolute(text) => format!("/{text}"),
            Self::Anchored(text) | Self::Anywhere(text) => (*text).to_owned(),
        };
        !is_open(&path) && !names(&path).iter().any(|name| name.starts_with('.')) && is_folder(&path)
    }

    /// Says whether all that a target can mean is meant: no file of it lies elsewhere.
    fn covers(&self, target: &Target, scope: Scope<'_>) -> bool {
        let strict = Scope { takes_tree: false, ..scope };
        if !target.glob {
            return self.meets(target, strict);
        }
        let (Self::Home(text) | Self::Absolute(text) | Self::Anchored(text) | Self::Anywhere(text)) = self else {
            return self.meets(target, strict);
        };
        // The signs of the target are taken for letters, which only a `*` takes for any; a `**` for two odd names.
        let written = |path: &str| path.replace("**", "\u{1}/\u{1}").replace(['?', '['], "\u{1}");
        let as_text = Target {
            path: written(&target.path),
            inside: target.inside.as_deref().map(written),
            glob: false,
            ..target.clone()
        };
        !text.contains(['?', '[']) && self.meets(&as_text, strict)
    }
}

/// Says whether a target is meant by a list of patterns; which of them said so.
pub(crate) fn any_path<'p>(patterns: &'p [String], target: &Target, scope: Scope<'_>) -> Option<&'p str> {
    let mut held = None;
    for pattern in patterns {
        match pattern.strip_prefix('!') {
            Some(not) if held.is_some() => {
                // What is taken back must lie there as a whole: a folder that merely reaches into it does not.
                if PathPattern::parse(not).covers(target, scope) {
                    held = None;
                }
            }
            Some(_) => {}
            None => {
                if held.is_none()
                    && PathPattern::parse(pattern).meets(target, scope)
                    && !is_left_out(pattern, target, scope)
                {
                    held = Some(pattern.as_str());
                }
            }
        }
    }
    held
}

/// Says whether the call leaves out all that a pattern means below its target.
fn is_left_out(pattern: &str, target: &Target, scope: Scope<'_>) -> bool {
    if target.except.is_empty() {
        return false;
    }
    let root = target.inside.as_deref().and_then(|inside| target.path.strip_suffix(inside));
    let meant = |path: String, inside: Option<String>| Target {
        glob: is_open(&path),
        path,
        inside,
        tree: false,
        guessed: false,
        except: Vec::new(),
    };
    let whole = match PathPattern::parse(pattern) {
        PathPattern::Outside | PathPattern::Root => return false,
        PathPattern::Home(rest) => match scope.home {
            Some(home) => meant(format!("{home}/{rest}"), None),
            None => return false,
        },
        PathPattern::Absolute(text) => meant(format!("/{text}"), None),
        PathPattern::Anchored(text) => {
            meant(format!("{}/{text}", root.unwrap_or_default().trim_end_matches('/')), Some(text.to_owned()))
        }
        PathPattern::Anywhere(text) => {
            let head = root.unwrap_or(&target.path).trim_end_matches('/');
            meant(format!("{head}/**/{text}"), root.map(|_| format!("**/{text}")))
        }
    };
    target.except.iter().any(|left_out| PathPattern::parse(left_out).covers(&whole, scope))
}

/// Says whether a target lies wholly in what a list of patterns means.
pub(crate) fn covers_path(patterns: &[String], target: &Target, scope: Scope<'_>) -> bool {
    patterns.iter().any(|pattern| !pattern.starts_with('!') && PathPattern::parse(pattern).covers(target, scope))
}

/// Says whether a target, which may be a pattern, a folder or both, can mean this very file; both paths start at the
/// same place.
pub(crate) fn means(target: &Target, path: &str, file: &str) -> bool {
    let way = Way { open: target.glob, reaches: target.tree, whole: target.tree, exact: true, ..Way::default() };
    can_meet(&names(file), &names(path), way) && !is_excepted(target, file)
}

/// Says whether the call leaves a file out by name.
fn is_excepted(target: &Target, file: &str) -> bool {
    // Below the root a file is told without it.
    let root = target.inside.as_deref().and_then(|inside| target.path.strip_suffix(inside)).unwrap_or_default();
    let whole = if file.starts_with('/') { file.to_owned() } else { format!("{root}{file}") };
    target.except.iter().any(|pattern| {
        let way = Way::default();
        match PathPattern::parse(pattern) {
            PathPattern::Anywhere(text) => {
                let mut wanted = names(text);
                wanted.insert(0, "**");
                can_meet(&wanted, &names(file), way)
            }
            PathPattern::Absolute(text) => can_meet(&names(text), &names(&whole), way),
            _ => false,
        }
    })
}

fn names(path: &str) -> Vec<&str> {
    path.split('/').filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::name::is_open;
    use super::*;

    fn target(path: &str, tree: bool) -> Target {
        let (path, inside) = match path.strip_prefix('/') {
            Some(_) => (path.to_owned(), None),
            None => (format!("/srv/proj/{path}").trim_end_matches('/').to_owned(), Some(path.to_owned())),
        };
        let glob = is_open(&path);
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
        let scope =
            Scope { home: Some("/home/ann"), takes_tree: true, is_folder: &|path| path == "lib" || path == ".git" };
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
