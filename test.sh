#!/usr/bin/env bash
# Passes all tests: format, lints, unit and integration tests, documentation, and the property tests
# once more on cases that nobody has seen. `./test.sh properties` passes the property tests alone.
set -euo pipefail
cd "$(dirname "$0")"
# Property tests look at the same random cases every time; another number looks at others.
export PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-7}"

# A property test is a function with an argument that is drawn `in` something.
properties() {
    local names
    names=$(grep -rl --include='*.rs' 'proptest!' crates apps | xargs cat | tr '\n' ' ' |
        grep -oE 'fn [a-z0-9_]+\( *(mut )?[a-z0-9_]+(: [a-z0-9]+, *[a-z0-9_]+)* in ' |
        sed -E 's/fn ([a-z0-9_]+).*/\1/') &&
        cargo test --workspace --lib --bins --tests --quiet -- $names
}

if [ "${1:-}" = properties ]; then
    properties
    exit
fi

cargo fmt --all --check
cargo clippy --workspace --all-targets --quiet -- -D warnings
cargo test --workspace --quiet
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

seed=$(date +%s)
again="PROPTEST_RNG_SEED=$seed ./test.sh properties"
echo "property tests with another seed; to repeat them: $again"
PROPTEST_RNG_SEED=$seed properties || {
    echo "a property does not hold; to repeat: $again" >&2
    exit 1
}
