#!/usr/bin/env bash
# Passes all tests: format, lints, unit and integration tests, documentation, the build
# without features, and the property tests once more on cases that nobody has seen. `./test.sh
# properties` passes the property tests alone, `./test.sh features` builds with each feature alone,
# and `./test.sh python` passes the tests of the Python package.
set -euo pipefail
cd "$(dirname "$0")"
# Property tests look at the same random cases every time; another number looks at others.
export PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-7}"

# Runs one part of the tests, and prints how long it took. A part that fails ends the script there:
# it must not be called where `set -e` is off, as in a condition.
part() {
    now=$1
    local start=$SECONDS
    shift
    echo "--- $now"
    "$@"
    echo "--- $now: $((SECONDS - start)) s"
    now=
}
now=
trap '[ -z "$now" ] || echo "--- failed: $now, after $SECONDS s in all" >&2' EXIT

# A full disk looks like failing tests.
free=$(df -Pk . | awk 'NR == 2 { print int($4 / 1048576) }')
[ "$free" -ge 10 ] || echo "only $free GB are free here; all tests need about 10" >&2

# A property test is a function with an argument that is drawn `in` something.
properties() {
    local names
    names=$(grep -rl --include='*.rs' 'proptest!' crates apps | xargs cat | tr '\n' ' ' |
        grep -oE 'fn [a-z0-9_]+\( *(mut )?[a-z0-9_]+(: [a-z0-9]+, *[a-z0-9_]+)* in ' |
        sed -E 's/fn ([a-z0-9_]+).*/\1/')
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
    for feature in analysis native parquet pictures sparse streams; do
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
        numpy pandas pyarrow xarray pytest mypy pandas-stubs pyyaml matplotlib
    rm -rf target/python && mkdir -p target/python && cp -r python/superdense target/python
    cp target/debug/lib_superdense.so target/python/superdense/_superdense.abi3.so
    PYTHONPATH=$PWD/target/python $venv/bin/python -X faulthandler -m pytest -q \
        -p no:cacheprovider python/tests
    MYPYPATH=target/python $venv/bin/python -m mypy --strict --ignore-missing-imports \
        --cache-dir target/mypy target/python/superdense
}

case "${1:-}" in
properties | features | python)
    "$1"
    exit
    ;;
esac

lints() {
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --quiet -- -D warnings
}

documentation() {
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet
}

other_cases() {
    local seed again
    seed=$(date +%s)
    again="PROPTEST_RNG_SEED=$seed ./test.sh properties"
    echo "property tests with another seed; to repeat them: $again"
    PROPTEST_RNG_SEED=$seed properties
}

part lints lints
part tests cargo test --workspace --quiet
part "the build without features" core
part "the Python package" python
part documentation documentation
part "other random cases" other_cases
