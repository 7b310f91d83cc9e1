use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use stead_store::{Durability, Lines, Redacted, append_line};

use crate::LedgerError;

/// How long a writer waits for another one.
const PATIENCE: Duration = Duration::from_secs(5);

stead_model::named! {
    /// What became of a request.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum RequestState {
        #[default]
        Open = "open",
        Confirmed = "confirmed",
        Rejected = "rejected",
    }
}

/// What an agent asks a person for: a new intent, or more scope for one. A decision is a further line with the same id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    pub v: u32,
    pub ts: String,
    pub id: String,
    pub state: RequestState,
    #[serde(default)]
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<String>,
    /// The intent that is to be widened, or that was made of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The requests of a project: `requests.jsonl`, only appended to.
pub struct Requests {
    path: PathBuf,
}

impl Requests {
    pub const FILE: &'static str = "requests.jsonl";

    pub fn of_room(room: &Path) -> Self {
        Self { path: room.join(Self::FILE) }
    }

    /// Every request with its last state, oldest first. Lines that cannot be read are skipped.
    pub fn all(&self) -> Result<Vec<Request>, LedgerError> {
        let mut all: Vec<Request> = Vec::new();
        for line in Lines::open(&self.path)? {
            let Ok(line) = serde_json::from_str::<Request>(&line?.text) else { continue };
            match all.iter_mut().find(|known| known.id == line.id) {
                Some(known) => {
                    known.state = line.state;
                    known.reason = line.reason.or(known.reason.take());
                    known.intent = line.intent.or(known.intent.take());
                }
                None => all.push(line),
            }
        }
        Ok(all)
    }

    /// Finds an open request.
    pub fn open(&self, id: &str) -> Result<Request, LedgerError> {
        let all = self.all()?;
        match all.iter().find(|request| request.id == id) {
            Some(found) if found.state == RequestState::Open => Ok(found.clone()),
            Some(found) => Err(LedgerError::DecidedRequest { id: id.to_owned(), state: found.state.name().to_owned() }),
            None => {
                let open = all.into_iter().filter(|request| request.state == RequestState::Open);
                Err(LedgerError::UnknownRequest { id: id.to_owned(), open: open.map(|request| request.id).collect() })
            }
        }
    }

    /// Adds a request and gives it the next free id.
    pub fn add(&self, mut request: Request) -> Result<Request, LedgerError> {
        let taken = self.all()?;
        let next = (taken.len() + 1..).map(|number| format!("R-{number}"));
        let free = next.into_iter().find(|id| taken.iter().all(|known| known.id != *id));
        request.id = free.unwrap_or_default();
        self.append(&request)?;
        Ok(request)
    }

    /// Records a person's decision.
    pub fn decide(&self, decided: &Request) -> Result<(), LedgerError> {
        self.append(decided)
    }

    fn append(&self, request: &Request) -> Result<(), LedgerError> {
        Ok(append_line(&self.path, Redacted::line(request), Durability::Synced, PATIENCE)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_decided_once() {
        let room = tempfile::tempdir().unwrap();
        let requests = Requests::of_room(room.path());
        assert_eq!(requests.all().unwrap(), []);
        let asked = Request { v: 1, text: "more".into(), scope: vec!["docs/**".into()], ..Request::default() };
        let first = requests.add(asked.clone()).unwrap();
        let second = requests.add(asked).unwrap();
        assert_eq!((first.id.as_str(), second.id.as_str()), ("R-1", "R-2"));
        std::fs::OpenOptions::new()
            .append(true)
            .open(room.path().join(Requests::FILE))
            .and_then(|mut file| std::io::Write::write_all(&mut file, b"{torn\n"))
            .unwrap();
        requests
            .decide(&Request { state: RequestState::Rejected, reason: Some("no".into()), ..first.clone() })
            .unwrap();
        assert!(matches!(requests.open("R-1"), Err(LedgerError::DecidedRequest { .. })));
        assert_eq!(requests.open("R-2").unwrap().scope, ["docs/**"]);
        match requests.open("R-9") {
            Err(LedgerError::UnknownRequest { open, .. }) => assert_eq!(open, ["R-2"]),
            other => panic!("{other:?}"),
        }
        assert_eq!(requests.all().unwrap().len(), 2);
    }
}
