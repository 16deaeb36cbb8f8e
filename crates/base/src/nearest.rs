//! The name that was probably intended.

/// The candidate nearest to a misspelt name, if one is near enough. Among equally near ones, a name
/// of the same length is preferred, then the first.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let score = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        // Two swapped letters are a single slip, even in a short name.
        let slip = lower.len() > 2 && strsim::osa_distance(&lower, &candidate) == 1;
        strsim::jaro_winkler(&lower, &candidate).max(if slip { 0.76 } else { 0.0 })
    };
    candidates
        .into_iter()
        // A single letter is like every name that begins with it, so it must be that very letter.
        .filter(|candidate| candidate.len() > 1 || name.len() <= 2 || name.starts_with(*candidate))
        .map(|candidate| (score(candidate), candidate.len().abs_diff(name.len()), candidate))
        .filter(|(score, ..)| *score > 0.75)
        .min_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)))
        .map(|(.., candidate)| candidate)
}

/// How many names a help line lists: as many as the fields of a large block.
const MOST_LISTED: usize = 24;

/// A help line with the nearest name, or with all names if they are few.
pub fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let all: Vec<&str> = candidates.into_iter().collect();
    match nearest(name, all.iter().copied()) {
        Some(found) => Some(format!("did you mean `{found}`?")),
        None if all.is_empty() || all.len() > MOST_LISTED => None,
        None => Some(format!("there is: {}", all.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_misspelt() {
        assert_eq!(nearest("Integrater", ["Gain", "Integrator"]), Some("Integrator"));
        assert_eq!(nearest("rk54", ["rk4", "rk45"]), Some("rk45"));
        assert_eq!(nearest("stp", ["start", "stop", "solver", "step"]), Some("stop"));
        assert_eq!(nearest("rnu", ["check", "run", "plot"]), Some("run"));
        assert_eq!(nearest("input", ["I", "reference"]), None);
        assert_eq!(nearest("i", ["I", "reference"]), Some("I"));
        assert_eq!(nearest("zzz", ["Gain", "Integrator"]), None);
    }
}
