use serde_json::{Value, json};

use crate::{BlockedOn, Failure, NeedsHuman, Proven, Row, Status};

/// What an event changes in one entry of the list. Only the machine makes one, and it becomes tested only with a proof.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patch {
    status: Option<Status>,
    evidence: Option<Vec<String>>,
    attempts: Option<u64>,
    retries: Option<u64>,
    last_failure: Option<Failure>,
    needs_human: Option<NeedsHuman>,
    blocked_on: Option<Option<BlockedOn>>,
}

/// The statuses that need no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unproven {
    Pending,
    Claimed,
    Implemented,
    Blocked(BlockedOn),
    Skipped,
}

impl Unproven {
    /// The status to return to. A feature that was tested has to be tested again.
    pub(crate) fn back_to(status: Status, on: Option<BlockedOn>) -> Self {
        match status {
            Status::Pending | Status::Claimed => Self::Pending,
            Status::Implemented | Status::Tested => Self::Implemented,
            Status::Blocked => Self::Blocked(on.unwrap_or(BlockedOn::Human)),
            Status::Skipped => Self::Skipped,
        }
    }
}

impl Patch {
    pub(crate) fn to(status: Unproven) -> Self {
        let (status, on) = match status {
            Unproven::Pending => (Status::Pending, None),
            Unproven::Claimed => (Status::Claimed, None),
            Unproven::Implemented => (Status::Implemented, None),
            Unproven::Blocked(on) => (Status::Blocked, Some(on)),
            Unproven::Skipped => (Status::Skipped, None),
        };
        Self { status: Some(status), blocked_on: Some(on), ..Self::default() }
    }

    pub(crate) fn tested(proof: &Proven) -> Self {
        let evidence = Some(proof.evidence().to_vec());
        Self { status: Some(Status::Tested), evidence, blocked_on: Some(None), ..Self::default() }
    }

    pub(crate) fn attempts(self, attempts: u64) -> Self {
        Self { attempts: Some(attempts), ..self }
    }

    pub(crate) fn retries(self, retries: u64) -> Self {
        Self { retries: Some(retries), ..self }
    }

    pub(crate) fn failure(self, failure: Failure) -> Self {
        Self { last_failure: Some(failure), ..self }
    }

    pub(crate) fn asked(self, asked: NeedsHuman) -> Self {
        Self { needs_human: Some(asked), ..self }
    }

    pub fn status(&self) -> Option<Status> {
        self.status
    }

    pub fn apply(&self, row: &mut Row) {
        row.status = self.status.unwrap_or(row.status);
        row.attempts = self.attempts.unwrap_or(row.attempts);
        row.retries = self.retries.unwrap_or(row.retries);
        row.blocked_on = self.blocked_on.unwrap_or(row.blocked_on);
        if let Some(failure) = &self.last_failure {
            row.last_failure = Some(Box::new(failure.clone()));
        }
        if let Some(asked) = &self.needs_human {
            row.needs_human = Some(Box::new(asked.clone()));
        }
    }

    /// The members of the entry that change; `None` removes one.
    pub(crate) fn members(&self) -> Vec<(String, Option<Value>)> {
        let mut members = Vec::new();
        let mut set = |name: &str, value: Option<Value>| members.push((name.to_owned(), value));
        if let Some(status) = self.status {
            set("status", Some(json!(status)));
            set("tested", Some(json!(status == Status::Tested)));
        }
        if let Some(on) = self.blocked_on {
            set("blocked_on", on.map(|on| json!(on)));
        }
        if let Some(evidence) = &self.evidence {
            set("evidence", Some(json!(evidence)));
        }
        if let Some(attempts) = self.attempts {
            set("attempts", Some(json!(attempts)));
        }
        if let Some(retries) = self.retries {
            set("retries", Some(json!(retries)));
        }
        if let Some(failure) = &self.last_failure {
            set("last_failure", Some(json!(failure)));
        }
        if let Some(asked) = &self.needs_human {
            set("needs_human", Some(json!(asked)));
        }
        members
    }
}
