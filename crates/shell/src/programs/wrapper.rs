//! Programs that run another program: taken off, and what they run is followed.

use crate::parse::syntax::mark;
use crate::programs::options;
use crate::walk::output;
use crate::walk::program::{self, program_name};
use crate::walk::{Call, Stop, Walk};

/// A wrapper: flags that take a value, and words of its own before the program.
struct Wrapper {
    name: &'static str,
    valued: &'static str,
    own_words: usize,
}

const fn wrapper(name: &'static str, valued: &'static str, own_words: usize) -> Wrapper {
    Wrapper { name, valued, own_words }
}

const WRAPPERS: &[Wrapper] = &[
    wrapper("env", "uCS", 0),
    wrapper("sudo", "ughpCTRDrt", 0),
    wrapper("doas", "uC", 0),
    wrapper("nice", "n", 0),
    wrapper("ionice", "cnp", 0),
    wrapper("nohup", "", 0),
    wrapper("time", "fo", 0),
    wrapper("timeout", "sk", 1),
    wrapper("gtimeout", "sk", 1),
    wrapper("stdbuf", "ioe", 0),
    wrapper("setsid", "", 0),
    wrapper("command", "", 0),
    wrapper("builtin", "", 0),
    wrapper("exec", "a", 0),
    wrapper("busybox", "", 0),
    wrapper("toybox", "", 0),
    wrapper("chronic", "", 0),
    wrapper("caffeinate", "tw", 0),
    wrapper("unbuffer", "", 0),
    wrapper("fakeroot", "", 0),
    wrapper("chrt", "", 1),
    wrapper("taskset", "", 1),
    wrapper("strace", "oeps", 0),
    wrapper("flock", "wE", 1),
    wrapper("watch", "n", 0),
    wrapper("noglob", "", 0),
    wrapper("nocorrect", "", 0),
    wrapper("xvfb-run", "", 0),
    wrapper("entr", "", 0),
    wrapper("screen", "cehpsSTt", 0),
    wrapper("npx", "p", 0),
    wrapper("bunx", "", 0),
    wrapper("cross-env", "", 0),
    wrapper("cross-env-shell", "", 0),
    wrapper("dotenv", "efcvp", 0),
    wrapper("retry", "tdm", 0),
    wrapper("systemd-run", "puMEGHC", 0),
    wrapper("watchexec", "ewifdosNE", 0),
];

/// Programs that take a command as one text.
const CARRIERS: &[&str] = &[
    "at",
    "batch",
    "concurrently",
    "entr",
    "flock",
    "hyperfine",
    "nix-shell",
    "nodemon",
    "npx",
    "parallel",
    "screen",
    "script",
    "su",
    "tmux",
    "watch",
];

/// Wrappers that matter by themselves: they raise rights or fetch what they run.
const SHOWN: &[&str] = &["bunx", "doas", "npx", "sudo"];

/// Follows what a wrapper runs; says whether there was one.
pub(crate) fn judge(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<bool, Stop> {
    if SHOWN.contains(&name) || runner(name, call.argv).is_some() {
        walk.runs(call.argv);
    }
    if CARRIERS.contains(&name) {
        for text in call.argv[1..].iter().filter(|word| word.contains(char::is_whitespace)) {
            walk.text(text)?;
        }
    }
    if matches!(name, "at" | "batch")
        && let Some(text) = walk.fed(call)
    {
        walk.text(&text)?;
    }
    if matches!(name, "xargs" | "gxargs" | "parallel") {
        xargs(walk, call)?;
        return Ok(true);
    }
    if matches!(name, "npm" | "pnpm" | "yarn") && call.argv.get(1).is_some_and(|verb| verb == "exec" || verb == "x") {
        for text in options::option_values(call.argv, 'c', "--call").into_iter().map(str::to_owned) {
            walk.text(&text)?;
        }
    }
    if let Some(inner) = runner(name, call.argv) {
        if inner.first().is_some_and(|script| script.ends_with(".py")) {
            let argv: Vec<String> = std::iter::once("python3".to_owned()).chain(inner.iter().cloned()).collect();
            program::judge(walk, &Call { argv: &argv, ..*call })?;
            return Ok(true);
        }
        program::judge(walk, &Call { argv: inner, ..*call })?;
        return Ok(true);
    }
    let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == name) else { return Ok(false) };
    if name == "command" && call.argv.get(1).is_some_and(|flag| flag == "-v" || flag == "-V") {
        walk.print((call.argv[1] == "-v").then(|| output::located(&call.argv[2..])));
        return Ok(true);
    }
    let cwds = walk.cwds.clone();
    let inner = unwrap(walk, wrapper, call.argv)?;
    program::judge(walk, &Call { argv: inner, ..*call })?;
    if name == "env" {
        walk.cwds = cwds;
    }
    Ok(true)
}

