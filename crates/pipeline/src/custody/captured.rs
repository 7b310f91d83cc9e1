use std::collections::VecDeque;

use super::launch::Capture;

/// How much of the end of a plain output is kept.
const END: usize = 256 << 10;

/// Longer lines are skipped.
const LINE: usize = 4 << 20;

/// This many of the first lines are always kept: they name the session.
const FIRST: usize = 16;

/// How much of the latest lines is kept.
const LATEST: usize = 4 << 20;

/// What is kept of an agent's standard output for its reader.
pub(crate) struct Captured {
    capture: Capture,
    /// The end of the output, or an incomplete line.
    open: Vec<u8>,
    skipping: bool,
    first: Vec<String>,
    latest: VecDeque<String>,
    length: usize,
}

impl Captured {
    pub(crate) fn new(capture: Capture) -> Self {
        Self { capture, open: Vec::new(), skipping: false, first: Vec::new(), latest: VecDeque::new(), length: 0 }
    }

    pub(crate) fn take(&mut self, mut bytes: &[u8]) {
        let Capture::Lines(wanted) = self.capture else {
            self.open.extend_from_slice(bytes);
            if self.open.len() > END * 2 {
                self.open.drain(..self.open.len() - END);
            }
            return;
        };
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            self.extend(line);
            self.close(wanted);
            bytes = rest;
        }
        self.extend(bytes);
    }

    fn extend(&mut self, bytes: &[u8]) {
        if self.skipping || self.open.len() + bytes.len() > LINE {
            self.skipping = true;
            self.open.clear();
        } else {
            self.open.extend_from_slice(bytes);
        }
    }

    fn close(&mut self, wanted: &[&str]) {
        let line = String::from_utf8_lossy(&self.open);
        if wanted.iter().any(|word| line.contains(word)) {
            let line = line.into_owned();
            if self.first.len() < FIRST {
                self.first.push(line);
            } else {
                self.length += line.len();
                self.latest.push_back(line);
            }
            while self.length > LATEST {
                self.length -= self.latest.pop_front().map_or(0, |line| line.len());
            }
        }
        self.open.clear();
        self.skipping = false;
    }

    pub(crate) fn finish(mut self) -> String {
        match self.capture {
            Capture::End => {
                let surplus = self.open.len().saturating_sub(END);
                String::from_utf8_lossy(&self.open[surplus..]).into_owned()
            }
            Capture::Lines(wanted) => {
                self.close(wanted);
                self.first.extend(self.latest);
                self.first.join("\n")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(capture: Capture, pieces: &[&[u8]], expected: &str) {
        let mut said = Captured::new(capture);
        pieces.iter().for_each(|piece| said.take(piece));
        assert_eq!(said.finish(), expected);
    }

    #[test]
    fn wanted_lines_are_kept_whole() {
        let wanted = Capture::Lines(&["\"end\""]);
        check(wanted, &[b"noise\n{\"e", b"nd\": 1}\nmore\n", b"{\"end\": 2}"], "{\"end\": 1}\n{\"end\": 2}");
        check(wanted, &[b"\xff\"end\"\n\n\n"], "\u{fffd}\"end\"");
        check(wanted, &[b"nothing"], "");
        check(Capture::End, &[b"all ", b"of it\n"], "all of it\n");
    }

    #[test]
    fn the_first_and_the_latest_survive_a_flood() {
        let mut said = Captured::new(Capture::Lines(&["x"]));
        said.take(b"x session\n");
        for number in 0..200_000 {
            said.take(format!("x {number} {}\n", "y".repeat(50)).as_bytes());
        }
        said.take(&vec![b'x'; LINE + 1]);
        said.take(b"x\nx last\n");
        let kept = said.finish();
        assert!(kept.starts_with("x session\n") && kept.ends_with("\nx last") && kept.len() < LATEST * 2);
        let mut plain = Captured::new(Capture::End);
        (0..100).for_each(|_| plain.take(&vec![b'z'; END / 3]));
        plain.take(b"bye");
        let kept = plain.finish();
        assert!(kept.len() == END && kept.ends_with("zbye"));
    }
}
