//! The table of programs: an example of every entry, and what holds for all of them.

use stead_model::Coverage;

use super::scene::{About, run, show};

const TABLE: &str = include_str!("../../src/programs/programs.txt");
const EXAMPLES: &str = include_str!("programs.txt");

/// Traits that an entry may have.
const TRAITS: &[&str] = &[
    "abbreviates", "appends", "assigns", "builtin", "code", "complete", "container", "detaches", "downloads",
    "elsewhere", "interpreter", "items", "lines", "mirrors", "no-options", "one-dash", "passes", "prints", "prompts",
    "remote", "repeats", "saves", "sequence", "shell", "shown", "stdin", "stdin-sql", "stdin-text", "tree", "valued",
    "wraps",
];

/// Fields whose items are not options.
const PLAIN: &[&str] = &[
    "default", "endings", "files", "files-if-words", "letters", "network", "pack", "prompt-words", "run-with", "sign",
    "unpack", "word-endings", "words",
];

/// Fields of options without a value.
const BARE: &[&str] = &[
    "appends", "attaches", "clears", "create", "deep", "delete-source", "delete-target", "deletes", "dry-run",
    "extract", "flag", "help", "in-place", "keep", "list", "locates", "no-prompt", "no-text", "null", "opens",
    "prompt", "replace-glued", "rest", "run", "save-named", "skips-empty", "to-stdout", "unpacks", "writes-with",
];

/// Fields of options with a value, and roles of words.
const ROLES: &[&str] = &[
    "add-kind", "append", "at-file", "attributes", "chdir", "chdir-of", "clone", "clone-into", "command",
    "command-like", "delete", "delete-folder", "delete-tree", "delimiter", "dry-run-as", "edit", "entrypoint",
    "except", "file", "folder", "image", "include", "into", "items-from", "kind", "members", "mount", "named-file",
    "pack", "pair", "pair-read", "pattern", "place", "prefix", "read", "replace", "run", "run-text", "runs-with",
    "save-as", "save-folder", "save-into", "save-path", "script", "search", "shell-escape", "shell-file", "size",
    "split", "sql", "sql-file", "take", "template", "text", "touch", "unsets", "url", "use", "value", "volume",
    "write", "write-like",
];

/// An entry as it is written.
#[derive(Clone, Debug, Default)]
struct Entry {
    /// The name, then the alternatives of each word of the sub-command.
    name: Vec<Vec<&'static str>>,
    other: Option<&'static str>,
    traits: Vec<&'static str>,
    fields: Vec<(&'static str, Vec<&'static str>)>,
}

impl Entry {
    fn all() -> Vec<Self> {
        let mut entries: Vec<Self> = Vec::new();
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            if let Some(field) = line.strip_prefix("  ") {
                let (key, items) = field.split_once(": ").unwrap_or_else(|| panic!("{line}"));
                let entry = entries.last_mut().unwrap_or_else(|| panic!("{line}"));
                entry.fields.push((key, items.split(' ').collect()));
                continue;
            }
            let names = |text: &'static str| text.split(' ').map(|names| names.split('|').collect()).collect();
            entries.push(match line.split_once(" = ") {
                Some((name, other)) => Self { name: names(name), other: Some(other), ..Self::default() },
                None => {
                    let (name, traits) = line.split_once(": ").unwrap_or((&line[..line.len() - 1], ""));
                    Self { name: names(name), traits: traits.split_whitespace().collect(), ..Self::default() }
                }
            });
        }
        entries
    }

    fn words(&self) -> Vec<&'static str> {
        self.name.iter().map(|names| names[0]).collect()
    }

    fn items(&self, key: &str) -> impl Iterator<Item = &'static str> {
        self.fields.iter().filter(move |(known, _)| *known == key).flat_map(|(_, items)| items.iter().copied())
    }

    fn is(&self, name: &str) -> bool {
        self.traits.contains(&name)
    }

    /// The options of its own, with their roles.
    fn options(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let fields = self.fields.iter().filter(|(key, _)| !PLAIN.contains(key));
        fields.flat_map(|(key, items)| items.iter().map(move |item| (*key, *item)))
    }

    /// A call that changes something if the program can, with these words in front of its own.
    fn call(&self, more: &str) -> String {
        let mut words: Vec<String> = self.words().iter().chain([&more]).map(ToString::to_string).collect();
        words.extend(self.items("writes-with").take(1).map(str::to_owned));
        if let Some(flag) = self.items("write").find(|flag| flag.starts_with('-')) {
            words.push(format!("{flag} out.txt"));
        }
        let roles: Vec<&str> = self.items("words").map(|role| role.trim_end_matches('*')).collect();
        if roles.is_empty() && self.items("files-if-words").next().is_some() {
            words.push("x".to_owned());
        }
        let word = |role: &str| match role {
            "template" => "a/XXXX",
            "place" => "b.txt",
            "url" => "https://example.com/a.txt",
            "pack" => "a.gz",
            "run" | "run-text" => "rm a.txt",
            _ => "a.txt",
        };
        if self.items("words").any(|role| role.ends_with('*')) && roles.contains(&"run") {
            return format!("{} -- rm a.txt", words.join(" "));
        }
        words.extend(roles.into_iter().map(|role| word(role).to_owned()));
        words.join(" ")
    }
}

