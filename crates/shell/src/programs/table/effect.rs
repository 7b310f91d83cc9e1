//! The effects of a call, by the program's entry.

use stead_model::{Access, Content, How};

use crate::parse::syntax::mark;
use crate::walk::listing;
use crate::walk::program::{Reach, brief};
use crate::walk::report::looks_like_folder;
use crate::walk::{Call, Stop, Walk};

use crate::programs::sql;
use crate::programs::table::{Given, Program, copy, search};

/// How much is known about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// Everything that it does to files.
    Complete,
    /// The entry, and possibly more.
    Partial,
}

/// One call and what its entry says about it.
pub(crate) struct Read<'c> {
    pub(crate) program: Program,
    pub(crate) given: Given<'c>,
    pub(crate) shown: String,
    /// The words behind those of the sub-command.
    pub(crate) words: Vec<&'c str>,
    /// Folders that it works in, with a slash behind them; one empty text for the folder it is in.
    heads: Vec<String>,
    /// It changes files that its words name.
    pub(crate) changes: bool,
    pub(crate) deep: bool,
    /// What it writes is this text.
    content: Content,
}

/// Reports what a program does; returns how much is known about that.
pub(crate) fn note(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<Known, Stop> {
    let program = Program::of_call(name, call.argv).or_else(|| Program::of("*"));
    let Some(program) = program else { return Ok(Known::Partial) };
    let given = Given::read(&program, call.argv);
    if given.has("help") {
        return Ok(if program.vouches() { Known::Complete } else { Known::Partial });
    }
    let known = if program.is("complete") { Known::Complete } else { Known::Partial };
    let content =
        if program.is("stdin") { walk.fed(call).map_or(Content::Unknown, Content::Text) } else { Content::Unknown };
    let tries = given.has("dry-run") || given.has("dry-run-as");
    let held = program.field("writes-with").is_some() && !given.has("writes-with");
    let read = Read {
        words: given.words.get(program.verbs..).unwrap_or_default().to_vec(),
        heads: heads(&given),
        changes: given.has("in-place") || !tries && !held,
        deep: given.has("deep") || program.is("tree"),
        shown: brief(call.argv),
        content,
        program,
        given,
    };
    for (role, value) in read.given.options().filter(|(_, value)| !value.is_empty()) {
        read.option(walk, role, value, tries)?;
    }
    read.downloads(walk);
    if read.program.roles().any(|role| role == "place") {
        copy::note(walk, &read);
    } else {
        read.each_word(walk)?;
    }
    read.files(walk);
    if read.program.is("stdin-text") && !tries && !read.given.has("shell-file") {
        match walk.fed(call) {
            Some(text) => walk.text(&text)?,
            None => {
                walk.runs_fed_download(name, call, &read.shown);
                let texts = call.feed.map(|feed| feed.text.clone()).into_iter().collect();
                walk.gap_with(&read.shown, "it runs a text that is not known", texts);
            }
        }
    }
    if read.program.is("stdin-sql")
        && !read.given.has("sql")
        && !read.given.has("sql-file")
        && let Some(text) = walk.fed(call)
    {
        sql::note(walk, &text, &read.shown)?;
    }
    Ok(known)
}

/// The folders that a call works in.
fn heads(given: &Given<'_>) -> Vec<String> {
    let slashed = |folder: &str| match folder.trim_end_matches('/') {
        "." => String::new(),
        folder => format!("{folder}/"),
    };
    let files = given.values("chdir-of").map(|file| file.rsplit_once('/').map_or(".", |(folder, _)| folder));
    let mut heads: Vec<String> = given.values("chdir").chain(files).map(slashed).collect();
    if heads.is_empty() {
        heads.push(String::new());
    }
    if given.has("members") {
        heads.push(format!("{0}{0}/", mark::MANY));
    }
    heads
}

impl Read<'_> {
    /// What is done with an option's value.
    fn option(&self, walk: &mut Walk<'_>, role: &str, value: &str, tries: bool) -> Result<(), Stop> {
        match role {
            "command" if value != "none" => walk.text(value)?,
            // `OPEN:x,append`: what follows the comma are options.
            "take" if value.contains(",creat") || value.contains(",append") || value.contains(",trunc") => {
                self.put(walk, value.split(',').next().unwrap_or(value), How::Replace);
            }
            "write" | "append" | "edit" | "into" | "prefix" | "write-like" if tries => {}
            // What it changes by its words may need a flag, what an option names does not.
            "write" => self.put(walk, value, How::Replace),
            "edit" => {
                for file in value.split(',').filter(|_| self.changes) {
                    self.word(walk, role, file)?;
                }
            }
            "read" | "pair-read" => walk.reads(value, false, &self.shown),
            "script" => walk.accesses(value, false, Access::Used, &self.shown),
            _ => self.word(walk, role, value)?,
        }
        Ok(())
    }

    /// Gives every word its role.
    fn each_word(&self, walk: &mut Walk<'_>) -> Result<(), Stop> {
        let told = self.given.has("pattern") || self.given.has("script") || self.given.has("no-text");
        if self.program.roles().any(|role| role == "search*") {
            search::limited(walk, self);
        }
        let mut words = self.words.iter().copied();
        let (mut last, mut used) = ("", false);
        // What it runs is no word of its own.
        let own = |role: &&str| !(matches!(*role, "run" | "run-text") || told && *role == "text");
        for role in self.program.roles().filter(own) {
            let most = if role.ends_with('*') { usize::MAX } else { 1 };
            last = role.trim_end_matches('*');
            used = false;
            for word in words.by_ref().take(most) {
                used = true;
                self.word(walk, last, word)?;
            }
        }
        if let Some(word) = self.program.field("default").filter(|_| !used && !last.is_empty()) {
            self.word(walk, last, word)?;
        }
        Ok(())
    }

    /// What is done with a word or value.
    fn word(&self, walk: &mut Walk<'_>, role: &str, word: &str) -> Result<(), Stop> {
        let shown = &self.shown;
        match role {
            "read" if is_assignment(word) && self.program.is("interpreter") => {}
            "read" => walk.reads(word, self.deep, shown),
            "take" => walk.accesses(word, self.deep, Access::Taken, shown),
            "use" => walk.accesses(word, false, Access::Used, shown),
            "search" => search::one(walk, self, word),
            "at-file" => at_files(word).for_each(|file| walk.accesses(file, self.deep, Access::Taken, shown)),
            "named-file" => {
                walk.accesses(word.split_once('=').map_or(word, |(_, file)| file), self.deep, Access::Taken, shown)
            }
            "url" => word.strip_prefix("file://").into_iter().for_each(|file| walk.reads(file, false, shown)),
            "sql" => sql::note(walk, word, shown)?,
            "sql-file" => {
                walk.accesses(word, false, Access::Used, shown);
                if let Some(text) = walk.file_text(word) {
                    sql::note(walk, &text, shown)?;
                }
            }
            "command" => walk.text(word)?,
            "command-like" if word.contains(char::is_whitespace) => walk.text(word)?,
            // What a program of its own calls its shell.
            "shell-escape" => {
                let text = word.strip_prefix('!').or_else(|| word.split_once("shell ").map(|(_, text)| text));
                text.map_or(Ok(()), |text| walk.text(text))?;
            }
            "shell-file" => {
                walk.accesses(word, false, Access::Used, shown);
                match walk.file_text(word) {
                    Some(text) => walk.text(&text)?,
                    None => walk.gap(shown, "what the script does is not known"),
                }
            }
            "edit" => self.edit(walk, word),
            "pack" => {
                walk.accesses(word, self.deep, Access::Taken, shown);
                if self.changes {
                    self.pack(walk, word);
                }
            }
            "clone" if self.words.len() < 2 => {
                let name = word.trim_end_matches(".git").rsplit('/').next().unwrap_or_default();
                self.put(walk, name, How::Into);
            }
            _ if !self.changes => {}
            "write-like" if word.contains('=') || !word.contains(['.', '/']) => {}
            "write-like" => self.put(walk, word, How::Replace),
            "write" if self.given.has("deletes") => self.remove(walk, word, Reach::Flat),
            "write" if self.given.has("appends") => self.put(walk, word, How::Append),
            "write" => self.put(walk, word, How::Replace),
            "append" => self.put(walk, word, How::Append),
            // It makes the file, or leaves its text.
            "touch" => {
                walk.note_write(word, How::Append, false, Content::Text(String::new()), shown);
            }
            "attributes" => self.put(walk, word, How::Attributes),
            "folder" => {
                walk.makes_folder(word);
                walk.note_write(word, How::Into, false, Content::Unknown, shown);
            }
            "into" | "clone-into" => self.put(walk, word, How::Into),
            "prefix" => self.put(walk, &format!("{word}{}", mark::MANY), How::Replace),
            "template" => self.put(walk, &self.in_folder(&made_up(word)), How::Replace),
            "delete" => self.remove(walk, word, if self.deep { Reach::Deep } else { Reach::Flat }),
            "delete-folder" => self.remove(walk, word, Reach::Flat),
            "delete-tree" => self.remove(walk, word, Reach::Deep),
            _ => {}
        }
        Ok(())
    }

    /// Writes a file, or into a folder.
    pub(crate) fn put(&self, walk: &mut Walk<'_>, word: &str, how: How) {
        let tree = how == How::Into || how == How::Attributes && self.deep;
        // `truncate -s 0` leaves an empty file.
        let emptied = self.given.values("size").any(|size| size == "0");
        let content = if emptied { Content::Text(String::new()) } else { self.content.clone() };
        walk.note_write(word, how, tree, content, &self.shown);
    }

    pub(crate) fn remove(&self, walk: &mut Walk<'_>, word: &str, reach: Reach) {
        walk.removes(word, reach, &self.shown);
    }

    /// Changes a file, or some of those in a folder.
    fn edit(&self, walk: &mut Walk<'_>, word: &str) {
        let whole = format!("{}{word}", self.heads[0]);
        let whole = if word == "." && !self.heads[0].is_empty() { self.heads[0].trim_end_matches('/') } else { &whole };
        let ending = word.strip_prefix('.').filter(|rest| !rest.is_empty() && !rest.contains(['/', '.']));
        if let Some(ending) = ending.filter(|_| self.program.field("word-endings").is_some()) {
            let pattern = listing::open(&format!("{}**/*.{ending}", self.heads[0]));
            return self.changed(walk, &pattern, false);
        }
        let endings: Vec<&str> = self.program.field("endings").unwrap_or_default().split_whitespace().collect();
        if endings.is_empty() || endings.iter().any(|ending| whole.ends_with(&format!(".{ending}"))) {
            let tree = walk.is_folder(whole).unwrap_or_else(|| looks_like_folder(whole)) && endings.is_empty();
            return self.changed(walk, whole, tree);
        }
        let head = if whole == "." { String::new() } else { format!("{}/", whole.trim_end_matches('/')) };
        let deep = if self.deep { "**/" } else { "" };
        for ending in endings {
            self.changed(walk, &format!("{head}{}", listing::open(&format!("{deep}*.{ending}"))), false);
        }
    }

    /// Changes a file, or looks at it.
    fn changed(&self, walk: &mut Walk<'_>, word: &str, tree: bool) {
        match (self.changes, self.program.is("prints")) {
            (true, _) => {
                // In a folder, it changes the badly formatted files of known types.
                let how = if tree { How::Somewhere } else { How::Edit };
                walk.note_write(word, how, tree, Content::Unknown, &self.shown);
            }
            (false, true) => walk.reads(word, tree, &self.shown),
            (false, false) => walk.accesses(word, false, Access::Used, &self.shown),
        }
    }

    /// Packs a file, or unpacks it.
    fn pack(&self, walk: &mut Walk<'_>, word: &str) {
        let (ending, unpacks) = match (self.program.field("pack"), self.program.field("unpack")) {
            (Some(ending), _) => (ending, self.given.has("unpacks")),
            (None, ending) => (ending.unwrap_or_default(), true),
        };
        if self.given.values("write").next().is_none() {
            let made = if unpacks { word.trim_end_matches(ending).to_owned() } else { format!("{word}{ending}") };
            self.put(walk, &made, How::Replace);
        }
        let keeps = self.given.has("keep") || self.program.field("keep").is_none() && !self.given.has("deletes");
        if !keeps {
            self.remove(walk, word, if self.deep { Reach::Deep } else { Reach::Flat });
        }
    }

    /// A name in the folder that results go to.
    fn in_folder(&self, name: &str) -> String {
        match self.given.values("save-folder").last() {
            Some(folder) => format!("{}/{name}", folder.trim_end_matches('/')),
            None => name.to_owned(),
        }
    }

    /// What a program saves of what it downloads.
    fn downloads(&self, walk: &mut Walk<'_>) {
        if !self.changes {
            return;
        }
        let named = self.given.values("save-as").map(|file| (file, self.in_folder(file)));
        let named: Vec<_> = named.chain(self.given.values("save-path").map(|file| (file, file.to_owned()))).collect();
        for (_, file) in named.iter().filter(|(file, _)| *file != "-") {
            self.put(walk, file, How::Replace);
            walk.saves_download(file);
        }
        if self.given.has("save-named") || self.program.is("saves") && named.is_empty() {
            for url in self.words.iter().copied().chain(self.given.values("url")) {
                let file = self.in_folder(&remote_name(url));
                self.put(walk, &file, How::Replace);
                walk.saves_download(&file);
            }
        }
        if self.program.field("save-into").is_some() && named.is_empty() {
            self.put(walk, self.given.values("save-into").last().unwrap_or("."), How::Into);
        }
    }

    /// The files that it rewrites wherever it works.
    fn files(&self, walk: &mut Walk<'_>) {
        if !self.changes {
            return;
        }
        let if_words =
            self.program.field("files-if-words").filter(|_| self.words.iter().any(|word| !word.starts_with('+')));
        let files: Vec<&str> =
            self.program.field("files").into_iter().chain(if_words).flat_map(|files| files.split(' ')).collect();
        for (head, file) in self.heads.iter().flat_map(|head| files.iter().map(move |file| (head, file))) {
            let word = format!("{head}{}", listing::open(file));
            walk.note_write(&word, How::Edit, false, Content::Unknown, &self.shown);
        }
    }
}

