//! Guards: declarative rules over what an action would do. A guard file is read and compiled once, and judged on every
//! call from its compiled form.
//!
//! It never touches files, the environment, processes or the clock: facts bring in what it asks for.
