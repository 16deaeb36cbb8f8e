//! Model Exchange: a small importer with a solver of its own, and instances in its hands.

use std::path::Path;
use std::sync::Arc;

use superdense::fmi::{Instance, Interface, Kind};
use superdense::{Library, System, Time, read};

use crate::common::compile;

fn model(name: &str) -> System {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let path = models.join(name).join("model.yaml");
    let model = read(&path).expect("a model");
    System::compile(&model, &Library::standard()).expect("it compiles")
}

fn interface_of(text: &str) -> Arc<Interface> {
    Arc::new(Interface::new(&compile(text)).expect("it can be exported"))
}

fn reference(interface: &Interface, name: &str) -> u32 {
    let port = interface.ports().iter().find(|own| own.name == name);
    port.unwrap_or_else(|| panic!("a variable {name}")).first as u32
}

/// An importer that follows the standard, with steps of Runge and Kutta and bisection.
struct Importer {
    instance: Instance,
    time: f64,
    states: Vec<f64>,
    next: Option<f64>,
    /// The times of events, and how many iterations each had.
    events: Vec<(f64, usize)>,
}

impl Importer {
    fn new(interface: &Arc<Interface>) -> Importer {
        let mut instance = Instance::new(interface, Kind::ModelExchange).expect("an instance");
        instance.set_up(0.0, None, None).expect("set up");
        instance.enter_initialization().expect("entered");
        instance.exit_initialization().expect("initialised");
        let states = vec![0.0; interface.state_count()];
        let mut own = Importer { instance, time: 0.0, states, next: None, events: Vec::new() };
        own.iterate();
        own
    }

    fn iterate(&mut self) -> usize {
        let mut count = 0;
        loop {
            count += 1;
            let found = self.instance.update_discrete().expect("an iteration");
            self.next = found.next;
            if !found.again {
                break;
            }
            assert!(count < 100, "iterations come to an end");
        }
        self.instance.enter_continuous().expect("between events");
        self.instance.states(&mut self.states).expect("states");
        count
    }

    fn rates(&mut self, time: f64, states: &[f64]) -> Vec<f64> {
        let mut rates = vec![0.0; states.len()];
        self.instance.set_time(time).expect("a time");
        self.instance.set_states(states).expect("states");
        self.instance.derivatives(&mut rates).expect("rates");
        rates
    }

    fn signs(&mut self, time: f64, states: &[f64]) -> Vec<bool> {
        self.instance.set_time(time).expect("a time");
        self.instance.set_states(states).expect("states");
        let mut all = vec![0.0; self.instance.interface().indicator_count()];
        self.instance.indicators(&mut all).expect("indicators");
        assert!(all.iter().all(|z| *z != 0.0), "an indicator is never 0: {all:?}");
        all.iter().map(|z| *z > 0.0).collect()
    }

