//! Streams: memoised functions of the evaluation.

use std::cell::{OnceCell, RefCell};
use std::rc::{Rc, Weak};

/// A value for each evaluation e = 0, 1, 2, ..., and one for everything before.
///
/// A stream is a pure function of e: computed values are merely remembered. Its rule may read other
/// streams, and its own earlier values, so that streams can be defined in terms of each other.
#[derive(Debug)]
pub struct Stream<T>(Handle<T>);

/// Streams that are defined in terms of each other hold one another; one of them must not keep the
/// others alive, or none would ever be freed.
#[derive(Debug)]
enum Handle<T> {
    Strong(Rc<Body<T>>),
    Weak(Weak<Body<T>>),
}

struct Body<T> {
    before: T,
    rule: OnceCell<Box<dyn Fn(usize) -> T>>,
    known: RefCell<Vec<T>>,
}

impl<T> std::fmt::Debug for Body<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "known to evaluation {}", self.known.borrow().len())
    }
}

impl<T> Clone for Stream<T> {
    fn clone(&self) -> Self {
        Stream(match &self.0 {
            Handle::Strong(body) => Handle::Strong(body.clone()),
            Handle::Weak(body) => Handle::Weak(body.clone()),
        })
    }
}

impl<T: Clone + 'static> Stream<T> {
    /// The stream of a rule, with its value before evaluation 0.
    pub fn new(before: T, rule: impl Fn(usize) -> T + 'static) -> Self {
        let stream = Stream::later(before);
        stream.define(rule);
        stream
    }

    /// The stream of a rule that takes the evaluation and the stream's own previous value.
    pub fn scan(before: T, rule: impl Fn(usize, T) -> T + 'static) -> Self {
        let stream = Stream::later(before);
        let own = stream.knot();
        stream.define(move |e| rule(e, own.pre(e)));
        stream
    }

    /// A stream to be defined once, after others have been defined in terms of it.
    pub fn later(before: T) -> Self {
        let (rule, known) = (OnceCell::new(), RefCell::default());
        Stream(Handle::Strong(Rc::new(Body { before, rule, known })))
    }

    /// Defines a stream made by [`Stream::later`].
    ///
    /// # Panics
    /// If it has been defined before.
    pub fn define(&self, rule: impl Fn(usize) -> T + 'static) {
        let set = self.body().rule.set(Box::new(rule));
        assert!(set.is_ok(), "a stream is defined once");
    }

    /// The same stream, for the rules of streams that it depends on in turn. It is valid as long as
    /// the stream itself.
    pub fn knot(&self) -> Self {
        Stream(Handle::Weak(Rc::downgrade(&self.body())))
    }

    fn body(&self) -> Rc<Body<T>> {
        match &self.0 {
            Handle::Strong(body) => body.clone(),
            Handle::Weak(body) => body.upgrade().expect("the stream of a knot is kept"),
        }
    }

    /// The value at an evaluation.
    ///
    /// # Panics
    /// If the stream has not been defined, or needs its own value at the same evaluation.
    pub fn at(&self, e: usize) -> T {
        let body = self.body();
        // Starts at the first unknown value, so that a rule finds its own past and the call depth
        // does not grow with e.
        loop {
            let next = body.known.borrow().len();
            if next > e {
                return body.known.borrow()[e].clone();
            }
            let rule = body.rule.get().expect("a stream that is read is defined");
            let value = rule(next);
            let mut known = body.known.borrow_mut();
            assert_eq!(known.len(), next, "a stream does not need itself at the same evaluation");
            known.push(value);
        }
    }

    /// The value `count` evaluations earlier, or the one before all evaluations if e is less than
    /// that.
    pub fn back(&self, e: usize, count: usize) -> T {
        match e.checked_sub(count) {
            Some(e) => self.at(e),
            None => self.body().before.clone(),
        }
    }

    /// The value at the previous evaluation: the Memory block of a diagram.
    pub fn pre(&self, e: usize) -> T {
        self.back(e, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_the_value_before() {
        let squares = Stream::new(-1, |e| (e * e) as i64);
        let before: Vec<i64> = (0..4).map(|e| squares.pre(e)).collect();
        assert_eq!(before, [-1, 0, 1, 4]);
        assert_eq!(squares.back(1, 4), -1);
    }

    #[test]
    fn streams_are_defined_in_terms_of_each_other() {
        // The Fibonacci numbers, by two streams.
        let sum = Stream::later(1u64);
        let last = {
            let sum = sum.knot();
            Stream::new(0, move |e| sum.pre(e))
        };
        let own = sum.knot();
        sum.define(move |e| own.pre(e) + last.pre(e));
        assert_eq!((0..6).map(|e| sum.at(e)).collect::<Vec<_>>(), [1, 2, 3, 5, 8, 13]);
    }

    #[test]
    fn a_late_evaluation_needs_no_deep_calls() {
        let count = Stream::scan(0u64, |_, before| before + 1);
        assert_eq!(count.at(1_000_000), 1_000_001);
    }

    #[test]
    fn what_is_not_used_any_more_is_freed() {
        let held = Rc::new(());
        let (kept, stream) = (held.clone(), Stream::later(0));
        let own = stream.knot();
        stream.define(move |e| own.pre(e) + Rc::strong_count(&kept));
        assert_eq!(stream.at(3), 8);
        drop(stream);
        assert_eq!(Rc::strong_count(&held), 1);
    }
}
