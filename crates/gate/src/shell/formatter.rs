//! Formatters and linters that mend: which files they rewrite, and when they only look.

use stead_model::{Content, How};

use super::syntax::mark;
use super::walk::Walk;

/// A program that rewrites the files it is given.
struct Formatter {
    name: &'static str,
    /// Flags and verbs without one of which it writes nothing; none are needed where the list is empty.
    writes: &'static [&'static str],
    /// Flags and verbs with one of which it only looks.
    looks: &'static [&'static str],
    /// Flags that take a value.
    valued: &'static [&'static str],
}

const fn formatter(
    name: &'static str,
    writes: &'static [&'static str],
    looks: &'static [&'static str],
    valued: &'static [&'static str],
) -> Formatter {
    Formatter { name, writes, looks, valued }
}

/// Sorted by name.
const FORMATTERS: &[Formatter] = &[
    formatter("autopep8", &["-i", "--in-place"], &["-d", "--diff"], &["--max-line-length", "--ignore", "--select"]),
    formatter("biome", &["--write", "--apply", "--fix", "--apply-unsafe"], &[], &["--config-path", "--files-max-size"]),
    formatter(
        "black",
        &[],
        &["--check", "--diff", "-c", "--code"],
        &[
            "-l",
            "--line-length",
            "-t",
            "--target-version",
            "--config",
            "--include",
            "--exclude",
            "--extend-exclude",
            "-W",
        ],
    ),
    formatter("clang-format", &["-i"], &["-n", "--dry-run"], &["-style", "--style", "--assume-filename"]),
    formatter("dart", &["format", "--apply"], &["-o", "--output", "-n", "--dry-run"], &["-l", "--line-length"]),
    formatter("dos2unix", &[], &["-i", "--info"], &[]),
    formatter("dprint", &["fmt"], &["check", "--diff"], &["-c", "--config", "--excludes", "--plugins"]),
    formatter(
        "eslint",
        &["--fix"],
        &["--fix-dry-run"],
        &["-c", "--config", "--ext", "--ignore-path", "--ignore-pattern", "--rule", "--plugin", "-f", "--format"],
    ),
    formatter("gofmt", &["-w"], &[], &["-r", "-cpuprofile"]),
    formatter("gofumpt", &["-w"], &[], &["-r", "-lang", "-modpath"]),
    formatter("goimports", &["-w"], &[], &["-local", "-srcdir"]),
    formatter("hclfmt", &["-w"], &[], &[]),
    formatter(
        "isort",
        &[],
        &["--check", "--check-only", "-c", "--diff", "-d", "--df", "--stdout"],
        &["-l", "--line-length", "--profile", "--settings-path", "--sp", "--settings-file", "--skip", "-s", "-p"],
    ),
    formatter(
        "prettier",
        &["--write", "-w"],
        &[],
        &["--config", "--ignore-path", "--parser", "--plugin", "--tab-width", "--log-level", "--print-width"],
    ),
    formatter("rubocop", &["-a", "-A", "-x", "--autocorrect", "--autocorrect-all"], &[], &["-c", "--config", "--only"]),
    formatter(
        "ruff",
        &["--fix", "--fix-only", "format", "--add-noqa"],
        &["--check", "--diff"],
        &["--config", "--select", "--ignore", "--line-length", "--exclude", "--extend-select", "--target-version"],
    ),
    formatter("rustfmt", &[], &["--check", "--emit"], &["--edition", "--config", "--config-path", "--style-edition"]),
    formatter("shfmt", &["-w", "--write"], &[], &["-i", "--indent", "-ln"]),
    formatter("standard", &["--fix"], &[], &[]),
    formatter("stylelint", &["--fix"], &[], &["--config", "--ignore-path"]),
    formatter("stylua", &[], &["--check"], &["-f", "--config-path", "-g", "--glob"]),
    formatter("swiftformat", &[], &["--lint", "--dryrun"], &["--config", "--rules", "--swiftversion"]),
    formatter("taplo", &["fmt", "format"], &["--check", "--diff"], &["-c", "--config", "-o", "--option"]),
    formatter("unix2dos", &[], &["-i", "--info"], &[]),
    formatter("yapf", &["-i", "--in-place"], &["-d", "--diff"], &["--style", "-e", "--exclude"]),
    formatter("zig", &["fmt"], &["--check"], &["--exclude"]),
];

