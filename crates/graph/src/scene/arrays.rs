//! Names in a figure: the elements of an array of blocks share one, with the sizes of the array.

use std::collections::{BTreeMap, HashMap};

use diagram::{BlockArray, Diagram};

/// Which path is drawn under which name.
#[derive(Default)]
pub(super) struct Names {
    /// For the path of each element, the array as it is drawn.
    elements: HashMap<String, usize>,
    /// The arrays; those in different elements of an enclosing array are drawn as one.
    arrays: Vec<Stack>,
}

/// An array as it is drawn.
struct Stack {
    path: String,
    kind: String,
}

impl Names {
    /// The names of a diagram whose arrays are each drawn as one.
    pub fn new(diagram: &Diagram) -> Names {
        let mut levels: BTreeMap<usize, Vec<&BlockArray>> = BTreeMap::new();
        for array in &diagram.arrays {
            levels.entry(array.path.matches('.').count()).or_default().push(array);
        }
        // The names of enclosing arrays are determined before those inside.
        levels.into_values().fold(Names::default(), |names, level| names.with(&level))
    }

    fn with(mut self, level: &[&BlockArray]) -> Names {
        let mut alike: BTreeMap<String, Vec<&BlockArray>> = BTreeMap::new();
        for array in level {
            alike.entry(self.drawn(&array.path).0).or_default().push(array);
        }
        for (path, arrays) in alike {
            for element in arrays.iter().flat_map(|array| array.elements()) {
                self.elements.insert(element, self.arrays.len());
            }
            let path = format!("{path}[{}]", sizes(&arrays));
            self.arrays.push(Stack { path, kind: arrays[0].kind.clone() });
        }
        self
    }

    /// The path that is drawn, and how many arrays it passes through.
    pub fn drawn(&self, path: &str) -> (String, usize) {
        let (mut drawn, mut through) = (String::new(), 0);
        let ends = path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
        let mut start = 0;
        for end in ends {
            match self.elements.get(&path[..end]) {
                Some(array) => {
                    drawn.clone_from(&self.arrays[*array].path);
                    through += 1;
                }
                None => drawn.push_str(&path[start..end]),
            }
            start = end;
        }
        (drawn, through)
    }

    /// What kind the elements of the array drawn at a path are.
    pub fn kind(&self, path: &str) -> Option<&str> {
        let found = self.arrays.iter().find(|array| array.path == path);
        found.map(|array| array.kind.as_str())
    }
}

/// The sizes of arrays; the smallest and the largest if they differ.
fn sizes(arrays: &[&BlockArray]) -> String {
    let size = |index: usize| {
        let counts = || arrays.iter().map(|array| array.counts[index]);
        match (counts().min(), counts().max()) {
            (Some(least), Some(most)) if least < most => format!("{least}–{most}"),
            (least, _) => least.unwrap_or_default().to_string(),
        }
    };
    let indices = arrays.first().map_or(0, |array| array.counts.len());
    (0..indices).map(size).collect::<Vec<_>>().join(", ")
}