/// `name=value` among the files of `awk`.
fn is_assignment(word: &str) -> bool {
    word.contains('=') && !word.contains('/')
}

/// The files in a value such as `@x`, `name=@x;type=y`, `name=<x` or `name@x`.
fn at_files(value: &str) -> impl Iterator<Item = &str> {
    let files = match value.strip_prefix('@') {
        Some(files) => Some(files),
        None => value.split_once("=@").or_else(|| value.split_once("=<")).map(|(_, files)| files),
    };
    let plain = value.split_once('@').filter(|(name, _)| !name.contains(['=', ':', '/', ' ']));
    let files = files.or(plain.map(|(_, file)| file));
    files
        .into_iter()
        .flat_map(|files| files.split(';').next().unwrap_or_default().split(','))
        .filter(|file| !file.is_empty())
}

/// The name that a downloaded file gets; that of an unknown address is unknown.
fn remote_name(url: &str) -> String {
    let address = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = address.split(['?', '#']).next().unwrap_or_default();
    match path.rsplit_once('/') {
        Some((_, name)) if !name.is_empty() => name.to_owned(),
        None if path.contains(mark::is_mark) => mark::UNKNOWN.to_string(),
        _ => "index.html".to_owned(),
    }
}

/// A name with a placeholder of three or more `X`.
fn made_up(template: &str) -> String {
    let mut name = template.replace("XXX", &mark::MANY.to_string());
    while let Some(at) = name.find(&format!("{}X", mark::MANY)) {
        name.remove(at + mark::MANY.len_utf8());
    }
    name
}
