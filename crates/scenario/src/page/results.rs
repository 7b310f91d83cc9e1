use std::collections::BTreeMap;
use std::fmt;

use stead_client::Harness;

use crate::client::Client;
use crate::scenario::Scenario;

/// How far a scenario is proven on a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Proven,
    Failing,
    NotExpressible,
    NotRun,
}

impl Standing {
    const ALL: [Self; 4] = [Self::Proven, Self::Failing, Self::NotExpressible, Self::NotRun];

    fn words(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Failing => "failing",
            Self::NotExpressible => "not expressible",
            Self::NotRun => "not run",
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// What runs have shown: only proven and failing, the rest the code knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Results(BTreeMap<(Harness, u8), Shown>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Proven,
    Failing,
}

impl Results {
    pub(crate) fn set(&mut self, harness: Harness, scenario: u8, standing: Standing) {
        let shown = match standing {
            Standing::Proven => Shown::Proven,
            Standing::Failing => Shown::Failing,
            Standing::NotExpressible | Standing::NotRun => return,
        };
        self.0.insert((harness, scenario), shown);
    }

    pub(crate) fn get(&self, harness: Harness, scenario: u8) -> Standing {
        match self.0.get(&(harness, scenario)) {
            Some(Shown::Proven) => Standing::Proven,
            Some(Shown::Failing) => Standing::Failing,
            None => Standing::NotRun,
        }
    }

    /// Puts new results in place of old ones; the others stay.
    pub(crate) fn replaced_by(mut self, new: &Self) -> Self {
        self.0.extend(new.0.iter().map(|(key, shown)| (*key, *shown)));
        self
    }

    /// Reads the results that a page holds. Those of another version of a client do not count.
    pub(crate) fn read(page: &str) -> Self {
        let mut results = Self::default();
        let mut numbers: Vec<u8> = Vec::new();
        for line in page.lines().filter(|line| line.starts_with('|')) {
            let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
            if let ["client", "version", rest @ ..] = cells.as_slice() {
                numbers = rest.iter().filter_map(|cell| cell.parse().ok()).collect();
                continue;
            }
            let [name, version, rest @ ..] = cells.as_slice() else { continue };
            let name = name.split('`').nth(1).unwrap_or_default();
            let client = Client::ALL.into_iter().find(|one| one.harness.name() == name && one.version() == *version);
            let (Some(client), true) = (client, rest.len() == numbers.len()) else { continue };
            for (number, cell) in numbers.iter().zip(rest) {
                let standing = Standing::ALL.into_iter().find(|standing| standing.words() == *cell);
                let is_known = Scenario::ALL.iter().any(|scenario| scenario.number == *number);
                if let (Some(standing), true) = (standing, is_known) {
                    results.set(client.harness, *number, standing);
                }
            }
        }
        results
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_page_can_be_read(page in "(\\| ?(client|`claude`|2.1.325|1|proven|x) ?\\|?){0,6}\n?[|`a-z0-9 .\n]{0,200}") {
            let _ = Results::read(&page);
        }
    }
}