/// Skips the wrapper's flags and words.
fn unwrap<'a>(walk: &mut Walk<'_>, wrapper: &Wrapper, argv: &'a [String]) -> Result<&'a [String], Stop> {
    let (mut at, mut own) = (1, wrapper.own_words);
    while let Some(word) = argv.get(at) {
        at += 1;
        if word == "--" {
            continue;
        }
        if let Some(flag) = word.strip_prefix('-') {
            // In a bundle the value of the last letter is the next word; that of another one is glued to it.
            let first = flag.find(|c| wrapper.valued.contains(c)).filter(|_| !flag.starts_with('-'));
            let valued = first.is_some_and(|at| at + 1 == flag.len());
            let value = if valued { argv.get(at).map(String::as_str) } else { None };
            at += usize::from(valued);
            if wrapper.name == "env" {
                let glued = word.strip_prefix("-S").filter(|text| !text.is_empty());
                let split = word.strip_prefix("--split-string=").or(glued).or(value.filter(|_| flag.ends_with('S')));
                if let Some(text) = split {
                    walk.text(text)?;
                }
                if let Some(folder) = word.strip_prefix("--chdir=").or(value.filter(|_| flag.ends_with('C'))) {
                    let argv = ["cd".to_owned(), folder.to_owned()];
                    program::judge(walk, &Call { argv: &argv, texts: &[], feed: None })?;
                }
            }
        } else if let Some((name, value)) = word
            .split_once('=')
            .filter(|_| matches!(wrapper.name, "env" | "sudo" | "doas" | "cross-env" | "cross-env-shell"))
        {
            walk.set(name, vec![value.to_owned()])?;
        } else if wrapper.name == "retry" && word.bytes().all(|byte| byte.is_ascii_digit()) {
            // How often.
        } else if own > 0 {
            own -= 1;
        } else {
            return Ok(&argv[at - 1..]);
        }
    }
    Ok(&[])
}

/// Two-word wrappers, such as `uv run`: their name and verb, and the words of their own behind it.
const RUNNERS: &[(&str, &str, usize)] = &[
    ("asdf", "exec", 0),
    ("aws-vault", "exec", 1),
    ("bundle", "exec", 0),
    ("chamber", "exec", 1),
    ("conda", "run", 0),
    ("direnv", "exec", 1),
    ("doppler", "run", 0),
    ("dotenv", "run", 0),
    ("dotenvx", "run", 0),
    ("hatch", "run", 0),
    ("infisical", "run", 0),
    ("mamba", "run", 0),
    ("micromamba", "run", 0),
    ("mise", "exec", 0),
    ("mise", "x", 0),
    ("npm", "exec", 0),
    ("npm", "x", 0),
    ("op", "run", 0),
    ("pdm", "run", 0),
    ("pipenv", "run", 0),
    ("pnpm", "dlx", 0),
    ("pnpm", "exec", 0),
    ("poetry", "run", 0),
    ("rye", "run", 0),
    ("uv", "run", 0),
    ("yarn", "dlx", 0),
    ("yarn", "exec", 0),
];

/// Finds what a two-word wrapper runs.
fn runner<'a>(name: &str, argv: &'a [String]) -> Option<&'a [String]> {
    let verb = argv.get(1)?.as_str();
    // `yarn node` runs the program of that name.
    if matches!((name, verb), ("yarn" | "pnpm", "node")) {
        return Some(&argv[1..]);
    }
    if name == "nix" {
        let at = argv.iter().position(|word| matches!(word.as_str(), "-c" | "--command"))?;
        let runs = matches!(verb, "develop" | "shell");
        return argv.get(at + 1..).filter(|inner| runs && !inner.is_empty());
    }
    let at = RUNNERS.binary_search_by(|(known, word, _)| (*known, *word).cmp(&(name, verb))).ok()?;
    let own = RUNNERS[at].2;
    let mut at = 2;
    for round in 0..=own {
        while let Some(flag) = argv.get(at).filter(|word| word.starts_with('-')) {
            at += 1;
            if flag == "--" {
                break;
            }
            at += usize::from(VALUED.contains(&flag.as_str()));
        }
        at += usize::from(round < own);
    }
    // `mise x node@20 -- npm test`: the tools come first.
    let tools = argv[at.min(argv.len())..].iter().position(|word| word == "--").filter(|_| name == "mise");
    let at = tools.map_or(at, |ahead| at + ahead + 1);
    argv.get(at..).filter(|inner| !inner.is_empty())
}

