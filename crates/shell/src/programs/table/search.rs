//! Searches through files and folders: where, for which names, and what they leave out.

use crate::walk::Walk;
use crate::walk::listing;
use crate::walk::omission::ignored;

use crate::programs::table::effect::Read;
use crate::programs::table::{Given, Program};

/// Kinds of files that `rg -t` knows, with their endings. Sorted by name.
const KINDS: &[(&str, &[&str])] = &[
    ("c", &["c", "h"]),
    ("cpp", &["cpp", "cc", "cxx", "h", "hpp", "hh", "C", "H"]),
    ("cs", &["cs"]),
    ("css", &["css", "scss"]),
    ("go", &["go"]),
    ("html", &["html", "htm", "ejs"]),
    ("java", &["java", "jsp", "properties"]),
    ("js", &["js", "jsx", "mjs", "cjs", "vue"]),
    ("json", &["json", "sarif"]),
    ("kotlin", &["kt", "kts"]),
    ("lua", &["lua"]),
    ("markdown", &["md", "markdown", "mdown", "mdwn", "mkd", "mkdn", "mdx"]),
    ("md", &["md", "markdown", "mdown", "mdwn", "mkd", "mkdn", "mdx"]),
    ("php", &["php", "phtml", "php3", "php4", "php5", "php7", "php8"]),
    ("protobuf", &["proto"]),
    ("py", &["py", "pyi"]),
    ("python", &["py", "pyi"]),
    ("ruby", &["rb", "gemspec", "rbw"]),
    ("rust", &["rs"]),
    ("sql", &["sql", "psql"]),
    ("swift", &["swift"]),
    ("terraform", &["tf", "tfvars"]),
    ("tf", &["tf", "tfvars"]),
    ("toml", &["toml"]),
    ("ts", &["ts", "tsx", "mts", "cts"]),
    ("typescript", &["ts", "tsx", "mts", "cts"]),
    ("yaml", &["yaml", "yml"]),
];

/// The files and folders that a program reads or searches, as they are named.
pub(crate) fn places<'a>(name: &str, argv: &'a [String]) -> Vec<&'a str> {
    let Some(program) = Program::of(name) else { return Vec::new() };
    let given = Given::read(&program, argv);
    let told = given.has("pattern") || given.has("script") || given.has("no-text");
    let text = program.roles().next() == Some("text");
    given.words.into_iter().skip(usize::from(text && !told)).collect()
}

/// The patterns that a search through folders is limited to.
pub(crate) fn globs(name: &str, argv: &[String]) -> Vec<String> {
    Program::of(name).map(|program| limits(&Given::read(&program, argv))).unwrap_or_default()
}

/// What a search through folders excludes, as patterns.
pub(crate) fn omissions(name: &str, argv: &[String]) -> Vec<String> {
    Program::of(name).map(|program| left_out(&Given::read(&program, argv))).unwrap_or_default()
}

fn limits(given: &Given<'_>) -> Vec<String> {
    let named: Vec<String> = given.values("include").filter(|glob| !glob.starts_with('!')).map(str::to_owned).collect();
    // A kind is one limit more where there are patterns, and they are enough to tell. Who adds a kind knows better.
    if !named.is_empty() || given.has("add-kind") {
        return named;
    }
    let endings = |kind: &str| KINDS.binary_search_by(|(known, _)| (*known).cmp(kind)).ok().map(|at| KINDS[at].1);
    let known: Option<Vec<&[&str]>> = given.values("kind").map(endings).collect();
    known.unwrap_or_default().concat().iter().map(|ending| format!("*.{ending}")).collect()
}

fn left_out(given: &Given<'_>) -> Vec<String> {
    let negated = given.values("include").filter_map(|glob| glob.strip_prefix('!')).map(|glob| ignored(glob, "."));
    // `grep` compares the last name alone.
    let plain = |name: &str| name.trim_start_matches("./").trim_end_matches('/').to_owned();
    let names = given.values("except").map(plain).filter(|name| !name.contains('/'));
    negated.chain(names.map(|name| format!("**/{name}"))).collect()
}

/// Reports that a file or folder is searched.
pub(crate) fn one(walk: &mut Walk<'_>, read: &Read<'_>, word: &str) {
    let omitted = if is_deep(read) { left_out(&read.given) } else { Vec::new() };
    let except = omitted.iter().filter_map(|pattern| walk.left_out(pattern)).collect();
    walk.leaving_out(except, |walk| walk.reads(word, is_deep(read), &read.shown));
}

/// Reports which names a search through folders is limited to.
pub(crate) fn limited(walk: &mut Walk<'_>, read: &Read<'_>) {
    let globs = if is_deep(read) { limits(&read.given) } else { Vec::new() };
    let told = read.given.has("pattern") || read.given.has("script") || read.given.has("no-text");
    let places: Vec<&str> = read.words.iter().copied().skip(usize::from(!told)).collect();
    let folders = if places.is_empty() { vec!["."] } else { places };
    for (folder, glob) in folders.iter().flat_map(|folder| globs.iter().map(move |glob| (folder, glob))) {
        let head = match folder.trim_end_matches('/') {
            "." => String::new(),
            folder => format!("{folder}/"),
        };
        let below = listing::open(&format!("**/{}", glob.trim_start_matches('/')));
        walk.reads(&format!("{head}{below}"), false, &read.shown);
    }
}

/// Programs without an option for it always go through folders.
fn is_deep(read: &Read<'_>) -> bool {
    read.deep || read.program.field("deep").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_can_be_searched() {
        assert!(KINDS.is_sorted_by_key(|(name, _)| *name));
    }
}
