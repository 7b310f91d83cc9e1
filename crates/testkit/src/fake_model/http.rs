use std::io::{self, BufRead, Read, Write};

/// The most bytes that a head and a body may have.
const HEAD_LIMIT: u64 = 64 * 1024;
const BODY_LIMIT: u64 = 64 * 1024 * 1024;

/// A request as it came over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) method: String,
    /// Path and query as sent.
    pub(super) target: String,
    /// Names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

/// Why a request could not be read.
#[derive(Debug)]
pub(super) enum Problem {
    /// The other side went away, or said nothing for too long.
    Gone,
    Malformed(&'static str),
    TooLarge,
}

impl From<io::Error> for Problem {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

impl Request {
    /// Reads one request. `writer` is needed for clients that wait for leave to send the body.
    pub(super) fn read(reader: &mut impl BufRead, writer: &mut impl Write) -> Result<Self, Problem> {
        let (method, target) = read_request_line(reader)?;
        let mut request = Self { method, target, headers: read_headers(reader)?, body: Vec::new() };
        if request.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
            writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
            writer.flush()?;
        }
        request.body = match request.header("transfer-encoding") {
            Some(coding) if coding.to_ascii_lowercase().contains("chunked") => read_chunks(reader)?,
            Some(_) => return Err(Problem::Malformed("unknown transfer coding")),
            None => {
                let length = request.header("content-length").unwrap_or("0");
                let length = parse_length(length, 10).ok_or(Problem::Malformed("bad content length"))?;
                read_exactly(reader, length)?
            }
        };
        Ok(request)
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(have, _)| have == name).map(|(_, value)| value.as_str())
    }

