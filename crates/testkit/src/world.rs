use std::collections::BTreeMap;
use std::fs;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use tempfile::TempDir;

use crate::{Run, machine};

/// Where the machine's own programs lie.
const SYSTEM: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// More than a pipe takes at once.
const LARGE: usize = 64 * 1024;

/// A sealed world: `project/` and `home/` in a folder of its own, and an environment with nothing else in it.
pub struct World {
    folder: TempDir,
    program: PathBuf,
    env: BTreeMap<String, String>,
    check: Option<Check>,
}

/// What is checked after each run of `stead`, given its arguments.
type Check = fn(&World, &[String], &Run);

impl World {
    /// Makes a world in which `stead` is the program at `program`. The project is a git repository.
    pub fn new(program: impl AsRef<Path>) -> Self {
        let folder = TempDir::with_prefix("stead-world-").unwrap();
        let mut world = Self { folder, program: program.as_ref().to_owned(), env: BTreeMap::new(), check: None };
        for dir in [world.project(), world.home(), world.bin()] {
            fs::create_dir_all(dir).unwrap();
        }
        let path = [world.bin()].into_iter().chain(SYSTEM.map(|folder| world.without_stead(Path::new(folder))));
        let path = std::env::join_paths(path).unwrap().into_string().unwrap();
        let home = world.home().display().to_string();
        for (name, value) in [("PATH", path.as_str()), ("HOME", &home), ("LC_ALL", "C.UTF-8"), ("TERM", "dumb")] {
            world.env.insert(name.to_owned(), value.to_owned());
        }
        world.git(&["init", "-q", "-b", "main"]);
        world
    }

    /// A folder of programs; where a `stead` is installed in it, one with links to all the others.
    fn without_stead(&self, folder: &Path) -> PathBuf {
        if folder.join("stead").symlink_metadata().is_err() {
            return folder.to_owned();
        }
        let links = self.folder().join("system").join(folder.file_name().unwrap());
        fs::create_dir_all(&links).unwrap();
        #[cfg(unix)]
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name() != "stead" {
                // Two of the folders have the same name, and often the same programs.
                let _ = std::os::unix::fs::symlink(entry.path(), links.join(entry.file_name()));
            }
        }
        links
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

    /// Has each run of `stead` checked.
    pub fn check_runs(&mut self, check: Check) {
        self.check = Some(check);
    }

    /// The program that is `stead` in this world.
    pub fn program(&self) -> &Path {
        &self.program
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

    /// Runs a shell script in the project with mounts of its own; `$STEAD` is the program. Without such a thing on this
    /// machine the running test is skipped, and there is nothing.
    pub fn sh_with_own_mounts(&self, script: &str, input: &[u8]) -> Option<Run> {
        if !machine::allows_own_mounts() {
            return None;
        }
        let mut command = machine::own_mounts(self.command("unshare", &self.project()));
        command.args(["sh", "-ec", script]).env("STEAD", &self.program);
        Some(command.finish(self, input))
    }

    /// A command in the sealed environment, for tests that need more than the calls above.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>, dir: &Path) -> Command {
        machine::let_children_be_interrupted();
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
        self.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = match input.len() > LARGE {
            // Through a pipe each part would wait for the writer's turn, which on a busy machine outlasts the hook's alarm.
            true => {
                let mut file = tempfile::tempfile().unwrap();
                file.write_all(input).unwrap();
                file.rewind().unwrap();
                self.stdin(file).spawn().unwrap()
            }
            false => self.stdin(Stdio::piped()).spawn().unwrap(),
        };
        if let Some(mut stdin) = child.stdin.take() {
            // A program may answer before it has read everything, so a broken pipe is no fault.
            let _ = stdin.write_all(input);
        }
        let output = child.wait_with_output().unwrap();
        let run = Run {
            stdout: world.normalise(&String::from_utf8_lossy(&output.stdout)),
            stderr: world.normalise(&String::from_utf8_lossy(&output.stderr)),
            code: code(output.status),
        };
        if let Some(check) = world.check.filter(|_| self.get_program() == world.program) {
            let args: Vec<String> = self.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
            check(world, &args, &run);
        }
        run
    }
}

fn code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal;
    }
    status.code().unwrap_or(-1)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn another_stead_on_the_machine_is_not_found() {
        let world = World::new("/bin/true");
        let machine = world.folder().join("machine/bin");
        assert_eq!(world.without_stead(&machine), machine);
        world.write("machine/bin/tool", "");
        assert_eq!(world.without_stead(&machine), machine);
        world.write("machine/bin/stead", "");
        let links = world.without_stead(&machine);
        assert!(links != machine && links.join("tool").exists() && !links.join("stead").exists());
    }

    #[test]
    fn input_of_any_size_arrives_whole() {
        let world = World::new("/bin/true");
        for size in [0, 10, LARGE, LARGE + 1, 3_000_000] {
            let run = world.command("wc", &world.project()).arg("-c").finish(&world, &vec![b'x'; size]);
            assert_eq!(run.ok().trim(), size.to_string());
        }
    }
}
