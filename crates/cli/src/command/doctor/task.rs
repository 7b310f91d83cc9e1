use super::check::TRUST;
use serde::Serialize;
use stead_install::{Diagnosis, HarnessReport, InstallReport, Outcome, Site, Status};

/// Something that a person has to do.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Task {
    /// What is the matter, as a sentence.
    pub(super) what: String,
    /// What to do, with the command.
    pub(super) how: String,
}

/// What a person has to do, in this order: what is broken, what is not set up, what has to be confirmed in a program.
pub(super) fn tasks(site: &Site<'_>, diagnosis: &Diagnosis) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    for check in diagnosis.checks.iter().filter(|check| check.status == Status::Broken) {
        let how = check.remedy.clone().unwrap_or_else(|| "see `stead doctor --all`".to_owned());
        tasks.push(Task { what: check.message.clone(), how });
    }
    let reports = diagnosis.harnesses.as_slice();
    for report in reports {
        report.installs.iter().for_each(|install| tasks.extend(repairs(site, report, install)));
    }
    tasks.extend(missing(diagnosis));
    tasks.extend(reports.iter().filter(|report| is_silent(report)).map(|report| Task {
        what: match report.heartbeat {
            Some(_) if report.trusted == Some(false) && report.called_since => {
                format!("{} keeps no trust in the hooks of this project, so its windows run none", report.title)
            }
            None => format!("{} has not called Stead in this project yet", report.title),
            Some(_) => format!("{} has not called Stead since its settings changed", report.title),
        },
        how: report.confirm.to_owned(),
    }));
    let waiting = diagnosis.checks.iter().filter(|check| check.name == TRUST);
    tasks.extend(
        waiting.map(|check| Task { what: check.message.clone(), how: check.remedy.clone().unwrap_or_default() }),
    );
    // The same remedy helps several programs, and lines often fail for the same reason.
    let mut seen: Vec<Task> = Vec::new();
    tasks.into_iter().for_each(|task| {
        if !seen.contains(&task) {
            seen.push(task)
        }
    });
    seen
}

/// What is wrong with the hooks in one file.
fn repairs(site: &Site<'_>, report: &HarnessReport, install: &InstallReport) -> Vec<Task> {
    let file = site.brief(&install.path);
    let init = format!("`stead init --harness {}`", report.harness);
    let lost = (!install.missing.is_empty()).then(|| Task {
        what: format!("hooks of {} are missing in `{file}`: {}", report.title, install.missing.join(", ")),
        how: format!("{init} restores them"),
    });
    let mut whys: Vec<&str> = Vec::new();
    for proof in &install.proofs {
        if let Outcome::Fails { why } = &proof.outcome
            && !whys.contains(&why.as_str())
        {
            whys.push(why);
        }
    }
    let failed = whys.into_iter().map(|why| Task {
        what: format!("hooks of {} in `{file}` do not work: {why}", report.title),
        how: "repair that, then run `stead doctor` again".to_owned(),
    });
    lost.into_iter().chain(failed).collect()
}

/// What is not set up: the project, or programs on this machine without hooks.
fn missing(diagnosis: &Diagnosis) -> Option<Task> {
    let reports = &diagnosis.harnesses;
    if reports.iter().all(|report| report.installs.is_empty()) {
        let what = "no agent program has hooks here, so Stead sees none of their calls".to_owned();
        return Some(Task { what, how: "`stead init` installs them".to_owned() });
    }
    let bare: Vec<&HarnessReport> = reports.iter().filter(|report| report.installs.is_empty()).collect();
    (!bare.is_empty()).then(|| {
        let titles: Vec<&str> = bare.iter().map(|report| report.title).collect();
        let names: Vec<&str> = bare.iter().map(|report| report.harness).collect();
        Task {
            what: format!("no hooks here for {}", titles.join(", ")),
            how: format!("`stead init --harness {}`", names.join(",")),
        }
    })
}

/// It has hooks that work and is on this machine, but has not called since they are there, or no longer trusts them.
pub(super) fn is_silent(report: &HarnessReport) -> bool {
    works(report) && (!report.called_since || report.trusted == Some(false)) && report.program.is_some()
}

/// Its hooks answered, all of them.
pub(super) fn works(report: &HarnessReport) -> bool {
    !report.installs.is_empty() && report.installs.iter().all(InstallReport::works)
}
