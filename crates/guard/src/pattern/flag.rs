//! What is known about the flags of programs.

/// Options of programs with sub-commands that take a value as the next word, in front of the sub-command.
const VALUED: &[(&str, &[&str])] = &[
    ("git", &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env"]),
    ("gh", &["-R", "--repo", "--hostname"]),
    ("glab", &["-R", "--repo", "-g", "--group"]),
    ("cargo", &["-C", "--config", "-Z", "--color", "--manifest-path"]),
    ("docker", &["-H", "--host", "-c", "--context", "--config", "-l", "--log-level"]),
    ("kubectl", &["-n", "--namespace", "--context", "--kubeconfig", "--cluster", "--user", "-s", "--server"]),
    ("helm", &["-n", "--namespace", "--kube-context", "--kubeconfig"]),
    ("terraform", &["-chdir"]),
    ("pnpm", &["-C", "--dir", "--filter", "-F"]),
    ("yarn", &["--cwd"]),
    ("make", &["-C", "-f", "-j", "-I", "-o", "-W"]),
    ("aws", &["--profile", "--region", "--output", "--endpoint-url"]),
    ("gcloud", &["--project", "--account", "--configuration"]),
    ("systemctl", &["-H", "-M", "--machine", "--host"]),
];

/// Any other option of npm in front of the sub-command takes a value: its options are its settings.
const NPM_SWITCHES: &[&str] = &[
    "--silent",
    "-s",
    "--global",
    "-g",
    "--force",
    "-f",
    "--dry-run",
    "--json",
    "--yes",
    "-y",
    "--verbose",
    "-d",
    "-dd",
    "-ddd",
    "--quiet",
    "-q",
    "--workspaces",
    "-ws",
    "--include-workspace-root",
    "--ignore-scripts",
    "--production",
    "--offline",
    "--prefer-offline",
    "--prefer-online",
    "--legacy-peer-deps",
    "--if-present",
    "--long",
    "-l",
    "--parseable",
    "-p",
    "--provenance",
    "--foreground-scripts",
    "--strict-peer-deps",
    "--version",
    "-v",
    "--help",
    "-h",
];

/// Flags that are one and the same: program, its sub-command if only there, and the spellings.
const KIN: &[(&str, &str, &[&str])] = &[
    ("rm", "", &["-r", "-R", "--recursive"]),
    ("rm", "", &["-f", "--force"]),
    ("cp", "", &["-r", "-R", "--recursive"]),
    ("cp", "", &["-f", "--force"]),
    ("mv", "", &["-f", "--force"]),
    ("ln", "", &["-s", "--symbolic"]),
    ("ln", "", &["-f", "--force"]),
    ("chmod", "", &["-R", "--recursive"]),
    ("chown", "", &["-R", "--recursive"]),
    ("grep", "", &["-r", "-R", "--recursive", "--dereference-recursive"]),
    ("git", "push", &["-f", "--force"]),
    ("git", "push", &["-n", "--dry-run"]),
    ("git", "push", &["-d", "--delete"]),
    ("git", "push", &["-u", "--set-upstream"]),
    ("git", "commit", &["-a", "--all"]),
    ("git", "commit", &["-n", "--no-verify"]),
    ("git", "commit", &["-m", "--message"]),
    ("git", "clean", &["-f", "--force"]),
    ("git", "clean", &["-n", "--dry-run"]),
    ("git", "checkout", &["-f", "--force"]),
    ("git", "switch", &["-f", "--force", "--discard-changes"]),
    ("git", "branch", &["-d", "--delete"]),
    ("git", "branch", &["-f", "--force"]),
    ("git", "tag", &["-d", "--delete"]),
    ("git", "tag", &["-f", "--force"]),
    ("git", "rm", &["-f", "--force"]),
    ("git", "add", &["-A", "--all"]),
    ("git", "add", &["-f", "--force"]),
    ("git", "stash", &["-u", "--include-untracked"]),
    ("curl", "", &["-X", "--request"]),
    ("curl", "", &["-k", "--insecure"]),
    ("curl", "", &["-d", "--data"]),
    ("curl", "", &["-o", "--output"]),
    ("gh", "api", &["-X", "--method"]),
    ("npm", "", &["-g", "--global"]),
    ("npm", "", &["-f", "--force"]),
    ("npm", "", &["-y", "--yes"]),
    ("docker", "", &["-f", "--force"]),
    ("kubectl", "", &["-n", "--namespace"]),
    ("apt", "", &["-y", "--yes", "--assume-yes"]),
    ("apt-get", "", &["-y", "--yes", "--assume-yes"]),
];

/// Says whether an option in front of the sub-command takes the next word.
pub(super) fn takes_value(program: &str, option: &str) -> bool {
    if program.eq_ignore_ascii_case("npm") {
        return !option.contains('=') && !option.starts_with("--no-") && !NPM_SWITCHES.contains(&option);
    }
    VALUED.iter().any(|(known, options)| known.eq_ignore_ascii_case(program) && options.contains(&option))
}

/// The flags of a program, or of one of its sub-commands, that have several spellings.
pub(super) fn kin(program: &str, sub: &str) -> Vec<&'static [&'static str]> {
    let is_own = |row: &&(&str, &str, _)| row.0.eq_ignore_ascii_case(program) && (row.1.is_empty() || row.1 == sub);
    KIN.iter().filter(is_own).map(|row| row.2).collect()
}
