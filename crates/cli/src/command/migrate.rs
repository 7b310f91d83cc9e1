//! Imports files of other tools and rewrites older formats.

mod pipelines;

use std::path::Path;

use clap::Args;
use serde_json::{Value, json};
use stead_install::{Applied, Note, Plan, Reach, apply, diff, plan_old_commands};
use stead_migrate::{Import, ImportKind, ImportPlaces, OlderRun, Outcome, apply_import, find_imports, older_runs};
use stead_model::suggestion;
use stead_store::{Adopted, Layout, Room, adopt};

use super::status::glance::older_json;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::here::Here;
use crate::project::now;
use crate::run_room::RunRoom;
use crate::ui::{Piped, Ui};
use pipelines::Pipelines;

/// Import files of other tools and update older formats
///
/// Reads `.claude/ralph-loop.local.md` (it becomes a paused loop), handoffs below `thoughts/` and `.claude/handoffs/`
/// (they become packets) and role files of an older format (they are repaired). None of these is deleted, a second run
/// imports nothing twice, and whatever cannot be imported is listed, file by file.
///
/// Stages, prompts and pipelines of the older format are rewritten in place after showing a diff; comments are kept. A
/// `loop.yaml` becomes `stage.yaml`: the new file is written, then the old one is deleted. What cannot be rewritten is
/// not touched, and the line that prevents it is named. Folders of the older layout (`scripts/loops`,
/// `scripts/pipelines`) that appeared after `stead init` are listed with the setting that makes Stead use them. Runs of the
/// older engine (`.claude/pipeline-runs`) are named; they stay as they are.
///
/// Exits with 1 if a file is broken or could not be rewritten or written.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead migrate --dry-run\n  stead migrate pipelines --dry-run\n  stead migrate commands --replace-old"
)]
pub(crate) struct MigrateArgs {
    /// Only these: loops, handoffs, roles, commands, pipelines
    #[arg(value_name = "WHAT")]
    what: Vec<String>,
    /// Replace `~/.factory/commands/handoff.md` and `pickup.md` by Stead's commands; `stead uninstall --user` restores
    /// the old ones
    #[arg(long)]
    replace_old: bool,
    /// Show what would be done, without doing it
    #[arg(long)]
    dry_run: bool,
    /// Do not ask for confirmation. Without a terminal there is no question either, but an answer other than `y` on
    /// standard input changes nothing
    #[arg(long, short)]
    yes: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

const COMMANDS: &str = "commands";
const PIPELINES: &str = "pipelines";

pub(crate) fn run(args: MigrateArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let here = Here::find(ui)?;
    let Chosen { kinds, with_commands, with_pipelines } = chosen(&args.what)?;
    let writes_here = !kinds.is_empty() || with_pipelines;
    if !args.dry_run && writes_here && !here.project.found.is_marked() {
        return Err(CliError::user("there is no project here to import into").hinted("run `stead init` first"));
    }
    let layout = Layout::of(&here.project.config);
    let root = here.project.root();
    let (context, roles) = (layout.dir(root, Room::Context), layout.dir(root, Room::Roles));
    let imports = find_imports(&ImportPlaces { root, context: &context, roles: &roles }, &kinds, &now());
    let old = if with_commands { plan_old_commands(&here.site()) } else { Plan::default() };
    let rewrites = if with_pipelines { Pipelines::find(&RunRoom::find(ui)?.catalog())? } else { Pipelines::default() };
    if with_pipelines {
        report_unused_folders(root, &layout, ui);
    }
    let (failed, replaced) = (Vec::new(), Applied::default());
    let older = if with_pipelines { older_runs(root) } else { Vec::new() };
    let mut work = Work { args: &args, here: &here, imports, old, rewrites, older, failed, replaced };
    if !args.json {
        work.show(ui);
    }
    let asks = !args.dry_run && !args.yes && !args.json && ui.is_interactive() && work.has_work();
    if asks && !ui.confirm("Migrate?") {
        ui.note("nothing was changed");
        return Ok(Exit::Failed);
    }
    if !args.dry_run && !args.yes && !asks && work.has_work() {
        unasked(ui)?;
    }
    if !args.dry_run {
        work.carry_out()?;
    }
    work.finish(ui)
}

/// Without a terminal the work continues, unless standard input says otherwise.
fn unasked(ui: &Ui) -> Result<(), CliError> {
    match ui.piped_answer() {
        Piped::Nothing | Piped::Yes => Ok(()),
        Piped::No => Err(CliError::user("nothing was changed: the answer was not `y`").hinted("add `-y`")),
        Piped::Silence => Err(CliError::user("nothing was changed: there is no terminal to confirm on")
            .hinted("add `-y`, or close standard input")),
    }
}

/// What to migrate.
struct Chosen {
    kinds: Vec<ImportKind>,
    with_commands: bool,
    with_pipelines: bool,
}

/// Parses what to migrate; without arguments, everything.
fn chosen(what: &[String]) -> Result<Chosen, CliError> {
    let names: Vec<&str> = ImportKind::ALL.iter().map(|kind| kind.name()).chain([COMMANDS, PIPELINES]).collect();
    if let Some(unknown) = what.iter().find(|word| !names.contains(&word.as_str())) {
        return Err(CliError::usage(format!("unknown kind `{unknown}`")).hinted(suggestion(unknown, names)));
    }
    let is_wanted = |name: &str| what.is_empty() || what.iter().any(|word| word == name);
    Ok(Chosen {
        kinds: ImportKind::ALL.into_iter().filter(|kind| is_wanted(kind.name())).collect(),
        with_commands: is_wanted(COMMANDS),
        with_pipelines: is_wanted(PIPELINES),
    })
}

/// Lists folders of stages and pipelines that appeared after the project was set up, which Stead does not use.
fn report_unused_folders(root: &Path, layout: &Layout, ui: &mut Ui) {
    for Adopted { room, path, because } in adopt(root) {
        if matches!(room, Room::Stages | Room::Pipelines) && layout.relative(room) != path {
            ui.note(format!("{because}, but Stead looks for {} in `{}`", room.name(), layout.relative(room)));
            ui.note(format!("hint: run `stead config set {} {path}` to use it", room.key()));
        }
    }
}

/// One run of the command.
struct Work<'a> {
    args: &'a MigrateArgs,
    here: &'a Here,
    imports: Vec<Import>,
    /// What would happen to older commands.
    old: Plan,
    rewrites: Pipelines,
    /// Runs of the older engine, which stay as they are.
    older: Vec<OlderRun>,
    /// Files that could not be written, and why.
    failed: Vec<(String, String)>,
    replaced: Applied,
}

