//! How much of a file a shell command shows. `head -5` of a long log shows five lines, `cp` none, and output that goes
//! to a file or through a filter is not what the agent reads.

use stead_model::{Action, Op};

use super::super::asked::Inquiry;

/// The output of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// All of it, or unknown.
    All,
    /// At most this many lines.
    Lines(u64),
    /// Matching lines, or a number, or nothing.
    Little,
}

/// Programs that read a file and show little or nothing of it.
const QUIET: &[&str] = &[
    "ls", "stat", "file", "du", "wc", "cp", "mv", "ln", "rm", "touch", "chmod", "chown", "truncate", "shred",
    "install", "rsync", "scp", "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "lz4", "compress", "tar",
    "zip", "7z", "md5sum", "sha1sum", "sha256sum", "sha512sum", "b2sum", "cksum", "sum", "shasum", "md5", "split",
    "csplit", "logrotate", "git", "stead", "find", "fd", "test", "[", "cmp", "lsof", "fuser",
];

impl Inquiry<'_> {
    /// Returns true if more than `most` lines of what this part reads are shown.
    pub(super) fn shows_more(&self, part: &str, most: u64) -> bool {
        let Some(call) = &self.asked.event.call else { return true };
        let Action::Run { command, .. } = &call.action else { return true };
        let own = self.effects().list.iter().find_map(|effect| match &effect.op {
            Op::Run { argv, .. } if effect.part == part => Some(argv.as_slice()),
            _ => None,
        });
        let few = |shown: Shown| match shown {
            Shown::All => false,
            Shown::Lines(lines) => lines <= most,
            Shown::Little => true,
        };
        if own.is_some_and(|argv| few(shown(argv))) {
            return false;
        }
        !goes_elsewhere(command, part, &few)
    }
}

/// Reads what follows a part in the text: a redirection, or a filter that passes little.
fn goes_elsewhere(command: &str, part: &str, few: &dyn Fn(Shown) -> bool) -> bool {
    let mut places = command.match_indices(part).map(|(at, _)| &command[at + part.len()..]).peekable();
    if part.is_empty() || places.peek().is_none() {
        return false;
    }
    places.all(|rest| {
        let rest = without_errors(rest);
        if let Some(target) = rest.strip_prefix('>') {
            let target = target.trim_start_matches(['>', '|']).trim_start();
            return !target.starts_with('&') && !target.starts_with("/dev/std") && !target.starts_with("/dev/tty");
        }
        let mut pipes = rest.split('|');
        if !pipes.next().is_some_and(str::is_empty) || rest.starts_with("||") {
            return false;
        }
        // One of the following filters is enough.
        pipes.take_while(|filter| !filter.is_empty()).any(|filter| {
            let end = filter.find([';', '&', '\n', ')', '`']).unwrap_or(filter.len());
            let words: Vec<String> = filter[..end].split_whitespace().map(unquoted).collect();
            !words.is_empty() && few(shown(&words))
        })
    })
}

/// Removes redirections of errors: `2>/dev/null`, `2>&1`.
fn without_errors(rest: &str) -> &str {
    let mut rest = rest.trim_start();
    while let Some(target) = rest.strip_prefix("2>") {
        let target = target.trim_start_matches('>').trim_start();
        let target = target.strip_prefix('&').unwrap_or(target);
        rest = target.trim_start_matches(|c: char| !c.is_whitespace() && !"|;&)`".contains(c)).trim_start();
    }
    rest
}

fn unquoted(word: &str) -> String {
    word.trim_matches(['\'', '"']).to_owned()
}

fn shown(argv: &[String]) -> Shown {
    let [program, words @ ..] = argv else { return Shown::All };
    let name = program.rsplit('/').next().unwrap_or(program);
    match name {
        "head" | "tail" => lines(name, words),
        "grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ag" | "ack" => match_lines(words),
        "sed" => edited(words),
        "awk" | "gawk" | "mawk" => match words.iter().find(|word| !word.starts_with('-')).map(|word| word.trim()) {
            None | Some("" | "1" | "{print}" | "{print $0}" | "{ print }" | "{ print $0 }") => Shown::All,
            Some(_) => Shown::Little,
        },
        _ if QUIET.contains(&name) => Shown::Little,
        _ => Shown::All,
    }
}

/// The number given to `head` or `tail`; ten by default.
fn lines(name: &str, words: &[String]) -> Shown {
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let value = match word {
            "-n" | "--lines" => words.next().unwrap_or_default(),
            "-c" | "--bytes" => return Shown::Little,
            "-f" | "-F" | "--follow" => continue,
            _ => match word.strip_prefix("--lines=").or_else(|| word.strip_prefix("-n")) {
                Some(value) => value,
                None => match word.strip_prefix('-').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
                    Some(value) => value.trim_end_matches(|c: char| !c.is_ascii_digit()),
                    None if name == "tail" && word.starts_with('+') => word,
                    None => continue,
                },
            },
        };
        // All but N lines, or from line N on: most of the file.
        return match value.parse::<u64>() {
            Ok(lines) if !value.starts_with('+') => Shown::Lines(lines),
            _ => Shown::All,
        };
    }
    Shown::Lines(10)
}

