#!/usr/bin/env bash
# Passes all tests: format, lints, unit and integration tests, documentation, the build
# without features, the Python package, FMUs in FMPy and the studio in a browser. `./test.sh NAME` does
# one part alone: `properties`, `python`, `fmi` or `studio`; `./test.sh features` builds with each
# feature alone.
set -euo pipefail
cd "$(dirname "$0")"
# Property tests look at other random cases every time; the same number looks at the same ones.
export PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-$(date +%s)}"
again="PROPTEST_RNG_SEED=$PROPTEST_RNG_SEED ./test.sh properties"
echo "to repeat the property tests with the cases of this run: $again"
# A machine that builds once gains nothing from files for the next build, which are half of all, and
# nobody looks at line numbers in a debugger there.
[ -z "${CI:-}" ] || export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0

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
    for feature in analysis fmi native parquet pictures sparse streams; do
        cargo clippy --quiet --no-default-features -p superdense --features "$feature" -- -D warnings
    done
}

# The virtual environment of the tests, with everything built. Its packages come from PyPI.
environment() {
    python3 -c 'import venv, ensurepip' 2>/dev/null || {
        echo "these tests need python3 with venv (Debian: python3-venv)" >&2
        return 1
    }
    cargo build --workspace --quiet
    [ -x target/venv/bin/python ] || python3 -m venv target/venv
    target/venv/bin/pip install --quiet --disable-pip-version-check "$@"
}

# The Python package: the library of the tests beside a copy of the Python files.
python() {
    environment numpy scipy pandas pyarrow xarray control matplotlib gymnasium cffi pyyaml \
        distributed numba pytest mypy pandas-stubs
    local venv=target/venv
    rm -rf target/python && mkdir -p target/python && cp -r python/superdense target/python
    cp target/debug/lib_superdense.so target/python/superdense/_superdense.abi3.so
    PYTHONPATH=$PWD/target/python $venv/bin/python -X faulthandler -m pytest -q \
        -p no:cacheprovider python/tests
    MYPYPATH=target/python $venv/bin/python -m mypy --strict --ignore-missing-imports \
        --cache-dir target/mypy target/python/superdense python/examples/*.py python/generate.py
}

# Every model as an FMU in FMPy; by itself, `./test.sh fmi` takes each in both versions.
fmi() {
    environment fmpy
    target/venv/bin/python apps/fmu/tests/strict.py target/debug/superdense
    target/venv/bin/python apps/fmu/tests/fmpy_models.py target/debug/superdense models "$@"
}

# The stories of the studio in Chromium, and that its page is the one that its sources make. What is
# missing is installed: packages of npm beside the sources, Chromium from Debian.
studio() {
    local web=apps/studio/web
    command -v npm >/dev/null || {
        echo "the tests of the studio need Node.js 20 with npm" >&2
        return 1
    }
    [ -x /usr/bin/chromium ] || {
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium
    } >/dev/null
    [ -d $web/node_modules/playwright-core ] || npm ci --prefix $web --silent --no-fund --no-audit
    local before
    before=$(cat apps/studio/bundle/* | cksum)
    npm run --prefix $web build --silent >/dev/null
    [ "$before" = "$(cat apps/studio/bundle/* | cksum)" ] || {
        echo "apps/studio/bundle is not what its sources make: it has been built again" >&2
        return 1
    }
    cargo build --workspace --quiet
    node $web/stories.mjs target/debug/superdense target/studio
}

case "${1:-}" in
fmi)
    fmi --both
    exit
    ;;
properties | features | python | studio)
    "$1"
    exit
    ;;
esac

# A dependency that tests ask for with other features is compiled twice, with all that needs it.
compiled_once() {
    local features
    features=$(for edges in normal,build normal,build,dev; do
        cargo tree --workspace --edges "$edges" --prefix none --format '{p} {f}' |
            sed 's/ (\*)$//' | sort -u
    done | sort -u | awk '{ print $1, $2 }' | uniq -d)
    [ -z "$features" ] || {
        echo "tests ask for other features of these dependencies:" $features >&2
        return 1
    }
}

lints() {
    compiled_once
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --quiet -- -D warnings
}

documentation() {
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet
}

# The commands of the documentation are run too; exporting an FMU needs its library.
tests() {
    cargo build --workspace --quiet
    cargo test --workspace --quiet
}

part lints lints
part tests tests
part "the build without features" core
part "the Python package" python
part "exported FMUs" fmi
part "the studio" studio
part documentation documentation
