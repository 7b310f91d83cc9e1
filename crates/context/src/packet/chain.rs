use super::Shelf;
use crate::ContextError;

/// From this many packets on, a chain is worth a word.
pub const CHAIN_WARNING: usize = 5;

/// The longest chain that may grow further.
const LONGEST: usize = 20;

/// Follows the packets that `id` continues, nearest first, `id` itself included. A chain that leads back to itself, or is
/// too long to be followed, is an error; a predecessor that is gone ends it.
pub fn chain(shelf: &Shelf, id: &str) -> Result<Vec<String>, ContextError> {
    let mut links = vec![id.to_owned()];
    let mut packet = shelf.read(id)?;
    while let Some(before) = packet.continues().map(str::to_owned) {
        if links.contains(&before) {
            return Err(ContextError::ChainCycle { id: id.to_owned(), again: before });
        }
        links.push(before.clone());
        if links.len() >= LONGEST {
            return Err(ContextError::ChainTooLong { id: id.to_owned(), depth: links.len() });
        }
        packet = match shelf.read(&before) {
            Ok(packet) => packet,
            Err(ContextError::UnknownId { .. }) => break,
            Err(error) => return Err(error),
        };
    }
    Ok(links)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn chains_end_and_do_not_go_round() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path());
        fs::create_dir(folder.path().join("packets")).unwrap();
        let put =
            |id: &str, before: &str| fs::write(shelf.path(id), format!("---\ncontinues: {before}\n---\n")).unwrap();
        put("a", "null");
        put("b", "a");
        put("c", "gone");
        assert_eq!(chain(&shelf, "b").unwrap(), ["b", "a"]);
        assert_eq!(chain(&shelf, "c").unwrap(), ["c", "gone"]);
        put("a", "b");
        assert_eq!(chain(&shelf, "b").unwrap_err().to_string(), "the packets that `b` continues lead back to `b`");
        for number in 0..30 {
            put(&format!("n{number}"), &format!("n{}", number + 1));
        }
        assert!(matches!(chain(&shelf, "n0"), Err(ContextError::ChainTooLong { depth: 20, .. })));
        assert_eq!(chain(&shelf, "n25").unwrap().len(), 6);
    }
}
