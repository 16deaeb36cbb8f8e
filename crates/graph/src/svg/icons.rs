//! Small drawings by which the blocks of the library are known at a glance, 22 by 20 pixels.

use std::fmt::Write;

/// The path of each icon.
const ICONS: [(&str, &str); 23] = [
    ("Integrator", "M15 2.5C12.5 1 11.6 3 11.3 6L10.2 14.5C9.9 17.5 8.6 19 6.5 17.5"),
    ("Derivative", "M2 15L20 7M2 17C8 17 7 6 20 4.5"),
    ("LevelCrossing", "M1 11H21M2 4C9 4 12 16 20 16M11 8V14"),
    ("MicrostepDelay", "M4 17V7M4 4L2 7H6ZM16 17V7M16 4L14 7H18ZM7 14H13M11 12L13 14L11 16"),
    ("LeftLimit", "M2 14H11M13 6H20M11 14A1.6 1.6 0 1 0 11.1 14"),
    ("Previous", "M20 10H4M9 5L4 10L9 15M20 5V15"),
    ("Ramp", "M2 17H8L20 3"),
    ("Constant", "M2 10H20"),
    ("ImpulseSource", "M2 17H20M11 17V4M7.5 7L11 3L14.5 7"),
    ("Clock", "M11 2A8 8 0 1 0 11.1 2ZM11 6V10L14 12"),
    ("Pulse", "M1 16H5V5H10V16H15V5H20V16"),
    ("Sine", "M1 10C4 0 8 0 11 10S18 20 21 10"),
    ("Step", "M2 16H10V5H20"),
    ("Merge", "M2 4H7L12 10H20M2 16H7L12 10"),
    ("Counter", "M2 17H6V13H10V9H14V5H20"),
    ("ZeroOrderHold", "M2 15H7V10H12V5H17V8H21"),
    ("Sample", "M1 14H7L15 6M16 14H21M15 14A1 1 0 1 0 15.1 14"),
    ("Sum", "M16 5V3H6L12 10L6 17H16V15"),
    ("Product", "M6 5L16 15M16 5L6 15"),
    ("Gain", "M5 2V18L19 10Z"),
    ("Negate", "M5 10H17"),
    ("Divide", "M4 10H18M11 4V4.5M11 15.5V16"),
    ("Switch", "M1 4H7L15 9M1 16H7M16 10H21M7 4H7.1M7 16H7.1"),
];

/// Whether a kind of block has an icon.
pub(crate) fn has_icon(kind: &str) -> bool {
    find(kind).is_some()
}

fn find(kind: &str) -> Option<&'static str> {
    ICONS.iter().find(|(name, _)| *name == kind).map(|(_, path)| *path)
}

/// Draws the icon of a kind, if it has one.
pub(super) fn icon(out: &mut String, kind: &str, x: i64, y: i64) {
    if let Some(path) = find(kind) {
        let _ =
            writeln!(out, "<path class=\"icon\" transform=\"translate({x} {y})\" d=\"{path}\"/>");
    }
}
