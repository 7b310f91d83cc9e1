//! The project folder: where its root is ([`find_root`]), where the rooms are ([`Layout`]), the settings and where they
//! were set ([`Config`]), and how files are changed so that a reader never sees half of one ([`replace`],
//! [`append_line`]).
//!
//! Every room stores its files through this one, so that crashes, full disks and concurrent writers are handled in one
//! place. It has no domain rules, makes no judgements and prints nothing.

mod adopt;
mod amend;
mod ancestry;
mod append;
mod cache;
mod canonical;
mod chain;
mod check;
mod command_line;
mod config;

mod deadline;
mod durability;
mod error;
mod fault;
mod fence;
mod file;
mod file_content;
mod folder;
mod identity;
mod init;
mod layout;
mod line;
mod lines;
mod marker;
mod named_verifier;
mod os;
mod own_folder;
mod path_bytes;
mod person;
mod program;
mod project_end;
mod project_state;
mod real_path;
mod redact;
mod revision;
mod rewrite_log;
mod room;
mod root;
mod schema;
pub mod seal;
mod sha256;
mod sharing;
mod source;
mod stamp;
mod stdin;
mod tail;
mod terminal;
mod trust;
mod user_dirs;
mod worktree;

pub use adopt::{Adopted, adopt};
pub use amend::{amend, take_turn};
pub use ancestry::{Process, ancestry, parent_id};
pub use append::append_line;
pub use cache::{cache_time, is_untouched, open_cache, read_until};
pub use canonical::canonical;
pub use chain::{Appended, Chain, Cut, Flaw, FlawKind, Head, Lost, Verified, Vouched, VouchedLine};
pub use check::{CheckEnd, Checked, LONGEST, ask_git, end_checks, run_check, run_program};
pub use command_line::words_of;
pub use config::{
    Because, Config, Edited, Entry, Layer, NotTaken, Origin, Problem, set_value, trust_file, unset_value,
};
pub use deadline::{OnAlarm, extend_alarm, ignore_broken_pipes, set_on_alarm, start_alarm};
pub use durability::Durability;
pub use error::StoreError;
pub use fence::{confine, keep_private};
pub use file::{
    Creation, create, create_folder, create_parents, open_file, read_capped, read_file, read_text, remove, replace,
    replace_creating, reserve_private,
};
pub use file_content::{Exact, FileContent};
pub use folder::FolderLook;
pub use identity::Identity;
pub use init::{Did, Done, NO_LOOP, complete, init};
pub use layout::Layout;
pub use line::{LINE_LIMIT, Line};
pub use lines::Lines;
pub use marker::Marker;
pub use named_verifier::named_verifier;

pub use own_folder::OwnFolder;
pub use path_bytes::path_from_bytes;
pub use person::Person;
pub use program::{find_program, is_executable, renew_link};
pub use project_end::{ProjectEnd, delete, place_of};
pub use project_state::ProjectState;
pub use real_path::real_path;
pub use redact::{
    Body, COVER, KEYS, Key, RedactStream, Redacted, Start, holds_secret, redact, redact_head, redact_known,
    redact_tail, secrets_in,
};
pub use revision::checked_out_revision;
pub use rewrite_log::{Beginning, Rewritten, cut_log, rewrite_log};
pub use room::Room;
pub use root::{CONFIG, CONFIG_LOCAL, Found, MARKER, OWN, find_root};
pub use schema::{SCHEMAS, schema};
pub use sha256::sha256;
pub use sharing::{Sharing, keep_ignored};
pub use source::Source;
pub use stamp::{file_stamp, file_sum};
pub use stdin::{Got, read_stdin};
pub use tail::Tail;
pub use terminal::{terminal_columns, terminal_rows};
pub use trust::{ItemKind, SetUpBy, Standing, Trust, TrustItem};
pub use user_dirs::{UserDirs, holds_home};
pub use worktree::Worktree;
