use clap::Args;
use serde_json::{Value, json};
use stead_install::text_diff;
use stead_store::{Standing, TrustItem};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::person::{Whose, refuse_agents, require_person};
use crate::project::{Project, now};
use crate::trusting::trusted;
use crate::ui::{Ui, counted};

/// How much of one new text is shown.
const SHOWN: usize = 64 * 1024;

/// Trust what came with this repository
///
/// Guards that allow, rewrite or inject, programs of guards, stages, pipelines, verifiers, packets, loops, role files and
/// lessons that came with a repository run nothing and permit nothing until a person trusts them. This shows what is new
/// or changed since the last look and records that you trust exactly this content, on this machine, for this checkout.
/// What changes later needs trust again. Only a person at a terminal may do this.
///
/// To trust your team's repositories as a whole, set `trust.folders` or `trust.remotes` in your own settings.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead trust --show\n  stead trust\n  stead trust --revoke\n  stead config set --user trust.remotes 'github.com/acme/*'"
)]
pub(crate) struct TrustArgs {
    /// Show what is new or changed, and record nothing
    #[arg(long, conflicts_with = "revoke")]
    show: bool,
    /// Trust nothing in this checkout any more
    #[arg(long)]
    revoke: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: TrustArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    if args.revoke {
        refuse_agents("change what is trusted", Whose::Person, &project)?;
    } else if !args.show {
        require_person("trust what came with a repository", &project, ui)?;
    }
    let mut trusted = trusted(&project);
    let items = trusted.items();
    let news: Vec<(&TrustItem, Standing)> = items
        .iter()
        .map(|item| (item, trusted.trust.standing(item)))
        .filter(|(_, standing)| !standing.is_trusted())
        .collect();
    let gone = trusted.trust.gone(&items);
    let whole = trusted.trust.whole();
    if !args.json && !args.revoke {
        for (item, standing) in &news {
            show(item, *standing, trusted.trust.trusted_text(&item.name), ui);
        }
    }
    let answer = as_json(&news, &gone, whole.as_deref(), &args);
    let counts = (news.len(), items.len());
    match (args.revoke, args.show) {
        (true, _) => trusted.trust.revoke(&items, &now())?,
        (false, false) => trusted.trust.accept(&items, &now())?,
        (false, true) => {}
    }
    if args.json {
        ui.json(answer::TRUST, &answer);
        return Ok(Exit::Done);
    }
    tell(&args, counts, &gone, whole.as_deref(), ui);
    Ok(Exit::Done)
}

fn show(item: &TrustItem, standing: Standing, before: Option<Vec<u8>>, ui: &mut Ui) {
    ui.line(format!("{} {}: {}", standing.name(), item.kind.name(), item.name));
    let text = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]).into_owned();
    let before = before.as_deref().map(text);
    let mut after = text(&item.content);
    if !after.ends_with('\n') {
        after.push('\n');
    }
    ui.raw(text_diff(&item.name, before.as_deref(), Some(&after)));
    if item.content.len() > SHOWN {
        ui.note(format!("`{}` has {} bytes; only the first {SHOWN} are shown", item.path(), item.content.len()));
    }
}

fn tell(args: &TrustArgs, counts: (usize, usize), gone: &[String], whole: Option<&str>, ui: &mut Ui) {
    let (new, all) = counts;
    for name in gone.iter().filter(|name| !name.contains('#')) {
        ui.line(format!("gone: {name}"));
    }
    if let Some(why) = whole {
        ui.note(format!("this project is trusted as a whole: {why}"));
    }
    ui.line(match (args.revoke, args.show, new) {
        (true, _, _) => "nothing is trusted in this checkout any more".to_owned(),
        (false, true, 0) => "nothing is new or changed".to_owned(),
        (false, true, new) => format!("{} not trusted; `stead trust` accepts them", counted(new, "item")),
        (false, false, new) => format!("trusted: {}, {new} of them new or changed", counted(all, "item")),
    });
}

fn as_json(news: &[(&TrustItem, Standing)], gone: &[String], whole: Option<&str>, args: &TrustArgs) -> Value {
    let items: Vec<Value> = news
        .iter()
        .map(|(item, standing)| {
            json!({"name": item.name, "kind": item.kind.name(), "standing": standing.name(), "sha256": item.sha256()})
        })
        .collect();
    let recorded = match (args.revoke, args.show) {
        (true, _) => "revoked",
        (false, true) => "nothing",
        (false, false) => "trusted",
    };
    json!({"items": items, "gone": gone, "whole": whole, "recorded": recorded})
}
