//! What Stead knows about source code: its language, its syntax nodes, their hashes, and whether a change keeps the
//! behaviour. It works on text that the caller read; it never opens a file.
