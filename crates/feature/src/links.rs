use std::collections::HashMap;

use crate::Row;

/// Which entries of a list depend on which, by index: looked up once, for all who ask.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Links {
    /// Where the dependencies of each entry end in `needs`.
    ends: Vec<usize>,
    needs: Vec<usize>,
}

impl Links {
    /// Fails with the entry and the id that is not in the list.
    pub(crate) fn of<'a>(rows: &'a [Row], places: &HashMap<&str, usize>) -> Result<Self, (usize, &'a str)> {
        let mut links = Self { ends: Vec::with_capacity(rows.len()), needs: Vec::with_capacity(rows.len()) };
        for (at, row) in rows.iter().enumerate() {
            for id in &row.depends_on {
                links.needs.push(*places.get(id.as_str()).ok_or((at, id.as_str()))?);
            }
            links.ends.push(links.needs.len());
        }
        Ok(links)
    }

    /// The same for entries that were not checked: an id that is not in the list has no index.
    pub(crate) fn unchecked(rows: &[Row], places: &HashMap<&str, usize>) -> Self {
        let mut links = Self::default();
        for row in rows {
            links.needs.extend(row.depends_on.iter().map(|id| places.get(id.as_str()).copied().unwrap_or(usize::MAX)));
            links.ends.push(links.needs.len());
        }
        links
    }

    /// How many entries there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The dependencies of an entry, in the order of its list.
    pub(crate) fn needs(&self, at: usize) -> &[usize] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.needs[start..self.ends[at]]
    }

    /// Finds a cycle: the indexes of its features, each depending on the next, from the one that is listed first.
    pub(crate) fn cycle(&self) -> Option<Vec<usize>> {
        let count = self.ends.len();
        if (0..count).all(|at| self.needs(at).iter().all(|need| *need < at)) {
            // Whoever is listed after what it depends on is in no cycle.
            return None;
        }
        // Whoever depends on nothing that is left is taken away; what stays is in a cycle or depends on one.
        let mut open: Vec<usize> = (0..count).map(|at| self.needs(at).len()).collect();
        let mut dependents = vec![Vec::new(); count];
        for at in 0..count {
            self.needs(at).iter().for_each(|need| dependents[*need].push(at));
        }
        let mut free: Vec<usize> = (0..count).filter(|at| open[*at] == 0).collect();
        while let Some(at) = free.pop() {
            for dependent in &dependents[at] {
                open[*dependent] -= 1;
                if open[*dependent] == 0 {
                    free.push(*dependent);
                }
            }
        }
        let mut at = (0..count).find(|at| open[*at] > 0)?;
        let mut seen = HashMap::new();
        let mut path = Vec::new();
        while !seen.contains_key(&at) {
            seen.insert(at, path.len());
            path.push(at);
            at = self.needs(at).iter().copied().find(|need| open[*need] > 0)?;
        }
        let mut round = path.split_off(seen[&at]);
        let first = (0..round.len()).min_by_key(|at| round[*at])?;
        round.rotate_left(first);
        Some(round)
    }
}
