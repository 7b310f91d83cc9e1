//! Pathspecs of git: paths, patterns whose `*` crosses folders, and magic such as `:/`, `:(glob)` and `:!`.

use crate::parse::syntax::mark;
use crate::walk::Walk;
use crate::walk::listing::open;
use crate::walk::omission;
use crate::walk::report::looks_like_folder;

/// Stars of one pathspec that are told apart; with more it is told by what stands before the first.
const STARS: usize = 3;

/// A pathspec taken apart.
struct Spec<'a> {
    /// Counted from the repository's root.
    top: bool,
    excluded: bool,
    /// `*` stays within a folder, and `**` does not.
    glob: bool,
    literal: bool,
    path: &'a str,
}

/// What the pathspecs of a call mean.
#[derive(Default)]
pub(crate) struct Meant {
    /// The files and folders, each with whether all below goes with it.
    pub(crate) paths: Vec<(String, bool)>,
    /// What is excluded.
    pub(crate) except: Vec<String>,
    /// All of the tree is meant, from the repository's root on.
    pub(crate) top: bool,
    /// All of the folder is meant, or of the tree.
    pub(crate) all: bool,
}

/// Reads the pathspecs of a call. Where all of them leave something out, the rest of the folder is meant.
pub(crate) fn read(walk: &Walk<'_>, words: &[&str]) -> Meant {
    let mut meant = Meant::default();
    let mut includes = false;
    for word in words {
        let spec = split(word);
        if spec.excluded {
            let folder = if spec.top { root(walk).unwrap_or_else(|| ".".to_owned()) } else { ".".to_owned() };
            let path = if spec.path.contains('/') || spec.path.contains('*') {
                omission::ignored(spec.path, &folder)
            } else if spec.top {
                format!("{folder}/{}", spec.path)
            } else {
                spec.path.to_owned()
            };
            meant.except.extend(walk.left_out(&path));
            continue;
        }
        includes = true;
        if is_all(spec.path) || spec.path.is_empty() {
            meant.all = true;
            meant.top |= spec.top;
            continue;
        }
        let head = if spec.top { root(walk) } else { None };
        let place = |path: String| head.as_ref().map_or(path.clone(), |root| format!("{root}/{path}"));
        for (path, tree) in covered(walk, &spec) {
            meant.paths.push((place(path), tree));
        }
    }
    meant.all |= !includes && !words.is_empty();
    meant
}

/// The patterns that cover what a pathspec means, seen from its folder.
fn covered(walk: &Walk<'_>, spec: &Spec<'_>) -> Vec<(String, bool)> {
    let opened = if spec.literal { spec.path.to_owned() } else { open(spec.path) };
    if !crate::glob::is_open(&opened) {
        let tree = walk.is_folder(&opened).unwrap_or_else(|| looks_like_folder(&opened));
        return vec![(opened, tree)];
    }
    if spec.glob {
        return vec![(opened, false)];
    }
    let pieces: Vec<&str> = opened.split(mark::MANY).collect();
    let stars = pieces.len() - 1;
    if stars > STARS {
        return vec![(format!("{}{}", pieces[0], mark::MANY), true)];
    }
    let mut patterns = vec![pieces[0].to_owned()];
    for (at, piece) in pieces.iter().enumerate().skip(1) {
        let last = at == stars && piece.is_empty();
        patterns = patterns
            .into_iter()
            .flat_map(|head| {
                let whole = head.is_empty() || head.ends_with('/');
                let within = format!("{head}{0}{piece}", mark::MANY);
                let across = match (whole, piece.starts_with('/')) {
                    (true, true) => format!("{head}{0}{0}{piece}", mark::MANY),
                    (true, false) => format!("{head}{0}{0}/{0}{piece}", mark::MANY),
                    (false, true) => format!("{head}{0}/{0}{0}{piece}", mark::MANY),
                    (false, false) => format!("{head}{0}/{0}{0}/{0}{piece}", mark::MANY),
                };
                match (last, whole || piece.starts_with('/')) {
                    // What lies below a last star goes with it.
                    (true, _) => vec![within],
                    (false, true) => vec![across],
                    (false, false) => vec![within, across],
                }
            })
            .collect();
    }
    let tree = opened.ends_with(mark::MANY);
    patterns.into_iter().map(|pattern| (pattern, tree)).collect()
}

fn split(word: &str) -> Spec<'_> {
    let mut spec = Spec { top: false, excluded: false, glob: false, literal: false, path: word };
    let Some(rest) = word.strip_prefix(':').filter(|rest| !rest.is_empty()) else { return spec };
    if let Some((words, path)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        for magic in words.split(',') {
            match magic {
                "top" => spec.top = true,
                "exclude" => spec.excluded = true,
                "glob" => spec.glob = true,
                "literal" => spec.literal = true,
                _ => {}
            }
        }
        spec.path = path;
        return spec;
    }
    let path = rest.trim_start_matches(['/', '!', '^']);
    let signs = &rest[..rest.len() - path.len()];
    spec.top = signs.contains('/');
    spec.excluded = signs.contains(['!', '^']);
    spec.path = if signs.is_empty() { word } else { path.strip_prefix(':').unwrap_or(path) };
    spec
}

/// The root of the repository that the command runs in, as far as it is known.
pub(crate) fn root(walk: &Walk<'_>) -> Option<String> {
    let cwds = walk.paths(".");
    let mut cwds = cwds.iter().flatten();
    let root = walk.report.ground.root_of(cwds.next()?)?;
    cwds.all(|cwd| cwd.starts_with(&root)).then(|| root.to_string_lossy().into_owned())
}

/// Returns true if a word means all there is.
pub(crate) fn is_all(word: &str) -> bool {
    matches!(word, "." | "./" | ":/" | "*" | ":/." | "./*" | "**" | "**/*")
        || word.chars().all(|c| c == mark::MANY) && !word.is_empty()
}