/// Names that stand behind `--` where one program hands over to another.
const HANDED: &[&str] = &[
    "ansible-playbook",
    "aws",
    "cargo",
    "docker",
    "gcloud",
    "gh",
    "git",
    "helm",
    "kubectl",
    "make",
    "npm",
    "npx",
    "pnpm",
    "psql",
    "pulumi",
    "python",
    "python3",
    "rm",
    "sh",
    "bash",
    "sudo",
    "terraform",
    "terragrunt",
    "tofu",
    "yarn",
];

/// Tells what a program that nobody knows may run: the words behind `--`, if they begin like a command.
pub(crate) fn note_behind(walk: &mut Walk<'_>, argv: &[String]) {
    let Some(at) = argv.iter().position(|word| word == "--") else { return };
    // These hand the words to a program of the project.
    let project = matches!(argv.get(1).map(String::as_str), Some("run" | "test" | "bench" | "start"));
    let inner = &argv[at + 1..];
    if !project && inner.len() > 1 && HANDED.contains(&program_name(&inner[0]).as_str()) {
        walk.runs(inner);
    }
}

/// Flags of such wrappers that take a value.
const VALUED: &[&str] = &[
    "--with",
    "--python",
    "-p",
    "--project",
    "--directory",
    "--extra",
    "--group",
    "--env-file",
    "--package",
    "--index",
    "--with-editable",
    "--with-requirements",
    "-c",
    "-C",
    "-n",
    "--name",
    "--prefix",
    "--cwd",
    "--config",
    "--env",
    "--path",
    "--projectId",
    "--account",
    "--duration",
    "-d",
    "-e",
    "-f",
    "-i",
];

/// Follows what `xargs` runs, with what the pipe brings it.
fn xargs(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let argv = call.argv;
    let mut at = 1;
    while let Some(flag) = argv.get(at).filter(|word| word.starts_with('-')) {
        at += 1 + usize::from(flag.len() == 2 && "InPLdEsaRj".contains(&flag[1..]));
    }
    let words = &argv[at.min(argv.len())..];
    each(walk, &argv[..at.min(argv.len())], words, call)
}

/// The sign that is replaced by what comes in. Only `-I` takes it as a word of its own.
fn replaced(flags: &[String]) -> String {
    let mut flags = flags.iter().map(String::as_str);
    let sign = loop {
        let Some(flag) = flags.next() else { break None };
        if flag == "-I" {
            break flags.next();
        }
        let glued = ["-I", "-i", "--replace="].iter().find_map(|start| flag.strip_prefix(start));
        if glued.is_some() {
            break glued;
        }
    };
    sign.filter(|sign| !sign.is_empty()).unwrap_or("{}").to_owned()
}

/// Words that are handed over one by one; more go together.
const ROUNDS: usize = 32;

/// Tells what the program does with the words that the pipe, the file or `:::` brings.
fn each(walk: &mut Walk<'_>, flags: &[String], words: &[String], call: &Call<'_>) -> Result<(), Stop> {
    let (command, listed) = match words.iter().position(|word| word == ":::") {
        Some(at) => (&words[..at], Some(words[at + 1..].to_vec())),
        None => (words, None),
    };
    let flag = |short: &str, long: &str| flags.iter().any(|word| word == short || word.starts_with(long));
    let file = options::option_values(flags, 'a', "--arg-file").last().map(|&file| file.to_owned());
    let fed = match &file {
        Some(file) => {
            walk.reads(file, false, &program::brief(call.argv));
            walk.file_text(file)
        }
        None => walk.fed(call),
    };
    let given: Vec<String> = match (listed, fed) {
        (Some(listed), _) => listed,
        (None, Some(text)) if flag("-0", "--null") || flag("-d", "--delimiter") || flag("-I", "-I") => {
            text.split(['\n', '\0']).filter(|line| !line.is_empty()).map(|line| line.trim().to_owned()).collect()
        }
        (None, Some(text)) => text.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned()).collect(),
        (None, None) => vec![mark::UNKNOWN.to_string()],
    };
    let sign = replaced(flags);
    let empty = ["echo".to_owned()];
    let command = if command.is_empty() { &empty[..] } else { command };
    if command.iter().any(|word| word.contains(&sign)) && given.len() <= ROUNDS {
        for word in &given {
            let filled: Vec<String> = command.iter().map(|part| part.replace(&sign, word)).collect();
            program::judge(walk, &Call { argv: &filled, texts: &[], feed: None })?;
        }
        return Ok(());
    }
    let mut filled: Vec<String> = command.iter().map(|part| part.replace(&sign, &given.join(" "))).collect();
    if filled == command {
        filled.extend(given);
    }
    program::judge(walk, &Call { argv: &filled, texts: &[], feed: None })
}