    /// The target without its query.
    pub(super) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

fn read_request_line(reader: &mut impl BufRead) -> Result<(String, String), Problem> {
    let line = match read_line(reader)? {
        // Some clients end a body with a stray line break.
        Some(line) if line.is_empty() => read_line(reader)?,
        line => line,
    };
    let line = line.ok_or(Problem::Gone)?;
    let mut words = line.split(' ');
    match (words.next(), words.next(), words.next(), words.next()) {
        (Some(method), Some(target), Some(version), None)
            if !method.is_empty() && !target.is_empty() && version.starts_with("HTTP/1.") =>
        {
            Ok((method.to_owned(), target.to_owned()))
        }
        _ => Err(Problem::Malformed("bad request line")),
    }
}

fn read_headers(reader: &mut impl BufRead) -> Result<Vec<(String, String)>, Problem> {
    let mut headers = Vec::new();
    let mut total = 0;
    loop {
        let line = read_line(reader)?.ok_or(Problem::Malformed("the head ends early"))?;
        if line.is_empty() {
            return Ok(headers);
        }
        total += line.len() as u64;
        if total > HEAD_LIMIT {
            return Err(Problem::TooLarge);
        }
        let (name, value) = line.split_once(':').ok_or(Problem::Malformed("a header without a colon"))?;
        headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
    }
}

/// Reads up to a line break, which is left out. `None` at the end of input.
fn read_line(reader: &mut impl BufRead) -> Result<Option<String>, Problem> {
    let mut bytes = Vec::new();
    let read = reader.take(HEAD_LIMIT).read_until(b'\n', &mut bytes)?;
    if read == 0 {
        return Ok(None);
    }
    if bytes.pop() != Some(b'\n') {
        return Err(if read as u64 == HEAD_LIMIT {
            Problem::TooLarge
        } else {
            Problem::Malformed("the head ends early")
        });
    }
    if bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    String::from_utf8(bytes).map(Some).map_err(|_| Problem::Malformed("the head is not text"))
}

fn parse_length(text: &str, radix: u32) -> Option<u64> {
    // `from_str_radix` would take a sign.
    text.bytes().all(|byte| byte.is_ascii_alphanumeric()).then(|| u64::from_str_radix(text, radix).ok())?
}

fn read_exactly(reader: &mut impl BufRead, length: u64) -> Result<Vec<u8>, Problem> {
    if length > BODY_LIMIT {
        return Err(Problem::TooLarge);
    }
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length { Err(Problem::Malformed("the body ends early")) } else { Ok(body) }
}

fn read_chunks(reader: &mut impl BufRead) -> Result<Vec<u8>, Problem> {
    let mut body = Vec::new();
    loop {
        let line = read_line(reader)?.ok_or(Problem::Malformed("the body ends early"))?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = parse_length(size, 16).ok_or(Problem::Malformed("bad chunk size"))?;
        if size == 0 {
            break;
        }
        if body.len() as u64 + size.min(BODY_LIMIT) > BODY_LIMIT {
            return Err(Problem::TooLarge);
        }
        body.extend(read_exactly(reader, size)?);
        if read_line(reader)?.as_deref() != Some("") {
            return Err(Problem::Malformed("a chunk without its end"));
        }
    }
    // Trailers, up to the empty line.
    while read_line(reader)?.is_some_and(|line| !line.is_empty()) {}
    Ok(body)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8]) -> Result<Request, Problem> {
        Request::read(&mut io::BufReader::with_capacity(7, bytes), &mut io::sink())
    }

    #[track_caller]
    fn check(bytes: &str, expected: &str) {
        let shown = match read(bytes.as_bytes()) {
            Ok(request) => {
                format!("{} {} {:?}", request.method, request.target, String::from_utf8_lossy(&request.body))
            }
            Err(Problem::Malformed(why)) => why.to_owned(),
            Err(problem) => format!("{problem:?}"),
        };
        assert_eq!(shown, expected, "{bytes:?}");
    }

    #[test]
    fn both_framings_are_read() {
        check("GET /v1/models?x=1 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /v1/models?x=1 \"\"");
        check("POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}rest", "POST /a \"{}\"");
        check(
            "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: v\r\n\r\n",
            "POST /a \"abc0123456789\"",
        );
        check("\r\nPOST /a HTTP/1.0\n\n", "POST /a \"\"");
    }

    #[test]
    fn what_is_not_a_request_is_named() {
        check("", "Gone");
        check("hello\r\n\r\n", "bad request line");
        check("GET /a HTTP/1.1\r\nHost", "the head ends early");
        check("GET /a HTTP/1.1\r\nHost\r\n\r\n", "a header without a colon");
        check("POST /a HTTP/1.1\r\nContent-Length: +1\r\n\r\nx", "bad content length");
        check("POST /a HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\nx", "TooLarge");
        check("POST /a HTTP/1.1\r\nContent-Length: 9\r\n\r\nx", "the body ends early");
        check("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "bad chunk size");
        check("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n", "a chunk without its end");
        check("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", "TooLarge");
        check("POST /a HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", "unknown transfer coding");
        check(&format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(70_000)), "TooLarge");
    }

    #[test]
    fn a_client_that_waits_for_leave_gets_it() {
        let mut leave = Vec::new();
        let text = "POST /a HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx";
        let request = Request::read(&mut text.as_bytes(), &mut leave).unwrap();
        assert_eq!(request.body, b"x");
        assert_eq!(leave, b"HTTP/1.1 100 Continue\r\n\r\n");
    }

    proptest! {
        #[test]
        fn any_bytes_end_in_a_request_or_a_problem(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = read(&bytes);
        }

        #[test]
        fn near_requests_end_too(text in "(GET|POST) /[a-z?]{0,5} HTTP/1.1\r\n((content-length|transfer-encoding|x): ?(chunked|[0-9]{1,3})\r\n){0,3}\r\n[0-9a-f\r\n;]{0,40}") {
            let _ = read(text.as_bytes());
        }

        #[test]
        fn a_written_request_is_read_back(
            target in "/[!-~]{0,30}",
            value in "[!-~]([ -~]{0,20}[!-~])?",
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..40), 0..5),
            chunked in any::<bool>(),
        ) {
            let body: Vec<u8> = chunks.concat();
            let mut wire = format!("POST {target} HTTP/1.1\r\nX-Sample: {value}\r\n").into_bytes();
            if chunked {
                wire.extend(b"Transfer-Encoding: chunked\r\n\r\n");
                for chunk in &chunks {
                    wire.extend(format!("{:x}\r\n", chunk.len()).bytes());
                    wire.extend(chunk);
                    wire.extend(b"\r\n");
                }
                wire.extend(b"0\r\n\r\n");
            } else {
                wire.extend(format!("Content-Length: {}\r\n\r\n", body.len()).bytes());
                wire.extend(&body);
            }
            let request = read(&wire).unwrap();
            prop_assert_eq!(&request.target, &target);
            prop_assert_eq!(request.header("x-sample"), Some(value.as_str()));
            prop_assert_eq!(request.body, body);
        }
    }
}
