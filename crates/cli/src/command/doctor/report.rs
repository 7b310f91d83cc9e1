//! What doctor tells: tasks first, then the agent programs, then what was proved and what was not.

use stead_client::Harness;
use stead_install::{Capability, Check, CommandReport, Diagnosis, HarnessReport, InstallReport, Site, Status};

use super::support::tell_support;
use super::task::{Task, is_silent, works};
use crate::ui::{Ui, counted};

const WIDTH: usize = 80;

/// How many hints are told without `--all`.
const HINTS: usize = 2;

pub(super) struct Report<'a> {
    pub(super) site: &'a Site<'a>,
    pub(super) diagnosis: &'a Diagnosis,
    pub(super) capabilities: &'a [Capability],
    pub(super) tasks: &'a [Task],
}

impl Report<'_> {
    pub(super) fn tell(&self, all: bool, ui: &mut Ui) {
        if !self.tasks.is_empty() {
            ui.line("To do");
        }
        for (at, task) in self.tasks.iter().enumerate() {
            wrap(&format!("  {}. ", at + 1), &format!("{}:", sentence(&task.what)), ui);
            wrap("     ", &task.how, ui);
        }
        let mut is_first = self.tasks.is_empty();
        for report in &self.diagnosis.harnesses {
            ui.line(if is_first { report.title.to_owned() } else { format!("\n{}", report.title) });
            is_first = false;
            self.tell_harness(report, ui);
        }
        match all {
            true => self.tell_all(ui),
            false => self.tell_hints(ui),
        }
        ui.line("");
        wrap("", &self.summary(), ui);
    }

    /// Exactly what was proved, and what was not.
    pub(super) fn summary(&self) -> String {
        let named = |wanted: &dyn Fn(&HarnessReport) -> bool| {
            let titles: Vec<&str> =
                self.diagnosis.harnesses.iter().filter(|report| wanted(report)).map(|report| report.title).collect();
            (!titles.is_empty()).then(|| listed(&titles))
        };
        let mut said = Vec::new();
        if let Some(names) = named(&|report| works(report) && report.called_since && !is_silent(report)) {
            said.push(format!("calls of {names} arrive, and the hooks answer"));
        }
        if let Some(names) = named(&is_silent) {
            said.push(format!("the hooks of {names} answer, but no call proves that it runs them"));
        }
        let is_absent = |report: &HarnessReport| works(report) && !report.called_since && !is_silent(report);
        if let Some(names) = named(&is_absent) {
            said.push(format!("the hooks of {names} answer, but the program is not on this machine"));
        }
        if let Some(names) = named(&|report| !report.installs.is_empty() && !works(report)) {
            said.push(format!("hooks of {names} are missing or do not work"));
        }
        let broken = self.diagnosis.checks.iter().filter(|check| check.status == Status::Broken).count();
        if broken > 0 {
            said.push(format!("{} failed", counted(broken, "check")));
        }
        if said.is_empty() {
            said.push("nothing is proved: no agent program has hooks here".to_owned());
        }
        sentence(&said.join("; ")) + "."
    }

    fn tell_harness(&self, report: &HarnessReport, ui: &mut Ui) {
        for install in &report.installs {
            let how = match (install.works(), install.proofs.iter().any(|proof| proof.outcome.works())) {
                (true, _) => format!("they answer ({} ms)", median(install)),
                (false, true) => "PARTLY BROKEN".to_owned(),
                (false, false) => "BROKEN".to_owned(),
            };
            let count = format!("{}/{}", install.lines_found, install.lines_expected);
            field("hooks", &format!("{count} in {}, {how}", self.site.brief(&install.path)), ui);
        }
        match &report.heartbeat {
            Some(beat) => {
                let time = beat.at.get(..16).unwrap_or(&beat.at).replace('T', " ");
                let so = match (report.called_since, report.trusted) {
                    (true, Some(false)) => "but it keeps no trust in the hooks now",
                    (true, _) => "so it ran the hooks then",
                    (false, _) => "before its settings changed; whether it trusts the hooks is not known",
                };
                field("called", &format!("last at {time} UTC, {so}"), ui);
            }
            None if report.installs.is_empty() => return field("hooks", "none", ui),
            None if report.program.is_none() => field("called", "never; it is not on this machine", ui),
            None => field("called", "not yet; whether it trusts the hooks is not known", ui),
        }
        for commands in &report.commands {
            tell_commands(commands, ui);
        }
        let capability = self.capabilities.iter().find(|one| one.harness == report.harness);
        if let Some(unseen) = capability.map(|one| one.unseen.join("; ")).filter(|text| !text.is_empty()) {
            field("unseen", &unseen, ui);
        }
        if let Some(lost) = capability.and_then(|one| one.lost_in_editors.as_deref()) {
            field("editors", lost, ui);
        }
        if let Some(line) = &report.status_line {
            let file = line.path.as_deref().map(|path| self.site.brief(path)).unwrap_or_default();
            let shown = match line.shows {
                "stead" => format!("the status line is Stead's, in {file}"),
                "other" => format!("the status line is your own, in {file}"),
                _ => "no status line; `stead init --statusline` adds one".to_owned(),
            };
            field("line", &shown, ui);
        }
    }

    fn tell_hints(&self, ui: &mut Ui) {
        let is_told = |check: &Check| {
            let is_same = |task: &Task| check.remedy.as_ref().is_some_and(|remedy| task.how.contains(remedy));
            self.tasks.iter().any(is_same)
        };
        let odd = self.diagnosis.checks.iter().filter(|check| check.status == Status::Odd);
        let hints: Vec<&Check> = odd.filter(|check| !is_told(check)).collect();
        if hints.is_empty() {
            return;
        }
        ui.line("\nHints");
        hints.iter().take(HINTS).for_each(|check| tell_check("-", check, ui));
        if let Some(more) = hints.len().checked_sub(HINTS + 1) {
            field("", &format!("and {}; see `stead doctor --all`", counted(more + 1, "more hint")), ui);
        }
    }

    fn tell_all(&self, ui: &mut Ui) {
        ui.line("\nChecks");
        for check in &self.diagnosis.checks {
            let mark = match check.status {
                Status::Good => "ok",
                Status::Odd => "hint",
                Status::Broken => "BAD",
            };
            tell_check(mark, check, ui);
        }
        for report in &self.diagnosis.harnesses {
            let checked = Harness::from_name(report.harness).map_or("", |harness| harness.client().facts.checked);
            field("facts", &format!("{} is known as of {checked}", report.title), ui);
        }
        ui.line("\nWhat each agent program lets Stead do");
        tell_support(self.capabilities, ui);
    }
}

