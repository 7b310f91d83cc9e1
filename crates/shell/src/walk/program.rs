//! Follows one program with its words.

use stead_model::Hidden;

use crate::inline::embedded;
use crate::parse::syntax::mark;
use crate::programs::{
    archive, container, find, git, interpreter, options, package, prompt, stead, table, task, wrapper,
};
use crate::walk::{Call, Stop, Walk};
use crate::walk::{outcome, output, unknown_name, variable};

/// Follows a program about to run.
pub(crate) fn judge(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let outer = std::mem::replace(&mut walk.given.words, call.argv.to_vec());
    let run = walk.run;
    let result = follow(walk, call);
    walk.run = run;
    walk.given.words = outer;
    result
}

fn follow(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let Some(first) = call.argv.first() else { return Ok(()) };
    let name = program_name(first);
    let name = name.as_str();
    if let Some(at) = walk.functions.iter().rposition(|(known, _)| known == first) {
        return function(walk, at, call);
    }
    if let Some(at) = walk.aliases.iter().rposition(|(known, _)| known == first) {
        return alias(walk, at, call);
    }
    if let Some(real) = walk.real_program(first).filter(|real| real != name && unknown_name::is_telling(real)) {
        let mut argv = call.argv.to_vec();
        argv[0] = real;
        return judge(walk, &Call { argv: &argv, ..*call });
    }
    let Some(why) = outcome::hides(name, call.argv) else { return proceed(walk, name, call) };
    let outer = walk.outcome;
    walk.outcome.hide(why);
    let result = proceed(walk, name, call);
    walk.outcome.leave(outer);
    result
}

