//! Which programs of guards a person has enabled on this machine. A guard file and its hash come with the repository;
//! cloning it is no agreement to run anything. Consent is one small file in the person's state folder, named after
//! project, guard, program and hash, so a changed program needs it again.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use stead_guard::{Exec, Origin};
use stead_store::{Durability, Redacted, StoreError, UserDirs, replace_creating};

use crate::location::Env;

/// The folder of all consents, below the state folder.
const PROGRAMS: &str = "programs";

/// A person's consent to run the program of one guard in one project.
pub struct ProgramConsent {
    file: PathBuf,
}

impl ProgramConsent {
    /// `None` without a state folder outside the project: one inside could have come with it.
    pub fn of(env: &Env, root: &Path, guard: &str, exec: &Exec) -> Option<Self> {
        let state = UserDirs::from_env(env)?.state;
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let root = real(root);
        if state.starts_with(&root) || real(&state).starts_with(&root) {
            return None;
        }
        let name = exec.consent_name(&root.to_string_lossy(), guard);
        Some(Self { file: state.join(PROGRAMS).join(name) })
    }

    /// Returns true if a guard's program may run. A person's own guards need no consent.
    pub fn holds(env: &Env, root: &Path, guard: &str, origin: Origin, exec: &Exec) -> bool {
        origin == Origin::User || Self::of(env, root, guard, exec).is_some_and(|consent| consent.file.is_file())
    }

    /// The files of all consents for a project.
    pub(crate) fn all_of(state: &Path, root: &Path) -> Vec<PathBuf> {
        let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let is_its = |path: &PathBuf| {
            let said = stead_store::read_text(path).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
            let named = said.and_then(|said| Some(PathBuf::from(said.get("root")?.as_str()?)));
            named.is_some_and(|named| named == root || named == real)
        };
        let all = std::fs::read_dir(state.join(PROGRAMS)).into_iter().flatten().flatten().map(|entry| entry.path());
        all.filter(is_its).collect()
    }

    /// The message about a guard without consent.
    pub fn missing(guard: &str, exec: &Exec) -> String {
        let id = guard.split('.').next().unwrap_or(guard);
        format!("`{}` is not enabled on this machine; a person must run `stead guard enable {id}`", exec.path)
    }

    /// Stores the consent. The content of the file is for people; its name decides.
    pub fn keep(&self, root: &Path, guard: &str, exec: &Exec, now: &str) -> Result<(), StoreError> {
        let text = json!({
            "v": 1, "root": root.to_string_lossy(), "guard": guard, "path": exec.path, "sha256": exec.sha256, "at": now,
        });
        replace_creating(&self.file, Redacted::line(&text), Durability::Synced)
    }
}
