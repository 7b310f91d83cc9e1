use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use stead_model::{Action, EventKind};
use stead_store::file_stamp;

use super::target;
use crate::plain_reading::is_plain_reading;
use crate::request::Request;

/// What stands for a file that is not there.
pub(super) const ABSENT: &str = "-";

/// The stamps of the files that a call is about to change, for its session line. A plain call, which only reads, pays
/// nothing.
pub(crate) fn stamps(request: &Request<'_>) -> BTreeMap<String, String> {
    let event = request.event;
    let call = event.call.as_ref().filter(|_| event.kind == EventKind::BeforeTool);
    let may_change = match call.map(|call| &call.action) {
        Some(Action::Change(_)) => true,
        Some(Action::Run { command, .. }) => !is_plain_reading(command),
        Some(Action::Mcp { .. } | Action::Other) => request.known_effects().is_some(),
        _ => false,
    };
    if !may_change || !super::is_on(request) {
        return BTreeMap::new();
    }
    let named = target::named(request);
    named.into_iter().map(|file| (file.inside, stamp(&file.path).unwrap_or_else(|| ABSENT.to_owned()))).collect()
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
