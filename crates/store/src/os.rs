//! What differs between operating systems when files are opened, locked or replaced. It makes no decisions.

#[cfg(unix)]
pub(crate) use unix::*;

#[cfg(not(unix))]
pub(crate) use other::*;

#[cfg(unix)]
mod unix {
    use std::fs::{File, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
    use std::path::Path;
    use std::process::{Child, Command, ExitStatus};

    use crate::ancestry::Process;

    /// Never blocks on a FIFO and never acquires a controlling terminal.
    const FLAGS: i32 = libc::O_NONBLOCK | libc::O_NOCTTY;

    pub(crate) fn open_to_read(path: &Path) -> io::Result<File> {
        OpenOptions::new().read(true).custom_flags(FLAGS).open(path)
    }

    /// Opens an existing file to write over its content.
    pub(crate) fn open_to_overwrite(path: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).custom_flags(FLAGS).open(path)
    }

    /// Opens a log for appending.
    pub(crate) fn open_to_append(path: &Path) -> io::Result<File> {
        OpenOptions::new().read(true).append(true).custom_flags(FLAGS).open(path)
    }

    /// Creates a log for appending, for its owner alone. A link in its place is not followed.
    pub(crate) fn create_to_append(path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).mode(0o600);
        options.custom_flags(FLAGS | libc::O_NOFOLLOW).open(path)
    }

    /// Where an open file really lies; `None` where the system does not tell.
    #[cfg(target_os = "linux")]
    pub(crate) fn place_of(file: &File) -> Option<std::path::PathBuf> {
        use std::os::fd::AsRawFd;
        std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn place_of(_: &File) -> Option<std::path::PathBuf> {
        None
    }

    /// Gives a program a second name.
    pub(crate) fn link_program(program: &Path, link: &Path) -> io::Result<()> {
        std::os::unix::fs::symlink(program, link)
    }

    /// Ends this process as `kill -9` would.
    pub(crate) fn kill_self() {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }

    /// The path with all links resolved. The kernel does that in one step, where the C library reads each folder's link.
    pub(crate) fn real_path(path: &Path) -> io::Result<std::path::PathBuf> {
        #[cfg(target_os = "linux")]
        if let Some(real) =
            place_of(&OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path)?).filter(|real| real.exists())
        {
            return Ok(real);
        }
        path.canonicalize()
    }

    pub(crate) fn byte_at(file: &File, offset: u64) -> io::Result<u8> {
        let mut byte = [0];
        file.read_exact_at(&mut byte, offset)?;
        Ok(byte[0])
    }

    /// The texts in which a system may name the machine, the usual one first.
    pub(crate) fn machine_ids() -> impl Iterator<Item = String> {
        const FILES: [&str; 3] = ["/etc/machine-id", "/var/lib/dbus/machine-id", "/etc/hostid"];
        FILES.into_iter().filter_map(|file| std::fs::read_to_string(file).ok())
    }

    /// What a path leads to, however it is spelled.
    pub(crate) fn place(data: &Metadata) -> Option<(u64, u64)> {
        Some((data.dev(), data.ino()))
    }

    /// Returns true if the open file was unlinked, so that anything written to it would be lost.
    pub(crate) fn is_unlinked(data: &Metadata) -> bool {
        data.nlink() == 0
    }

    pub(crate) fn is_executable(data: &Metadata) -> bool {
        data.is_file() && data.mode() & 0o111 != 0
    }

    /// The number of the user that this process acts for.
    pub(crate) fn user_id() -> u32 {
        rustix::process::geteuid().as_raw()
    }

    /// Returns true if a file or folder belongs to that user.
    pub(crate) fn is_owned(data: &Metadata) -> bool {
        data.uid() == user_id()
    }

    /// Returns true if it also is closed to everybody else.
    pub(crate) fn is_private(data: &Metadata) -> bool {
        is_owned(data) && data.mode() & 0o077 == 0
    }

    /// Lets whoever may read a folder read a new file in it, if the umask agrees; temporary files are private by default.
    pub(crate) fn open_like_folder(builder: &mut tempfile::Builder<'_, '_>, dir: &Path) {
        let mode = std::fs::metadata(dir).map_or(0, |data| data.mode());
        builder.permissions(Permissions::from_mode(mode & 0o066 | 0o600));
    }

    /// Creates a folder, for its owner alone if it is private or lies in a private one.
    pub(crate) fn create_dir(dir: &Path, is_private: bool) -> io::Result<()> {
        use std::os::unix::fs::DirBuilderExt;
        let parent = dir.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mode = if is_private { 0 } else { std::fs::metadata(parent).map_or(0o077, |data| data.mode()) };
        std::fs::DirBuilder::new().mode(mode & 0o077 | 0o700).create(dir)
    }

    /// Copies the old file's mode to a new one, and its owner where the system allows it.
    pub(crate) fn take_over(file: &File, old: &Metadata) -> io::Result<()> {
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            let _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
        }
        file.set_permissions(Permissions::from_mode(old.mode() & 0o7777))
    }

    /// What changes when a file changes.
    pub(crate) struct Stamp {
        pub(crate) number: u64,
        /// In nanoseconds since 1970, as is the next.
        pub(crate) modified: u128,
        /// When anything about the file last changed; unlike the modification time it cannot be set.
        pub(crate) changed: u128,
    }

    fn nanos(seconds: i64, nanos: u64) -> u128 {
        u128::from(seconds.unsigned_abs()) * 1_000_000_000 + u128::from(nanos)
    }

    pub(crate) fn stamp(data: &Metadata) -> Stamp {
        Stamp {
            number: data.ino(),
            modified: nanos(data.mtime(), data.mtime_nsec().unsigned_abs()),
            changed: nanos(data.ctime(), data.ctime_nsec().unsigned_abs()),
        }
    }

    /// Elsewhere nobody tells: waiting counts.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn processor_waits(_: u32) -> Vec<(u32, std::time::Duration)> {
        Vec::new()
    }

    /// Looks at files of a folder by their names: size and stamp. Links are followed; what is not there is passed over.
    #[cfg(target_os = "linux")]
    pub(crate) fn each_file<'n>(
        dir: &Path,
        names: impl Iterator<Item = &'n str>,
        see: &mut dyn FnMut(&str, u64, &Stamp),
    ) {
        use rustix::fs::{AtFlags, Mode, OFlags, open, statat};
        // The hook does this at every call; std would allocate for each path and resolve it from the root.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(folder) = open(dir, flags, Mode::empty()) else { return };
        for name in names {
            let Ok(data) = statat(&folder, name, AtFlags::empty()) else { continue };
            let stamp = Stamp {
                number: data.st_ino,
                modified: nanos(data.st_mtime, data.st_mtime_nsec),
                changed: nanos(data.st_ctime, data.st_ctime_nsec),
            };
            see(name, data.st_size.unsigned_abs(), &stamp);
        }
    }

    pub(crate) fn sync_folder(dir: &Path) -> io::Result<()> {
        File::open(if dir.as_os_str().is_empty() { Path::new(".") } else { dir })?.sync_all()
    }

    /// Opens a folder, to be locked as a whole.
    pub(crate) fn open_folder(dir: &Path) -> io::Result<Option<File>> {
        File::open(dir).map(Some)
    }

    /// Creates a folder that only its owner may enter.
    pub(crate) fn create_private_dir(dir: &Path) -> io::Result<()> {
        use std::os::unix::fs::DirBuilderExt;
        std::fs::DirBuilder::new().mode(0o700).create(dir)
    }

    /// Lets only its owner enter an existing folder.
    pub(crate) fn make_private(dir: &Path) {
        let _ = std::fs::set_permissions(dir, Permissions::from_mode(0o700));
    }

    pub(crate) fn parent_id() -> Option<u32> {
        Some(std::os::unix::process::parent_id())
    }

    pub(crate) fn shell(command: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command);
        shell
    }

    /// Puts the command in its own process group, so that it can be ended with everything it started.
    pub(crate) fn lead_group(command: &mut Command) {
        std::os::unix::process::CommandExt::process_group(command, 0);
    }

    /// Kills what is left of the group that a child leads. The number of a child that was waited for is not reused
    /// while its group has members, so this cannot hit another process; an empty group is not an error.
    pub(crate) fn kill_group(child: &Child) {
        let leader = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(leader) = leader {
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }

    /// How long a process and those it started have waited for a processor, each.
    #[cfg(target_os = "linux")]
    pub(crate) fn processor_waits(id: u32) -> Vec<(u32, std::time::Duration)> {
        const MOST: usize = 64;
        let read = |id: u32, name: &str| std::fs::read_to_string(format!("/proc/{id}/{name}")).unwrap_or_default();
        let (mut waits, mut ids) = (Vec::new(), vec![id]);
        while let Some(id) = ids.pop() {
            let nanos = read(id, "schedstat").split_whitespace().nth(1).and_then(|field| field.parse().ok());
            let Some(nanos) = nanos.filter(|_| waits.len() < MOST) else { continue };
            waits.push((id, std::time::Duration::from_nanos(nanos)));
            let children = read(id, &format!("task/{id}/children"));
            ids.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
        waits
    }

    /// What the system tells about a process, and which one started it.
    pub(crate) fn process(id: u32) -> (Process, Option<u32>) {
        let listed = |name: &str| std::fs::read(format!("/proc/{id}/{name}")).unwrap_or_default();
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{id}/stat")) else { return by_ps(id) };
        // The name in parentheses may contain anything.
        let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
        let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
        let small = |at: usize| number(at).and_then(|number| u32::try_from(number).ok());
        let lines = |name: &str| -> Vec<String> {
            let bytes = listed(name);
            let texts = bytes.split(|byte| *byte == 0).filter(|text| !text.is_empty());
            texts.map(|text| String::from_utf8_lossy(text).into_owned()).collect()
        };
        let name = |line: &String| {
            line.split_once('=').filter(|(_, value)| !value.is_empty()).map(|(name, _)| name.to_owned())
        };
        let variables = lines("environ").iter().filter_map(name).collect();
        let terminal = number(4).filter(|terminal| *terminal > 0);
        (Process { id, words: lines("cmdline"), variables, session: small(3), terminal }, small(1))
    }

    /// The same through `ps`, for systems without `/proc`.
    pub(crate) fn by_ps(id: u32) -> (Process, Option<u32>) {
        let own = (id == std::process::id()).then(std::os::unix::process::parent_id);
        let asked = Command::new("/bin/ps").args(["-o", "ppid=", "-o", "command=", "-p", &id.to_string()]).output();
        let said = asked.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        let mut words = said.split_whitespace();
        let parent = words.next().and_then(|parent| parent.parse().ok()).or(own);
        (Process { id, words: words.map(str::to_owned).collect(), ..Process::default() }, parent)
    }

    /// How many columns a terminal reports; some report none.
    pub(crate) fn columns(terminal: impl std::os::fd::AsFd) -> Option<u16> {
        rustix::termios::tcgetwinsize(terminal).ok().map(|size| size.ws_col).filter(|columns| *columns > 0)
    }

    /// How many rows a terminal reports; some report none.
    pub(crate) fn rows(terminal: impl std::os::fd::AsFd) -> Option<u16> {
        rustix::termios::tcgetwinsize(terminal).ok().map(|size| size.ws_row).filter(|rows| *rows > 0)
    }

    pub(crate) fn signal(status: ExitStatus) -> Option<i32> {
        std::os::unix::process::ExitStatusExt::signal(&status)
    }
}

#[cfg(not(unix))]
mod other {
    use std::fs::{File, Metadata, OpenOptions};
    use std::io::{self, Read, Seek, SeekFrom};
    use std::path::Path;
    use std::process::{Child, Command, ExitStatus};

    use crate::ancestry::Process;

    /// Shells of such systems do not read the lines that need it.
    pub(crate) fn link_program(_: &Path, _: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn real_path(path: &Path) -> io::Result<std::path::PathBuf> {
        path.canonicalize()
    }

    /// Ends this process at once.
    pub(crate) fn kill_self() {
        std::process::abort();
    }

    pub(crate) fn open_to_read(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    pub(crate) fn open_to_overwrite(path: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).open(path)
    }

    pub(crate) fn open_to_append(path: &Path) -> io::Result<File> {
        OpenOptions::new().read(true).append(true).open(path)
    }

    pub(crate) fn create_to_append(path: &Path) -> io::Result<File> {
        OpenOptions::new().read(true).append(true).create(true).open(path)
    }

    pub(crate) fn place_of(_: &File) -> Option<std::path::PathBuf> {
        None
    }

    pub(crate) fn byte_at(mut file: &File, offset: u64) -> io::Result<u8> {
        let mut byte = [0];
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    pub(crate) fn machine_ids() -> impl Iterator<Item = String> {
        std::iter::empty()
    }

    /// Real paths have the real spelling on this system.
    pub(crate) fn place(_: &Metadata) -> Option<(u64, u64)> {
        None
    }

    pub(crate) fn is_unlinked(_: &Metadata) -> bool {
        false
    }

    pub(crate) fn is_executable(data: &Metadata) -> bool {
        data.is_file()
    }

    /// Users have no numbers on this system, and files no owner that std tells.
    pub(crate) fn user_id() -> u32 {
        0
    }

    pub(crate) fn is_owned(_: &Metadata) -> bool {
        true
    }

    pub(crate) fn is_private(_: &Metadata) -> bool {
        true
    }

    pub(crate) fn open_like_folder(_: &mut tempfile::Builder<'_, '_>, _: &Path) {}

    pub(crate) fn create_dir(dir: &Path, _: bool) -> io::Result<()> {
        std::fs::create_dir(dir)
    }

    pub(crate) fn take_over(file: &File, old: &Metadata) -> io::Result<()> {
        file.set_permissions(old.permissions())
    }

    /// What changes when a file changes.
    pub(crate) struct Stamp {
        pub(crate) number: u64,
        /// In nanoseconds since 1970, as is the next.
        pub(crate) modified: u128,
        pub(crate) changed: u128,
    }

    pub(crate) fn stamp(data: &Metadata) -> Stamp {
        let modified = data.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let modified = modified.map_or(0, |since| since.as_nanos());
        Stamp { number: 0, modified, changed: modified }
    }

    pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
        Ok(())
    }

    /// Folders cannot be locked on this system; nothing waits.
    pub(crate) fn open_folder(_: &Path) -> io::Result<Option<File>> {
        Ok(None)
    }

    pub(crate) fn create_private_dir(dir: &Path) -> io::Result<()> {
        std::fs::create_dir(dir)
    }

    pub(crate) fn make_private(_: &Path) {}

    pub(crate) fn parent_id() -> Option<u32> {
        None
    }

    pub(crate) fn shell(command: &str) -> Command {
        let mut shell = Command::new("cmd");
        shell.arg("/C").arg(command);
        shell
    }

    /// There are no process groups on this system; only the command itself is killed.
    pub(crate) fn lead_group(_: &mut Command) {}

    pub(crate) fn kill_group(_: &Child) {}

    pub(crate) fn process(id: u32) -> (Process, Option<u32>) {
        (Process { id, ..Process::default() }, None)
    }

    pub(crate) fn signal(_: ExitStatus) -> Option<i32> {
        None
    }
}

/// Reads size and times of files in a folder by name. Links are followed; missing files are skipped.
#[cfg(not(target_os = "linux"))]
pub(crate) fn each_file<'n>(
    dir: &std::path::Path,
    names: impl Iterator<Item = &'n str>,
    see: &mut dyn FnMut(&str, u64, &Stamp),
) {
    for name in names {
        let Ok(data) = std::fs::metadata(dir.join(name)) else { continue };
        see(name, data.len(), &stamp(&data));
    }
}
