use clap::Args;
use serde_json::json;
use stead_client::Harness;
use stead_evidence::{Archive, foreign_features};
use stead_feature::FeatureList;
use stead_guard::{Origin, State};
use stead_hook::recorder_notes;
use stead_install::{
    Capability, Check, CommandReport, Diagnosis, HarnessReport, InstallReport, Outcome, Site, Status, capability,
    diagnose,
};
use stead_model::Severity;
use stead_model::rfc3339;

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::guard_counts::{Counts, is_orphaned};
use crate::guards::Guards;
use crate::here::Here;
use crate::project::{Project, env, now_millis};
use crate::proof::ground;
use crate::ui::Ui;

/// Prove that the installed hooks work, and show what each agent program supports
///
/// Runs every installed hook the way its agent program does, with a recorded payload: a harmless call must be allowed,
/// a forbidden one must be denied in that program's format. Nothing is recorded. Exits with 1 if something that is
/// installed does not work.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead doctor\n  stead doctor --json")]
pub(crate) struct DoctorArgs {
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

const WIDTH: usize = 80;

pub(crate) fn run(args: DoctorArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let here = Here::find(ui)?;
    let site = here.site();
    let mut diagnosis = diagnose(&site, &ui.global.config.clone());
    diagnosis.checks.extend(guard_checks(&here.project)?);
    diagnosis.checks.extend(record_checks(&here.project));
    diagnosis.checks.extend(evidence_checks(&here.project));
    let capabilities: Vec<Capability> = Harness::ALL.into_iter().map(capability).collect();
    let is_sound = diagnosis.is_sound();
    if args.json {
        ui.json(
            answer::DOCTOR,
            &json!({
                "sound": is_sound,
                "root": site.root,
                "checks": diagnosis.checks,
                "harnesses": diagnosis.harnesses,
                "capabilities": capabilities,
            }),
        );
    } else {
        tell(&site, &diagnosis, &capabilities, ui);
    }
    Ok(if is_sound { Exit::Done } else { Exit::Failed })
}

/// What hooks could not write down during the last day. They answer all the same, so nobody else would hear of it.
fn record_checks(project: &Project) -> Vec<Check> {
    const DAY: i64 = 24 * 3600 * 1000;
    let notes = recorder_notes(project.root(), &env, &rfc3339(now_millis() - DAY));
    notes.into_iter().map(|(at, note)| Check::odd("records", format!("not recorded at {at}: {note}"))).collect()
}

/// Features that are called tested by records which this checkout's log does not vouch for, and damage of the log.
fn evidence_checks(project: &Project) -> Vec<Check> {
    if !project.found.is_marked() {
        return Vec::new();
    }
    let ground = ground(project);
    let flaws = Archive::new(&ground).verify().map(|found| found.flaws).unwrap_or_default();
    let damaged = flaws.first().map(|flaw| {
        Check::odd("evidence", format!("the log of evidence is damaged at {flaw}"))
            .remedy("`stead evidence verify` lists all; run the tests again")
    });
    let list = FeatureList::read(&ground.features).ok().flatten().unwrap_or_default();
    let foreign = foreign_features(&ground, &list).unwrap_or_default().into_iter().map(|(id, why)| {
        Check::odd("evidence", format!("feature `{id}` is tested by foreign evidence only: {why}"))
            .remedy(format!("`stead verify {id}` proves it here"))
    });
    damaged.into_iter().chain(foreign).collect()
}

/// Guard files that are not applied. A broken file does not affect the others, so this is only a warning.
fn guard_checks(project: &Project) -> Result<Vec<Check>, CliError> {
    if !project.found.is_marked() {
        return Ok(Vec::new());
    }
    let guards = Guards::load(project)?;
    let wrong = guards.problems.iter().filter(|problem| problem.severity == Severity::Error);
    let broken = wrong.map(|problem| (format!("a guard is not applied: {problem}"), problem));
    let waiting = guards.around.iter().map(|problem| (problem.message.clone(), problem));
    // A log that cannot be read is reported by the recorder that failed to write it.
    let counts = Counts::recent(project).unwrap_or_default();
    let own = guards.list.iter().filter(|guard| guard.state == State::Active && guard.origin == Origin::Project);
    let idle = own.filter_map(|guard| {
        let is_dormant = counts.of(&guard.id, &guard.on).marks(&guard.id).contains(&"dormant");
        let check = |why: &str| Check::odd("guards", format!("`{}` {why}", guard.id));
        match is_orphaned(project, guard) {
            true => {
                Some(check("is about folders that do not exist").remedy(format!("correct or remove {}", guard.file)))
            }
            false if is_dormant => {
                let remedy = format!("`stead guard stats {}` shows its calls; is it still needed?", guard.id);
                Some(check("matched none of the last calls").remedy(remedy))
            }
            false => None,
        }
    });
    Ok(broken
        .chain(waiting)
        .map(|(message, problem)| {
            let remedy = problem.hint().unwrap_or("fix the file; `stead guard lint` checks it");
            Check::odd("guards", message).remedy(remedy)
        })
        .chain(idle)
        .collect())
}

fn tell(site: &Site<'_>, diagnosis: &Diagnosis, capabilities: &[Capability], ui: &mut Ui) {
    ui.line("Project");
    for check in &diagnosis.checks {
        tell_check(check, ui);
    }
    for report in &diagnosis.harnesses {
        let checked = Harness::from_name(report.harness).map_or("", |harness| harness.client().facts.checked);
        ui.line(format!("\n{} ({}; facts: {checked})", report.title, report.harness));
        tell_harness(site, report, ui);
    }
    if diagnosis.harnesses.iter().all(|report| report.installs.is_empty()) {
        ui.line("\nNo hooks are installed; run `stead init` to install them.");
    }
    ui.line("\nWhat each agent program lets Stead do");
    tell_capabilities(capabilities, ui);
    let works = diagnosis.is_sound();
    ui.line(if works {
        "\nEverything that is installed works."
    } else {
        "\nSomething that is installed does not work."
    });
}

fn tell_check(check: &Check, ui: &mut Ui) {
    let mark = match check.status {
        Status::Good => "ok",
        Status::Odd => "odd",
        Status::Broken => "BAD",
    };
    field(mark, &check.message, ui);
    if let Some(remedy) = &check.remedy {
        field("", &format!("→ {remedy}"), ui);
    }
}

fn tell_harness(site: &Site<'_>, report: &HarnessReport, ui: &mut Ui) {
    for install in &report.installs {
        let lines = format!("{}/{} lines", install.lines_found, install.lines_expected);
        field(install.scope, &format!("{}  {lines}", site.brief(&install.path)), ui);
        if !install.missing.is_empty() {
            field("BAD", &format!("missing: {}; `stead init` restores them", install.missing.join(", ")), ui);
        }
        tell_proofs(install, ui);
    }
    for commands in &report.commands {
        tell_commands(commands, ui);
    }
    if report.installs.is_empty() {
        field("lines", &format!("none; `stead init --harness {}` installs them", report.harness), ui);
    }
    match &report.heartbeat {
        Some(beat) => {
            let session = beat.session.as_deref().unwrap_or("unknown");
            field("called", &format!("last at {} (session {session})", beat.at), ui);
        }
        None if report.installs.is_empty() => {}
        None => field("called", "not yet in this project", ui),
    }
    if !report.installs.is_empty() {
        field("confirm", report.confirm, ui);
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

fn tell_proofs(install: &InstallReport, ui: &mut Ui) {
    let mut times: Vec<u128> = install.proofs.iter().map(|proof| proof.milliseconds).collect();
    times.sort_unstable();
    let worked = install.proofs.iter().filter(|proof| proof.outcome.works()).count();
    let denied = install.proofs.iter().filter(|proof| proof.outcome == Outcome::Denies).count();
    if worked > 0 {
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        let slowest = times.last().copied().unwrap_or_default();
        let gate = if denied > 0 { "; the forbidden call was denied" } else { "" };
        let words = format!("{worked} of {} answered{gate} (median {median} ms, slowest {slowest} ms)", times.len());
        field("proof", &words, ui);
    }
    let mut told: Vec<&str> = Vec::new();
    for proof in &install.proofs {
        if let Outcome::Fails { why } = &proof.outcome {
            // Lines often fail for the same reason.
            if !told.contains(&why.as_str()) {
                field("BAD", &format!("{}: {why}", proof.event), ui);
                told.push(why);
            }
        }
    }
}

fn tell_capabilities(capabilities: &[Capability], ui: &mut Ui) {
    let row = |cells: [&str; 10]| {
        let [name, block, ask, warn, rewrite, start, prompt, tool, stop, compact] = cells;
        let row = format!(
            "  {name:<9} {block:<5} {ask:<3} {warn:<6} {rewrite:<8} {start:<6} {prompt:<7} {tool:<6} {stop:<8} {compact}"
        );
        row.trim_end().to_owned()
    };
    ui.line("            before a tool             context at            at a     before");
    ui.line(row(["", "block", "ask", "warn", "rewrite", "start", "prompt", "tool", "stop", "compact"]));
    let word = |is: bool| if is { "yes" } else { "–" };
    for client in capabilities {
        let stop = match (client.continue_at_stop, client.stop_cap) {
            (true, Some(1)) => "once".to_owned(),
            (true, Some(cap)) => format!("{cap} times"),
            (is, _) => word(is).to_owned(),
        };
        ui.line(row([
            client.harness,
            word(client.block),
            word(client.ask),
            client.warn,
            word(client.rewrite),
            word(client.context_at_start),
            word(client.context_at_prompt),
            word(client.context_after_tool),
            &stop,
            client.before_compact,
        ]));
    }
    ui.line("\n  A verdict that a program does not support is raised to the next stronger one:");
    for client in capabilities.iter().filter(|client| !client.strengthened.is_empty()) {
        field(client.harness, &client.strengthened.join(", "), ui);
    }
    ui.line("\n  A guard's warning never blocks; the model reads it:");
    let times = ["at once", "after the tool", "with the next prompt", "never"];
    tell_times(capabilities, &times, |client| client.guard_warning, ui);
    ui.line("\n  What the program's own window does not show you:");
    for client in capabilities.iter().filter(|client| !client.unseen.is_empty()) {
        field(client.harness, &client.unseen.join("; "), ui);
    }
    ui.line("\n  The program reports exit codes, so that a test run is evidence:");
    for (told, word) in [("all", "yes"), ("successful", "if 0"), ("none", "no")] {
        let names = capabilities.iter().filter(|client| client.exit_status == told).map(|client| client.harness);
        field(word, &names.collect::<Vec<_>>().join(", "), ui);
    }
    field("", "otherwise use `stead verify`, which runs the tests itself", ui);
    ui.line("\n  What a call weakened is put back by the hook after it, else at the next event:");
    for client in capabilities {
        if let Some(why) = client.lost_after_tool {
            field(client.harness, why, ui);
        }
    }
    ui.line("\n  A typed command permits what only a person may do:");
    for (is, word) in [(true, "yes"), (false, "no")] {
        let names = capabilities.iter().filter(|client| client.typed_commands == is).map(|client| client.harness);
        field(word, &names.collect::<Vec<_>>().join(", "), ui);
    }
    field("", "otherwise run it in a terminal of your own", ui);
    ui.line("\n  Sub-agents:");
    for client in capabilities {
        field(client.harness, client.subagents, ui);
    }
    ui.line("\n  A sub-agent's incomplete result is sent back by a hook that answers:");
    let times = ["at its stop", "after the call that started it", "never"];
    tell_times(capabilities, &times, |client| client.incomplete_result, ui);
}

/// Lists the clients by when something happens.
fn tell_times(capabilities: &[Capability], times: &[&str], when: fn(&Capability) -> &'static str, ui: &mut Ui) {
    for time in times {
        let names: Vec<&str> =
            capabilities.iter().filter(|client| when(client) == *time).map(|client| client.harness).collect();
        if !names.is_empty() {
            field("", &format!("{time}: {}", names.join(", ")), ui);
        }
    }
}

/// Prints a name and a text, wrapped within the width.
fn field(name: &str, text: &str, ui: &mut Ui) {
    let mut line = format!("  {name:<9}");
    let mut is_fresh = true;
    for word in text.split(' ') {
        if !is_fresh && line.chars().count() + 1 + word.chars().count() > WIDTH {
            ui.line(&line);
            line = " ".repeat(11);
        }
        line.push(' ');
        line.push_str(word);
        is_fresh = false;
    }
    ui.line(line);
}
