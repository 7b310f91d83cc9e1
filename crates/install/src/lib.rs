//! Putting Stead's lines into clients' settings, taking them out, and proving that they work.
