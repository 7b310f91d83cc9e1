//! The hot path: one hook call, decoded, judged, recorded and answered.
