#!/bin/sh
# Fuzzes the core's reading of text:  fuzz.sh [seconds]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
seconds=${1:-600}
cxx=${FUZZ_CXX:-clang++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR="$work"

if ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    "$cxx" -x c++ -fsanitize=fuzzer,address,undefined - -o "$work/probe" 2>"$work/log"; then
    cat "$work/log" >&2
    echo "fuzz.sh needs clang with libFuzzer: apt-get install clang libclang-rt-14-dev" \
        "(or name the compiler in FUZZ_CXX)" >&2
    exit 1
fi

# In a copy of the core the limits are small, so that small inputs reach them, and the hash can
# be weakened, so that ids collide. Every replacement has to take place.
cp "$here"/../../src/rankstone/_native/*.hpp "$work/"
shrink() { # file, from, to
    grep -qF "$2" "$work/$1" || { echo "fuzz.sh: '$2' is not in $1" >&2; exit 1; }
    sed -i "s|$2|$3|" "$work/$1"
}
shrink text.hpp 'longest_line = std::size_t{1} << 20' 'longest_line = 200'
shrink text.hpp 'return mix(h ^ tail)' 'return mix(h ^ tail) \& fuzz_hash_mask'
shrink scan_run.hpp 'std::min<std::uint64_t>(4096,' 'std::min<std::uint64_t>(32,'
shrink unjudged.hpp 'most = std::size_t{1} << 20' 'most = 6'
shrink unjudged.hpp 'most_named = std::size_t{1} << 16' 'most_named = 4'
shrink doc_samples.hpp 'most_sampled_queries = 32, most_sampled_docs = 256' \
    'most_sampled_queries = 2, most_sampled_docs = 4'

"$cxx" -std=c++20 -g -O2 -Wall -Wextra -fsanitize=fuzzer,address,undefined \
    -fno-sanitize-recover=undefined -DMOST_UNJUDGED=6 -DMOST_NAMED=4 -DSAMPLED_QUERIES=2 -DSAMPLED_DOCS=4 \
    -I "$work" "$here/fuzz_scan.cpp" -o "$work/fuzz_scan" -pthread
mkdir "$work/corpus"
"$work/fuzz_scan" -max_total_time="$seconds" -max_len=512 -entropic=0 -rss_limit_mb=2048 -timeout=30 \
    -dict="$here/fuzz.dict" -artifact_prefix="${FUZZ_OUT:-/tmp}/rankstone-fuzz-" \
    -print_final_stats=1 "$work/corpus" "$here/corpus"
