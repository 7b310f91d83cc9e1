//! The words of `grep`, `rg` and their like: where they search, for which names, and what they leave out.

use super::omission::ignored;
use super::writer::{has_flag, operands_without, option_values};

/// Long flags that take the next word.
const VALUED: &[&str] = &[
    "--after-context",
    "--before-context",
    "--color",
    "--colors",
    "--context",
    "--encoding",
    "--exclude",
    "--exclude-dir",
    "--exclude-from",
    "--file",
    "--glob",
    "--iglob",
    "--ignore",
    "--ignore-dir",
    "--ignore-file",
    "--include",
    "--max-columns",
    "--max-count",
    "--max-depth",
    "--max-filesize",
    "--pre",
    "--regexp",
    "--replace",
    "--sort",
    "--sortr",
    "--threads",
    "--type",
    "--type-add",
    "--type-not",
];

/// Kinds of files that `rg -t` knows, with their endings.
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

/// The files and folders that are searched, as they are named.
pub(super) fn places<'a>(name: &str, argv: &'a [String]) -> Vec<&'a str> {
    let given = has_flag(argv, "ef", &["--regexp", "--file", "--files", "--type-list"]);
    let short = if name == "rg" { "ABCmegtTfjMrE" } else { "ABCmefdD" };
    let words = operands_without(argv, short, VALUED);
    words.into_iter().skip(usize::from(!given)).collect()
}

/// The patterns that a search through folders is limited to.
pub(super) fn globs(name: &str, argv: &[String]) -> Vec<String> {
    let mut globs: Vec<String> = option_values(argv, '\0', "--include").iter().map(|&glob| glob.to_owned()).collect();
    if name == "rg" {
        let given = option_values(argv, 'g', "--glob").into_iter().chain(option_values(argv, '\0', "--iglob"));
        globs.extend(given.filter(|glob| !glob.starts_with('!')).map(str::to_owned));
        // A kind is one limit more where there are patterns, and they are enough to tell.
        if globs.is_empty() && !argv.iter().any(|word| word.starts_with("--type-add")) {
            let kinds = option_values(argv, 't', "--type");
            let known: Option<Vec<&[&str]>> = kinds
                .iter()
                .map(|kind| KINDS.binary_search_by(|(known, _)| (*known).cmp(kind)).ok().map(|at| KINDS[at].1))
                .collect();
            let endings = known.unwrap_or_default().concat();
            globs.extend(endings.iter().map(|ending| format!("*.{ending}")));
        }
    }
    globs
}

/// What a search through folders leaves out, as patterns.
pub(super) fn omissions(name: &str, argv: &[String]) -> Vec<String> {
    if name == "rg" {
        let given = option_values(argv, 'g', "--glob").into_iter().chain(option_values(argv, '\0', "--iglob"));
        return given.filter_map(|glob| glob.strip_prefix('!')).map(|glob| ignored(glob, ".")).collect();
    }
    let folders = option_values(argv, '\0', "--exclude-dir").into_iter();
    let folders = folders.chain(option_values(argv, '\0', "--ignore-dir"));
    let names = option_values(argv, '\0', "--exclude").into_iter().chain(option_values(argv, '\0', "--ignore"));
    // `grep` compares the last name alone.
    let plain = |name: &str| name.trim_start_matches("./").trim_end_matches('/').to_owned();
    folders.chain(names).map(plain).filter(|name| !name.contains('/')).map(|name| format!("**/{name}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_searched() {
        assert!(KINDS.is_sorted_by_key(|(name, _)| *name));
    }
}
