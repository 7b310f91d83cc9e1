use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use tempfile::TempDir;

use crate::Run;

/// A sealed world: `project/` and `home/` in a folder of its own, and an environment with nothing else in it.
pub struct World {
    folder: TempDir,
    program: PathBuf,
    env: BTreeMap<String, String>,
}

impl World {
    /// Makes a world in which `stead` is the program at `program`. The project is a git repository.
    pub fn new(program: impl AsRef<Path>) -> Self {
        let folder = TempDir::with_prefix("stead-world-").unwrap();
        let mut world = Self { folder, program: program.as_ref().to_owned(), env: BTreeMap::new() };
        for dir in [world.project(), world.home(), world.bin()] {
            fs::create_dir_all(dir).unwrap();
        }
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", world.bin().display());
        let home = world.home().display().to_string();
        for (name, value) in [("PATH", path.as_str()), ("HOME", &home), ("LC_ALL", "C.UTF-8"), ("TERM", "dumb")] {
            world.env.insert(name.to_owned(), value.to_owned());
        }
        world.git(&["init", "-q", "-b", "main"]);
        world
    }

    /// Puts `stead` on the world's PATH, as an installed program would be.
    #[must_use]
    pub fn with_stead_on_path(self) -> Self {
        let link = self.bin().join("stead");
        if fs::hard_link(&self.program, &link).is_err() {
            fs::copy(&self.program, &link).unwrap();
        }
        self
    }

    /// Sets a variable for everything that runs in the world.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.env.insert(name.to_owned(), value.into());
    }

    pub fn unset(&mut self, name: &str) {
        self.env.remove(name);
    }

    pub fn project(&self) -> PathBuf {
        self.folder().join("project")
    }

    pub fn home(&self) -> PathBuf {
        self.folder().join("home")
    }

    fn bin(&self) -> PathBuf {
        self.folder().join("bin")
    }

    /// The folder of the whole world, without symlinks, so that programs print the same path.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// Writes a file below the world's folder, making its parents.
    pub fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Reads a file below the world's folder.
    #[track_caller]
    pub fn read(&self, path: impl AsRef<Path>) -> String {
        let path = self.folder().join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.folder().join(path).symlink_metadata().is_ok()
    }

    pub fn git(&self, args: &[&str]) -> Run {
        let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"];
        self.command("git", &self.project()).args(identity).args(args).finish(self, b"")
    }

    /// Runs `stead` in the project.
    pub fn stead(&self, args: &[&str]) -> Run {
        self.stead_in(self.project(), args)
    }

    /// Runs `stead` somewhere else.
    pub fn stead_in(&self, dir: impl AsRef<Path>, args: &[&str]) -> Run {
        self.command(&self.program, dir.as_ref()).args(args).finish(self, b"")
    }

    /// Calls the hook as a client would: `line` is what stands behind `stead hook`.
    pub fn hook(&self, line: &str, payload: impl AsRef<[u8]>) -> Run {
        self.command(&self.program, &self.project())
            .arg("hook")
            .args(line.split_whitespace())
            .finish(self, payload.as_ref())
    }

    /// Runs a shell command in the project.
    pub fn sh(&self, script: &str) -> Run {
        self.command("sh", &self.project()).args(["-c", script]).finish(self, b"")
    }

    /// A command in the sealed environment, for tests that need more than the calls above.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>, dir: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(&self.env).current_dir(dir);
        command
    }

    /// Names the world's own folders in a text.
    pub fn normalise(&self, text: &str) -> String {
        let folder = self.folder();
        text.replace(&folder.join("project").display().to_string(), "$PROJECT")
            .replace(&folder.join("home").display().to_string(), "$HOME")
            .replace(&self.program.display().to_string(), "$STEAD")
            .replace(&folder.display().to_string(), "$WORLD")
    }
}

/// Running a prepared command to its end.
pub trait Finish {
    /// Feeds standard input, waits, and names the world's folders in what came out.
    fn finish(&mut self, world: &World, input: &[u8]) -> Run;
}

impl Finish for Command {
    fn finish(&mut self, world: &World, input: &[u8]) -> Run {
        let mut child = self.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        // A program may answer before it has read everything, so a broken pipe is no fault.
        let writer = std::thread::spawn(move || {
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Run {
            stdout: world.normalise(&String::from_utf8_lossy(&output.stdout)),
            stderr: world.normalise(&String::from_utf8_lossy(&output.stderr)),
            code: code(output.status),
        }
    }
}

fn code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal;
    }
    status.code().unwrap_or(-1)
}