impl Work<'_> {
    fn show(&self, ui: &mut Ui) {
        let site = self.here.site();
        for import in &self.imports {
            ui.line(self.words(import));
            for done in &import.done {
                ui.line(format!("           repaired: {done}"));
            }
            for left in &import.left {
                ui.line(format!("           not imported: {left}"));
            }
        }
        for edit in &self.old.edits {
            if self.args.replace_old {
                ui.raw(diff(&site, edit));
            } else {
                let name = site.brief(&edit.path);
                ui.line(format!("kept     {name} (`--replace-old` replaces it by Stead's command)"));
            }
        }
        for note in &self.old.notes {
            match note {
                Note::Current { path, .. } => ui.line(format!("current  {} is Stead's command", site.brief(path))),
                note => ui.warning(note.words(&site)),
            }
        }
        self.rewrites.show(ui);
        for OlderRun { path, status, what, .. } in &self.older {
            let what = what.as_ref().map(|what| format!(" of {what}")).unwrap_or_default();
            ui.line(format!("keeps    {} (a run{what} of the older engine, {status})", path.display()));
        }
        if !self.older.is_empty() {
            ui.note(
                "runs of the older engine stay as they are and cannot be continued; start new ones with `stead run`",
            );
        }
        let is_empty = self.imports.is_empty() && self.old.edits.is_empty() && self.old.notes.is_empty();
        if is_empty && self.rewrites.is_empty() && self.older.is_empty() {
            ui.line("nothing to migrate");
        }
    }

    fn words(&self, import: &Import) -> String {
        let Import { source, kind, outcome, .. } = import;
        let thing = match kind {
            ImportKind::Loop => "loop",
            ImportKind::Handoff => "packet",
            ImportKind::Role => "role",
        };
        match outcome {
            Outcome::New { target, .. } => {
                format!("imports  {source} → {thing} {}", self.here.project.short(target).display())
            }
            Outcome::Repaired { .. } => format!("repairs  {source}"),
            Outcome::Already { target } => format!("already  {source} is {thing} `{target}`"),
            Outcome::Outdated { target } => {
                format!("already  {source} is {thing} `{target}`, and changed since; the change is not imported")
            }
            Outcome::Foreign { why } => format!("skips    {source}: {why}"),
            Outcome::Refused { why } => format!("REFUSED  {source}: {why}"),
        }
    }

    fn has_work(&self) -> bool {
        let replaces = self.args.replace_old && !self.old.edits.is_empty();
        replaces || self.imports.iter().any(is_work) || self.rewrites.has_work()
    }

    fn carry_out(&mut self) -> Result<(), CliError> {
        for import in &self.imports {
            if let Err(error) = apply_import(import) {
                let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
                self.failed.push((import.source.clone(), format!("{error}{cause}")));
            }
        }
        self.rewrites.carry_out();
        if self.args.replace_old && !self.old.edits.is_empty() {
            self.replaced = apply(&self.here.site(), &self.old, &self.here.record(Reach::User)?)?;
        }
        Ok(())
    }

    fn finish(&self, ui: &mut Ui) -> Result<Exit, CliError> {
        if self.args.json {
            ui.json(answer::MIGRATE, &self.as_json());
        } else {
            for (source, why) in &self.failed {
                ui.warning(format!("`{source}` could not be imported: {why}"));
            }
            for (path, why) in &self.replaced.failed {
                ui.warning(format!("`{}` was not changed: {why}", self.here.site().brief(path)));
            }
            self.rewrites.tell_failures(ui);
            if self.args.dry_run {
                ui.note("dry run; nothing was changed");
            } else if self.has_work() {
                ui.line(format!("migrated: {}", self.count()));
            }
        }
        let is_broken = |import: &Import| matches!(import.outcome, Outcome::Refused { .. });
        let is_bad = |note: &Note| matches!(note, Note::Bad { .. });
        let has_failed = self.rewrites.has_failed()
            || !self.failed.is_empty()
            || !self.replaced.failed.is_empty()
            || self.imports.iter().any(is_broken)
            || self.old.notes.iter().any(is_bad);
        Ok(if has_failed { Exit::Failed } else { Exit::Done })
    }

    fn count(&self) -> usize {
        let imported = self.imports.iter().filter(|import| is_work(import)).count() - self.failed.len();
        imported + self.replaced.done.len() + self.rewrites.count()
    }

    fn as_json(&self) -> Value {
        let imports = self.imports.iter().map(|import| {
            let failed = self.failed.iter().find(|(source, _)| *source == import.source).map(|(_, why)| why);
            let (outcome, target, why) = match &import.outcome {
                Outcome::New { target, .. } => ("new", Some(target.display().to_string()), None),
                Outcome::Repaired { target, .. } => ("mended", Some(target.display().to_string()), None),
                Outcome::Already { target } => ("already", Some(target.clone()), None),
                Outcome::Outdated { target } => ("outdated", Some(target.clone()), None),
                Outcome::Foreign { why } => ("foreign", None, Some((*why).to_owned())),
                Outcome::Refused { why } => ("refused", None, Some(why.clone())),
            };
            json!({
                "what": import.kind.name(),
                "source": import.source,
                "fate": outcome,
                "target": target,
                "why": failed.cloned().or(why),
                "applied": is_work(import) && !self.args.dry_run && failed.is_none(),
                "mended": import.done,
                "not_carried": import.left,
            })
        });
        let commands = self
            .old
            .edits
            .iter()
            .map(|edit| json!({"path": edit.path, "applied": self.replaced.done.contains(&edit.path)}));
        json!({
            "dry_run": self.args.dry_run,
            "files": imports.collect::<Vec<_>>(),
            "commands": commands.collect::<Vec<_>>(),
            "older_runs": self.older.iter().map(older_json).collect::<Vec<_>>(),
            "pipelines": self.rewrites.as_json(self.args.dry_run),
        })
    }
}

fn is_work(import: &Import) -> bool {
    matches!(import.outcome, Outcome::New { .. } | Outcome::Repaired { .. })
}
