//! The copy of a stage's output that each iteration keeps.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use stead_store::{Durability, Exact, FileContent, redact, replace_creating};

use super::EngineError;

/// The maximum number of bytes kept of an output per iteration.
pub(crate) const LIMIT: u64 = 64 * 1024 * 1024;

/// Keeps the output as the iteration left it or, if the agent wrote none, the agent's answer. `Some` says what is
/// incomplete. An output that is a link out of all `homes` is not kept: it would be somebody else's.
pub(crate) fn keep(
    output: &Path,
    homes: &[&Path],
    said: Option<&str>,
    target: &Path,
) -> Result<Option<String>, EngineError> {
    let (bytes, problem) = match read(output, homes) {
        Ok(Some((bytes, length))) if length > LIMIT => {
            (bytes, Some(format!("only the first {LIMIT} of {length} bytes of the output were kept")))
        }
        Ok(Some((bytes, _))) => (bytes, None),
        Ok(None) => (said.unwrap_or_default().as_bytes().to_vec(), None),
        Err(error) => {
            let problem = format!("the output `{}` could not be copied: {error}", output.display());
            (said.unwrap_or_default().as_bytes().to_vec(), Some(problem))
        }
    };
    replace_creating(target, kept(&bytes), Durability::Quick)?;
    // Its content must be on disk before the state that relies on it; its name is synced with the state.
    let sync = File::open(target).and_then(|file| file.sync_data());
    sync.map_err(|source| EngineError::io("sync", target, source))?;
    Ok(problem)
}

fn read(output: &Path, homes: &[&Path]) -> io::Result<Option<(Vec<u8>, u64)>> {
    // Opening a FIFO would block, so it is checked first.
    let data = match fs::metadata(output) {
        Ok(data) if data.is_file() => data,
        Ok(_) => return Err(io::Error::other("it is not a regular file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let real = output.canonicalize()?;
    let is_inside = |home: &&Path| home.canonicalize().is_ok_and(|home| real.starts_with(home));
    if !homes.iter().any(is_inside) {
        return Err(io::Error::other(format!("it is a link out of the project, to `{}`", real.display())));
    }
    let mut bytes = Vec::new();
    File::open(real)?.take(LIMIT).read_to_end(&mut bytes)?;
    Ok(Some((bytes, data.len())))
}

/// A copy of the output, without secrets if it is text.
fn kept(bytes: &[u8]) -> FileContent<'_> {
    std::str::from_utf8(bytes).map_or_else(|_| Exact::Copied.bytes(bytes), |text| redact(text).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_wins_over_what_was_said() {
        let folder = tempfile::tempdir().unwrap();
        let (output, target) = (folder.path().join("output.md"), folder.path().join("iterations/001/output.md"));
        let kept = || fs::read_to_string(&target).unwrap();
        let keep = |output: &Path, said, target: &Path| keep(output, &[folder.path()], said, target);
        assert_eq!((keep(&output, Some("said"), &target).unwrap(), kept()), (None, "said".to_owned()));
        fs::write(&output, "written").unwrap();
        assert_eq!((keep(&output, Some("said"), &target).unwrap(), kept()), (None, "written".to_owned()));
        fs::remove_file(&output).unwrap();
        assert_eq!((keep(&output, None, &target).unwrap(), kept()), (None, String::new()));
        fs::create_dir(&output).unwrap();
        let problem = keep(&output, Some("said"), &target).unwrap().unwrap();
        assert!(problem.contains("not a regular file") && kept() == "said", "{problem}");
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_followed_within_the_project_only() {
        let folder = tempfile::tempdir().unwrap();
        let (home, run) = (folder.path().join("project"), folder.path().join("run"));
        for (dir, text) in [(&home, "ours"), (&run, "the run's"), (&folder.path().join("far"), "theirs")] {
            fs::create_dir(dir).unwrap();
            fs::write(dir.join("file.md"), text).unwrap();
        }
        let (output, target) = (run.join("output.md"), run.join("001/output.md"));
        for (to, expected) in [("project", "ours"), ("run", "the run's"), ("far", "said")] {
            let _ = fs::remove_file(&output);
            std::os::unix::fs::symlink(folder.path().join(to).join("file.md"), &output).unwrap();
            let problem = keep(&output, &[&home, &run], Some("said"), &target).unwrap();
            assert_eq!(fs::read_to_string(&target).unwrap(), expected);
            assert_eq!(problem.is_some_and(|problem| problem.contains("out of the project")), to == "far");
        }
    }
}