/// All effects of a command but the programs it runs, with a `?` behind them where there may be more.
fn effects(command: &str) -> String {
    let effects = run(command);
    let parts = [About::Changes, About::Reads, About::Network].map(|about| show(&effects, about));
    let rest = if effects.coverage == Coverage::Full { "" } else { "?" };
    parts.iter().map(String::as_str).chain([rest]).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

fn changes(command: &str) -> String {
    show(&run(command), About::Changes)
}

#[track_caller]
fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_example_has_its_effects() {
    let mut wrong = Vec::new();
    for row in EXAMPLES.lines() {
        let (command, expected) = row.split_once(" =>").unwrap_or((row, "no expectation"));
        let found = effects(command);
        if found != expected.trim() {
            wrong.push(format!("{row}\n    {found}"));
        }
    }
    none(&wrong);
}

#[test]
fn every_entry_has_an_example() {
    let rows = EXAMPLES.lines().filter_map(|row| row.split_once(" =>")).map(|(command, _)| command);
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split_whitespace().collect()).collect();
    let has_example = |entry: &Entry| {
        let (name, verbs) = (entry.name[0][0], &entry.name[1..]);
        rows.iter().any(|row| {
            let Some(at) = row.iter().position(|word| *word == name) else { return false };
            let mut rest = row[at + 1..].iter();
            verbs.iter().all(|names| rest.any(|word| names.contains(word)))
        })
    };
    let missing: Vec<String> = Entry::all()
        .iter()
        .filter(|entry| entry.name[0][0] != "*" && !has_example(entry))
        .map(|entry| entry.words().join(" "))
        .collect();
    none(&missing);
}

#[test]
fn the_table_is_well_formed() {
    assert!(TABLE.is_ascii());
    let entries = Entry::all();
    let mut wrong = Vec::new();
    for pair in entries.windows(2) {
        if pair[0].words() >= pair[1].words() {
            wrong.push(format!("`{}` stands behind `{}`", pair[1].words().join(" "), pair[0].words().join(" ")));
        }
    }
    for entry in &entries {
        let name = entry.words().join(" ");
        let unknown = entry.traits.iter().find(|name| !TRAITS.contains(name));
        wrong.extend(unknown.map(|unknown| format!("`{name}` has an unknown trait `{unknown}`")));
        let keys = entry.fields.iter().map(|(key, _)| *key);
        let roles = entry.items("words").map(|role| role.trim_end_matches('*'));
        for key in keys.filter(|key| !PLAIN.contains(key) && !BARE.contains(key)).chain(roles) {
            if !ROLES.contains(&key) {
                wrong.push(format!("`{name}` has an unknown role `{key}`"));
            }
        }
        let options: Vec<&str> = entry.options().map(|(_, option)| option).collect();
        for (at, option) in options.iter().enumerate() {
            if options[..at].contains(option) {
                wrong.push(format!("`{name}` has `{option}` twice"));
            }
        }
        if let Some(other) = entry.other.filter(|other| !entries.iter().any(|entry| entry.words() == [*other])) {
            wrong.push(format!("`{name}` means `{other}`, which has no entry"));
        }
        if entry.name.len() > 1 && !entries.iter().any(|known| known.words() == [entry.name[0][0]]) {
            wrong.push(format!("the program of `{name}` has no entry"));
        }
    }
    none(&wrong);
}

