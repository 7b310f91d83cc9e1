//! The walk through a command: where each part runs, the values of its variables, what it prints. It reports to the
//! action record what each program does, in order, and what could not be followed.

pub(crate) mod branch;
pub(crate) mod download;
pub(crate) mod expand;
pub(crate) mod filter;
pub(crate) mod item;
pub(crate) mod limit;
pub(crate) mod listing;
pub(crate) mod names;
pub(crate) mod omission;
pub(crate) mod outcome;
pub(crate) mod output;
pub(crate) mod program;
pub(crate) mod redirect;
pub(crate) mod report;
pub(crate) mod script;
pub(crate) mod simple;
pub(crate) mod trust;
pub(crate) mod unknown_name;
pub(crate) mod variable;

use std::path::{Path, PathBuf};

use crate::facts::Facts;
use crate::path::clean;
use crate::place::Place;

use crate::parse;
use crate::parse::reader::TooDeep;
use crate::parse::syntax::Script;
use crate::walk::names::Names;
use crate::walk::omission::Omissions;
use crate::walk::outcome::Outcome;
use crate::walk::report::{Report, Written};

/// The walk ended early, because a limit was reached.
pub(crate) struct Stop;

impl From<TooDeep> for Stop {
    fn from(_: TooDeep) -> Self {
        Self
    }
}

/// The earlier commands of a pipeline.
#[derive(Clone, Default)]
pub(crate) struct Upstream {
    /// Their words.
    pub(crate) text: String,
    /// What the last of them prints, where that is known.
    pub(crate) output: Option<String>,
    /// What it prints was downloaded.
    pub(crate) fetched: bool,
    /// What it prints is typed at the terminal.
    pub(crate) is_typed: bool,
}

/// One program with its words and its input.
pub(crate) struct Call<'c> {
    pub(crate) argv: &'c [String],
    /// Here-documents and here-strings.
    pub(crate) texts: &'c [String],
    /// The commands before it in the pipeline.
    pub(crate) feed: Option<&'c Upstream>,
    /// Its input comes from a file.
    pub(crate) has_file: bool,
}

/// What a program is given in addition to recorded effects: its words, the assignments before it, and its inline
/// programs.
#[derive(Clone, Default)]
pub(crate) struct Given {
    pub(crate) words: Vec<String>,
    pub(crate) assigned: Vec<String>,
    pub(crate) codes: Vec<String>,
}

pub(crate) struct Walk<'w> {
    pub(crate) place: &'w Place<'w>,
    pub(crate) facts: &'w dyn Facts,
    home: Option<PathBuf>,
    root: Option<PathBuf>,
    pub(crate) report: Report<'w>,
    /// What the current program is given; a gap names it.
    pub(crate) given: Given,
    /// Where the next command may run; never empty. A folder with an unknown part contains a mark.
    pub(crate) cwds: Vec<String>,
    /// The folders that `popd` goes back to.
    pub(crate) stack: Vec<Vec<String>>,
    /// Where the command was before its last `cd`.
    pub(crate) came_from: Vec<String>,
    pub(crate) variables: Vec<(String, Vec<String>)>,
    /// Variables that end with the function being run.
    pub(crate) locals: Vec<String>,
    /// Variables that are other names for variables.
    pub(crate) references: Vec<(String, String)>,
    /// The last word of the command before.
    pub(crate) last_word: Option<String>,
    /// Conditions within the function or script being run that may keep the next command from running.
    pub(crate) branches: usize,
    pub(crate) functions: Vec<(String, Script)>,
    /// Names given to commands, in the shell and in git.
    pub(crate) aliases: Vec<(String, String)>,
    /// What this command wrote into files so far.
    pub(crate) files: Vec<(String, Written)>,
    /// The folders it made.
    pub(crate) folders: Vec<String>,
    pub(crate) upstream: Upstream,
    /// What is known of what the commands print; `None` from the first part that is not.
    pub(crate) printed: Option<String>,
    /// What the commands inside a group are fed.
    pub(crate) input: Option<String>,
    /// They are fed by something, known or not.
    pub(crate) is_fed_around: bool,
    /// What the commands print is typed at the terminal, at least in part.
    pub(crate) prints_typed: bool,
    /// More was printed than is kept.
    pub(crate) spilled: bool,
    /// The output is used.
    pub(crate) heard: bool,
    /// The last expanded word has several possible values.
    pub(crate) plural: bool,
    pub(crate) depth: usize,
    /// Scripts read from files so far.
    pub(crate) scripts: usize,
    /// Bytes of text created by expansion so far.
    pub(crate) work: usize,
    /// Second names that this command gave to files: links, moves and copies.
    pub(crate) names: Names,
    /// What it excludes of folders and patterns.
    pub(crate) omissions: Omissions,
    /// The command names `stead`.
    pub(crate) names_stead: bool,
    /// What the call's end and output tell about the command at hand.
    pub(crate) outcome: Outcome,
    /// The run that the command at hand is part of.
    pub(crate) run: Option<usize>,
    /// Variables that the programs to come see.
    pub(crate) exported: Vec<String>,
    /// Variables that they do not see; `*` stands for all.
    pub(crate) cleared: Vec<String>,
    /// Why the programs to come may be others than their names say.
    pub(crate) doubts: Vec<String>,
    /// The program whose output a substitution took last.
    pub(crate) captured: Option<String>,
    /// What the commands print was downloaded, at least in part.
    pub(crate) prints_download: bool,
    /// Where this command downloaded from last, if it says so.
    pub(crate) download_host: Option<String>,
    steps: usize,
}