/// Verbs that are no files.
const VERBS: &[&str] = &["check", "fmt", "format", "fix", "lint", "ci"];

/// Tells what a formatter rewrites; says whether the program is one.
pub(super) fn note(walk: &mut Walk<'_>, name: &str, argv: &[String], shown: &str) -> bool {
    if let Some(endings) = hashicorp(name, argv) {
        folders(walk, argv, endings, shown);
        return true;
    }
    let Ok(at) = FORMATTERS.binary_search_by(|known| known.name.cmp(name)) else { return false };
    let formatter = &FORMATTERS[at];
    let has = |flags: &[&str]| {
        let flag = |word: &str| word.split_once('=').map_or(word, |(flag, _)| flag).to_owned();
        argv.iter().skip(1).any(|word| flags.contains(&flag(word).as_str()))
    };
    if has(formatter.looks) || !formatter.writes.is_empty() && !has(formatter.writes) {
        return true;
    }
    let mut words = argv.iter().skip(1);
    let mut flags = true;
    let mut first = true;
    while let Some(word) = words.next() {
        if flags && word == "--" {
            flags = false;
        } else if flags && word.starts_with('-') && word != "-" {
            if formatter.valued.contains(&word.as_str()) {
                words.next();
            }
        } else if !(std::mem::take(&mut first) && VERBS.contains(&word.as_str())) {
            let tree = walk.is_folder(word).unwrap_or(!word.contains('.') || word == ".");
            // A formatter changes the files that it knows, and of those the untidy ones.
            walk.note_write(word, if tree { How::Somewhere } else { How::Edit }, tree, Content::Unknown, shown);
        }
    }
    true
}

/// The endings of the files that `terraform fmt` and its like rewrite.
fn hashicorp(name: &str, argv: &[String]) -> Option<&'static [&'static str]> {
    let endings: &[&str] = match name {
        "terraform" | "tofu" => &["tf", "tfvars"],
        "packer" => &["pkr.hcl", "pkrvars.hcl"],
        "nomad" | "terragrunt" => &["hcl"],
        _ => return None,
    };
    let mut words = argv.iter().skip(1).filter(|word| !word.starts_with('-'));
    let verb = words.next()?;
    let formats = verb == "fmt" || name == "terragrunt" && (verb == "hclfmt" || verb == "hcl");
    formats.then_some(endings)
}

/// `terraform fmt`: the files that are named, or those of a folder.
fn folders(walk: &mut Walk<'_>, argv: &[String], endings: &[&str], shown: &str) {
    let flag = |word: &str| word.trim_start_matches('-').to_owned();
    let flags: Vec<String> = argv.iter().skip(1).filter(|word| word.starts_with('-')).map(|word| flag(word)).collect();
    let has = |name: &str| {
        let set = |flag: &String| flag.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest == "=true");
        flags.iter().any(set)
    };
    let reads_input = argv.iter().any(|word| word == "-");
    if has("check") || flags.iter().any(|flag| flag == "write=false" || flag == "list-only") || reads_input {
        return;
    }
    let start = flags.iter().find_map(|flag| flag.strip_prefix("chdir=")).unwrap_or(".").to_owned();
    let named: Vec<&str> =
        argv.iter().skip(1).filter(|word| !word.starts_with('-')).map(String::as_str).skip(1).collect();
    let named = if named.is_empty() { vec!["."] } else { named };
    let deep = if has("recursive") || argv.iter().any(|word| word == "hclfmt" || word == "hcl") {
        format!("{0}{0}/", mark::MANY)
    } else {
        String::new()
    };
    for word in named {
        let path = match (start.trim_end_matches('/'), word.trim_end_matches('/')) {
            (".", word) => word.to_owned(),
            (start, ".") => start.to_owned(),
            (start, word) => format!("{start}/{word}"),
        };
        if endings.iter().any(|ending| path.ends_with(&format!(".{ending}"))) {
            walk.note_write(&path, How::Edit, false, Content::Unknown, shown);
            continue;
        }
        let head = if path == "." { String::new() } else { format!("{path}/") };
        for ending in endings {
            let pattern = format!("{head}{deep}{}.{ending}", mark::MANY);
            walk.note_write(&pattern, How::Edit, false, Content::Unknown, shown);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_searched() {
        assert!(FORMATTERS.is_sorted_by_key(|known| known.name));
    }
}
