#!/bin/sh
# Runs the tests against a core built with AddressSanitizer and UndefinedBehaviorSanitizer.
#   sanitize.sh [pytest arguments]      PYTHON names an interpreter that has the test tools
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The build tools go into an environment of their own.
"$python" -m venv "$work/tools"
"$work/tools/bin/pip" install --quiet cmake ninja nanobind
PATH="$work/tools/bin:$PATH" cmake -S "$root" -B "$work/build" -G Ninja \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DRANKSTONE_SANITIZE=ON -DCMAKE_CXX_COMPILER=g++ \
    -DPython_EXECUTABLE="$("$python" -c 'import sys; print(sys.executable)')" \
    -Dnanobind_DIR="$("$work/tools/bin/python" -m nanobind --cmake_dir)" >"$work/log" ||
    { cat "$work/log"; exit 1; }
PATH="$work/tools/bin:$PATH" cmake --build "$work/build" >"$work/log" || { cat "$work/log"; exit 1; }

mkdir "$work/src"
cp -r "$root/src/rankstone" "$work/src/"
ln -s "$root/examples" "$work/examples"
rm -f "$work"/src/rankstone/_native/_core*.so
cp "$work"/build/_core*.so "$work/src/rankstone/_native/"

# Python's own allocations are not freed at exit, so leaks are not looked for. libstdc++ is
# loaded with the sanitizer, which otherwise would not find what throws C++ exceptions. -s, since
# a report is written to the standard error stream and the process ends at once.
export PYTHONPATH="$work/src" RANKSTONE_ENGINE=native PYTHONDONTWRITEBYTECODE=1
export ASAN_OPTIONS=detect_leaks=0:alloc_dealloc_mismatch=0  # pytrec_eval frees what it new[]s
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)"
cd "$root"
"$python" -c "
from rankstone._native import _core
assert _core.__file__.startswith('$work'), _core.__file__"
[ $# -gt 0 ] || set -- tests -q
"$python" -m pytest -s -p no:randomly -p no:cacheprovider "$@"
