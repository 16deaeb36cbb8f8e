//! No figures: this program was built without the feature `pictures`. The section `plots` of a model
//! is read, but the names in it are not looked up.

use base::Diagnostics;

use crate::System;

/// The figures of a system, which are not made.
#[derive(Debug, Default)]
pub(crate) struct Figures;

impl Figures {
    pub fn check(&self, _: &System) -> Result<(), Diagnostics> {
        Ok(())
    }
}
