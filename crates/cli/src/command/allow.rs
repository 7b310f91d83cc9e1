use std::time::Duration;

use clap::Args;
use stead_guard::protection::GATE;
use stead_hook::{Did, HitLine, Override, STALE_FILE};
use stead_model::rfc3339;
use stead_store::{Durability, Redacted, append_line, redact};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::person::require_person;
use crate::project::{Project, env, now_millis};
use crate::seal;
use crate::span::span;
use crate::ui::Ui;
use crate::verdict::find_verdict;

const PATIENCE: Duration = Duration::from_secs(5);

/// Allow a blocked call for a limited time
///
/// Only a person at a terminal may do this. It applies to this guard and to what it matched, for ten minutes by default
/// and a day at most, and is recorded with its reason. Self-protection cannot be overridden.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead allow v-7k2m9qd4 --reason \"the plan was approved in chat\"\n  stead allow v-7k2m9qd4 --for 2h --reason \"release day\""
)]
pub(crate) struct AllowArgs {
    /// The verdict's id, in brackets at the end of a denial
    #[arg(value_name = "VERDICT")]
    id: String,
    /// How long: `90s`, `10m`, `2h`; a day at most
    #[arg(long = "for", value_name = "TIME", default_value = "10m", value_parser = limited)]
    span: Duration,
    /// Why
    #[arg(long)]
    reason: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: AllowArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    require_person("allow a blocked call", &project, ui)?;
    if args.reason.trim().is_empty() {
        return Err(CliError::usage("`--reason` is empty").hinted("say in a few words why this is fine"));
    }
    let verdict = find_verdict(&project, &args.id)?;
    let stopped = |hit: &&HitLine| matches!(hit.did, Did::Denied | Did::Asked);
    if verdict.hits.iter().filter(stopped).any(|hit| hit.guard == GATE) {
        return Err(CliError::user(format!(
            "{} is a verdict of self-protection, which cannot be overridden",
            verdict.id
        ))
        .hinted("run the command yourself in this terminal"));
    }
    if verdict.hits.iter().filter(stopped).any(|hit| hit.guard == STALE_FILE) {
        return Err(CliError::user(format!("{} is about a file that changed since the agent saw it", verdict.id))
            .hinted("let the agent read the file again"));
    }
    let hits: Vec<&HitLine> = verdict.hits.iter().filter(stopped).filter(|hit| !hit.about.is_empty()).collect();
    if hits.is_empty() {
        return Err(CliError::user(format!("{} blocked nothing, so there is nothing to allow", verdict.id))
            .hinted(format!("`stead explain {}` shows what it was", verdict.id)));
    }
    let now = now_millis();
    let until = rfc3339(now + i64::try_from(args.span.as_millis()).unwrap_or(Override::LONGEST));
    let mut written = Vec::new();
    for hit in hits {
        let line = Override {
            v: 1,
            ts: rfc3339(now),
            verdict: verdict.id.clone(),
            guard: hit.guard.clone(),
            about: hit.about.clone(),
            part: hit.part.clone(),
            until: until.clone(),
            reason: redact(args.reason.trim()).into_owned(),
            session: verdict.session.clone(),
            by: ["USER", "LOGNAME"].iter().find_map(|name| env(name)?.into_string().ok()),
            ..Override::default()
        };
        let path = Override::path(&project.indexes());
        let text = Redacted::line(&line);
        seal::with(&project, |sealed| sealed.announce_append(&path, &text));
        append_line(&path, text, Durability::Synced, PATIENCE)?;
        written.push(line);
    }
    if args.json {
        ui.json(answer::ALLOW, &answer::records(&written));
        return Ok(Exit::Done);
    }
    for line in written {
        ui.line(format!("`{}` allows this until {}: {}", line.guard, line.until, line.part));
    }
    Ok(Exit::Done)
}

/// Reads how long an override lasts.
fn limited(text: &str) -> Result<Duration, String> {
    let span = span(text)?;
    match span.as_millis() > Override::LONGEST.unsigned_abs().into() {
        true => Err("expected at least a second and at most a day".to_owned()),
        false => Ok(span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_override_ends_within_a_day() {
        let check = |text: &str, expected: Option<u64>| {
            assert_eq!(limited(text).ok(), expected.map(Duration::from_secs), "{text}");
        };
        check("90s", Some(90));
        check("10m", Some(600));
        check("24h", Some(86_400));
        check("1d", Some(86_400));
        for odd in ["", "10", "m", "25h", "0s", "-1h", "1.5h", "10 é", "99999999999999999999h"] {
            check(odd, None);
        }
    }
}