/// A search shows the matching lines, unless everything matches.
fn match_lines(words: &[String]) -> Shown {
    let short = |letter: char| {
        words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    if short('c') || short('q') || short('l') {
        return Shown::Little;
    }
    let pattern = words.iter().find(|word| !word.starts_with('-') || word.is_empty());
    match pattern.map(|word| word.trim_matches(['\'', '"'])) {
        None | Some("" | "." | "^" | "$" | ".*" | "^.*$" | "^.*" | ".*$") => Shown::All,
        Some(_) if short('v') => Shown::All,
        Some(_) => Shown::Little,
    }
}

/// `sed -n 5,20p` shows these lines, and without `-n` all.
fn edited(words: &[String]) -> Shown {
    let silent =
        words.iter().any(|word| matches!(word.as_str(), "-n" | "--quiet" | "--silent" | "-ne" | "-nE" | "-En"));
    let changes = words.iter().any(|word| word.starts_with("-i") || word.starts_with("--in-place"));
    if changes {
        return Shown::Little;
    }
    let script = words.iter().find(|word| !word.starts_with('-')).map_or("", |word| word.trim());
    if !silent {
        // `sed 20q` ends there.
        let ends = script.strip_suffix('q').and_then(|number| number.parse().ok());
        return ends.map_or(Shown::All, Shown::Lines);
    }
    let Some(range) = script.split(';').next().and_then(|script| script.strip_suffix('p')) else {
        return Shown::Little;
    };
    match range.split_once(',') {
        None if range.is_empty() => Shown::All,
        None => Shown::Little,
        Some((from, to)) => match (from.parse::<u64>(), to.parse::<u64>()) {
            (Ok(from), Ok(to)) => Shown::Lines(to.saturating_sub(from) + 1),
            (Ok(_), Err(_)) if to == "$" => Shown::All,
            _ => Shown::Little,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_shows() {
        let check = |command: &str, expected: Shown| {
            let argv: Vec<String> = command.split(' ').map(unquoted).collect();
            assert_eq!(shown(&argv), expected, "{command}");
        };
        check("cat x.log", Shown::All);
        check("less x.log", Shown::All);
        check("head x.log", Shown::Lines(10));
        check("head -5 x.log", Shown::Lines(5));
        check("head -n 100000 x.log", Shown::Lines(100_000));
        check("head --lines=7 x.log", Shown::Lines(7));
        check("head -n -5 x.log", Shown::All);
        check("head -c 100 x.log", Shown::Little);
        check("tail -n +1 x.log", Shown::All);
        check("tail -n50 x.log", Shown::Lines(50));
        check("tail -50f x.log", Shown::Lines(50));
        check("tail +1 x.log", Shown::All);
        check("sed -n p x.log", Shown::All);
        check("sed -n 5,20p x.log", Shown::Lines(16));
        check("sed -n 5,$p x.log", Shown::All);
        check("sed -n /ERR/p x.log", Shown::Little);
        check("sed s/a/b/ x.log", Shown::All);
        check("sed 20q x.log", Shown::Lines(20));
        check("sed -i s/a/b/ x.log", Shown::Little);
        check("grep ERROR x.log", Shown::Little);
        check("grep '' x.log", Shown::All);
        check("grep . x.log", Shown::All);
        check("grep -c . x.log", Shown::Little);
        check("grep -v DEBUG x.log", Shown::All);
        check("awk 1 x.log", Shown::All);
        check("awk /ERR/ x.log", Shown::Little);
        check("cp x.log y", Shown::Little);
        check("gzip x.log", Shown::Little);
    }

    #[test]
    fn where_it_goes() {
        let few = |shown: Shown| match shown {
            Shown::All => false,
            Shown::Lines(lines) => lines <= 100,
            Shown::Little => true,
        };
        let check = |command: &str, expected: bool| {
            assert_eq!(goes_elsewhere(command, "cat x.log", &few), expected, "{command}");
        };
        check("cat x.log", false);
        check("cat x.log > /tmp/o", true);
        check("cat x.log >> o", true);
        check("cat x.log >&2", false);
        check("cat x.log > /dev/stderr", false);
        check("cat x.log | head -5", true);
        check("cat x.log | head -5000", false);
        check("cat x.log | grep ERR", true);
        check("cat x.log | sort | head", true);
        check("cat x.log | sort", false);
        check("cat x.log | wc -l", true);
        check("cat x.log | stead logs -", true);
        check("cat x.log || head -5 y", false);
        check("cat x.log; ls | head", false);
        check("cat x.log | head -5; cat x.log", false);
        check("cat y.log | head -5", false);
    }
}
