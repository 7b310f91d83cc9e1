use std::io::Read;
use std::path::Path;

/// Larger files are listed without a hash.
const LIMIT: u64 = 8 * 1024 * 1024;

/// Returns the hash of a file's content, the same as git's blob id (`git hash-object --no-filters`), so that a moved
/// file is found in git's index. `None` for a file that is not regular, too large or unreadable.
pub fn content_hash(path: &Path) -> Option<String> {
    let data = std::fs::metadata(path).ok().filter(|data| data.is_file() && data.len() <= LIMIT)?;
    let mut file = stead_store::open_file(path).ok()?.take(data.len());
    let mut hash = sha1_smol::Sha1::new();
    hash.update(format!("blob {}\0", data.len()).as_bytes());
    let mut block = vec![0; 64 * 1024];
    let mut read = 0;
    loop {
        match file.read(&mut block) {
            // Shorter than reported: somebody is writing it.
            Ok(0) => return (read == data.len()).then(|| hash.digest().to_string()),
            Ok(count) => {
                read += count as u64;
                hash.update(&block[..count]);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_git() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert_eq!(content_hash(&file).as_deref(), Some("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"));
        std::fs::write(&file, "hello\n").unwrap();
        assert_eq!(content_hash(&file).as_deref(), Some("ce013625030ba8dba906f756967f9e9ca394464a"));
        assert_eq!(content_hash(folder.path()), None);
        assert_eq!(content_hash(&folder.path().join("none")), None);
    }
}
