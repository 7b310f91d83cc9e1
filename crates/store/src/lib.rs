//! The project folder: root, layout, config layers, atomic files, append logs.
