use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use stead_store::{CONFIG, CONFIG_LOCAL, Found, Layer, Layout, Marker, Room, StoreError, UserDirs, Worktree};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::{Project, env};
use crate::ui::Ui;

/// Show which project this folder belongs to, and where its folders and settings are
#[derive(Args)]
#[command(after_help = "Examples:\n  stead where\n  stead -C ../other where --json")]
pub(crate) struct WhereArgs {
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: WhereArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let facts = Facts {
        marker: Marker::read(project.root()),
        worktree: worktree(&ui.dir()?),
        layout: Layout::of(&project.config),
        files: config_files(project.root()),
        project,
    };
    if args.json {
        ui.json(answer::WHERE, &facts.as_json());
    } else {
        facts.tell(ui);
    }
    facts.project.warn(ui);
    Ok(Exit::Done)
}

struct Facts {
    project: Project,
    marker: Result<Marker, StoreError>,
    worktree: Option<Worktree>,
    layout: Layout,
    files: Vec<(Layer, PathBuf)>,
}

impl Facts {
    fn tell(&self, ui: &mut Ui) {
        ui.line(format!("root      {}", self.project.root().display()));
        ui.line(format!("found by  {}", self.found_by()));
        match &self.marker {
            Ok(marker) => ui.line(format!("marker    {} since {}", marker.project_id, marker.created_at)),
            Err(error) => {
                ui.line(format!("marker    {}", state(&self.marker)));
                ui.note(format!("note: {error}"));
                if let Some(hint) = error.hint() {
                    ui.note(format!("hint: {hint}"));
                }
            }
        }
        if let Some(worktree) = &self.worktree {
            let main = worktree.main.as_ref().map(|main| format!(" of {}", main.display())).unwrap_or_default();
            ui.line(format!("worktree  {}{main}", worktree.dir.display()));
        }
        let mut heading = "config";
        for (layer, path) in &self.files {
            let absent = if path.exists() { "" } else { " (absent)" };
            let shown = self.project.short(path);
            ui.line(format!("{heading:<9} {:<9} {}{absent}", layer.name(), shown.display()));
            heading = "";
        }
        heading = "layout";
        for room in Room::ALL {
            ui.line(format!("{heading:<9} {:<9} {}", room.name(), self.layout.relative(room)));
            heading = "";
        }
    }

    fn as_json(&self) -> Value {
        let marker = self.marker.as_ref().ok();
        json!({
            "root": self.project.root().to_string_lossy(),
            "found_by": self.found_by(),
            "marker": {
                "state": state(&self.marker),
                "version": marker.map(|marker| marker.schema),
                "project_id": marker.map(|marker| &marker.project_id),
                "created_at": marker.map(|marker| &marker.created_at),
                "problem": self.marker.as_ref().err().map(ToString::to_string),
            },
            "worktree": self.worktree.as_ref().map(|worktree| json!({
                "path": worktree.dir.to_string_lossy(),
                "main": worktree.main.as_ref().map(|main| main.to_string_lossy()),
            })),
            "config": self.files.iter().map(|(layer, path)| json!({
                "layer": layer.name(),
                "path": path.to_string_lossy(),
                "exists": path.exists(),
            })).collect::<Vec<_>>(),
            "layout": Room::ALL.iter().map(|room| (room.name().to_owned(), self.layout.relative(*room).into()))
                .collect::<serde_json::Map<_, _>>(),
        })
    }

    fn found_by(&self) -> &'static str {
        match self.project.found {
            Found::Marked { .. } => "marker",
            Found::Git { .. } => "git",
            Found::Bare { .. } => "nothing",
        }
    }
}

fn state(marker: &Result<Marker, StoreError>) -> &'static str {
    match marker {
        Ok(_) => "good",
        Err(StoreError::MarkerMissing { .. }) => "missing",
        Err(StoreError::MarkerNewer { .. }) => "newer",
        Err(StoreError::MarkerCorrupt { .. }) => "damaged",
        Err(_) => "unreadable",
    }
}

/// The linked worktree around a folder, if the nearest checkout is one.
fn worktree(dir: &Path) -> Option<Worktree> {
    Worktree::at(dir.ancestors().find(|dir| dir.join(".git").exists())?)
}

fn config_files(root: &Path) -> Vec<(Layer, PathBuf)> {
    let user = UserDirs::from_env(&env).map(|dirs| (Layer::User, dirs.config.join("config.toml")));
    let own = [(Layer::Project, root.join(CONFIG)), (Layer::Local, root.join(CONFIG_LOCAL))];
    user.into_iter().chain(own).collect()
}