fn tell_check(mark: &str, check: &Check, ui: &mut Ui) {
    field(mark, &check.message, ui);
    if let Some(remedy) = &check.remedy {
        field("", &format!("→ {remedy}"), ui);
    }
}

fn tell_commands(report: &CommandReport, ui: &mut Ui) {
    let mut words = format!(
        "{}/{} present for this {} (`{}` …)",
        report.found,
        report.expected,
        if report.scope == "user" { "person" } else { "project" },
        report.typed
    );
    if !report.missing.is_empty() {
        words.push_str(&format!("; missing: {}", report.missing.join(", ")));
    }
    if !report.differing.is_empty() {
        words.push_str(&format!("; differ from this version's: {}", report.differing.join(", ")));
    }
    if !report.foreign.is_empty() {
        words.push_str(&format!("; name already taken: {}", report.foreign.join(", ")));
    }
    field("commands", &words, ui);
}

fn median(install: &InstallReport) -> u128 {
    let mut times: Vec<u128> = install.proofs.iter().map(|proof| proof.milliseconds).collect();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// A text with its first letter in upper case.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Names in a sentence.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Prints a name and a text, wrapped within the width.
pub(super) fn field(name: &str, text: &str, ui: &mut Ui) {
    wrap(&format!("  {name:<9} "), text, ui);
}

/// Prints a text behind a head, wrapped within the width.
fn wrap(head: &str, text: &str, ui: &mut Ui) {
    let indent = head.chars().count();
    let mut line = head.to_owned();
    let mut is_fresh = true;
    for word in text.split(' ') {
        if !is_fresh && line.chars().count() + 1 + word.chars().count() > WIDTH {
            ui.line(line.trim_end());
            line = " ".repeat(indent);
            is_fresh = true;
        }
        line.push_str(if is_fresh { "" } else { " " });
        line.push_str(word);
        is_fresh = false;
    }
    ui.line(line);
}
