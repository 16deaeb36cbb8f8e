//! A progress bar with the remaining time, for runs that a person waits for.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use superdense::{RunSettings, Time};

/// A run that ends sooner shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time between updates of the bar.
const INTERVAL: Duration = Duration::from_millis(100);
/// The length of the run in units of the bar.
const LENGTH: u64 = 10_000;

/// The progress of a run, shown if standard error is a terminal.
pub struct Progress {
    start: Time,
    stop: Time,
    begin: Instant,
    next: Instant,
    bar: Option<ProgressBar>,
    shown: bool,
}

impl Progress {
    pub fn new(settings: &RunSettings, quiet: bool) -> Progress {
        let begin = Instant::now();
        Progress {
            start: settings.start.time(),
            stop: settings.stop,
            begin,
            next: begin + PATIENCE,
            bar: None,
            shown: !quiet && io::stderr().is_terminal(),
        }
    }

    /// Updates the bar if an update is due.
    pub fn at(&mut self, time: Time) {
        if !self.shown || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + INTERVAL;
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{bar:40} {percent}%  {msg}").expect("a form");
            ProgressBar::new(LENGTH).with_style(style)
        });
        let done = fraction(self.start, self.stop, time);
        bar.set_position((done * LENGTH as f64) as u64);
        bar.set_message(match left(done, self.begin.elapsed()) {
            Some(left) => format!("t = {:.6}, {} left", time.seconds(), clock(left)),
            None => format!("t = {:.6}", time.seconds()),
        });
    }
}

/// The progress of a number of runs, shown if standard error is a terminal.
pub struct Counting {
    count: u64,
    begin: Instant,
    next: Instant,
    bar: Option<ProgressBar>,
    shown: bool,
}

impl Counting {
    pub fn new(count: u64, quiet: bool) -> Counting {
        let begin = Instant::now();
        let shown = !quiet && io::stderr().is_terminal();
        Counting { count, begin, next: begin + PATIENCE, bar: None, shown }
    }

    /// Updates the bar if an update is due; `before` runs were done before this process began.
    pub fn at(&mut self, done: u64, before: u64) {
        if !self.shown || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + INTERVAL;
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{bar:40} {percent}%  {msg}").expect("a form");
            ProgressBar::new(self.count).with_style(style)
        });
        bar.set_position(done);
        let part = (done - before) as f64 / (self.count - before).max(1) as f64;
        bar.set_message(match left(part, self.begin.elapsed()) {
            Some(left) => format!("run {done} of {}, {} left", self.count, clock(left)),
            None => format!("run {done} of {}", self.count),
        });
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The bar is removed before messages that follow the run.
impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The fraction of model time that has passed, from 0 to 1.
fn fraction(start: Time, stop: Time, now: Time) -> f64 {
    let whole = stop.since(start);
    if whole > 0.0 { (now.since(start) / whole).clamp(0.0, 1.0) } else { 1.0 }
}

/// The remaining time at the average speed so far; `None` if it is too long to represent.
fn left(done: f64, elapsed: Duration) -> Option<Duration> {
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * (1.0 - done) / done).ok()
}

/// Hours, minutes and seconds.
fn clock(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(seconds: f64) -> Time {
        Time::from_f64(seconds).expect("a time")
    }

    #[test]
    fn the_part_behind_and_the_time_left() {
        assert_eq!(fraction(time(-1.0), time(3.0), time(0.0)), 0.25);
        assert_eq!(fraction(time(2.0), time(2.0), time(2.0)), 1.0);
        assert_eq!(left(0.25, Duration::from_secs(20)), Some(Duration::from_secs(60)));
        assert_eq!(left(0.0, Duration::from_secs(20)), None);
        assert_eq!(clock(Duration::from_secs(65)), "1:05");
        assert_eq!(clock(Duration::from_secs(3 * 3600 + 65)), "3:01:05");
    }
}
