//! A client's settings text: insert, remove and check hook lines without touching the rest.
