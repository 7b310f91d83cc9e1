//! Evidence: facts that Stead observed or ran itself, and the features whose claims lean on them.
//!
//! It never judges an event; gates and guards ask it what is known.
