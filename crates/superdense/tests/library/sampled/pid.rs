//! The sampled PID controller.

use super::{assert_all_near, assert_refused, response};

/// The values without limits are those of lfilter for the transfer function on the page; those with
/// limits come from the equations on the page, computed in Python.
///
/// Holds: closed form of DiscretePID.
#[test]
// A table of expected values, and so longer than a function should otherwise be.
fn a_pid_controller_follows_its_equations() {
    let with = |more: &str| {
        let block = format!(
            "  d: {{type: DiscretePID, input: u, period: 0.1, kp: 2, ki: 3, kd: 0.4, filter: 0.25{more}}}\n"
        );
        response(&block, "d")
    };
    let free = [
        -14.142857142857144,
        1.062244897959178,
        7.23446064139941,
        5.013186172428147,
        -5.376295591122757,
        7.738360292055168,
        12.06454306575369,
        8.111816475538351,
        -3.9872739460440325,
        7.373375752825693,
        9.853839823446927,
        3.929885588176381,
    ];
    assert_all_near(&with(""), &free, 1e-12);
    let limits = ", initial: 0.5, lower: -6, upper: 7, tracking: 1.5, anti_windup: ";
    let none = [
        -6.0,
        1.562244897959183,
        7.0,
        5.513186172428155,
        -4.876295591122746,
        7.0,
        7.0,
        7.0,
        -3.4872739460440294,
        7.0,
        7.0,
        4.429885588176374,
    ];
    assert_all_near(&with(&format!("{limits}none")), &none, 1e-12);
    let clamped = [
        -6.0,
        2.912244897959183,
        7.0,
        6.1431861724281545,
        -4.246295591122747,
        7.0,
        7.0,
        7.0,
        -5.64727394604403,
        5.713375752825692,
        7.0,
        1.4298855881763735,
    ];
    assert_all_near(&with(&format!("{limits}clamping")), &clamped, 1e-12);
    let back = [
        -6.0,
        2.7086734693877546,
        7.0,
        6.377481361932528,
        -4.012000401618374,
        7.0,
        7.0,
        7.0,
        -4.041947671655487,
        7.0,
        7.0,
        3.414702439419781,
    ];
    assert_all_near(&with(&format!("{limits}back_calculation")), &back, 1e-12);
}

/// Holds: bad input of DiscretePID.
#[test]
fn a_pid_controller_starts_again_at_a_reset() {
    let blocks = "  r: {type: Clock, period: 100, offset: 0.6}
  one: {type: Sample, input: 1, trigger: c}
  d: {type: DiscretePID, input: one, reset: r, period: 0.1, kp: 2, ki: 10, kd: 0.1}
";
    // The proportional part is 2, the integral grows by 1, the difference is 1 at the first sample.
    let expected = [3., 3., 4., 5., 6., 7., 3., 3., 4., 5., 6., 7.];
    assert_all_near(&response(blocks, "d"), &expected, 1e-13);
    let bad = |more: &str| format!("  y: {{type: DiscretePID, input: n, {more}}}\n");
    assert_refused(&bad("period: 0"), "bad-parameter", "the period must be positive");
    assert_refused(&bad("period: 1, filter: -1"), "bad-parameter", "must not be negative");
    let limits = bad("period: 1, lower: 1, upper: 0");
    assert_refused(&limits, "bad-parameter", "the lower limit must not be above");
}