    fn stepped(&mut self, h: f64) -> Vec<f64> {
        let (t, x) = (self.time, self.states.clone());
        let to =
            |k: &[f64], h: f64| -> Vec<f64> { x.iter().zip(k).map(|(x, k)| x + h * k).collect() };
        let k1 = self.rates(t, &x);
        let k2 = self.rates(t + h / 2.0, &to(&k1, h / 2.0));
        let k3 = self.rates(t + h / 2.0, &to(&k2, h / 2.0));
        let k4 = self.rates(t + h, &to(&k3, h));
        let sum = |i: usize| (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0;
        (0..x.len()).map(|i| x[i] + h * sum(i)).collect()
    }

    /// Goes on to a time, over all events.
    fn run_to(&mut self, stop: f64, step: f64) {
        while self.time < stop {
            let to = (self.time + step).min(stop).min(self.next.unwrap_or(stop));
            let (time, states) = (self.time, self.states.clone());
            let before = self.signs(time, &states);
            let mut h = to - self.time;
            let mut end = self.stepped(h);
            let crossed = self.signs(to, &end) != before;
            if crossed {
                let (mut low, mut high) = (0.0, h);
                for _ in 0..80 {
                    let middle = (low + high) / 2.0;
                    let there = self.stepped(middle);
                    match self.signs(time + middle, &there) == before {
                        true => low = middle,
                        false => high = middle,
                    }
                }
                h = high;
                end = self.stepped(h);
            }
            self.time = if crossed { time + h } else { to };
            self.states = end;
            let (time, states) = (self.time, self.states.clone());
            self.instance.set_time(time).expect("a time");
            self.instance.set_states(&states).expect("states");
            assert!(!self.instance.completed_step().expect("a step"));
            if crossed || self.next.is_some_and(|next| self.time >= next) {
                self.instance.enter_event().expect("an event");
                let iterations = self.iterate();
                self.events.push((self.time, iterations));
            }
        }
    }

    fn get(&mut self, name: &str) -> f64 {
        let reference = reference(&self.instance.interface().clone(), name);
        self.instance.get(reference, 1).expect("a value")[0]
    }
}

const BALL: &str = "superdense: 1
parameters: {g: 9.81, e: 0.8, y0: 10}
blocks:
  v: {type: Integrator, input: -g, initial: 0, impulse: kick}
  y: {type: Integrator, input: v, initial: y0}
  hit: {type: LevelCrossing, input: y, level: 0, direction: falling}
  kick: {type: Sample, input: -(1 + e) * previous(v), trigger: hit}
  count: {type: Counter, increment: hit}
record: [y, v, kick, count]
simulate: {stop: 12}
";

/// A ball has its bounces at the times of the closed form, each once.
#[test]
fn a_ball_bounces_at_the_times_of_the_closed_form() {
    let mut importer = Importer::new(&interface_of(BALL));
    importer.run_to(8.0, 0.1);
    let fall = (20.0f64 / 9.81).sqrt();
    let (mut time, mut hop) = (fall, 2.0 * fall);
    assert!(importer.events.len() > 3);
    for (index, (found, _)) in importer.events.clone().into_iter().enumerate() {
        assert!((found - time).abs() < 1e-10, "bounce {index} at {found}, not {time}");
        hop *= 0.8;
        time += hop;
    }
    assert_eq!(importer.get("count"), importer.events.len() as f64);
    let speed = 0.8f64.powi(importer.events.len() as i32) * 9.81 * fall;
    let since = importer.time - (time - hop);
    assert!((importer.get("v") - (speed - 9.81 * since)).abs() < 1e-8);
}

/// A state is gone back to over a bounce, in memory and as bytes.
#[test]
fn an_importer_goes_back_over_an_event() {
    let interface = interface_of(BALL);
    let mut importer = Importer::new(&interface);
    importer.run_to(1.0, 0.1);
    let saved = importer.instance.save();
    let (time, states, next) = (importer.time, importer.states.clone(), importer.next);
    importer.run_to(2.0, 0.1);
    let first = [importer.get("y"), importer.get("v"), importer.get("count")].map(f64::to_bits);
    assert_eq!(importer.get("count"), 1.0);
    let mut other = Instance::new(&interface, Kind::ModelExchange).expect("an instance");
    let again = other.saved_of(&saved.bytes()).expect("a state");
    other.restore(&again);
    importer.instance.restore(&saved);
    for instance in [None, Some(other)] {
        if let Some(instance) = instance {
            importer.instance = instance;
        }
        (importer.time, importer.states, importer.next) = (time, states.clone(), next);
        assert_eq!(importer.get("count"), 0.0);
        importer.run_to(2.0, 0.1);
        let now = [importer.get("y"), importer.get("v"), importer.get("count")].map(f64::to_bits);
        assert_eq!(now, first);
    }
}

const OPEN: &str = "superdense: 1
parameters: {k: {value: 2, tunable: true}}
inputs:
  u: {initial: 1}
  steps: {kind: held, initial: 0}
blocks:
  clock: {type: Clock, period: 1/3, offset: 1/3}
  x: {type: Integrator, input: k * u^2 - x * z + steps}
  z: {type: Integrator, input: sin(x), initial: 0.5}
  count: {type: Counter, increment: clock}
  over: {type: LevelCrossing, input: u, level: 1.5, direction: rising}
  seen: {type: Counter, increment: over}
record: {x: x, w: x * z + u, count: count, seen: seen}
simulate: {stop: 5}
";

/// Time events come at the exact times of the clock, and are not missed by a rounding.
#[test]
fn time_events_are_those_of_the_agenda() {
    let mut importer = Importer::new(&interface_of(OPEN));
    importer.run_to(2.5, 0.11);
    assert_eq!(importer.get("count"), 7.0);
    for (index, (time, _)) in importer.events.iter().enumerate() {
        assert_eq!(*time, (index + 1) as f64 / 3.0);
    }
}

/// Directional derivatives are exact.
#[test]
fn directional_derivatives_are_those_of_the_equations() {
    let interface = interface_of(OPEN);
    let mut importer = Importer::new(&interface);
    importer.run_to(0.2, 0.05);
    let [u, x, w] = ["u", "x.state", "w"].map(|name| reference(&interface, name));
    let [dx, dz] = ["der(x.state)", "der(z.state)"].map(|name| reference(&interface, name));
    importer.instance.set(u, &[3.0]).expect("set");
    importer.instance.set_states(&[0.7, 0.5]).expect("states");
    let mut found = [0.0; 3];
    importer.instance.directional((&[dx, dz, w], &[x]), &[2.0], &mut found).expect("derivatives");
    assert_eq!(found, [-1.0, 2.0 * 0.7f64.cos(), 1.0]);
    importer.instance.directional((&[dx, dz, w], &[u]), &[1.0], &mut found).expect("derivatives");
    assert_eq!(found, [12.0, 0.0, 1.0]);
}

/// A continuous input that moves between events crosses a level, and is an event of it.
#[test]
fn an_input_crosses_a_level() {
    let interface = interface_of(OPEN);
    let u = reference(&interface, "u");
    let mut importer = Importer::new(&interface);
    let states = importer.states.clone();
    let signs = |own: &mut Importer, value: f64, time: f64| {
        own.instance.set(u, &[value]).expect("set");
        own.signs(time, &states)
    };
    let before = signs(&mut importer, 1.25, 0.1);
    assert_eq!(signs(&mut importer, 1.49, 0.2), before);
    assert_ne!(signs(&mut importer, 1.51, 0.3), before);
    importer.instance.enter_event().expect("an event");
    importer.iterate();
    assert_eq!(importer.get("seen"), 1.0);
    let before = signs(&mut importer, 1.51, 0.3);
    assert_eq!(signs(&mut importer, 1.6, 0.31), before);
}

/// What is set at an event is a jump there: a level that a jump passes is seen once.
#[test]
fn an_input_jumps_at_an_event() {
    let interface = interface_of(OPEN);
    let (u, steps) = (reference(&interface, "u"), reference(&interface, "steps"));
    let mut importer = Importer::new(&interface);
    importer.run_to(0.25, 0.1);
    importer.instance.enter_event().expect("an event");
    importer.instance.set(u, &[2.0]).expect("set");
    importer.instance.set(steps, &[5.0]).expect("set");
    importer.iterate();
    assert_eq!(importer.get("seen"), 1.0);
    let states = importer.states.clone();
    let rates = importer.rates(0.25, &states);
    assert_eq!(rates[0], 8.0 - states[0] * states[1] + 5.0);
}

/// Several microsteps of one instant are as many iterations, and balls in a row hit in order.
#[test]
fn a_chain_of_hits_is_iterated() {
    let interface = Interface::new(&model("newtons-cradle")).expect("it can be exported");
    let mut importer = Importer::new(&Arc::new(interface));
    importer.run_to(1.5, 0.1);
    let (time, iterations) = importer.events[0];
    assert!((time - 1.0).abs() < 1e-12, "{time}");
    assert!(iterations >= 3, "{iterations}");
    let speeds = ["v1", "v2", "v3"].map(|name| importer.get(name));
    assert_eq!(speeds, [0.0, 0.0, 1.0]);
}

/// A delayed signal is that of the steps that were completed: x' = -x(t - 1) with x = 1 before the
/// start is a polynomial on each interval. The importer's steps are longer than the delay if it may
/// take them.
#[test]
fn a_delay_has_the_past_of_completed_steps() {
    let text = "superdense: 1
blocks:
  late: {type: TransportDelay, input: x, delay: 1, initial: 1}
  x: {type: Integrator, input: -late, initial: 1}
record: [x, late]
simulate: {stop: 5}
";
    for step in [0.1, 0.7, 5.0] {
        let mut importer = Importer::new(&interface_of(text));
        for time in [0.5f64, 1.5, 2.5, 3.0] {
            importer.run_to(time, step);
            let x = 1.0 - time + (time - 1.0).max(0.0).powi(2) / 2.0
                - (time - 2.0).max(0.0).powi(3) / 6.0;
            let found = importer.get("x");
            assert!((found - x).abs() < 1e-6, "{found}, not {x}, at {time} by {step}");
        }
    }
}

/// A delayed jump comes a delay later, and a state is gone back to with its past.
#[test]
fn a_delayed_jump_comes_again() {
    let text = "superdense: 1
blocks:
  t: {type: Integrator, input: 1}
  hit: {type: LevelCrossing, input: t, level: 0.5, direction: rising}
  three: {type: Sample, input: 3 + 0 * t, trigger: hit}
  x: {type: Integrator, input: -x, initial: 1, reset: three}
  late: {type: TransportDelay, input: x, delay: 0.75}
  up: {type: LevelCrossing, input: late, level: 2, direction: rising}
  ups: {type: Counter, increment: up}
record: [x, late, ups]
simulate: {stop: 3}
";
    let mut importer = Importer::new(&interface_of(text));
    importer.run_to(1.125, 0.3);
    let saved = importer.instance.save();
    let (time, states, next) = (importer.time, importer.states.clone(), importer.next);
    for _ in 0..2 {
        assert_eq!(importer.get("ups"), 0.0);
        importer.run_to(1.375, 0.3);
        assert_eq!(importer.get("ups"), 1.0);
        let expected = 3.0 * (-0.125f64).exp();
        assert!((importer.get("late") - expected).abs() < 1e-6);
        let again = importer.instance.saved_of(&saved.bytes()).expect("a state");
        importer.instance.restore(&again);
        (importer.time, importer.states, importer.next) = (time, states.clone(), next);
    }
}

/// An input follows the data of the model until the importer sets it.
#[test]
fn inputs_follow_their_data() {
    let system = model("drive-cycle");
    let interface = Arc::new(Interface::new(&system).expect("it can be exported"));
    let mut importer = Importer::new(&interface);
    importer.run_to(26.0, 0.02);
    let mut run = system.begin();
    run.advance_to(Time::from_f64(26.0).expect("a time")).expect("a run");
    for name in ["v", "fuel", "distance", "gear"] {
        let signal = system.signal(name).expect("a signal");
        let own = run.get(&signal).expect("a value").expect("present")[0];
        let found = importer.get(name);
        assert!((found - own).abs() < 1e-5 * own.abs().max(1.0), "{name}: {found}, own {own}");
    }
    assert!((importer.get("speed") - 20.0 / 3.0).abs() < 1e-9, "{}", importer.get("speed"));
    let speed = reference(&interface, "speed");
    importer.instance.set(speed, &[50.0]).expect("set");
    assert_eq!(importer.get("speed"), 50.0);
    importer.run_to(50.0, 0.25);
    assert!((importer.get("v") - 50.0).abs() < 1e-3, "{}", importer.get("v"));
}

/// Crossings that time alone brings come at known times, however many there are in a step.
#[test]
fn crossings_by_time_are_foreseen() {
    let text = "superdense: 1
blocks:
  wave: {type: Triangle, period: 0.1, low: -1}
  on: {type: Expression, expression: wave > 0.5 * sin(time)}
  x: {type: Integrator, input: if on then 1 else -1}
  turn: {type: LevelCrossing, input: wave - 0.5 * sin(time), level: 0}
  turns: {type: Counter, increment: turn}
record: [x, turns]
simulate: {stop: 5}
";
    let system = compile(text);
    let mut importer = Importer::new(&Arc::new(Interface::new(&system).expect("exported")));
    importer.run_to(2.0, 1.0);
    let mut run = system.begin();
    run.advance_to(Time::from_f64(2.0).expect("a time")).expect("a run");
    let own = run.get(&system.signal("x").expect("a signal")).expect("a value").expect("present");
    assert!((importer.get("x") - own[0]).abs() < 1e-9, "{}, own {}", importer.get("x"), own[0]);
    assert_eq!(importer.get("turns"), 40.0);
}

/// A level that an input falls through again and again, and is lifted from at events, is no
/// accumulation, whatever its slope is: nobody knows it.
#[test]
fn inputs_that_fall_again_and_again_do_not_accumulate() {
    let text = "superdense: 1
inputs: {u: {initial: 1}}
blocks:
  x: {type: Integrator, input: u}
  low: {type: LevelCrossing, input: u, level: 0, direction: falling}
  count: {type: Counter, increment: low}
record: [x, count]
simulate: {stop: 100}
";
    let interface = interface_of(text);
    let u = reference(&interface, "u");
    let mut importer = Importer::new(&interface);
    for tooth in 1..=30 {
        let time = f64::from(tooth);
        importer.instance.set_time(time).expect("a time");
        importer.instance.set(u, &[-1e-9]).expect("set");
        importer.instance.completed_step().expect("a step");
        importer.instance.enter_event().expect("an event");
        importer.instance.set(u, &[1.0]).expect("set");
        importer.iterate();
    }
    assert_eq!(importer.get("count"), 30.0);
}
