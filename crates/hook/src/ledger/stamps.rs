use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use stead_model::{Action, EventKind};
use stead_store::file_stamp;

use super::target;
use crate::glance::Glance;
use crate::request::Request;

/// What stands for a file that is not there.
pub(super) const ABSENT: &str = "-";

/// What a session line says about the files that a call is about to change.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    /// Their stamps, by path.
    pub(crate) stats: BTreeMap<String, String>,
    /// The paths that they are renamed from, by path.
    pub(crate) moves: BTreeMap<String, String>,
    /// Where they are, by path, if not in this checkout.
    pub(crate) places: BTreeMap<String, String>,
    /// Other files may change too.
    pub(crate) is_open: bool,
}

impl Expected {
    /// A call that only reads expects nothing, and pays nothing.
    pub(crate) fn of(request: &Request<'_>) -> Self {
        let event = request.event;
        let Some(call) = event.call.as_ref().filter(|_| event.kind == EventKind::BeforeTool) else {
            return Self::default();
        };
        let glance = match &call.action {
            Action::Change(_) => Glance::Unknown,
            Action::Run { command, .. } => request.glance(command),
            Action::Mcp { .. } | Action::Other if request.known_effects().is_some() => Glance::Unknown,
            _ => return Self::default(),
        };
        match glance {
            Glance::Reads | Glance::Keeps => Self::default(),
            _ if !super::is_on(request) => Self::default(),
            Glance::Builds | Glance::Runs => Self { is_open: true, ..Self::default() },
            Glance::Unknown => {
                let mut expected = Self { is_open: target::leaves_open(request), ..Self::default() };
                for file in target::named(request) {
                    if let Some(from) = file.from {
                        expected.moves.insert(file.inside.clone(), from);
                    }
                    if file.path != request.work().join(&file.inside) {
                        expected.places.insert(file.inside.clone(), file.path.to_string_lossy().into_owned());
                    }
                    expected.stats.insert(file.inside, stamp(&file.path).unwrap_or_else(|| ABSENT.to_owned()));
                }
                expected
            }
        }
    }
}

/// The stamp of a regular file.
pub(super) fn stamp(path: &Path) -> Option<String> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|data| file_stamp(&data).text)
}

/// The fields of a stamp: size, number, and the times of the last change of content and of anything, in nanoseconds.
pub(super) struct Fields {
    pub(super) size: u64,
    pub(super) modified: u128,
    pub(super) changed: u128,
}

impl Fields {
    pub(super) fn of(stamp: &str) -> Option<Self> {
        let mut fields = stamp.split('.').map(|field| u128::from_str_radix(field, 16).ok());
        let (size, _, modified, changed) = (fields.next()??, fields.next()??, fields.next()??, fields.next()??);
        Some(Self { size: u64::try_from(size).ok()?, modified, changed })
    }

    /// When anything about the file last changed, in milliseconds since 1970.
    pub(super) fn changed_millis(&self) -> i64 {
        i64::try_from(self.changed / 1_000_000).unwrap_or(i64::MAX)
    }
}