impl<'w> Walk<'w> {
    pub(crate) fn new(place: &'w Place<'w>, facts: &'w dyn Facts, report: Report<'w>, cwd: String) -> Self {
        Self {
            place,
            facts,
            home: place.home(),
            root: place.root.map(clean),
            report,
            given: Given::default(),
            cwds: vec![cwd],
            stack: Vec::new(),
            came_from: Vec::new(),
            variables: Vec::new(),
            locals: Vec::new(),
            references: Vec::new(),
            last_word: None,
            branches: 0,
            functions: Vec::new(),
            aliases: Vec::new(),
            files: Vec::new(),
            folders: Vec::new(),
            upstream: Upstream::default(),
            printed: Some(String::new()),
            input: None,
            is_fed_around: false,
            prints_typed: false,
            spilled: false,
            heard: false,
            plural: false,
            depth: 0,
            scripts: 0,
            work: 0,
            names: Names::default(),
            omissions: Omissions::default(),
            names_stead: false,
            outcome: Outcome::default(),
            run: None,
            exported: Vec::new(),
            cleared: Vec::new(),
            doubts: Vec::new(),
            captured: None,
            prints_download: false,
            download_host: None,
            steps: 0,
        }
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    pub(crate) fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// Reads and walks a text as a command.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Stop> {
        self.depth += 1;
        let reading = parse::parse(text, self.depth)?;
        if reading.torn {
            self.gap("…", "a quote or a parenthesis is not closed");
        }
        self.script(&reading.script)?;
        self.depth -= 1;
        if reading.whole { Ok(()) } else { Err(Stop) }
    }

    pub(crate) fn script(&mut self, script: &Script) -> Result<(), Stop> {
        self.items(&script.0)
    }

    /// Returns true if the input of a program is not the terminal of the whole call.
    pub(crate) fn is_fed(&self, call: &Call<'_>) -> bool {
        match call.feed {
            Some(feed) => !feed.is_typed,
            None => !call.texts.is_empty() || call.has_file || self.is_fed_around || self.input.is_some(),
        }
    }

    /// What a program reads from its input, if known.
    pub(crate) fn fed(&self, call: &Call<'_>) -> Option<String> {
        match (call.texts.last(), call.feed) {
            (Some(text), _) => Some(text.clone()),
            (None, Some(feed)) => feed.output.clone(),
            (None, None) => self.input.clone(),
        }
    }
}