fn proceed(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<(), Stop> {
    let doubts = walk.doubts.len();
    walk.doubt_file(call);
    prompt::note(walk, name, call);
    if unknown_name::judge(walk, name, call)? || wrapper::judge(walk, name, call)? {
        walk.doubts.truncate(doubts);
        return Ok(());
    }
    walk.doubts.truncate(doubts);
    if table::asks_for_help(name, call.argv) {
        walk.print(None);
        return Ok(());
    }
    let text_flag = |word: &String| word.starts_with('-') && word.ends_with('c');
    let unwrapped = table::is_shell(name) && call.argv.iter().any(text_flag);
    if !unwrapped && !table::is_builtin(name) {
        walk.runs(call.argv);
    }
    table::note_network(walk, name, call.argv);
    let runs_text = table::is_shell(name) || matches!(name, "eval" | "source" | "." | "trap");
    act(walk, name, call)?;
    if !runs_text {
        let printed = output::of(walk, name, call);
        if matches!(name, "echo" | "printf") {
            walk.shows(printed.as_deref());
        }
        walk.print(printed);
    }
    Ok(())
}

/// Follows the command without its wrappers.
fn act(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<(), Stop> {
    match name {
        "cd" | "chdir" => return enter(walk, call),
        "pushd" | "popd" => return stack(walk, name, call),
        "read" | "mapfile" | "readarray" => return variable::take_in(walk, call),
        "export" | "declare" | "local" | "readonly" | "typeset" => return variable::declare(walk, call),
        "unset" => {
            let names = operands(call.argv).into_iter().filter(|name| walk.cleared.len() < 64 && !name.contains('['));
            let names: Vec<String> = names.map(str::to_owned).collect();
            walk.cleared.extend(names);
        }
        "shift" => return variable::shift(walk, call),
        "getopts" => return variable::options(walk, call),
        "eval" => return walk.eval(&call.argv[1..].join(" ")),
        "trap" => return call.argv.get(1).map_or(Ok(()), |text| walk.text(text)),
        "exit" | "return" | "break" | "continue" => walk.outcome.exit(name, call.argv),
        "source" | "." => return interpreter::source(walk, call),
        "alias" => return name_alias(walk, call),
        "hash" => return name_path(walk, call),
        "set" => {
            walk.set_options(call.argv);
            if let Some(at) = call.argv.iter().position(|word| word == "--") {
                variable::give_words(walk, &call.argv[at..])?;
            }
            return Ok(());
        }
        "printf" if call.argv.get(1).is_some_and(|flag| flag == "-v") => return print_into(walk, call),
        "fc" if !call.argv.iter().any(|word| word.starts_with("-l")) => {
            walk.gap(&brief(call.argv), "which earlier command it runs is not known");
            return Ok(());
        }
        "stead" | "stead.exe" => return stead::call(walk, call),
        "git" => return git::judge(walk, call),
        "find" | "gfind" | "fd" | "fdfind" => return find::judge(walk, name, call),
        _ => {}
    }
    if first_is_path(call) && interpreter::runs_file(walk, call)? {
        return Ok(());
    }
    if name == "cargo" {
        stead::cargo(walk, call.argv);
    }
    package::judge(walk, name, call.argv);
    walk.doubt_file(call);
    task::judge(walk, name, call)?;
    if table::is_shell(name) {
        return interpreter::shell(walk, call);
    }
    if table::is_interpreter(name) && !interpreter::only_reads(name, call) {
        let outer = walk.outcome;
        // `python -m pytest` ends as the module does; a program ends as it likes.
        if !call.argv.iter().any(|word| word == "-m") {
            walk.outcome.lose(Hidden::Ignored);
        }
        let result = embedded::program(walk, name, call);
        walk.outcome.leave(outer);
        return result;
    }
    if table::is_container(name) {
        container::note(walk, name, call)?;
    }
    if options::judge(walk, name, call)? || is_harmless(name, call) {
        return Ok(());
    }
    unknown(walk, call);
    Ok(())
}

/// Returns true if the program is named by its path.
fn first_is_path(call: &Call<'_>) -> bool {
    call.argv.first().is_some_and(|first| first.contains('/'))
}

/// Returns true if a program only reads what it is given.
fn is_harmless(name: &str, call: &Call<'_>) -> bool {
    table::is_read_only(name)
        || name == "sed" && !options::edits_in_place(call.argv)
        || table::is_interpreter(name) && interpreter::only_reads(name, call)
        || name == "yq" && !call.argv.iter().any(|word| matches!(word.as_str(), "-i" | "--inplace" | "-yi"))
        || name == "tar" && archive::tar_lists(call.argv)
}

/// The maximum length of a shown command.
const SHOWN: usize = 240;

/// Shows the words of a command, cut when long.
pub(crate) fn brief(argv: &[String]) -> String {
    let mut shown = String::new();
    for word in argv {
        if shown.len() > SHOWN {
            break;
        }
        if !shown.is_empty() {
            shown.push(' ');
        }
        match word.len() <= SHOWN {
            true => shown.push_str(word),
            false => shown.extend(word.chars().take(SHOWN)),
        }
    }
    shown
}

/// The file name of a program, without what names it elsewhere.
pub(crate) fn program_name(word: &str) -> String {
    word.trim_start_matches('\\').rsplit('/').next().unwrap_or_default().to_lowercase()
}

/// An unknown program may do anything to what it is given.
fn unknown(walk: &mut Walk<'_>, call: &Call<'_>) {
    if first_is_path(call) {
        stead::doubtful(walk, call.argv, stead::Doubt::Stranger);
    }
    wrapper::note_behind(walk, call.argv);
    // What runs in a container is told already.
    let name = call.argv.first().map(|first| program_name(first)).unwrap_or_default();
    let texts = if table::is_container(&name) { Vec::new() } else { wrapper::commands_within(call.argv) };
    walk.gap_with(&brief(call.argv), "what the program does is not known", texts);
}

/// What in a word may be a path: all of it, what follows `=`, `:` or `@`, what is glued to a flag.
pub(crate) fn candidates(word: &str) -> impl Iterator<Item = &str> {
    let text = word.contains(char::is_whitespace);
    let flag = word.starts_with('-');
    let glued = (flag && !word.starts_with("--")).then(|| word.get(2..)).flatten();
    let after = word.split_once('=').map(|(_, value)| value);
    let host = word.rsplit_once(':').map(|(_, path)| path);
    [(!flag).then_some(word), glued, after, host, word.strip_prefix('@')]
        .into_iter()
        .flatten()
        .filter(move |candidate| !candidate.is_empty() && !text)
}

/// Walks a function with its words. It is removed meanwhile, so that it cannot recurse.
fn function(walk: &mut Walk<'_>, at: usize, call: &Call<'_>) -> Result<(), Stop> {
    walk.depth += 1;
    if walk.depth > crate::parse::reader::DEPTH {
        return Err(Stop);
    }
    let (known, references) = (walk.variables.len(), walk.references.len());
    walk.set("@", call.argv[1..].to_vec())?;
    let (locals, branches) = (std::mem::take(&mut walk.locals), std::mem::take(&mut walk.branches));
    let (name, body) = walk.functions.remove(at);
    let outcome = walk.outcome;
    walk.outcome.enter_function();
    let result = walk.script(&body);
    walk.outcome.leave_function(outcome);
    walk.functions.push((name, body));
    walk.branches = branches;
    let locals = std::mem::replace(&mut walk.locals, locals);
    walk.references.truncate(references);
    // What is not its own stays: all but its words and what it declared.
    let left = walk.variables.split_off(known.min(walk.variables.len()));
    let is_own = |name: &str| {
        name.starts_with(|c: char| c == '@' || c.is_ascii_digit())
            || locals.iter().any(|local| name.split('[').next() == Some(local))
    };
    walk.variables.extend(left.into_iter().filter(|(name, _)| !is_own(name)));
    walk.depth -= 1;
    result
}

/// Walks an alias.
fn alias(walk: &mut Walk<'_>, at: usize, call: &Call<'_>) -> Result<(), Stop> {
    let (name, text) = walk.aliases.remove(at);
    let words: Vec<String> = call.argv[1..].iter().map(|word| quoted(word)).collect();
    let result = walk.text(&format!("{text} {}", words.join(" ")));
    walk.aliases.push((name, text));
    result
}

/// Writes a word so that the shell reads it as it is.
pub(crate) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn name_alias(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    for (name, text) in call.argv[1..].iter().filter_map(|word| word.split_once('=')).take(64) {
        walk.aliases.push((name.to_owned(), text.to_owned()));
    }
    Ok(())
}

/// `printf -v name` prints into a variable.
fn print_into(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let Some(name) = call.argv.get(2) else { return Ok(()) };
    let text = output::printf(&call.argv[3..]).unwrap_or_else(|| mark::UNKNOWN.to_string());
    walk.set(name, vec![text])
}

/// `hash -p path name` gives a program another name.
fn name_path(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    if let [_, flag, path, name, ..] = call.argv
        && flag == "-p"
    {
        walk.aliases.push((name.clone(), quoted(path)));
    }
    Ok(())
}

/// Goes to another folder.
pub(crate) fn enter(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let target = call.argv[1..].iter().find(|word| !word.starts_with('-') || *word == "-");
    let before = walk.cwds.clone();
    walk.cwds = match target.map(String::as_str) {
        None => walk.home().map(|home| home.to_string_lossy().into_owned()).into_iter().collect(),
        Some("-") => walk.value("OLDPWD"),
        Some(target) => {
            if let Some(folders) = searched(walk, target) {
                walk.came_from = before;
                walk.cwds = folders;
                return Ok(());
            }
            let paths = walk.paths(target);
            let there = |path: Option<std::path::PathBuf>, cwd: &String| match path {
                Some(path) => path.to_string_lossy().into_owned(),
                None => unknown_head(&format!("{cwd}/{target}")),
            };
            paths.into_iter().zip(&walk.cwds).map(|(path, cwd)| there(path, cwd)).collect()
        }
    };
    if walk.cwds.is_empty() {
        walk.cwds.push(mark::UNKNOWN.to_string());
    }
    walk.came_from = before;
    Ok(())
}

/// Where `CDPATH` may lead; `None` if it has no say.
fn searched(walk: &Walk<'_>, target: &str) -> Option<Vec<String>> {
    let list = walk.known_value("CDPATH").filter(|_| !target.starts_with(['/', '~', '.']))?;
    let folders = list.iter().flat_map(|list| list.split(':')).filter(|folder| !folder.is_empty());
    let below: Vec<String> = folders.map(|folder| format!("{}/{target}", folder.trim_end_matches('/'))).collect();
    // One of them that is there is meant; else it may be each.
    let there = below.iter().find(|folder| walk.is_folder(folder) == Some(true)).cloned();
    let words = there.map_or_else(|| below.into_iter().chain([target.to_owned()]).collect(), |folder| vec![folder]);
    let paths = words.iter().flat_map(|word| walk.paths(word));
    Some(paths.map(|path| path.map_or(mark::UNKNOWN.to_string(), |path| path.to_string_lossy().into_owned())).collect())
}

/// The maximum number of folders that are stacked.
const STACK: usize = 64;

/// `pushd` and `popd`: to another folder and back.
fn stack(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<(), Stop> {
    let before = walk.cwds.clone();
    let mut words = call.argv[1..].iter().filter(|word| *word != "-n" && *word != "--");
    match words.next() {
        // By number; the stack may have begun before this command.
        Some(place) if place.starts_with(['+', '-']) => walk.cwds = vec![mark::UNKNOWN.to_string()],
        Some(_) if name == "pushd" => {
            enter(walk, call)?;
            walk.stack.truncate(STACK);
            walk.stack.push(before);
            return Ok(());
        }
        _ => {
            walk.cwds = walk.stack.pop().unwrap_or_else(|| vec![mark::UNKNOWN.to_string()]);
            if name == "pushd" {
                walk.stack.push(before.clone());
            }
        }
    }
    walk.came_from = before;
    Ok(())
}

fn unknown_head(path: &str) -> String {
    format!("{}{}", mark::UNKNOWN, path.rsplit(mark::UNKNOWN).next().unwrap_or_default())
}

/// How deep a removal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Only the named file.
    Flat,
    /// A folder with everything in it.
    Deep,
}

/// Shows marks as the signs they came from.
pub(crate) fn readable(text: &str) -> String {
    if !mark::may_be_in(text) {
        return text.to_owned();
    }
    text.chars()
        .filter(|c| mark::omitted(*c).is_none() && *c != mark::FETCHED)
        .map(|c| match c {
            mark::MANY => '*',
            mark::ONE => '?',
            c if mark::is_mark(c) => '…',
            c => c,
        })
        .collect()
}

/// Returns the words that are not flags.
pub(crate) fn operands(argv: &[String]) -> Vec<&str> {
    let mut operands = Vec::new();
    let mut flags = true;
    for word in argv.iter().skip(1) {
        if flags && word == "--" {
            flags = false;
        } else if !flags || !word.starts_with('-') || word == "-" {
            operands.push(word.as_str());
        }
    }
    operands
}
