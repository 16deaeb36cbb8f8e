//! Figures of state machines: strips, shades and legends.

use super::*;

/// A machine that is in `free` from 0 to 3 and in `rest` from 3 to 4, beside a number.
fn machine() -> Trace {
    let column = |name: &str, ty| Column { name: name.to_owned(), ty };
    let columns = vec![column("x", Type::REAL), column("m.state", Type::INT)];
    let labels = ["free", "rest"].map(str::to_owned).to_vec();
    let mut trace = Trace::with_schema(trace::Schema::new(columns).with_labels(1, labels));
    for (t, n, state) in [(0.0, 0, 0.0), (3.0, 0, 0.0), (3.0, 1, 1.0), (4.0, 0, 1.0)] {
        let row = [[t], [state]];
        trace.push(Tag::new(time(t), n), |column| Some(&row[column]));
    }
    trace
}

/// The left and right ends of the rectangles of a colour.
fn rectangles(svg: &str, color: &str) -> Vec<(f64, f64)> {
    let document = Document::parse(svg).unwrap();
    let filled = document.descendants().filter(|node| node.attribute("fill") == Some(color));
    let ends = |data: &str| {
        let left: f64 = data[1..].split(' ').next().unwrap().parse().unwrap();
        let right: f64 = data.split(['H', 'V']).nth(1).unwrap().parse().unwrap();
        (left, right)
    };
    filled.map(|node| ends(node.attribute("d").unwrap())).collect()
}

#[test]
fn states_are_a_strip_and_shade_the_other_panels() {
    let trace = machine();
    let figure = Figure::of(&trace);
    assert_eq!((figure.panels.len(), figure.shade.as_deref()), (2, Some("m.state")));
    let picture = svg(&figure, &trace).unwrap();
    // The colours of the strip, and those behind the curve, at the same places.
    let [strip_free, strip_rest] = ["#94c4df", "#edbb94"].map(|color| rectangles(&picture, color));
    let [free, rest] = ["#deedf5", "#faeade"].map(|color| rectangles(&picture, color));
    assert_eq!((strip_free.len(), strip_rest.len()), (1, 1), "{picture}");
    assert_eq!((&free, &rest), (&strip_free, &strip_rest));
    let (whole, first) = (rest[0].1 - free[0].0, free[0].1 - free[0].0);
    assert!((first / whole - 0.75).abs() < 1e-3, "three of four seconds");
    assert!(picture.contains(">free</text>") && picture.contains(">rest</text>"));
    assert!(strokes(&picture).len() == 1, "the number of the state is no curve");

    let plain = svg(&figure.shade(None), &trace).unwrap();
    assert!(rectangles(&plain, "#deedf5").is_empty());
    let wrong = svg(&Figure::of(&trace).shade(Some("x".to_owned())), &trace).unwrap_err();
    assert_eq!(wrong, Error::NoStates { name: "x".to_owned() });
}

#[test]
fn names_without_room_are_in_the_legend() {
    let trace = machine();
    let narrow = Figure::of(&trace).between(time(2.99), time(4.0));
    let picture = svg(&narrow, &trace).unwrap();
    let count = |name: &str| picture.matches(&format!(">{name}</text>")).count();
    assert_eq!((count("free"), count("rest")), (1, 2), "in the legend, and where there is room");
    assert_eq!(svg(&Figure::of(&trace), &trace).unwrap().matches(">free</text>").count(), 1);
}

#[test]
fn a_figure_of_chosen_panels_is_shaded_by_its_first_states() {
    let trace = machine();
    let panels = [Panel::over_time(["x"]), Panel::over_time(["m.state"])];
    let picture = svg(&Figure::new(panels.clone()).shade_by_states(&trace), &trace).unwrap();
    assert_eq!(rectangles(&picture, "#deedf5"), rectangles(&picture, "#94c4df"));
    let without = Figure::new([panels[0].clone()]).shade_by_states(&trace);
    assert_eq!(without.shade, None);
}

/// Machines with these lists of states, each of which it is in for a very short and a long time.
fn machines(lists: &[&[&str]]) -> Trace {
    let column = |k: usize| Column { name: format!("m{k}"), ty: Type::INT };
    let mut schema = trace::Schema::new((0..lists.len()).map(column).collect());
    for (k, list) in lists.iter().enumerate() {
        schema = schema.with_labels(k, list.iter().map(|name| (*name).to_owned()).collect());
    }
    let mut trace = Trace::with_schema(schema);
    for (t, n, state) in [(0.0, 0, 0.0), (3.99, 0, 0.0), (3.99, 1, 1.0), (4.0, 0, 1.0)] {
        trace.push(Tag::new(time(t), n), |_| Some(std::slice::from_ref(&state)));
    }
    trace
}

#[test]
fn machines_with_the_same_states_share_colours_and_a_legend() {
    let trace = machines(&[&["off", "heating"], &["off", "heating"], &["off", "heating"]]);
    let together = Figure::of(&trace);
    let apart = Figure::new(["m0", "m1", "m2"].map(|name| Panel::over_time([name])));
    for figure in [together, apart] {
        let picture = svg(&figure, &trace).unwrap();
        // Three strips, and an entry of the legend.
        for color in ["#94c4df", "#edbb94"] {
            assert_eq!(rectangles(&picture, color).len(), 4, "{color}");
        }
        let entries: Vec<String> =
            words(&picture).into_iter().filter(|word| word.contains("heating")).collect();
        assert_eq!(entries, ["heating"]);
    }
    // Other states have other colours, and their owners are named.
    let trace = machines(&[&["off", "heating"], &["open", "shut"], &["off", "heating"]]);
    let picture = svg(&Figure::of(&trace), &trace).unwrap();
    assert_eq!(rectangles(&picture, "#94c4df").len(), 3);
    let words = words(&picture);
    for word in ["m0, m2 heating", "m1 shut"] {
        assert_eq!(words.iter().filter(|own| *own == word).count(), 1, "{words:?}");
    }
}

#[test]
fn the_label_of_one_element_is_used_as_it_is() {
    let mut trace = table(&[("q", Type::vector(2))]);
    for k in 0..3 {
        let row = [f64::from(k), 1.0];
        trace.push(Tag::new(time(f64::from(k)), 0), |_| Some(&row[..]));
    }
    let label = |name: &str| {
        let signal = Signal::new(name).label("joint");
        words(&svg(&Figure::new([Panel::over_time([signal])]), &trace).unwrap())
    };
    assert!(label("q[0]").contains(&"joint".to_owned()), "{:?}", label("q[0]"));
    for element in ["joint[0]", "joint[1]"] {
        assert!(label("q").contains(&element.to_owned()), "{:?}", label("q"));
    }
}
