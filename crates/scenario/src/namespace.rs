//! A network namespace with only loopback, so that a client reaches the scripted model and nothing else.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

/// Set for the second start of this program.
const MARK: &str = "STEAD_SCENARIO_INSIDE";

/// The result of [`enter`].
pub enum Inside {
    /// This process is in the namespace.
    Yes,
    /// A second start of this program did the work and ended with this code.
    Done(ExitCode),
    /// Namespaces are not available on this machine, and why.
    Impossible(String),
}

/// Starts this program again inside a network namespace, with the same arguments.
pub fn enter() -> Result<Inside> {
    if std::env::var_os(MARK).is_some() {
        raise_loopback().context("cannot raise loopback")?;
        ensure_alone()?;
        return Ok(Inside::Yes);
    }
    let mut refusals = Vec::new();
    for flags in [&["--user", "--map-root-user", "--net"][..], &["--net"][..]] {
        match probe(flags) {
            Ok(()) => return again(flags).map(Inside::Done),
            Err(why) => refusals.push(format!("`unshare {}`: {why}", flags.join(" "))),
        }
    }
    Ok(Inside::Impossible(refusals.join("; ")))
}

/// Why a client cannot have a sandbox of its own here; `None` if it can.
pub(crate) fn obstacle() -> Option<&'static str> {
    let can = probe(&["--user", "--map-root-user", "--mount"]).is_ok();
    (!can).then_some("the client's own sandbox needs user namespaces")
}

fn probe(flags: &[&str]) -> Result<(), String> {
    let output = Command::new("unshare").args(flags).arg("true").output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[expect(clippy::disallowed_methods, reason = "a tool is started by Rust's own runtime")]
fn again(flags: &[&str]) -> Result<ExitCode> {
    let own = std::env::current_exe()?;
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let mut command = Command::new("unshare");
    command.args(flags).arg("--").arg(own).args(args).env(MARK, "1");
    let status = command.status().context("cannot start `unshare`")?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Sets the interface's "up" flag, as `ip link set lo up` would.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "neither std nor rustix can change an interface")]
fn raise_loopback() -> io::Result<()> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0")?;
    let descriptor = std::os::fd::AsRawFd::as_raw_fd(&socket);
    // SAFETY: all-zero bytes are a valid request, the name fits and stays terminated, and the kernel writes no more
    // than the request that both calls point to.
    unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        if libc::ioctl(descriptor, libc::SIOCGIFFLAGS as _, &raw mut request) < 0 {
            return Err(io::Error::last_os_error());
        }
        request.ifr_ifru.ifru_flags |= libc::IFF_UP as libc::c_short;
        if libc::ioctl(descriptor, libc::SIOCSIFFLAGS as _, &raw mut request) < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Only Linux has network namespaces; elsewhere [`enter`] does not call this.
#[cfg(not(target_os = "linux"))]
fn raise_loopback() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Checks that there is no route; loopback needs none.
fn ensure_alone() -> Result<()> {
    let routes = fs::read_to_string("/proc/net/route").context("cannot read the routes")?;
    let ways: Vec<_> = routes.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    ensure!(ways.is_empty(), "this network has routes: {ways:?}");
    Ok(())
}
