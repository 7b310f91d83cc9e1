//! Patterns over paths, read as in a `.gitignore`: below the project root, `**` for any depth, a name without a slash
//! anywhere, a folder for all that is in it, `!` to take back, and the last word counts. Beyond that there are `/…` and
//! `~/…` for files outside, `@outside` for all of them, `@root` for the project folder itself.

use stead_model::Target;

use super::name::meets;

/// Where paths of a call lie.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) home: Option<&'a str>,
    /// Whether what happens to a folder happens to all in it. Unpacking into a folder does not touch every file there.
    pub(crate) takes_tree: bool,
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
        let text = text.strip_prefix("./").unwrap_or(text);
        let bare = text.trim_end_matches('/');
        match bare {
            "@outside" => return Self::Outside,
            "@root" | "." => return Self::Root,
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
        if bare.contains('/') || bare == "**" { Self::Anchored(bare) } else { Self::Anywhere(bare) }
    }

    pub(crate) fn meets(&self, target: &Target, scope: Scope<'_>) -> bool {
        let inside = target.inside.as_deref();
        match self {
            Self::Outside => inside.is_none(),
            Self::Root => inside == Some(""),
            Self::Home(rest) => scope.home.is_some_and(|home| {
                let whole = format!("{}/{rest}", home.trim_start_matches('/'));
                walk(whole.trim_end_matches('/'), false, &target.path, target, scope)
            }),
            Self::Absolute(text) => walk(text, false, &target.path, target, scope),
            Self::Anchored(text) => inside.is_some_and(|path| walk(text, false, path, target, scope)),
            Self::Anywhere(text) => walk(text, true, inside.unwrap_or(&target.path), target, scope),
        }
    }
}

/// Says whether a target is meant by a list of patterns; which of them said so.
pub(crate) fn any_path<'p>(patterns: &'p [String], target: &Target, scope: Scope<'_>) -> Option<&'p str> {
    let mut held = None;
    for pattern in patterns {
        match pattern.strip_prefix('!') {
            Some(not) if held.is_some() => {
                // What is taken back must lie there as a whole: a folder that merely reaches into it does not.
                let strict = Scope { takes_tree: false, ..scope };
                if !target.glob && PathPattern::parse(not).meets(target, strict) {
                    held = None;
                }
            }
            Some(_) => {}
            None => {
                if held.is_none() && PathPattern::parse(pattern).meets(target, scope) {
                    held = Some(pattern.as_str());
                }
            }
        }
    }
    held
}

fn walk(pattern: &str, anywhere: bool, path: &str, target: &Target, scope: Scope<'_>) -> bool {
    let path = path.trim_matches('/');
    let mut wanted: Vec<&str> = pattern.split('/').filter(|name| !name.is_empty()).collect();
    if anywhere {
        wanted.insert(0, "**");
    }
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    // A folder reaches what lies below it. A pattern for any depth would make every folder reach: only the root does.
    let reaches = target.tree && scope.takes_tree && (names.is_empty() || wanted.first() != Some(&"**"));
    let mut steps = 0;
    step(&wanted, &names, Way { open: target.glob, reaches, whole: target.tree }, &mut steps)
}

#[derive(Clone, Copy)]
struct Way {
    open: bool,
    reaches: bool,
    /// A folder with all in it: `x/**` means the folder `x`, too.
    whole: bool,
}

/// More steps than any real pattern needs; beyond them the answer is the careful one.
const MOST: usize = 20_000;

fn step(wanted: &[&str], names: &[&str], way: Way, steps: &mut usize) -> bool {
    *steps += 1;
    if *steps > MOST {
        return true;
    }
    let Some((first, rest)) = wanted.split_first() else { return true };
    if *first == "**" {
        if rest.is_empty() {
            return !names.is_empty() || way.reaches || way.whole;
        }
        return step(rest, names, way, steps) || (!names.is_empty() && step(wanted, &names[1..], way, steps));
    }
    let Some((name, below)) = names.split_first() else { return way.reaches };
    if way.open && *name == "**" {
        return step(wanted, below, way, steps) || step(rest, names, way, steps);
    }
    meets(first, name, way.open) && step(rest, below, way, steps)
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
        Target { path, inside, tree, glob }
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
        let scope = Scope { home: Some("/home/ann"), takes_tree: true };
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
        check(&["infra/**/*.tf"], "infra/*.tf", true);
        check(&["infra/**/*.tf"], "infra/*.rs", false);
        check(&["infra/**/*.tf"], "*/main.tf", true);
        check(&["infra/**/*.tf"], "**/main.tf", true);
        check(&["infra/main.tf"], "i*/m*", true);
        check(&[".env"], "*", false);
    }

    #[test]
    fn nothing_explodes() {
        let many = "**/a/".repeat(60);
        let path = "a/".repeat(200);
        check(&[many.trim_end_matches('/')], path.trim_end_matches('/'), true);
    }
}
