//! A long run streams in bounded memory, and a row costs no allocation of its own.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use base::{Tag, Time, Type};
use superdense_trace::{Column, Format, Header, Options, Schema, Writer};

/// Counts what is held and the most that ever was.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
static COUNT: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call goes to the system's allocator with the caller's own arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(held, Ordering::Relaxed);
        COUNT.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most memory beyond what was held before, and the allocations, of streaming so many rows.
fn stream(format: Format, rows: i128) -> (usize, u64) {
    let column = |k| Column { name: format!("x{k}"), ty: Type::REAL };
    let schema = Schema::new((0..10).map(column).collect()).with_orders(vec![1; 10]);
    let (held, count) = (HELD.load(Ordering::Relaxed), COUNT.load(Ordering::Relaxed));
    MOST.store(held, Ordering::Relaxed);
    let options = Options::new(format);
    let mut writer = Writer::stream(io::sink(), &schema, &Header::default(), options).unwrap();
    for k in 0..rows {
        let tag = Tag::new(Time::from_attoseconds(k * 1_000_000_007), (k % 2) as u32);
        let value = [k as f64 * 0.1];
        let value = &value[..];
        writer.push(tag, |_| Some(value), |_, _| (k % 2 == 1).then_some(value)).unwrap();
    }
    writer.finish().unwrap();
    (MOST.load(Ordering::Relaxed) - held, COUNT.load(Ordering::Relaxed) - count)
}

/// One test, for the counts are those of the whole process.
#[test]
fn memory_does_not_grow_with_rows() {
    for format in [Format::Csv, Format::Json, Format::Parquet] {
        let rows = 250_000;
        let (short, few) = stream(format, rows);
        let (long, many) = stream(format, 4 * rows);
        assert!(long < 50 << 20, "{format:?}: {long} bytes");
        // A row group of Parquet, of 2 MB, leaves a few hundred bytes a column in the table of
        // contents: less than a hundredth of what was written.
        let contents = if format == Format::Parquet { 3 * rows as usize * 240 / 100 } else { 0 };
        assert!(long < short + (1 << 18) + contents, "{format:?}: {short} bytes, then {long}");
        let each = (many - few) as f64 / (3 * rows) as f64;
        assert!(each < 0.1, "{format:?}: {each} allocations a row");
    }
}
