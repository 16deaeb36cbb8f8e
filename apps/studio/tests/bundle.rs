//! The bundle is fresh, small, and asks nobody else for anything.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path().is_dir() {
            true => files(&entry.path(), found),
            false => found.push(entry.path()),
        }
    }
}

/// The same hash as in `web/sources.mjs`.
#[test]
fn the_bundle_was_built_from_these_sources() {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
    let mut found = Vec::new();
    files(&web.join("src"), &mut found);
    let plain = ["index.html", "package.json", "package-lock.json", "vite.config.js"];
    found.extend(plain.iter().chain(&["vite.report.js"]).map(|name| web.join(name)));
    let name = |path: &PathBuf| {
        path.strip_prefix(&web).expect("below").to_string_lossy().replace('\\', "/")
    };
    let mut named: Vec<(String, PathBuf)> =
        found.into_iter().map(|own| (name(&own), own)).collect();
    named.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for (name, path) in named {
        let text = fs::read_to_string(path).expect("a text").replace("\r\n", "\n");
        for byte in format!("{name}\n{}\n{text}", text.len()).bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    let recorded = include_str!("../bundle/sources.hash").trim();
    assert_eq!(
        format!("{hash:016x}"),
        recorded,
        "the page has changed: run `npm ci && npm run build` in apps/studio/web"
    );
}

#[test]
fn the_page_is_small_and_whole() {
    let all = [
        include_str!("../bundle/index.html"),
        include_str!("../bundle/studio.js"),
        include_str!("../bundle/studio.css"),
    ];
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for text in all {
        packed.write_all(text.as_bytes()).expect("packed");
        for host in ["cdn.", "unpkg", "googleapis", "jsdelivr"] {
            assert!(!text.contains(host), "{host}");
        }
    }
    let size = packed.finish().expect("packed").len();
    assert!(size < 600_000, "the page has {size} bytes compressed");
}
