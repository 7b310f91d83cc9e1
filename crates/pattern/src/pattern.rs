use crate::meeting::{Way, can_meet, matches, names};
use crate::name::{Case, ODD, has_wildcard, masked};

/// One pattern, without the `!`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern<'a> {
    /// `@outside`: everything outside the project.
    Outside,
    /// `@root`: the project folder itself.
    Root,
    /// Below the home folder.
    Home(&'a str),
    /// From the root of the file system.
    Absolute(&'a str),
    /// From the root of the project.
    Anchored(&'a str),
    /// At any depth, outside the project too.
    Anywhere(&'a str),
}

/// A path, or what only the shell will turn into paths.
#[derive(Clone, Copy, Debug)]
pub struct Touched<'a> {
    /// Absolute; empty where only the path below the project root is known.
    pub path: &'a str,
    /// The path below the project root, which itself is the empty text; `None` outside.
    pub inside: Option<&'a str>,
    /// The path holds wildcards that the shell will expand.
    pub open: bool,
    /// Everything below it is touched, too.
    pub tree: bool,
}

/// How patterns are compared with what a call touches.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub case: Case,
    pub home: Option<&'a str>,
    /// Whether what happens to a folder happens to everything in it. A formatter that runs over one need not touch
    /// every file.
    pub takes_tree: bool,
    /// Returns true if the path of a pattern is a folder on disk: below the root, below `~/`, or absolute.
    pub is_folder: &'a dyn Fn(&str) -> bool,
}

impl<'a> Pattern<'a> {
    /// Reads a pattern: a name without a slash matches at any depth.
    pub fn parse(text: &'a str) -> Self {
        match Self::parse_anchored(text) {
            Self::Anchored(bare) if !bare.contains('/') && bare != "**" && !text.starts_with("./") => {
                Self::Anywhere(bare)
            }
            other => other,
        }
    }

    /// Reads a pattern that starts at the project root even without a slash; `**/` asks for any depth.
    pub fn parse_anchored(text: &'a str) -> Self {
        let bare = text.strip_prefix("./").unwrap_or(text).trim_end_matches('/');
        match bare {
            "@outside" => return Self::Outside,
            "~" => return Self::Home(""),
            "" if text.starts_with('/') => return Self::Absolute(""),
            "@root" | "." | "" => return Self::Root,
            _ => {}
        }
        if let Some(rest) = bare.strip_prefix("~/") {
            return Self::Home(rest);
        }
        if bare.starts_with('/') && text.starts_with('/') {
            return Self::Absolute(bare.trim_start_matches('/'));
        }
        match bare.strip_prefix("**/") {
            Some(rest) => Self::Anywhere(rest),
            None => Self::Anchored(bare),
        }
    }

    /// Returns true if the pattern matches a file below the project root, or a folder that the file lies in.
    pub fn matches(&self, file: &str, case: Case) -> bool {
        match self {
            Self::Anchored(text) | Self::Anywhere(text) => matches(self.wanted(text), file, case),
            Self::Root => file.is_empty(),
            Self::Outside | Self::Home(_) | Self::Absolute(_) => false,
        }
    }

    /// Returns true if the pattern and what is touched can mean the same path.
    pub fn meets(&self, touched: &Touched<'_>, scope: Scope<'_>) -> bool {
        match self {
            Self::Outside => touched.inside.is_none(),
            Self::Root => touched.inside == Some(""),
            Self::Home(rest) => {
                scope.home.is_some_and(|home| self.walk(&format!("{home}/{rest}"), None, touched, scope))
            }
            Self::Absolute(text) => self.walk(text, None, touched, scope),
            Self::Anchored(text) => touched.inside.is_some() && self.walk(text, touched.inside, touched, scope),
            Self::Anywhere(text) => self.walk(text, touched.inside, touched, scope),
        }
    }

    fn walk(&self, text: &str, inside: Option<&str>, touched: &Touched<'_>, scope: Scope<'_>) -> bool {
        let path = inside.unwrap_or(touched.path);
        let wanted = self.wanted(text);
        if !touched.open && !touched.tree {
            return matches(wanted, path, scope.case);
        }
        // A folder reaches what lies below it. A pattern for any depth would make every folder reach: only the root does.
        let deep = wanted.clone().next() == Some("**");
        let reaches = touched.tree && scope.takes_tree && (!deep || names(path).next().is_none());
        let way = Way { case: scope.case, open: touched.open, reaches, whole: touched.tree, ..Way::default() };
        can_meet(wanted.clone(), names(path), way)
            || (touched.open
                && can_meet(wanted, names(path), Way { folder: true, ..way })
                && self.is_plain_folder(scope.is_folder))
    }

    /// The names of its text; a pattern for any depth begins with `**`.
    fn wanted<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> + Clone {
        matches!(self, Self::Anywhere(_)).then_some("**").into_iter().chain(names(text))
    }

    /// Returns true if it names a folder that exists. Hidden folders have to be named by the call.
    fn is_plain_folder(&self, is_folder: &dyn Fn(&str) -> bool) -> bool {
        let path = match self {
            Self::Outside | Self::Root => return false,
            Self::Home(rest) => format!("~/{rest}"),
            Self::Absolute(text) => format!("/{text}"),
            Self::Anchored(text) | Self::Anywhere(text) => (*text).to_owned(),
        };
        !has_wildcard(&path) && !names(&path).any(|name| name.starts_with('.')) && is_folder(&path)
    }

    /// Returns true if everything that is touched is meant: no file of it lies elsewhere.
    pub fn covers(&self, touched: &Touched<'_>, scope: Scope<'_>) -> bool {
        let strict = Scope { takes_tree: false, ..scope };
        let (Self::Home(text) | Self::Absolute(text) | Self::Anchored(text) | Self::Anywhere(text)) = self else {
            return self.meets(touched, strict);
        };
        if !touched.open {
            return self.meets(touched, strict);
        }
        // The wildcards of the touched path are taken for letters that only a `*` matches, and a `**` for none, a few,
        // and more names than the pattern has.
        let most = names(text).count() + 1;
        let is_covered = |count: usize| {
            let (path, inside) = (spelled(touched.path, count), touched.inside.map(|inside| spelled(inside, count)));
            self.meets(&Touched { path: &path, inside: inside.as_deref(), open: false, ..*touched }, strict)
        };
        !text.contains(['?', '[']) && [0, 1, 2, most].into_iter().all(is_covered)
    }

    /// The path below the project root at or below which everything lies that it can match, and `None` if that is
    /// nothing: the names in front of its wildcards.
    pub fn search_root(&self) -> Option<String> {
        match self {
            Self::Outside | Self::Root | Self::Home(_) | Self::Absolute(_) => None,
            Self::Anywhere(_) => Some(String::new()),
            Self::Anchored(text) => {
                Some(names(text).take_while(|name| !has_wildcard(name)).collect::<Vec<_>>().join("/"))
            }
        }
    }

    /// Returns true if one of its names is this one, spelled out.
    pub fn names(&self, wanted: &str) -> bool {
        match self {
            Self::Outside | Self::Root => false,
            Self::Home(text) | Self::Absolute(text) | Self::Anchored(text) | Self::Anywhere(text) => {
                names(text).any(|name| name == wanted)
            }
        }
    }
}

/// A path of the shell with `count` names for each `**`, and other wildcards as letters that only a `*` matches.
fn spelled(path: &str, count: usize) -> String {
    let mut spelled: Vec<String> = Vec::new();
    for name in names(path) {
        match name.strip_prefix("**") {
            Some(rest) => {
                spelled.extend(std::iter::repeat_n(String::from(ODD), count));
                spelled.extend((!rest.is_empty()).then(|| format!("{ODD}{}", masked(rest))));
            }
            None => spelled.push(masked(name)),
        }
    }
    spelled.join("/")
}

impl Touched<'_> {
    /// Returns true if its path can mean this very file, in which nothing lies and whose wildcards are letters. Both
    /// start at the same place.
    pub fn can_be(&self, file: &str, case: Case) -> bool {
        let way = Way { case, open: self.open, reaches: self.tree, whole: self.tree, folder: false, exact: true };
        can_meet(names(file), names(self.path), way)
    }
}
