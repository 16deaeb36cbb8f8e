//! The comparison of pictures: a change that can be seen is found and named, a rounding is not.

use crate::common::same_picture::difference;

const PICTURE: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100">
<text x="20" y="28.5" fill="#262626">height [m]</text>
<g transform="rotate(-90 10 50)" clip-path="url(#clip0)">
<path d="M82.73 40L82.73 74.5L-1e1 -2" fill="none" stroke="#0072b2" stroke-width="0.9"/>
<polyline points="1,2 3,4" style="stroke-width: 1.5px"/>
</g>
</svg>
"##;

/// The difference that a replacement in the picture makes.
fn changed(from: &str, to: &str) -> Result<(), String> {
    assert_eq!(PICTURE.matches(from).count(), 1, "`{from}` is there once");
    difference(PICTURE, &PICTURE.replace(from, to))
}

#[track_caller]
fn found(from: &str, to: &str, message: &str) {
    assert_eq!(changed(from, to), Err(message.to_owned()), "`{from}` to `{to}`");
}

#[test]
fn a_picture_is_the_same_as_itself() {
    assert_eq!(difference(PICTURE, PICTURE), Ok(()));
}

#[test]
fn roundings_and_spellings_are_no_difference() {
    for (from, to) in [
        ("74.5", "74.503"),
        ("M82.73", "M82.729"),
        ("28.5", "28.502"),
        ("-90 10 50", "-90.001 10 50.004"),
        ("200 100", "200.001 100"),
        ("1,2 3,4", "1.001 2 3.001 3.999"),
        ("40L", "40 L"),
        ("-1e1 -2", "-10-2"),
        ("\"0.9\"", "\".90\""),
        ("1.5px", "1.50px"),
        ("</g>\n", "</g>"),
    ] {
        assert_eq!(changed(from, to), Ok(()), "`{from}` to `{to}`");
    }
}

#[test]
fn what_has_moved_is_found() {
    let path = "<path> of line 4: attribute `d`";
    found("74.5", "74.6", &format!("{path} was `74.5`, and is `74.6` (part 6 of 9)"));
    found("L-1e1", "L-1e2", &format!("{path} was `-1e1`, and is `-1e2` (part 8 of 9)"));
    found("L-1e1", "M-1e1", &format!("{path} was `L`, and is `M` (part 7 of 9)"));
    found(
        "L-1e1 -2",
        "",
        &format!(
            "{path} was `M82.73 40L82.73 74.5L-1e1 -2`, and is `M82.73 40L82.73 74.5` (9 and 6 parts)"
        ),
    );
    found(
        "28.5",
        "28.4",
        "<text> of line 2: attribute `y` was `28.5`, and is `28.4` (part 1 of 1)",
    );
    found(
        "10 50)",
        "10 51)",
        "<g> of line 3: attribute `transform` was `50`, and is `51` (part 5 of 6)",
    );
    found(
        "3,4",
        "3,4.1",
        "<polyline> of line 5: attribute `points` was `4`, and is `4.1` (part 4 of 4)",
    );
    found(
        "200 100",
        "200 110",
        "<svg> of line 1: attribute `viewBox` was `100`, and is `110` (part 4 of 4)",
    );
}

#[test]
fn another_look_is_found() {
    let path = "<path> of line 4: attribute";
    found(
        "#0072b2",
        "#0072b3",
        &format!("{path} `stroke` was `#0072b2`, and is `#0072b3` (part 1 of 1)"),
    );
    found("0.9", "0.94", &format!("{path} `stroke-width` was `0.9`, and is `0.94` (part 1 of 1)"));
    found(" fill=\"none\"", "", &format!("{path} `fill` was `none`, and is absent"));
    found(
        "1.5px",
        "1.6px",
        "<polyline> of line 5: attribute `style` was `1.5`, and is `1.6` (part 5 of 6)",
    );
    found("<g ", "<g class=\"a\" ", "<g> of line 3: attribute `class` was absent, and is `a`");
    found(
        "clip0",
        "clip1",
        "<g> of line 3: attribute `clip-path` was `#clip0`, and is `#clip1` (part 3 of 4)",
    );
}

#[test]
fn other_elements_and_texts_are_found() {
    let line = PICTURE.lines().nth(4).expect("a polyline");
    found(line, "", "<g> of line 3: <polyline> of line 5 is now nothing");
    found(line, &line.repeat(2), "<g> of line 3: nothing is now <polyline> of line 5");
    found("<polyline", "<polygon", "<polyline> of line 5 is now <polygon> of line 5");
    found("height [m]", "height [M]", "<text> of line 2: `height [m]` is now `height [M]`");
    found("height [m]", "height [m] ", "<text> of line 2: `height [m]` is now `height [m] `");
    found("height [m]", "", "<text> of line 2: `height [m]` is now nothing");
    let broken = changed("</svg>", "").expect_err("no end");
    assert!(broken.starts_with("the drawn picture is no XML"), "{broken}");
}
