//! The judges: an event and facts in, a verdict out.
