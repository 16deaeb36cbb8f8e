//! Parameters of one run: given by handle before it starts, in place.
//!
//! A run that is reset for each of many parameter sets takes no memory and looks no name up. What
//! follows from a parameter is found when its handle is made: other values, and the parts of the
//! buffer that begin with them. Where more than numbers follow from it, such as the period of a
//! clock or the stop time, the run is made anew from a system with that value.

use std::borrow::Cow;
use std::sync::Arc;

use base::{Elem, ParameterId, Type, Value};
use diagram::{Diagram, ParameterKind, Settings};
use model::RunSetting;
use program::InitialPart;

use crate::hold::{HoldError, InputHandle, unknown};
use crate::pipeline::Code;
use crate::run::Executor;
use crate::{Run, System};

/// A parameter of the model that a run can be given, looked up once.
#[derive(Clone, Debug)]
pub struct ParameterHandle {
    /// Its index among the parameters of the main diagram.
    index: usize,
    name: String,
    ty: Type,
    diagram: Arc<Diagram>,
    reach: Arc<Reach>,
}

impl ParameterHandle {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of its value.
    pub fn ty(&self) -> Type {
        self.ty
    }
}

/// What follows from a parameter.
#[derive(Debug)]
struct Reach {
    /// The values that follow from it, itself first, and the parts of the buffer that begin with
    /// each.
    values: Vec<(ParameterId, Vec<InitialPart>)>,
    /// Whether something other than numbers follows from it.
    more: bool,
    /// The signal that it is, if it is tunable.
    tunable: Option<InputHandle>,
}

impl Reach {
    /// The value that the parameter is.
    fn first(&self) -> ParameterId {
        self.values[0].0
    }
}

/// The values of parameters that a run has on top of those of its system.
#[derive(Debug, Default)]
pub(crate) struct GivenValues {
    given: Vec<GivenValue>,
    /// All values that are computed from parameters, once one has been given, and whether each is
    /// given rather than computed.
    values: Vec<Value>,
    is_given: Vec<bool>,
    /// Values before the present change.
    before: Vec<Value>,
    /// Whether the run was made anew for one of them.
    anew: bool,
}

#[derive(Debug)]
struct GivenValue {
    index: usize,
    value: Value,
    reach: Arc<Reach>,
}

impl System {
    /// The handle of a parameter of the main diagram that a run can be given.
    pub fn parameter(&self, name: &str) -> Result<ParameterHandle, HoldError> {
        let main = self.diagram.parameters.main();
        let Some(index) = main.iter().position(|own| own.name == name) else {
            return Err(unknown("parameter", name, main.iter().map(|own| own.name.as_str())));
        };
        let (kind, own) = (main[index].kind.clone(), name.to_owned());
        let program = match &self.code {
            Code::Exact(program) => program,
            Code::FixedStep(_) => return Err(HoldError::OtherProgram { name: own }),
        };
        let id = main[index].id().ok_or(HoldError::NotTunable { name: own.clone(), kind })?;
        let following = self.diagram.parameters.following(id);
        let mut more = self.diagram.takes_at_start(&following) || self.sets_run(&following);
        let mut parts = |id: &ParameterId| {
            let parts = program.beginning_with(*id);
            more |= parts.is_none();
            (*id, parts.unwrap_or_default())
        };
        let values = following.iter().map(&mut parts).collect();
        let tunable = self.tunable(name).ok();
        let reach = Arc::new(Reach { values, more, tunable });
        let (ty, diagram) = (self.values[id.index()].ty(), self.diagram.clone());
        Ok(ParameterHandle { index, name: own, ty, diagram, reach })
    }

    /// Whether a setting of the run depends on one of these values.
    fn sets_run(&self, ids: &[ParameterId]) -> bool {
        let Ok(model) = self.overrides.applied(&self.origin.model) else { return true };
        let main = self.diagram.parameters.main().iter();
        let own = main.filter(|own| own.id().is_some_and(|id| ids.contains(&id)));
        let names: Vec<&str> = own.map(|own| own.name.as_str()).collect();
        let settings = RunSetting::ALL.iter().filter_map(|setting| model.simulate.value(*setting));
        settings.flat_map(|expr| expr.names()).any(|(name, _)| names.contains(&name))
    }
}

impl Run {
    /// Gives a parameter its value in this run, before the run starts, as if the run had been
    /// started with it by [`System::start`]. [`Run::reset`] takes it back. If only numbers follow
    /// from the parameter, nothing is allocated from the second run on. A tunable parameter can be
    /// given later, too: it then changes at the present time, as by [`Run::set`].
    pub fn give(&mut self, parameter: &ParameterHandle, value: Value) -> Result<(), HoldError> {
        let name = || parameter.name.clone();
        if !Arc::ptr_eq(&parameter.diagram, &self.system.diagram) {
            return Err(HoldError::OtherSystem { name: name() });
        }
        let Executor::Exact(simulation) = &self.executor else {
            return Err(HoldError::FixedSteps);
        };
        let is_truth = |ty: Type| ty.elem == Elem::Bool;
        if value.ty().shape != parameter.ty.shape || is_truth(value.ty()) != is_truth(parameter.ty)
        {
            let (expected, given) = (parameter.ty, value.ty().with_article());
            return Err(HoldError::WrongType { name: name(), expected, given });
        }
        if simulation.has_started() {
            return match &parameter.reach.tunable {
                Some(input) => self.set(input, value.data()),
                None => Err(HoldError::NotTunable { name: name(), kind: ParameterKind::Fixed }),
            };
        }
        self.given.prepare(&self.system);
        if !self.given.follow(&self.system, &parameter.reach, &value) {
            return Err(HoldError::OtherProgram { name: name() });
        }
        let (index, reach) = (parameter.index, parameter.reach.clone());
        let before = self.given.put(GivenValue { index, value, reach });
        if !self.begin_with_given(&parameter.reach) {
            self.given.withdraw(&parameter.reach, before);
            return Err(HoldError::OtherProgram { name: name() });
        }
        self.given.is_given[parameter.reach.first().index()] = true;
        self.looked = false;
        Ok(())
    }

