//! The page as it was built from `web`, inside the program.

/// The page; `{nonce}` is replaced in each answer.
pub const PAGE: &str = include_str!("../bundle/index.html");
/// Its program.
pub const SCRIPT: &str = include_str!("../bundle/studio.js");
/// Its appearance.
pub const STYLE: &str = include_str!("../bundle/studio.css");
/// The program of a report.
pub const REPORT_SCRIPT: &str = include_str!("../bundle/report.js");
/// The appearance of a report.
pub const REPORT_STYLE: &str = include_str!("../bundle/report.css");
