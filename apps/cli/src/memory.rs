//! The memory use of the process, if the operating system reports it.

/// The peak memory use of this process \[bytes\]. Linux reports it in a file; `None` on other
/// systems, which report it only through foreign functions.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kilobytes)
}
