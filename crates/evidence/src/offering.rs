use std::path::Path;

use stead_feature::Feature;
use stead_store::{Durability, Exact, FileContent, create, create_parents, holds_secret, redact};

use crate::archive::Archive;
use crate::proof::emptiness;
use crate::text::blob_hash;
use crate::{About, Attachment, Bounds, EvidenceError, Ground, Item, Kind, Output, Source, Who, tree_of};

/// Something that a person or an agent adds as evidence.
pub struct Offering<'a> {
    pub feature: &'a Feature,
    /// [`About::File`], [`About::Output`] or [`About::Response`].
    pub about: About,
    /// Its original name.
    pub name: &'a str,
    pub bytes: &'a [u8],
    pub note: Option<&'a str>,
    /// [`Kind::Person`] or [`Kind::Claimed`].
    pub kind: Kind,
    pub who: Who,
    pub now: &'a str,
}

/// Stores added evidence under its hash. It supports a claim, but does not prove it.
pub fn add(ground: &Ground, offering: &Offering<'_>, bounds: &Bounds<'_>) -> Result<Item, EvidenceError> {
    if let Some(why) = emptiness(offering.bytes) {
        return Err(EvidenceError::Worthless { what: format!("`{}`", offering.name), why: why.to_owned() });
    }
    let sha1 = blob_hash(offering.bytes);
    let text = std::str::from_utf8(offering.bytes).ok();
    // The copy is committed, and responses, logs and settings often contain keys.
    let content = match text {
        Some(text) => FileContent::from(redact(text)),
        // What is no text cannot be changed without damage.
        None if holds_secret(offering.bytes) => {
            return Err(EvidenceError::SecretInBinary { name: offering.name.to_owned() });
        }
        None => Exact::Copied.bytes(offering.bytes),
    };
    let ending = Path::new(offering.name).extension().and_then(|ending| ending.to_str());
    let ending = ending.filter(|ending| ending.len() <= 8 && ending.chars().all(|c| c.is_ascii_alphanumeric()));
    let kept = match ending {
        Some(ending) => format!("files/{}.{ending}", blob_hash(content.as_bytes())),
        None => format!("files/{}", blob_hash(content.as_bytes())),
    };
    let path = ground.folder(&offering.feature.id).join(&kept);
    create_parents(&path)?;
    create(&path, content, Durability::Synced)?;
    let mut item = Item::new(offering.now, offering.kind, Source::Add, offering.about, &sha1);
    item.feature = Some(offering.feature.id.clone());
    item.tree = tree_of(ground, &offering.feature.files, bounds).hash().map(str::to_owned);
    item.note = offering.note.map(|note| redact(note).into_owned());
    item.who = offering.who.clone();
    item.output = text.filter(|_| offering.about != About::File).map(Output::of);
    let name = Path::new(offering.name).file_name().and_then(|name| name.to_str()).unwrap_or(offering.name);
    item.file = Some(Attachment { name: name.to_owned(), sha1, bytes: offering.bytes.len() as u64, kept });
    let archive = Archive::new(ground);
    let mut line = item.clone();
    line.records.push(archive.keep(&mut item)?);
    line.id.clone_from(&item.id);
    archive.log(&mut line)?;
    item.trust = line.trust;
    Ok(item)
}
