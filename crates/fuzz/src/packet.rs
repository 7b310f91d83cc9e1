use stead_context::{Contribution, Packet, Status, lint_packet, sections};

/// Any text is a packet or an error; a change touches only what it is about; whatever is sent along fits into a section.
pub fn packet(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    lint_packet(&text, "id");
    if let Ok(packet) = Packet::parse(text.as_ref()) {
        assert_eq!(packet.as_str(), text);
        let mut changed = packet.clone();
        changed.set_status(Status::Done, "now");
        assert_eq!(changed.status(), Some(Status::Done));
        assert_eq!(changed.document().body(), packet.document().body());
        changed.confirm("some/file", Some("hash"), "now");
        assert!(changed.confirmed().contains(&"some/file".to_owned()));
        assert!(changed.drop_file("some/file", "now"));
        assert!(changed.confirmed().is_empty() || !changed.confirmed().contains(&"some/file".to_owned()));
    }
    if let Ok(sent) = Contribution::parse(&text) {
        for section in sent.sections.values() {
            assert!(sections(section).iter().all(|inner| inner.level > 3), "{section:?} would end its section");
        }
    }
}
