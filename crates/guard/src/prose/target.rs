//! What a rule forbids: a command or a file that it names.

use super::rule::Sense;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Run(String),
    Write(String),
    Delete(String),
    Read(String),
}

/// Programs that people name without quotes.
const PROGRAMS: &[&str] = &[
    "git", "rm", "npm", "npx", "pnpm", "yarn", "cargo", "pip", "docker", "kubectl", "terraform", "sudo", "curl",
    "wget", "make", "gh", "psql", "chmod", "ssh", "aws", "gcloud", "helm",
];
/// Words that end a command in prose.
const PROSE: &[&str] = &[
    "a", "an", "and", "as", "at", "because", "before", "but", "by", "directly", "ever", "for", "from", "if", "in",
    "is", "it", "of", "on", "or", "that", "the", "this", "to", "unless", "until", "when", "while", "with", "without",
    "yourself", "commands", "command", "anything",
];
const READS: &[&str] = &["read", "open", "cat", "view", "print", "show", "expose", "look"];
const DELETES: &[&str] = &["delete", "remove", "erase"];

/// Finds it. A demand forbids what stands behind "instead of".
pub(super) fn target(text: &str, sense: Sense) -> Option<Target> {
    let text = match sense {
        Sense::Forbids => text,
        Sense::Demands => [" instead of ", " rather than ", " not "].iter().find_map(|by| text.split_once(by))?.1,
    };
    let has = |known: &[&str]| {
        text.split(|c: char| !c.is_alphanumeric()).any(|word| known.contains(&word.to_lowercase().as_str()))
    };
    let of_file = |path: String| match () {
        () if has(DELETES) => Target::Delete(path),
        () if has(READS) => Target::Read(path),
        () => Target::Write(path),
    };
    let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).map(str::trim).collect();
    let command = |quote: &&&str| quote.contains(' ') && !quote.contains(['{', '<', '"', '\n']);
    let program = |quote: &&&str| PROGRAMS.contains(*quote);
    if let Some(found) = quoted.iter().find(command).or_else(|| quoted.iter().find(program)) {
        return Some(Target::Run((*found).to_owned()));
    }
    let words = || text.split_whitespace().map(|word| word.trim_matches(|c: char| "`\"'(),;:!?".contains(c)));
    let path = words().map(|word| word.trim_end_matches('.')).find(|word| is_path(word)).map(str::to_owned);
    path.map(of_file).or_else(|| Some(Target::Run(unquoted(words())?)))
}

/// A command in prose: a program, its first word and its options.
fn unquoted<'a>(words: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut words = words.skip_while(|word| !PROGRAMS.contains(word)).peekable();
    let mut command = vec![words.next()?];
    if let Some(word) = words.next_if(|word| word.chars().all(char::is_alphanumeric) && !PROSE.contains(word)) {
        command.push(word);
    }
    while let Some(flag) = words.next_if(|word| word.starts_with('-') && word.len() > 1) {
        command.push(flag);
    }
    // A program alone is the name of a thing more often than a command: "never touch git history".
    (command.len() > 1).then(|| command.join(" "))
}

fn is_path(word: &str) -> bool {
    let plain = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "-_.*/@".contains(c));
    if !plain(word) || word.contains("..") || word.starts_with('/') || word.contains('@') {
        return false;
    }
    let name = word.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').is_some_and(|(_, end)| {
        (1..=5).contains(&end.len()) && end.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    });
    let is_folder = word.ends_with('/') || word.contains("/*");
    let is_abbreviation = ["e.g", "i.e", "etc"].contains(&word) || name.chars().all(|c| c.is_ascii_digit() || c == '.');
    (extension || is_folder) && !is_abbreviation
}

impl Target {
    /// A pattern as a guard takes it.
    pub(super) fn pattern(&self) -> String {
        let (Self::Run(text) | Self::Write(text) | Self::Delete(text) | Self::Read(text)) = self;
        match self {
            Self::Run(_) => text.clone(),
            _ if text.ends_with('/') => format!("{text}**"),
            _ => text.clone(),
        }
    }

    /// A file that the pattern matches.
    pub(super) fn file(&self) -> String {
        self.pattern().replace("**", "a").replace('*', "a")
    }
}
