//! What the process takes of the machine's memory, where the system tells.

/// The most memory \[bytes\] that this process has had at once. Linux tells it in a file; nothing
/// elsewhere, since other systems tell it only to foreign functions.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kilobytes)
}
