//! Programs given inline to an interpreter: found among its words, read, and reported operation by operation.

use stead_model::{Content, How};

use crate::inline::{self, Act, Language, Surroundings};

use crate::parse::syntax::mark;
use crate::programs::table::Program;
use crate::programs::{awk, database, editor, patch, sed, sql, table};
use crate::walk::download::begins_downloaded;
use crate::walk::program::{self, Reach, brief};
use crate::walk::{Call, Stop, Walk};

/// How deep programs may run each other.
const DEPTH: usize = 16;

/// Reports what an interpreter will do.
pub(crate) fn program(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<(), Stop> {
    let argv = call.argv;
    let shown = brief(argv);
    match name {
        "awk" | "gawk" | "mawk" | "nawk" => return awk::note(walk, name, call),
        "ed" | "ex" | "vi" | "vim" | "nvim" | "view" | "emacs" => return editor::note(walk, name, call),
        "patch" => {
            patch::program(walk, call, &shown);
            return Ok(());
        }
        "sqlite3" => return database::note(walk, call, &shown),
        "pwsh" | "powershell" => {
            let at = argv.iter().position(|word| word.to_lowercase().starts_with("-c"));
            let Some(text) = at.and_then(|at| argv.get(at + 1)) else { return Ok(()) };
            // Another grammar: what looks like shell is reported, and the text counts as not followed.
            walk.gap_with(&shown, "PowerShell is not followed", vec![text.clone()]);
            return walk.text(text);
        }
        "osascript" => {
            let texts = argv.iter().filter_map(|word| word.split_once("do shell script \"")).map(|(_, text)| text);
            let texts: Vec<String> = texts.filter_map(|text| text.split('"').next()).map(str::to_owned).collect();
            walk.gap_with(&shown, "AppleScript is not followed", argv[1..].to_vec());
            return texts.iter().try_for_each(|text| walk.text(text));
        }
        _ => {}
    }
    table::note(walk, name, call)?;
    if let Some(host) = program_host(argv) {
        walk.download_host = Some(host);
        walk.runs_download(name, &shown);
    }
    let Some(language) = Language::of_program(name) else {
        walk.gap(&shown, "what the program does is not known");
        return Ok(());
    };
    let found = find(language, name, argv);
    if language == Language::Perl || language == Language::Ruby {
        edited(walk, argv, &found, &shown)?;
    }
    let words = Words { list: &found.words, script: None };
    for code in &found.codes {
        if begins_downloaded(code) {
            walk.runs_download(name, &shown);
        }
        run(walk, language, code, &words, &shown)?;
    }
    if !found.codes.is_empty() {
        return Ok(());
    }
    match found.script {
        Some(script) => {
            walk.reads(&script, false, &shown);
            match walk.file_text(&script).filter(|_| walk.depth < DEPTH) {
                Some(code) => run(walk, language, &code, &Words { script: Some(&script), ..words }, &shown),
                None => {
                    walk.runs_saved_download(name, &script, &shown);
                    walk.gap(&shown, "the script is not known");
                    Ok(())
                }
            }
        }
        None if found.other => {
            // A module is a program of its own: `python -m pytest`.
            if let Some(at) = argv.iter().position(|word| word == "-m").filter(|at| at + 1 < argv.len()) {
                if let Some(code) = module_text(walk, &argv[at + 1], "__main__") {
                    return text(walk, language, &code, &argv[at + 2..], &shown);
                }
                walk.runs(&argv[at + 1..]);
                table::note_network(walk, &argv[at + 1], &argv[at + 1..]);
                if table::note(walk, &argv[at + 1], &Call { argv: &argv[at + 1..], ..*call })? == table::Known::Complete
                {
                    return Ok(());
                }
            }
            walk.gap(&shown, "what the program does is not known");
            Ok(())
        }
        None => match walk.fed(call) {
            Some(code) => {
                let script = found.fed.as_deref();
                run(walk, language, &code, &Words { script, ..words }, &shown)
            }
            None => {
                walk.runs_fed_download(name, call, &shown);
                if let Some(feed) = call.feed {
                    walk.gap_with(&shown, "it runs a text that is not known", vec![feed.text.clone()]);
                } else if call.has_file {
                    walk.gap(&shown, "it runs a text that is not known");
                }
                Ok(())
            }
        },
    }
}

/// The host of a program that is named by its address, also behind a verb: `deno run https://…`.
fn program_host(argv: &[String]) -> Option<String> {
    let words = program::operands(argv);
    let verbs = words.iter().take_while(|word| matches!(**word, "run" | "install" | "x" | "eval")).count();
    words.get(verbs).filter(|word| word.starts_with("http")).and_then(|word| table::host_of(word))
}

/// What an interpreter is given.
#[derive(Default)]
struct Found {
    codes: Vec<String>,
    script: Option<String>,
    /// The word that says that the program is fed.
    fed: Option<String>,
    words: Vec<String>,
    /// A module or a verb of the program's own.
    other: bool,
}

fn find(language: Language, name: &str, argv: &[String]) -> Found {
    let letters = match language {
        Language::Python => "c",
        Language::JavaScript => "ep",
        Language::Ruby | Language::Lua => "e",
        Language::Perl => "eE",
        Language::Php => "r",
    };
    let mut found = Found::default();
    let mut at = 1;
    while let Some(word) = argv.get(at) {
        at += 1;
        let flag = word.strip_prefix('-').filter(|flag| !flag.is_empty());
        match flag {
            Some("-eval" | "-print" | "-exec") => {
                found.codes.extend(argv.get(at).cloned());
                at += 1;
            }
            Some(flag) if flag.starts_with("-eval=") || flag.starts_with("-print=") => {
                found.codes.extend(flag.split_once('=').map(|(_, code)| code.to_owned()));
            }
            Some("-") => {}
            Some(flag) if flag.starts_with('-') => {
                at += usize::from(Program::of(name).is_some_and(|known| known.takes_value(word)))
            }
            Some("m") if language == Language::Python => {
                found.other = true;
                break;
            }
            Some("W" | "X" | "r" | "I" | "M" | "d" | "C") if language != Language::Php => at += 1,
            Some(flag) => {
                // The letter ends a bundle such as `-pie`; what is glued to it is the text.
                if let Some((before, after)) = flag.split_once(|c| letters.contains(c))
                    && before.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
                    && !before.starts_with(['I', 'M', 'm'])
                {
                    if after.is_empty() {
                        found.codes.extend(argv.get(at).cloned());
                        at += 1;
                    } else {
                        found.codes.push(after.to_owned());
                    }
                }
            }
            None if is_input(word) && found.codes.is_empty() => {
                found.fed = Some(word.clone());
                break;
            }
            None if matches!(name, "deno" | "bun")
                && matches!(word.as_str(), "eval" | "run" | "x")
                && found.codes.is_empty() =>
            {
                if word == "eval" {
                    found.codes.extend(argv.get(at).cloned());
                    at += 1;
                }
            }
            None if name == "bun" && !word.contains(['.', '/']) && found.codes.is_empty() => {
                found.other = true;
                break;
            }
            None => {
                if found.codes.is_empty() {
                    found.script = Some(word.clone());
                } else {
                    at -= 1;
                }
                break;
            }
        }
    }
    found.words = argv[at.min(argv.len())..].to_vec();
    found
}

/// `perl -i` and `ruby -i` change the files they are given; with `-p` and `-n` alone they read them.
fn edited(walk: &mut Walk<'_>, argv: &[String], found: &Found, shown: &str) -> Result<(), Stop> {
    let flags = || argv.iter().skip(1).take_while(|word| word.starts_with('-')).filter(|word| !word.starts_with("--"));
    let has = |sign: char| {
        flags().any(|word| {
            word.chars().take_while(|c| !matches!(c, 'e' | 'E')).any(|c| c == sign) && !word.starts_with("-M")
        })
    };
    if !has('i') && !has('p') && !has('n') {
        return Ok(());
    }
    let codes: Vec<&str> = found.codes.iter().map(String::as_str).collect();
    let content = sed::replacements(&codes, true).map_or(Content::Unknown, Content::Replacements);
    for file in &found.words {
        if has('i') {
            walk.writes(file, How::Edit, content.clone(), shown);
        } else {
            walk.reads(file, false, shown);
        }
    }
    Ok(())
}

/// Returns true if a word means standard input.
pub(crate) fn is_input(word: &str) -> bool {
    matches!(word, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

/// What a program in another language sees of the words that it was called with.
#[derive(Clone, Copy)]
struct Words<'a> {
    list: &'a [String],
    script: Option<&'a str>,
}

/// Reads a script that is run by its name, and tells what it does.
pub(crate) fn script(walk: &mut Walk<'_>, language: Language, code: &str, argv: &[String]) -> Result<(), Stop> {
    let words = Words { list: argv.get(1..).unwrap_or_default(), script: argv.first().map(String::as_str) };
    run(walk, language, code, &words, &brief(argv))
}

/// Reads a program and tells what it does.
pub(crate) fn text(
    walk: &mut Walk<'_>,
    language: Language,
    code: &str,
    words: &[String],
    shown: &str,
) -> Result<(), Stop> {
    run(walk, language, code, &Words { list: words, script: None }, shown)
}

fn run(walk: &mut Walk<'_>, language: Language, code: &str, words: &Words<'_>, shown: &str) -> Result<(), Stop> {
    walk.depth += 1;
    if walk.depth > DEPTH {
        walk.depth -= 1;
        return Err(Stop);
    }
    let cwds = walk.cwds.clone();
    walk.given.codes.push(code.to_owned());
    if code.contains(mark::UNKNOWN) {
        walk.gap(shown, "part of the program is not known");
    }
    let acts = {
        let known = |name: &str| {
            let values = walk.value(name);
            values.first().filter(|value| values.len() == 1 && !value.contains(mark::is_mark)).cloned()
        };
        let surroundings = Surroundings {
            home: walk.home().map(|home| home.to_string_lossy().into_owned()),
            cwd: walk.cwds.first().cloned().unwrap_or_default(),
            variable: &known,
            words: words.list.to_vec(),
            script: words.script.map(str::to_owned),
        };
        inline::read(language, code, &surroundings)
    };
    for act in acts {
        walk.step()?;
        tell(walk, language, act, words, shown)?;
    }
    walk.cwds = cwds;
    walk.given.codes.pop();
    walk.depth -= 1;
    Ok(())
}

fn tell(walk: &mut Walk<'_>, language: Language, act: Act, words: &Words<'_>, shown: &str) -> Result<(), Stop> {
    match act {
        Act::Write { path, how, content, tree } => walk.note_write(&path, how, tree, content, shown),
        Act::Delete { path, tree } => walk.removes(&path, if tree { Reach::Deep } else { Reach::Flat }, shown),
        Act::Rename { from, to } => walk.note_move(&from, &to, shown),
        Act::Read { path } => walk.reads(&path, false, shown),
        Act::Shell { text, dir } => {
            let cwds = walk.cwds.clone();
            enter(walk, dir)?;
            walk.text(&text)?;
            walk.cwds = cwds;
        }
        Act::Exec { argv, dir } => {
            let cwds = walk.cwds.clone();
            enter(walk, dir)?;
            program::judge(walk, &Call { argv: &argv, texts: &[], feed: None, has_file: false })?;
            walk.cwds = cwds;
        }
        Act::Code { text: code } => run(walk, language, &code, words, shown)?,
        Act::Enter { dir } => enter(walk, Some(dir))?,
        Act::Sql { text } => sql::note(walk, &text, shown)?,
        Act::Network { name, address } => {
            let host = address.as_deref().and_then(table::host_of);
            walk.calls_out(&name, host, shown);
        }
        Act::Gap { what } => walk.gap(shown, &what),
        Act::Import { module } => import(walk, language, &module, words, shown)?,
        Act::More => walk.give_up(),
    }
    Ok(())
}

/// Follows a module of the project. Third-party modules act only through their calls, which are reported.
fn import(walk: &mut Walk<'_>, language: Language, module: &str, words: &Words<'_>, shown: &str) -> Result<(), Stop> {
    // Where the script lies is where its modules are looked for first.
    let folder = words.script.filter(|script| !is_input(script)).and_then(|script| script.rsplit_once('/'));
    let folder = folder.map(|(folder, _)| folder);
    let found = match language {
        Language::JavaScript => required(walk, module, folder),
        _ => {
            let beside = folder
                .and_then(|folder| module_file(walk, &format!("{folder}/{}", module.replace('.', "/")), "__init__"));
            beside.or_else(|| module_file(walk, &module.replace('.', "/"), "__init__"))
        }
    };
    match found {
        Some((path, code)) => run(walk, language, &code, &Words { script: Some(&path), ..*words }, shown),
        None => Ok(()),
    }
}

/// The text of a module of the project; `main` is the file that stands for a folder.
fn module_text(walk: &mut Walk<'_>, module: &str, main: &str) -> Option<String> {
    module_file(walk, &module.replace('.', "/"), main).map(|(_, code)| code)
}

fn module_file(walk: &mut Walk<'_>, path: &str, main: &str) -> Option<(String, String)> {
    first_file(walk, [format!("{path}.py"), format!("{path}/{main}.py")])
}

/// The file that a name with a dot in front means in JavaScript.
fn required(walk: &mut Walk<'_>, module: &str, folder: Option<&str>) -> Option<(String, String)> {
    let path = format!("{}/{}", folder.unwrap_or("."), module.trim_start_matches("./"));
    if path.rsplit('/').next().is_some_and(|name| name.contains('.')) {
        return first_file(walk, [path]);
    }
    first_file(walk, [format!("{path}.js"), format!("{path}/index.js"), format!("{path}.ts")])
}

fn first_file(walk: &mut Walk<'_>, paths: impl IntoIterator<Item = String>) -> Option<(String, String)> {
    if walk.depth >= DEPTH {
        return None;
    }
    paths.into_iter().find_map(|path| walk.file_text(&path).map(|code| (path, code)))
}

fn enter(walk: &mut Walk<'_>, dir: Option<String>) -> Result<(), Stop> {
    match dir {
        Some(dir) => {
            let argv = ["cd".to_owned(), dir];
            program::enter(walk, &Call { argv: &argv, texts: &[], feed: None, has_file: false })
        }
        None => Ok(()),
    }
}
