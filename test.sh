#!/usr/bin/env bash
# Passes all tests: format, lints, unit and integration tests, documentation, the build
# without features, and the property tests once more on cases that nobody has seen. `./test.sh
# properties` passes the property tests alone, `./test.sh features` builds with each feature alone,
# and `./test.sh python` passes the tests of the Python package.
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

# The public crate and the command line without features, and what is left then. Each set of
# features has files of its own in target/, so that none is built again because of another.
core() {
    cargo clippy --quiet --no-default-features -p superdense -p superdense-cli -- -D warnings
    cargo test --quiet --no-default-features -p superdense --test core
}

# The same, and each feature alone. The dependencies of each are checked anew, which takes minutes
# at first.
features() {
    core
    for feature in fmi native parquet pictures sparse streams; do
        cargo clippy --quiet --no-default-features -p superdense --features "$feature" -- -D warnings
    done
}

# The Python package: the library of the tests beside a copy of the Python files, in a virtual
# environment of its own.
python() {
    python3 -c 'import venv, ensurepip' 2>/dev/null || {
        echo "the tests of the Python package need python3 with venv (Debian: python3-venv)" >&2
        return 1
    }
    cargo build --workspace --quiet
    local venv=target/venv
    [ -x $venv/bin/python ] || python3 -m venv $venv
    $venv/bin/pip install --quiet --disable-pip-version-check \
        numpy pandas pyarrow xarray pytest mypy pandas-stubs
    rm -rf target/python && mkdir -p target/python && cp -r python/superdense target/python
    cp target/debug/lib_superdense.so target/python/superdense/_superdense.abi3.so
    PYTHONPATH=$PWD/target/python $venv/bin/python -X faulthandler -m pytest -q \
        -p no:cacheprovider python/tests
    MYPYPATH=target/python $venv/bin/python -m mypy --strict --ignore-missing-imports \
        --cache-dir target/mypy target/python/superdense
}

# Every model as an FMU in FMPy, in both versions and kinds: `./test.sh fmi` after `./test.sh python`.
# It takes minutes.
fmi() {
    local venv=target/venv
    $venv/bin/pip install --quiet --disable-pip-version-check fmpy
    $venv/bin/python apps/fmu/tests/fmpy_models.py target/debug/superdense models
}

case "${1:-}" in
properties | features | python | fmi)
    "$1"
    exit
    ;;
esac

cargo fmt --all --check
cargo clippy --workspace --all-targets --quiet -- -D warnings
cargo test --workspace --quiet
core
python
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

seed=$(date +%s)
again="PROPTEST_RNG_SEED=$seed ./test.sh properties"
echo "property tests with another seed; to repeat them: $again"
PROPTEST_RNG_SEED=$seed properties || {
    echo "a property does not hold; to repeat: $again" >&2
    exit 1
}