#[test]
fn a_dry_run_changes_nothing() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    let entries = Entry::all();
    let options = |entry: &&Entry| !entry.is("code") && !entry.is("no-options");
    for entry in entries.iter().filter(options).filter(|entry| entry.items("in-place").next().is_none()) {
        let program = entries.iter().find(|known| known.words() == [entry.name[0][0]]);
        let inherited =
            program.into_iter().filter(|_| entry.name.len() > 1).flat_map(|program| program.items("dry-run"));
        let flags: Vec<&str> = entry.items("dry-run").chain(inherited).collect();
        let real = entry.call("");
        if flags.is_empty()
            || entry.items("words").chain(entry.items("files")).chain(entry.items("files-if-words")).next().is_none()
        {
            continue;
        }
        if changes(&real).is_empty() {
            wrong.push(format!("{real}: changes nothing"));
        }
        for flag in flags {
            let tried = entry.call(flag);
            seen += 1;
            if !changes(&tried).is_empty() {
                wrong.push(format!("{tried}: {}", changes(&tried)));
            }
        }
    }
    none(&wrong);
    assert!(seen > 100, "{seen}");
}

#[test]
fn a_value_is_not_a_word() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for entry in Entry::all().iter().filter(|entry| !entry.is("code")) {
        let plain = effects(&entry.call(""));
        for (_, flag) in
            entry.options().filter(|(role, flag)| *role == "value" && flag.starts_with('-') && *flag != "-")
        {
            let spellings = match flag.strip_prefix("--") {
                Some(_) => vec![format!("{flag} value.txt"), format!("{flag}=value.txt")],
                None => vec![format!("{flag} value.txt")],
            };
            for call in spellings.iter().map(|spelling| entry.call(spelling)) {
                seen += 1;
                if effects(&call) != plain {
                    wrong.push(format!("{call}: {}, not {plain}", effects(&call)));
                }
            }
        }
    }
    none(&wrong);
    assert!(seen > 900, "{seen}");
}

#[test]
fn a_wrapper_does_what_it_runs() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    let runs = |entry: &&Entry| entry.is("wraps") && entry.items("words").any(|role| role.starts_with("run"));
    for entry in Entry::all().iter().filter(runs).filter(|entry| entry.items("run-with").next().is_none()) {
        let with: Vec<String> = entry.items("runs-with").take(1).map(|flag| format!("{flag} ann")).collect();
        let call = entry.call(&with.join(" "));
        // Some put their words together for the shell.
        let text = entry.items("words").any(|role| role == "run-text");
        let shell =
            call.replace("rm a.txt", if text { "'rm a.txt; touch b.txt'" } else { "sh -c 'rm a.txt; touch b.txt'" });
        seen += 1;
        if !changes(&call).contains("d a.txt") || !changes(&shell).contains("d a.txt, w b.txt") {
            wrong.push(format!("{call}: {}; {shell}: {}", changes(&call), changes(&shell)));
        }
        for flag in entry.items("chdir") {
            let call = entry.call(&format!("{} {flag} infra", with.join(" ")));
            if !changes(&call).contains("d infra/a.txt") {
                wrong.push(format!("{call}: {}", changes(&call)));
            }
        }
    }
    none(&wrong);
    assert!(seen > 110, "{seen}");
}

#[test]
fn options_are_shortened_where_the_program_does() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for entry in Entry::all().iter().filter(|entry| !entry.is("code")) {
        let longs: Vec<(&str, &str)> = entry.options().filter(|(_, option)| option.starts_with("--")).collect();
        for (role, long) in &longs {
            let short = &long[..long.len() - 1];
            let others = longs.iter().map(|(_, other)| *other).chain(["--help", "--version"]);
            if short.len() < 5 || others.filter(|other| other.starts_with(short)).count() != 1 {
                continue;
            }
            let value = if BARE.contains(role) { "" } else { " value.txt" };
            let (full, cut) =
                (effects(&entry.call(&format!("{long}{value}"))), effects(&entry.call(&format!("{short}{value}"))));
            if entry.is("abbreviates") {
                seen += 1;
                if full != cut {
                    wrong.push(format!("{} {short}: {cut}, not {full}", entry.words().join(" ")));
                }
            } else if *role == "dry-run"
                && !effects(&entry.call("")).is_empty()
                && full == cut
                && full != effects(&entry.call(""))
            {
                wrong.push(format!("{} {short}: {cut}", entry.words().join(" ")));
            }
        }
    }
    none(&wrong);
    assert!(seen > 150, "{seen}");
}