    /// Takes the values over that have just been given; returns whether that is possible.
    fn begin_with_given(&mut self, reach: &Reach) -> bool {
        if reach.more || self.given.anew {
            let Some(system) = self.system_as_given() else { return false };
            self.given.anew = true;
            self.begin_anew(&system);
            return true;
        }
        let Executor::Exact(simulation) = &mut self.executor else { return false };
        let anyway = reach.tunable.as_ref().map(InputHandle::id);
        for (id, parts) in &reach.values {
            simulation.begin_from(parts, &self.given.values[id.index()], anyway);
        }
        true
    }

    /// Makes the run anew from a system of the same structure.
    fn begin_anew(&mut self, system: &System) {
        if let (Executor::Exact(simulation), Code::Exact(program)) =
            (&mut self.executor, &system.code)
        {
            simulation.begin_again(program.clone(), (*system.options).clone());
            self.instances.write(&mut self.executor);
            let start = system.run.start.time();
            if std::mem::replace(&mut self.now, start) != start {
                self.feed_data();
            }
        }
    }

    /// Takes back the values that this run was given, before it is reset.
    pub(crate) fn take_back_given(&mut self) {
        if self.given.given.is_empty() {
            return;
        }
        if std::mem::take(&mut self.given.anew) {
            let system = self.system.clone();
            self.begin_anew(&system);
        } else if let Executor::Exact(simulation) = &mut self.executor {
            let values = self.given.given.iter().flat_map(|own| &own.reach.values);
            for (id, parts) in values {
                simulation.begin_from(parts, &self.system.values[id.index()], None);
            }
        }
        self.given.clear(&self.system);
    }

    /// The system that this run could have been started from, with the values that it was given.
    pub(crate) fn own_system(&self) -> Cow<'_, System> {
        match self.given.given.is_empty() {
            true => Cow::Borrowed(&self.system),
            false => self.system_as_given().map_or(Cow::Borrowed(&self.system), Cow::Owned),
        }
    }

    /// The system with the values that this run was given; none if that is another program.
    fn system_as_given(&self) -> Option<System> {
        let main = self.system.diagram.parameters.main();
        let named = |own: &GivenValue| (main[own.index].name.clone(), own.value.clone());
        let parameters = self.given.given.iter().map(named).collect();
        let system = self.system.with(&Settings { parameters, ..Settings::default() }).ok()?;
        system.is_same_program(&self.system).then_some(system)
    }
}

impl GivenValues {
    /// Begins with the values of a system.
    fn prepare(&mut self, system: &System) {
        if self.values.len() != system.values.len() {
            self.clear(system);
        }
    }

    /// Goes back to the values of a system, keeping its memory.
    fn clear(&mut self, system: &System) {
        self.given.clear();
        self.values.clone_from(&system.values);
        self.is_given.clear();
        self.is_given.resize(self.values.len(), false);
        let main = system.diagram.parameters.main();
        let set = |name: &str| system.overrides.parameters.iter().any(|(own, _)| own == name);
        let ids = main.iter().filter(|own| set(&own.name)).filter_map(|own| own.id());
        ids.for_each(|id| self.is_given[id.index()] = true);
    }

    /// Computes what follows from a parameter with a new value. Returns whether the program is one
    /// for these values; if it is not, nothing has changed.
    fn follow(&mut self, system: &System, reach: &Reach, value: &Value) -> bool {
        let parameters = &system.diagram.parameters;
        self.before.clear();
        for (place, (id, _)) in reach.values.iter().enumerate() {
            let given = match place {
                0 => Some(value),
                _ => self.is_given[id.index()].then(|| &self.values[id.index()]),
            };
            let Ok(renewed) = parameters.renewed(*id, given, &self.values) else {
                self.restore(reach);
                return false;
            };
            self.before.push(std::mem::replace(&mut self.values[id.index()], renewed));
        }
        true
    }

    /// Puts the values before the present change back.
    fn restore(&mut self, reach: &Reach) {
        for ((id, _), before) in reach.values.iter().zip(self.before.drain(..)) {
            self.values[id.index()] = before;
        }
    }

    /// Puts a value last, in place of one that the same parameter was given before.
    fn put(&mut self, new: GivenValue) -> Option<GivenValue> {
        let place = self.given.iter().position(|own| own.index == new.index);
        let before = place.map(|place| self.given.remove(place));
        self.given.push(new);
        before
    }

    /// Takes the value back that was given last, for one that was given before it.
    fn withdraw(&mut self, reach: &Reach, before: Option<GivenValue>) {
        self.given.pop();
        self.given.extend(before);
        self.restore(reach);
    }
}
