//! Tests of the room through its public functions.

#![allow(clippy::expect_used, reason = "a test may panic")]

mod bound;
mod class;
mod line;
mod mutation;
mod node;
mod vector;
